/** Joining by an invitation: the account, and everything that the invitation brings with it, in one command. */
import type { UserId } from "../../storage/ids.ts";
import { closeInvitationsOf, findInvitationByKey, type InvitationRow } from "../../storage/invitations.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { welcomeLetter } from "../email/letters.ts";
import { queueEmails } from "../email/queue.ts";
import { badRequest } from "../errors.ts";
import { mayAddMembers } from "../groups/rules.ts";
import { sendBotMessage } from "../messages/system-messages.ts";
import { checkEmailDomain } from "../organization/email-domains.ts";
import { receiveNewcomer } from "../organization/newcomers.ts";
import { isAdmin } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { addSubscriptions } from "../subscriptions/change.ts";
import { maySubscribeOthers } from "../subscriptions/rules.ts";
import { asText } from "../text/as-text.ts";
import { activeDefaultChannels, addUser } from "../users/accounts.ts";
import { checkEmail } from "../users/address.ts";
import { addressLink } from "../users/one-time-links.ts";
import { perform, tellOfInvitations } from "./invitations.ts";
import { stepInvitation } from "./machine.ts";
import { isStillGood } from "./rules.ts";

/** How long people have to confirm the address with which they joined. */
const welcomeLinkSecs = 10 * 86_400;

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * An invitation by which somebody could join now; undefined when it does not exist, is over, taken back, or no longer
 * good.
 */
export async function findUsableInvitation(
  sql: Sql,
  state: RealmState,
  key: string,
  now: number,
): Promise<InvitationRow | undefined> {
  if (!keyPattern.test(key)) return undefined;
  const row = await findInvitationByKey(sql, state.id, key);
  if (row?.state !== "open" || !isStillGood(state, row)) return undefined;
  return row.expires_at !== null && row.expires_at <= now ? undefined : row;
}

/** The same for a page that asks before anybody fills it in. */
export function invitationFor(realm: RealmReader, key: string): Promise<InvitationRow | undefined> {
  return findUsableInvitation(realm.database.sql, realm.state, key, realm.environment.clock());
}

export interface JoinArgs {
  key: string;
  email: string;
  fullName: string;
  passwordHash: string;
}

/**
 * @throws BAD_REQUEST for an invitation that cannot be used, and for an address or a name that the organization refuses
 */
export const joinByInvitation = command(async (tx: Tx, args: JoinArgs) => {
  const { state } = tx;
  const invitation = await findUsableInvitation(tx.sql, state, args.key, tx.now);
  if (!invitation) throw badRequest("This invitation is not valid any more.");
  const maker = tx.user(invitation.invited_by);
  const email = checkEmail(invitation.email ?? args.email);
  checkEmailDomain(state, email);
  const user = await addUser(tx, {
    email,
    fullName: args.fullName,
    passwordHash: args.passwordHash,
    role: invitation.invite_as,
    // Whoever has the link says what their address is; only an administrator names one for them.
    hasUnconfirmedEmail: invitation.email === null || !isAdmin(state.users.get(invitation.invited_by)!),
  });
  const channels = channelsOf(state, invitation, maker);
  await addSubscriptions(
    tx,
    channels.map((channel) => ({ channel, userIds: [user.id] })),
  );
  joinGroups(tx, invitation, maker, user.id);
  const next = stepInvitation(invitation.state, { type: "joined", isReusable: invitation.email === null });
  perform(tx, invitation, next);
  tx.write((sql) => closeInvitationsOf(sql, tx.realmId, email));
  if (next.state !== invitation.state) tellOfInvitations(tx, invitation.invited_by);
  const isConfirmed = !user.has_unconfirmed_email;
  queueEmails(tx, {
    kind: "welcome",
    recipient: email,
    letter: welcomeLetter(state, email, isConfirmed),
    link: isConfirmed ? undefined : addressLink(user.id, welcomeLinkSecs),
  });
  const ownText = isAdmin(maker) ? invitation.welcome_message_custom_text : null;
  await receiveNewcomer(tx, user, { channels, ownText: ownText ?? undefined });
  if (invitation.notify_referrer_on_join)
    await sendBotMessage(
      tx,
      "notification",
      { userIds: [invitation.invited_by] },
      `**${asText(user.full_name)}** accepted your invitation to join the organization.`,
    );
  return { user_id: user.id };
});

/**
 * What the invitation names and its maker may still give, and the default channels if it includes them: those are the
 * organization's to give. Without those that are archived by now.
 */
function channelsOf(state: RealmState, invitation: InvitationRow, maker: UserRow): ChannelRow[] {
  const channels = new Set<ChannelRow>();
  for (const id of invitation.stream_ids) {
    const channel = state.channels.get(id);
    if (channel && maySubscribeOthers(state, channel, maker)) channels.add(channel);
  }
  if (invitation.include_realm_default_subscriptions) {
    for (const channel of activeDefaultChannels(state)) channels.add(channel);
  }
  return [...channels];
}

/** Those groups that the maker of the invitation may still put people into. */
function joinGroups(tx: Tx, invitation: InvitationRow, maker: UserRow, userId: UserId): void {
  for (const groupId of invitation.group_ids) {
    const group = tx.state.groups.byId.get(groupId);
    if (!group || group.deactivated || !mayAddMembers(tx.state, maker, group)) continue;
    tx.put("user_group_members", { group_id: groupId, user_id: userId, realm_id: tx.realmId });
    tx.event({ type: "user_group", op: "add_members", group_id: groupId, user_ids: [userId] }, { to: "realm" });
  }
}
