/** Joining by an invitation: the account, and everything that the invitation brings with it, in one command. */
import { deleteJoiningLinks, findOneTimeLink } from "../../storage/email/one-time-links.ts";
import type { UserId } from "../../storage/ids.ts";
import {
  findInvitation,
  findInvitationByKey,
  findOpenInvitationsTo,
  type InvitationRow,
} from "../../storage/invitations.ts";
import type { Sql } from "../../storage/postgres.ts";
import { type ChannelRow, roles, type UserRow } from "../../storage/rows.ts";
import { addSubscriptions } from "../channels/changes/subscribers.ts";
import { joinLetter, welcomeLetter } from "../email/letters.ts";
import { hashToken, isToken } from "../email/one-time-token.ts";
import { queueEmails, queueEmailsNow } from "../email/queue.ts";
import { languageFor, wordsIn } from "../email/words/words.ts";
import { badRequest } from "../errors.ts";
import { mayAddMembers } from "../groups/rules.ts";
import { sendBotMessage, wordsOfBot } from "../messages/changes/system-messages.ts";
import { checkConfirmable, checkEmailDomain } from "../organization/email-domains.ts";
import { isAdmin } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { maySubscribeOthers } from "../subscriptions/rules.ts";
import { asText } from "../text/as-text.ts";
import type { Language } from "../text/languages.ts";
import { activeDefaultChannels, addUser } from "../users/changes/accounts.ts";
import { checkEmail } from "../users/changes/address.ts";
import { receiveNewcomer } from "../users/changes/newcomers.ts";
import { addressLink } from "../users/changes/one-time-links.ts";
import { perform, tellOfInvitations } from "./invitations.ts";
import { stepInvitation } from "./machine.ts";
import { isStillGood } from "./rules.ts";

/** How long people have to confirm the address with which they joined. */
const welcomeLinkSecs = 10 * 86_400;
/** How long people have to make their account with an address that they confirm. */
const joiningLinkSecs = 86_400;

export const joiningPath = "/accounts/join/";

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
  return ifUsable(state, await findInvitationByKey(sql, state.id, key), now);
}

function ifUsable(state: RealmState, row: InvitationRow | undefined, now: number): InvitationRow | undefined {
  if (row?.state !== "open" || !isStillGood(state, row)) return undefined;
  return row.expires_at !== null && row.expires_at <= now ? undefined : row;
}

/** An invitation for any address, and the address that somebody confirms by opening a link that was sent there. */
interface Joining {
  invitation: InvitationRow;
  email: string;
}

async function findJoining(sql: Sql, state: RealmState, token: string, now: number): Promise<Joining | undefined> {
  const link = isToken(token) ? await findOneTimeLink(sql, state.id, "join", hashToken(token), now) : undefined;
  if (!link || link.invitation_id === null) return undefined;
  const invitation = ifUsable(state, await findInvitation(sql, state.id, link.invitation_id), now);
  return invitation && { invitation, email: link.email };
}

/** What a link that was sent to an address is good for, for the page that it opens. */
export function joiningFor(realm: RealmReader, token: string): Promise<Joining | undefined> {
  return findJoining(realm.database.sql, realm.state, token, realm.environment.clock());
}

/** Whether somebody who comes with this invitation has to show first that they read what is sent to their address. */
export const mustConfirm = (state: RealmState, { email }: Pick<InvitationRow, "email">): boolean =>
  email === null && state.server.sendsEmail === true;

/**
 * Has a link sent by which somebody joins with an address of their own choice. Whether an account has it already is
 * told nobody else, and takes as long.
 *
 * @throws BAD_REQUEST for an address that the organization lets nobody join with
 */
export async function askToJoin(realm: RealmReader, invitation: InvitationRow, address: string): Promise<void> {
  const recipient = checkEmail(address);
  checkEmailDomain(realm.state, recipient);
  await queueEmailsNow(realm, {
    kind: "join",
    recipient,
    letter: joinLetter(realm.state),
    link: {
      purpose: "join",
      path: joiningPath,
      label: wordsIn(languageFor(realm.state, undefined)).makeAccount,
      validSecs: joiningLinkSecs,
      invitationId: invitation.id,
    },
  });
}

/** The same for a page that asks before anybody fills it in. */
export function invitationFor(realm: RealmReader, key: string): Promise<InvitationRow | undefined> {
  return findUsableInvitation(realm.database.sql, realm.state, key, realm.environment.clock());
}

