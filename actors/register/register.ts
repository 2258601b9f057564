/**
 * POST /register: the state as it is, and a queue for what happens to it from then on.
 *
 * Part of the state is in the replica, part only in PostgreSQL, and the two are read at two places in the log: the
 * stored part first, in one snapshot whose place the log itself tells (`start`), then, when the replica has come at
 * least as far, its part in one synchronous go (`snapshot`). `last_event_id` is `start`; of the events between the two
 * the queue gives its client only those about the stored part, since the others are in the replica's answer already. So
 * nothing is folded into anything, and the state and the events fit together exactly.
 */
import { lastLogged } from "../../storage/realm-log.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { Registration } from "../event-queue/registration.ts";
import type { RegisteringRealm } from "../realm/reader.ts";
import type { RegisterFields } from "./answer.ts";
import { memoryParts, storedParts } from "./initial-state.ts";
import { userView } from "./users-part.ts";
import type { RegisterView } from "./view.ts";

export interface RegisterRequest {
  registration: Registration;
  /** Which parts of the state; null: all. */
  fetchTypes: ReadonlySet<string> | null;
  idleTimeoutSecs: number;
  view: RegisterView;
}

/** The fields of the answer; some are `JsonText`. */
export async function register(
  realm: RegisteringRealm,
  user: UserRow,
  request: RegisterRequest,
): Promise<RegisterFields> {
  const { database } = realm;
  const wants = (type: string) => request.fetchTypes === null || request.fetchTypes.has(type);
  const readers = storedParts.filter((part) => part.isWanted(wants));
  const stored: RegisterFields = {};
  const compose: (() => void)[] = [];
  let start = realm.position;
  if (readers.length > 0) {
    await database.transaction(async (sql) => {
      // Sent together: the queries share the snapshot and one round trip.
      const [logged, ...finishers] = await Promise.all([
        lastLogged(sql, realm.id),
        ...readers.map((part) => part.read(sql, realm, user)),
      ]);
      // What this node had applied was stored before, and an event that no disk keeps has no stored part.
      start = Math.max(start, logged ?? 0);
      for (const finish of finishers) compose.push(() => Object.assign(stored, finish(realm.state, request.view)));
    }, "isolation level repeatable read read only");
    await realm.reached(start);
  }
  if (wants("presence")) await realm.currentUnstored();
  // Many people come at once when a server was away: what they share is made bit by bit, and the rest is done in turn.
  if (wants("realm_user")) await realm.userText.prepare(realm.state, user, userView(request.view));
  await realm.turns.next();
  // No await from here to the queue's first entry, so no event falls in between.
  const snapshot = realm.position;
  if (readers.length === 0) start = snapshot;
  const state: RegisterFields = {};
  for (const part of memoryParts) if (part.isWanted(wants)) Object.assign(state, part.read(realm, user, request.view));
  for (const finish of compose) finish();
  const queue = await realm.queues.register(user.id, request.registration, request.idleTimeoutSecs, start, snapshot);
  return {
    ...state,
    ...stored,
    queue_id: queue.id,
    last_event_id: start,
    idle_queue_timeout_secs: request.idleTimeoutSecs,
  };
}
