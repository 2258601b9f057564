/** Presence as answers and events carry it. Times are UNIX seconds. https://zulip.com/api/get-presence */

import { enums, integer, literal, object } from "superstruct";
import type { UserId } from "../../storage/ids.ts";

/** When a person was last here; 0 for never. */
export const modernPresence = object({ active_timestamp: integer(), idle_timestamp: integer() });

const status = { client: literal("website"), status: enums(["active", "idle"]), timestamp: integer() };
export const clientPresence = object({ ...status, pushable: literal(false) });
/** The older format, by client. */
export const legacyPresence = object({ aggregated: object(status), website: clientPresence });

/** One person's presence in both formats. */
export interface PresenceRecord {
  user_id: UserId;
  email: string;
  server_timestamp: number;
  /** The older format. */
  presence: { website: typeof clientPresence.TYPE };
  active_timestamp: number;
  idle_timestamp: number;
}
