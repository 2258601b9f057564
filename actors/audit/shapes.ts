/** A row of the audit log as it is sent. */
import { array, type Infer, integer, nullable, object, record, string, unknown } from "superstruct";
import { channelId, groupId, sessionId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

const values = () => nullable(record(string(), unknown()));

export const auditRecord = object({
  num: described(integer(), "Its place in the log: the first has 1, and none is left out."),
  event_time: described(integer(), "When, in UNIX seconds."),
  event_type: described(string(), "What was done; docs/audit-log.md names every type."),
  acting_user_id: described(nullable(userId()), "Who did it; null: nobody who was logged in, or the server."),
  acting_user_role: described(nullable(integer()), "The role that they had then."),
  via: described(
    string(),
    "By what they came: `api_key`, `further_key`, `session`, `nobody`, `scim`, `ldap`, `oidc`, `command_line`, or `server` for a job.",
  ),
  session_id: described(nullable(sessionId()), "The log-in, further key or token by which they came."),
  ip_address: described(nullable(string()), "The address that they came from."),
  user_agent: described(nullable(string()), "The program that they used, as it calls itself."),
  modified_user_ids: described(array(userId()), "Whom it was done to."),
  modified_stream_id: described(nullable(channelId()), "The channel that it was done to."),
  modified_user_group_id: described(nullable(groupId()), "The user group that it was done to."),
  before: described(values(), "What is different, as it was."),
  after: described(values(), "What is different, as it is."),
  hash: described(string(), "SHA-256 of the hash before and this row's text, in hexadecimal."),
});
export type AuditRecord = Infer<typeof auditRecord>;
