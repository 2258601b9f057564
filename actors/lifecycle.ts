/**
 * How lifecycles are stepped. Commands step those of stored rows: channels, folders, accounts, messages, uploads,
 * scheduled messages, invitations. Realms, candidates and event queues are stepped by their holders. Such a machine has
 * no context. Its state is in a row or a field, and the facts that decide are in the event.
 *
 * A refused step changes nothing and carries its reason, which the command turns into the caller's error. The command
 * performs the actions of a step that is taken through a `switch` that knows every action.
 */
import { type AnyStateMachine, type EventFrom, type StateValueFrom, transition } from "xstate";
import type { ApiError } from "./errors.ts";

export interface Step<State extends string, Action extends string, Refusal extends string> {
  state: State;
  /** What the shell has to do, in order. */
  actions: Action[];
  /** Why the step is refused. Undefined: it is taken, or the event means nothing in this state. */
  refusal: Refusal | undefined;
}

/** A type in the place where a machine takes it as a value. */
export const typeOf = <T>(): T => ({}) as T;

/** A transition that is refused for this reason. */
export const refuse = <Refusal extends string>(reason: Refusal) => ({
  actions: { type: "refuse" as const, params: { reason } },
});

/** The pure step function of a machine. `Action` is every effect that it names; `refuse` is not one of them. */
export function stepper<Machine extends AnyStateMachine, Action extends string, Refusal extends string = never>(
  machine: Machine,
): (
  state: StateValueFrom<Machine> & string,
  event: EventFrom<Machine>,
) => Step<StateValueFrom<Machine> & string, Action, Refusal> {
  const plain: AnyStateMachine = machine;
  return (state, event) => {
    const [next, effects] = transition(plain, plain.resolveState({ value: state, context: {} }), event);
    const orders = effects as { type: string; params?: unknown }[];
    const refused = orders.find(({ type }) => type === "refuse")?.params as { reason: Refusal } | undefined;
    return {
      state: next.value as typeof state,
      actions: refused ? [] : orders.map(({ type }) => type as Action),
      refusal: refused?.reason,
    };
  };
}

/** The step, if it is taken. @throws what `errorFor` makes of the machine's refusal */
export function granted<Taken extends Step<string, string, Refusal>, Refusal extends string>(
  step: Taken & { refusal: Refusal | undefined },
  errorFor: (refusal: Refusal) => ApiError,
): Taken {
  if (step.refusal !== undefined) throw errorFor(step.refusal);
  return step;
}
