/** Invitations. The invited join on the page of `actors/invitations/join.ts`. */

import { array, boolean, nullable, number, object, optional, string } from "superstruct";
import { errors } from "../../../actors/errors.ts";
import { channelId, groupId } from "../../../actors/id-shapes.ts";
import { type InvitationFailure, listInvitations } from "../../../actors/invitations/invitations.ts";
import { invitation } from "../../../actors/invitations/shapes.ts";
import { annotated, described } from "../../../actors/shape.ts";
import type { ChannelId, GroupId, InvitationId, UserId } from "../../../storage/ids.ts";
import { roleNumbers, roles } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import { linkAsAsked } from "../../api/own-url.ts";
import { bool, json, jsonOrText, oneOfNumbers, pathInt, text } from "../../api/params.ts";
import { type ApiRequest, anyAccount, route } from "../../api/route.ts";

const channelIds = json(array(channelId()));
/** Addresses in one request: as many as an organization may invite in one day. */
const maxEmails = 3000;

const choices = {
  invite_expires_in_minutes: json(annotated(nullable(number()), { type: "integer" }))
    .optional()
    .describe("null: it never expires. Default: the server's INVITATION_LINK_VALIDITY_MINUTES."),
  invite_as: oneOfNumbers(...roleNumbers)
    .default(roles.member)
    .describe("As what they join: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest."),
  group_ids: json(array(groupId())).default([]).describe("Groups that they are put into."),
  include_realm_default_subscriptions: bool()
    .default(false)
    .describe("Whether they are subscribed to the organization's default channels too."),
  // A text or null, as JSON. Clients also send it bare.
  welcome_message_custom_text: jsonOrText(nullable(string()))
    .default(null)
    .describe("Markdown, of administrators only. null: the organization's own; empty: none."),
};

interface Choices {
  invite_expires_in_minutes: number | null | undefined;
  invite_as: number;
  stream_ids: ChannelId[];
  group_ids: GroupId[];
  include_realm_default_subscriptions: boolean;
  welcome_message_custom_text: string | null;
}

const argsOf = (app: App, actorId: UserId, params: Choices) => ({
  actorId,
  expiresInMinutes:
    params.invite_expires_in_minutes === undefined
      ? app.config.invitationValidityMinutes
      : params.invite_expires_in_minutes,
  inviteAs: params.invite_as,
  channelIds: params.stream_ids,
  groupIds: params.group_ids,
  includeDefaultChannels: params.include_realm_default_subscriptions,
  welcomeText: params.welcome_message_custom_text,
});

/** Parley's own fields. Without a mail server the inviter delivers the links. */
const sent = {
  email_sent: annotated(boolean(), { description: "Whether the links go out by email; else they are in `links`." }),
  links: described(
    optional(array(object({ email: described(string(), "The invited address."), invite_link: string() }))),
    "Where no email is sent: the link for each address.",
  ),
};

const sentOf = (
  asked: Pick<ApiRequest, "app" | "realm" | "exchange">,
  invitations: { email: string; link: string }[],
) =>
  asked.realm.state.server.sendsEmail
    ? { email_sent: true }
    : {
        email_sent: false,
        links: invitations.map(({ email, link }) => ({ email, invite_link: linkAsAsked(asked, link) })),
      };

/** Creates a link that anybody may join with. https://zulip.com/api/create-invite-link */
export const createInviteLink = route({
  doc: "https://zulip.com/api/create-invite-link",
  summary: "Makes a link by which any number of people may join.",
  auth: anyAccount,
  params: { ...choices, stream_ids: channelIds.default([]) },
  returns: { invite_link: string() },
  async handle({ app, realm, user, params, exchange }) {
    const { invite_link } = await realm.execute("createMultiuseInvitation", argsOf(app, user.id, params));
    return { invite_link: linkAsAsked({ app, realm, exchange }, invite_link) };
  },
});

