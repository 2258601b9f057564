/**
 * Life of an invitation. Pure: it decides, `invitations.ts` and `join.ts` act.
 *
 * | Rule | In   | Event         | When                                               | Does  | Then    |
 * | IN1  | open | joined        | the link is for anybody                            |       | open    |
 * | IN2  | open | joined        | it was for one address                             |       | used    |
 * | IN3  | open | clock.expired | its time is over                                   |       | expired |
 * | IN4  | open | revoked       | its inviter or an administrator takes it back      |       | revoked |
 * | IN5  | open | resent        | its inviter or an administrator sends it again     | renew | open    |
 *
 * Nothing happens to one that is expired, revoked or used.
 */
import { setup, transition } from "xstate";

export type InvitationEvent =
  | { type: "joined"; isReusable: boolean }
  | { type: "clock.expired" }
  | { type: "revoked" }
  | { type: "resent" };

export const invitationMachine = setup({
  types: { events: {} as InvitationEvent },
  guards: { isReusable: ({ event }) => event.type === "joined" && event.isReusable },
  // Effects: a name and no body. The shell supplies them.
  actions: { renew: () => {} },
}).createMachine({
  id: "invitation",
  initial: "open",
  states: {
    open: {
      on: {
        joined: [{ guard: "isReusable", target: "open" }, { target: "used" }],
        "clock.expired": "expired",
        revoked: "revoked",
        resent: { target: "open", actions: "renew" },
      },
    },
    expired: { type: "final" },
    revoked: { type: "final" },
    used: { type: "final" },
  },
});

export type InvitationState = "open" | "expired" | "revoked" | "used";

/** One step: the next state, and what the shell has to do for it. */
export function stepInvitation(
  state: InvitationState,
  event: InvitationEvent,
): { state: InvitationState; actions: "renew"[] } {
  const [next, actions] = transition(
    invitationMachine,
    invitationMachine.resolveState({ value: state, context: {} }),
    event,
  );
  return { state: next.value as InvitationState, actions: actions.map((action) => action.type as "renew") };
}
