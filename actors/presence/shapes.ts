/** Presence as answers and events carry it. Times are UNIX seconds. https://zulip.com/api/get-presence */

import { enums, integer, literal, object } from "superstruct";
import type { UserId } from "../../storage/ids.ts";
import { described } from "../shape.ts";

/** When a person was last here; 0 for never. */
export const modernPresence = object({
  active_timestamp: described(integer(), "When the person was last active, in UNIX seconds."),
  idle_timestamp: described(integer(), "When a client of theirs was last open, in UNIX seconds."),
});

const status = {
  client: described(literal("website"), "Always `website`."),
  status: described(enums(["active", "idle"]), "`active`, or `idle`."),
  timestamp: integer(),
};
export const clientPresence = object({
  ...status,
  pushable: described(literal(false), "Always false: a leftover of older versions."),
});
/** The older format, by client. */
export const legacyPresence = object({
  aggregated: described(object(status), "The newest of all clients."),
  website: described(clientPresence, "What the clients told; there is one for all."),
});

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