export interface JoinArgs {
  /** Of the invitation, if whoever joins has its link. */
  key?: string;
  /** The address that they type; an invitation for one address is for that one. */
  email?: string;
  /** Of the link that was sent to their address, where an address has to be confirmed. */
  token?: string;
  fullName: string;
  passwordHash: string;
  /** What their browser asks for. */
  language?: Language;
}

/**
 * @throws BAD_REQUEST for an invitation that cannot be used, and for an address or a name that the organization refuses
 */
export const joinByInvitation = command(async (tx: Tx, args: JoinArgs) => {
  const { state } = tx;
  const joining = args.token === undefined ? undefined : await findJoining(tx.sql, state, args.token, tx.now);
  const invitation = joining?.invitation ?? (await findUsableInvitation(tx.sql, state, args.key ?? "", tx.now));
  if (!invitation) throw badRequest("This invitation is not valid any more.");
  if (!joining && mustConfirm(state, invitation)) throw badRequest("Confirm your address first.");
  const email = checkEmail(joining?.email ?? invitation.email ?? args.email ?? "");
  checkEmailDomain(state, email);
  // Of those who only say what their address is. An administrator knows the address that they name for somebody.
  const isUnconfirmed = !joining && (invitation.email === null || !isAdmin(state.knownUser(invitation.invited_by)));
  if (isUnconfirmed) checkConfirmable(state);
  const { fullName, passwordHash, language } = args;
  const user = await admit(
    tx,
    { email, fullName, passwordHash, hasUnconfirmedEmail: isUnconfirmed, language },
    invitation,
  );
  return { user_id: user.id };
});

/** Who joins. The caller has checked that they may, with this address. */
interface Newcomer {
  email: string;
  fullName: string;
  /** null: they log in another way. */
  passwordHash: string | null;
  hasUnconfirmedEmail?: boolean;
  language?: Language | undefined;
}

/** Makes somebody's account, with what an invitation brings. Without one they are a member in the default channels. */
export async function admit(tx: Tx, newcomer: Newcomer, invitation: InvitationRow | undefined): Promise<UserRow> {
  const { state } = tx;
  const { email } = newcomer;
  const maker = invitation && tx.user(invitation.invited_by);
  const user = await addUser(tx, { ...newcomer, role: invitation?.invite_as ?? roles.member });
  const channels = invitation && maker ? channelsOf(state, invitation, maker) : activeDefaultChannels(state);
  await addSubscriptions(
    tx,
    channels.map((channel) => ({ channel, userIds: [user.id] })),
  );
  if (invitation && maker) {
    joinGroups(tx, invitation, maker, user.id);
    await useInvitations(tx, invitation, email);
  }
  tx.write((sql) => deleteJoiningLinks(sql, tx.realmId, email));
  const isConfirmed = !user.has_unconfirmed_email;
  queueEmails(tx, {
    kind: "welcome",
    recipient: email,
    letter: welcomeLetter(state, user, isConfirmed),
    link: isConfirmed ? undefined : addressLink(state, user, welcomeLinkSecs),
  });
  const ownText = maker && isAdmin(maker) ? invitation?.welcome_message_custom_text : null;
  await receiveNewcomer(tx, user, { channels, ownText: ownText ?? undefined });
  if (invitation?.notify_referrer_on_join)
    await sendBotMessage(
      tx,
      "notification",
      { userIds: [invitation.invited_by] },
      wordsOfBot(state, maker).accepted(asText(user.full_name)),
    );
  return user;
}

/** The newest invitation to an address by which its holder could join now. */
export async function usableInvitationTo(tx: Tx, email: string): Promise<InvitationRow | undefined> {
  const open = await findOpenInvitationsTo(tx.sql, tx.realmId, email);
  const usable = open.filter((row) => ifUsable(tx.state, row, tx.now) !== undefined);
  return usable.sort((a, b) => b.id - a.id)[0];
}

/** Who joins uses up the invitation that was for them alone, and every other one to their address. */
async function useInvitations(tx: Tx, invitation: InvitationRow, email: string): Promise<void> {
  const others = (await findOpenInvitationsTo(tx.sql, tx.realmId, email)).filter(({ id }) => id !== invitation.id);
  const used = invitation.email === null ? others : [invitation, ...others];
  if (used.length === 0) return;
  perform(tx, used, stepInvitation("open", { type: "joined", isReusable: false }));
  tellOfInvitations(tx, used);
}

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
