/** Exports of organizations as answers and events carry them. */
import { array, boolean, type Infer, integer, nullable, object, string } from "superstruct";
import { exportId, userId } from "../id-shapes.ts";

/** https://zulip.com/api/get-realm-exports */
export const realmExport = object({
  id: exportId(),
  acting_user_id: userId(),
  export_time: integer(),
  export_type: string(),
  export_url: nullable(string()),
  pending: boolean(),
  failed_timestamp: nullable(integer()),
  deleted_timestamp: nullable(integer()),
});
export type RealmExportRecord = Infer<typeof realmExport>;

/** https://zulip.com/api/get-realm-export-consents */
export const exportConsents = array(
  object({ user_id: userId(), consented: boolean(), email_address_visibility: integer() }),
);