/** Invites people by their addresses. https://zulip.com/api/send-invites */
export const sendInvites = route({
  doc: "https://zulip.com/api/send-invites",
  summary: "Invites people by their addresses.",
  auth: anyAccount,
  params: {
    ...choices,
    invitee_emails: text()
      .atMost(maxEmails * 256)
      .describe("Addresses, with commas or line breaks between them."),
    stream_ids: channelIds,
    notify_referrer_on_join: bool().default(true),
  },
  returns: sent,
  async handle({ app, realm, user, params, exchange }) {
    const emails = params.invitee_emails
      .split(/[,\n]/)
      .map((email) => email.trim())
      .filter((email) => email !== "");
    if (emails.length > maxEmails) throw refusal("You do not have enough remaining invites for today.", [], true);
    const outcome = await realm.execute("inviteAddresses", {
      ...argsOf(app, user.id, params),
      emails,
      notifyReferrer: params.notify_referrer_on_join,
    });
    for (const { email } of outcome.invitations) app.log.info({ realm: realm.id, email }, "invited");
    if (outcome.dailyLimitReached) throw refusal("You do not have enough remaining invites for today.", [], true);
    if (outcome.isInvalid)
      throw refusal("Some emails did not validate, so we didn't send any invitations.", outcome.failures);
    if (outcome.failures.length > 0 && outcome.invitations.length === 0)
      throw refusal("We weren't able to invite anyone.", outcome.failures);
    if (outcome.failures.length > 0) {
      throw errors.INVITATION_FAILED({
        message: "Some of those addresses could not be invited. Everyone else was.",
        errors: outcome.failures,
        sent_invitations: true,
        daily_limit_reached: false,
        license_limit_reached: false,
      });
    }
    return sentOf({ app, realm, exchange }, outcome.invitations);
  },
});

const refusal = (message: string, failures: InvitationFailure[], daily_limit_reached = false) =>
  errors.INVITATION_FAILED({
    message,
    errors: failures,
    sent_invitations: false,
    daily_limit_reached,
    license_limit_reached: false,
  });

/** Open invitations. https://zulip.com/api/get-invites */
export const getInvites = route({
  doc: "https://zulip.com/api/get-invites",
  summary: "Lists open invitations: all for administrators, their own for others.",
  auth: anyAccount,
  permission: "member",
  params: {},
  returns: { invites: described(array(invitation), "The invitations, newest first.") },
  async handle({ app, realm, user, exchange }) {
    const invites = (await listInvitations(realm, user)).map(({ link_url, ...invite }) => ({
      ...invite,
      link_url: link_url === undefined ? undefined : linkAsAsked({ app, realm, exchange }, link_url),
    }));
    return { invites };
  },
});

/** Revokes an invitation of one address. https://zulip.com/api/revoke-email-invite */
export const revokeInvite = route({
  doc: "https://zulip.com/api/revoke-email-invite",
  summary: "Takes back an invitation of one address.",
  auth: anyAccount,
  permission: "member",
  params: { invite_id: pathInt<InvitationId>() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("revokeInvitation", { actorId: user.id, invitationId: params.invite_id, isMultiuse: false });
  },
});

/** Revokes a link. https://zulip.com/api/revoke-invite-link */
export const revokeInviteLink = route({
  doc: "https://zulip.com/api/revoke-invite-link",
  summary: "Takes back an invitation link.",
  auth: anyAccount,
  permission: "member",
  params: { invite_id: pathInt<InvitationId>() },
  returns: {},
  handle({ realm, user, params }) {
    return realm.execute("revokeInvitation", { actorId: user.id, invitationId: params.invite_id, isMultiuse: true });
  },
});

/** Sends an invitation again. https://zulip.com/api/resend-email-invite */
export const resendInvite = route({
  doc: "https://zulip.com/api/resend-email-invite",
  summary: "Sends an invitation again, open for as long as at first.",
  auth: anyAccount,
  permission: "member",
  params: { invite_id: pathInt<InvitationId>() },
  returns: sent,
  async handle({ app, realm, user, params, exchange }) {
    const invitation = await realm.execute("resendInvitation", { actorId: user.id, invitationId: params.invite_id });
    app.log.info({ realm: realm.id, email: invitation.email }, "invited again");
    return sentOf({ app, realm, exchange }, [invitation]);
  },
});
