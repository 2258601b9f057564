/**
 * POST /register: the current state, and a queue for the events that follow.
 *
 * Part of the state is in the replica, and part is only in PostgreSQL. The two are read at two positions of the log.
 * The stored part comes first, with its position (`start`, see `stored.ts`). When the replica has come at least as far,
 * its part is read synchronously (`snapshot`). `last_event_id` is `start`. Of the events between the two, the queue
 * passes on only those about the stored part: the others are in the replica's part already. So the state and the events
 * fit together exactly.
 */

import type { RecipientId, UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { eventQueues } from "../event-queue/memory.ts";
import type { Session } from "../event-queue/queue.ts";
import type { Registration } from "../events/registration.ts";
import { memoryOf } from "../realm/memory.ts";
import type { ServedRealm } from "../realm/served.ts";
import type { Fields } from "../text/json-text.ts";
import { userTexts } from "../users/text.ts";
import type { RegisterFields } from "./answer.ts";
import { personalParts, sharedParts, storedParts } from "./initial-state.ts";
import { sharedTexts } from "./shared-parts.ts";
import { readStored, type Stored } from "./stored.ts";
import { unreadMessages } from "./unread.ts";
import { userView } from "./users-part.ts";
import type { RegisterView } from "./view.ts";

export interface RegisterRequest {
  registration: Registration;
  /** Which parts of the state; null: all. */
  fetchTypes: ReadonlySet<string> | null;
  idleTimeoutSecs: number;
  /** The log-in that it came by. */
  session?: Session | undefined;
  view: RegisterView;
}

/** The fields of the answer. */
export async function register(realm: ServedRealm, user: UserRow, request: RegisterRequest): Promise<Fields[]> {
  const wants = (type: string) => request.fetchTypes === null || request.fetchTypes.has(type);
  const parts = storedParts.filter((part) => part.isWanted(wants));
  const messages = { newest: wants("message"), unread: wants("message") && wants("update_message_flags") };
  let stored: Stored | undefined;
  let people: ReadonlyMap<RecipientId, UserId[]> = new Map();
  if (parts.length > 0 || messages.newest) {
    stored = await readStored(realm, user, { ...messages, lists: parts.length > 0 });
    await realm.reached(stored.start);
    if (messages.unread)
      people = await unreadMessages.people(realm.database.sql, stored.unread.conversations, stored.lists);
  }
  if (wants("presence")) await realm.currentUnstored();
  // Many people register at once after a server was away. Shared text is built bit by bit, and the rest is done in
  // turns.
  if (wants("realm_user")) await realm.state.derived(userTexts).prepare(realm.state, user, userView(request.view));
  await realm.turns.next();
  // No await from here to the queue's first entry, so no event falls in between.
  const snapshot = realm.position;
  const start = stored?.start ?? snapshot;
  const same = sharedParts.filter(({ type }) => wants(type));
  const kind = `${same.map(({ type }) => type).join()} ${[...request.view.has].join()}`;
  const shared = realm.state
    .derived(sharedTexts)
    .text(realm.state, kind, () => Object.assign({}, ...same.map((part) => part.read(realm, request.view))));
  const fields: RegisterFields = {};
  for (const part of personalParts)
    if (part.isWanted(wants)) Object.assign(fields, part.read(realm, user, request.view));
  if (stored) {
    const { lists, unread, newest } = stored;
    if (messages.newest) fields.max_message_id = newest;
    if (messages.unread) fields.unread_msgs = unreadMessages.compose(realm.state, user, unread, people, request.view);
    for (const part of parts) Object.assign(fields, part.finish(lists, user, realm.state));
  }
  const { registration, idleTimeoutSecs, session } = request;
  const queues = memoryOf(realm, eventQueues);
  const queue = await queues.register(user.id, registration, idleTimeoutSecs, start, snapshot, session);
  const cursor = { queue_id: queue.id, last_event_id: start, idle_queue_timeout_secs: idleTimeoutSecs };
  return [shared, fields, cursor];
}
