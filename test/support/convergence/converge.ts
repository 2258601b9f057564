/**
 * The convergence law: fetch the state, act, apply the events, fetch again: both states are equal. Every write of the
 * server is tested through this, for several kinds of client at once. Every event on the way is checked against its
 * shape.
 */
import { type ApiClient, cursorOf, type QueueCursor } from "../client/api.ts";
import { reasonFor } from "../client/beyond-497.ts";
import { answerMisfits, eventMisfits } from "../client/public-types.ts";
import { type ClientProfile, LEGACY, MOBILE, MODERN, registerParams } from "./client-profile.ts";
import { applyEvent, diffStates, kindOf, normalizeState, type RegisterState, type WireEvent } from "./client-state.ts";
import { eventProblems, registerProblems } from "./event-shapes.ts";
import { KnownMessages } from "./message-law.ts";

/** What one observer saw as one kind of client. */
export interface Observation {
  readonly observer: ApiClient;
  readonly profile: ClientProfile;
  /** The events that came, in order, without heartbeats. */
  readonly events: readonly WireEvent[];
  /** The state fetched before the action. */
  readonly before: RegisterState;
  /** The state fetched after it. */
  readonly after: RegisterState;
}

/** What `assertConverges` hands back for further checks. */
export interface Convergence<T> {
  /** What the action returned. */
  readonly result: T;
  readonly observations: readonly Observation[];
  /** The events that an observer got, as one kind of client (default: the first profile). */
  eventsOf(observer: ApiClient, profile?: ClientProfile): readonly WireEvent[];
}

/** An observer: an account, as every profile or as those named. */
export type Observer = ApiClient | { readonly client: ApiClient; readonly profiles: readonly ClientProfile[] };

/** What is to converge. */
export interface ConvergeOptions<T> {
  readonly observers: readonly Observer[];
  /** Profiles of observers that name none. */
  readonly profiles?: readonly ClientProfile[];
  /** The write under test. It ends when the server has answered. */
  readonly act: () => Promise<T>;
  /** How long states may take to agree, for writes with deferred consequences or a replica that lags. */
  readonly settleMs?: number;
}

/** Thrown when the law is broken; the message lists every problem of every observer. */
export class DivergenceError extends Error {
  override readonly name = "DivergenceError";
}

/** Long enough for another node to follow the log on a busy machine. Only failing tests wait for all of it. */
const SETTLE_MS = 60_000;
/** Problems shown of one observation. */
const MAX_PROBLEMS = 40;

/** A registration, and its state as a client brings it up to date. */
interface Watch {
  readonly observer: ApiClient;
  readonly profile: ClientProfile;
  readonly before: RegisterState;
  readonly applied: RegisterState;
  /** Of clients that keep messages as the page does. */
  readonly messages: KnownMessages | undefined;
  readonly queue: QueueCursor;
  readonly received: WireEvent[];
  /** Received, but later than the last state they could be compared with. */
  readonly pending: WireEvent[];
  readonly problems: string[];
}

/**
 * Checks the law and the shape of every event for each observer and each of its profiles.
 *
 * The second state is fetched first and the events drained after it; those up to its `last_event_id` are applied. So a
 * write that lands in between cannot make a correct server look wrong.
 *
 * @throws DivergenceError naming what differs. Whatever `act` throws is passed on.
 */
export async function assertConverges<T>(options: ConvergeOptions<T>): Promise<Convergence<T>> {
  const { observers, profiles = [LEGACY, MOBILE, MODERN], act, settleMs = SETTLE_MS } = options;
  const pairs = observers.flatMap((observer) => {
    const named = "client" in observer ? observer : { client: observer, profiles };
    return named.profiles.map((profile) => ({ observer: named.client, profile }));
  });
  const watches = await Promise.all(pairs.map(({ observer, profile }) => startWatch(observer, profile)));
  try {
    const result = await act();
    const settled = await Promise.all(watches.map((watch) => settle(watch, performance.now() + settleMs)));
    const problems = settled.flatMap(({ lines }) => lines);
    if (problems.length > 0) throw new DivergenceError(`the convergence law is broken\n${problems.join("\n")}`);
    const observations = settled.map(({ observation }) => observation);
    return { result, observations, eventsOf: (observer, profile) => eventsOf(observations, observer, profile) };
  } finally {
    await Promise.all(watches.map(({ observer, queue }) => dropQueue(observer, queue.queueId)));
  }
}

