/** Exports of organizations as answers and events carry them. */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { exportId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** https://zulip.com/api/get-realm-exports */
export const realmExport = object({
  id: described(exportId(), "The export's id."),
  acting_user_id: described(userId(), "Who asked for it."),
  export_time: described(integer(), "When, in UNIX seconds."),
  export_type: described(string(), "What is exported."),
  export_url: described(nullable(string()), "Where it is; null while it is not there."),
  pending: described(boolean(), "Whether it is not finished."),
  failed_timestamp: described(nullable(integer()), "When it failed, in UNIX seconds; null if it did not."),
  deleted_timestamp: described(nullable(integer()), "When it was deleted, in UNIX seconds; null if it was not."),
});
export type RealmExportRecord = Infer<typeof realmExport>;

/** https://zulip.com/api/get-realm-export-consents */
export const exportConsents = array(
  object({
    user_id: userId(),
    consented: described(boolean(), "Whether they agreed."),
    email_address_visibility: described(
      integer(),
      "Who sees the address: 1 everybody, 2 members, 3 administrators, 4 nobody, 5 moderators.",
    ),
  }),
);
