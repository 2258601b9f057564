/** Who is online, in the register answer. */

import type { UserRow } from "../../storage/rows.ts";
import { presenceMemory } from "../presence/memory.ts";
import { memoryOf } from "../realm/memory.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RegisterFields } from "./answer.ts";
import type { RegisterView } from "./view.ts";

/** `presences` in the format that the client's events will have, and where its next ping is to continue. */
export function presencePart(realm: RealmReader, user: UserRow, view: RegisterView): RegisterFields {
  const query = { after: -1, historyLimitDays: view.presenceHistoryLimitDays };
  const isModern = view.slimPresence || view.has.has("simplified_presence_events");
  const { environment } = realm;
  const presence = memoryOf(realm, presenceMemory);
  const { presences, lastUpdateId } = isModern ? presence.modern(user, query) : presence.legacy(user, query);
  return { presences, presence_last_update_id: lastUpdateId, server_timestamp: environment.clock() };
}
