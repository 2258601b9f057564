/** Invitations as answers carry them. https://zulip.com/api/get-invites */
import { boolean, type Infer, integer, nullable, object, optional, string } from "superstruct";
import { invitationId, userId } from "../id-shapes.ts";
import { described } from "../shape.ts";

/** An open invitation: of one address, or a link. */
export const invitation = object({
  id: described(invitationId(), "The invitation's id."),
  invited_by_user_id: described(userId(), "Who invited."),
  invited: described(integer(), "When, in UNIX seconds."),
  expiry_date: described(nullable(integer()), "When it is over, in UNIX seconds; null for never."),
  invited_as: described(integer(), "As what they join: a number of a role."),
  notify_referrer_on_join: boolean(),
  is_multiuse: described(boolean(), "Whether it is a link by which any number of people join."),
  link_url: described(optional(string()), "Of a link: where it leads."),
  email: described(optional(string()), "The invited address; links have none."),
});
export type InvitationRecord = Infer<typeof invitation>;
