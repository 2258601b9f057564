/** Invitations as answers carry them. https://zulip.com/api/get-invites */
import { boolean, type Infer, integer, nullable, object, optional, string } from "superstruct";
import { invitationId, userId } from "../id-shapes.ts";

/** An open invitation: of one address, or a link. */
export const invitation = object({
  id: invitationId(),
  invited_by_user_id: userId(),
  invited: integer(),
  expiry_date: nullable(integer()),
  invited_as: integer(),
  notify_referrer_on_join: boolean(),
  is_multiuse: boolean(),
  link_url: optional(string()),
  email: optional(string()),
});
export type InvitationRecord = Infer<typeof invitation>;