function eventsOf(
  observations: readonly Observation[],
  observer: ApiClient,
  profile?: ClientProfile,
): readonly WireEvent[] {
  const found = observations.find((one) => one.observer === observer && (!profile || one.profile === profile));
  if (!found) throw new Error(`${observer.email ?? "this client"} did not observe as ${profile?.name ?? "anyone"}`);
  return found.events;
}

async function startWatch(observer: ApiClient, profile: ClientProfile): Promise<Watch> {
  const before = await observer.register(registerParams(profile));
  return {
    observer,
    profile,
    before,
    applied: structuredClone(before),
    messages: profile === MODERN ? await KnownMessages.of(observer, profile) : undefined,
    queue: cursorOf(before),
    received: [],
    pending: [],
    problems: [...registerProblems(before, profile), ...unknownTypes(answerMisfits("POST /register", before))],
  };
}

/** Compares until the states agree or the deadline passes; in between it waits for events, not for time. */
async function settle(watch: Watch, deadlineMs: number): Promise<{ observation: Observation; lines: string[] }> {
  for (;;) {
    const { after, differences } = await compare(watch);
    const remainingMs = deadlineMs - performance.now();
    // Events newer than the state mean that the state lags; fetching it again takes care of that.
    if (watch.pending.length > 0 && remainingMs > 0) continue;
    if (differences.length > 0 && remainingMs > 0 && (await waitForEvents(watch, remainingMs))) continue;
    const { observer, profile, before, received: events } = watch;
    const problems = [...watch.problems, ...registerProblems(after, profile), ...differences];
    const kinds = events.map((event) => [event.type, event.op].filter(Boolean).join("/"));
    const heading = `${observer.email ?? "anonymous"} as ${profile.name}, after ${kinds.join(", ") || "no events"}:`;
    const shown = [...new Set(problems)].slice(0, MAX_PROBLEMS).map((line) => `  ${line}`);
    if (problems.length > MAX_PROBLEMS) shown.push(`  … ${problems.length - MAX_PROBLEMS} more`);
    return {
      observation: { observer, profile, events, before, after },
      lines: problems.length ? [heading, ...shown] : [],
    };
  }
}

async function compare(watch: Watch): Promise<{ after: RegisterState; differences: string[] }> {
  const after = await watch.observer.register(registerParams(watch.profile));
  await dropQueue(watch.observer, cursorOf(after).queueId);
  receive(watch, await watch.observer.drain(watch.queue));
  // A server may answer -1 for a queue that has seen nothing; its state then holds everything up to now.
  const position = after.last_event_id ?? -1;
  while (watch.pending[0] && (position < 0 || watch.pending[0].id <= position)) apply(watch, watch.pending.shift());
  const applied = normalizeState(watch.applied, watch.profile);
  const differences = diffStates(applied, normalizeState(after, watch.profile));
  if (watch.messages) differences.push(...(await watch.messages.differences()));
  return { after, differences: differences.map(withSides) };
}

/** The left side is what a client has, the right side what the server says. */
function withSides(difference: string): string {
  return `${difference} (by events ≠ fetched again)`;
}

/** What differs from the public API, but for what has a reason. */
const unknownTypes = (lines: readonly string[]): string[] => lines.filter((line) => reasonFor(line) === undefined);

function receive(watch: Watch, events: readonly WireEvent[]): void {
  for (const event of events) {
    watch.problems.push(...eventProblems(event, watch.profile), ...unknownTypes(eventMisfits(kindOf(event), event)));
    if (event.type === "heartbeat") continue;
    watch.received.push(event);
    watch.pending.push(event);
  }
}

function apply(watch: Watch, event: WireEvent | undefined): void {
  if (!event) return;
  try {
    applyEvent(watch.applied, event, watch.profile);
    watch.messages?.apply(event);
  } catch (error) {
    watch.problems.push(`event ${event.id} (${event.type}) cannot be applied: ${String(error)}`);
  }
}

/** Whether more events came before time ran out. */
async function waitForEvents(watch: Watch, remainingMs: number): Promise<boolean> {
  const deadline = AbortSignal.timeout(Math.ceil(remainingMs));
  try {
    const { queueId, lastEventId } = watch.queue;
    const events = await watch.observer.events(queueId, lastEventId, { signal: deadline });
    receive(watch, events);
    watch.queue.lastEventId = events.at(-1)?.id ?? lastEventId;
    return true;
  } catch (error) {
    if (deadline.aborted) return false;
    throw error;
  }
}

/** A queue that is gone already is as good as deleted. */
async function dropQueue(observer: ApiClient, queueId: string): Promise<void> {
  await observer.delete("/events", { queue_id: queueId });
}
