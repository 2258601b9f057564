/** Joining by an invitation: the account, and everything that the invitation brings with it, in one command. */
import {
  closeInvitationsOf,
  findInvitationByKey,
  type InvitationRow,
  updateInvitation,
} from "../../storage/invitations.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { isAdmin } from "./access.ts";
import type { RealmActor } from "./actor.ts";
import { command } from "./command.ts";
import { checkEmailDomain } from "./email-domains.ts";
import { stepInvitation } from "./invitation-machine.ts";
import { isInviterActive, tellOfInvitations } from "./invitations.ts";
import type { RealmState } from "./state.ts";
import { addSubscriptions } from "./subscribe.ts";
import { sendBotMessage } from "./system-messages.ts";
import type { Tx } from "./tx.ts";
import { checkEmail } from "./user-address.ts";
import { addUser } from "./users.ts";

const keyPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** An invitation by which somebody could join now; undefined when it does not exist, is over, or was taken back. */
export async function findUsableInvitation(
  sql: Sql,
  state: RealmState,
  key: string,
  now: number,
): Promise<InvitationRow | undefined> {
  if (!keyPattern.test(key)) return undefined;
  const row = await findInvitationByKey(sql, state.id, key);
  if (row?.state !== "open" || !isInviterActive(state, row)) return undefined;
  return row.expires_at !== null && row.expires_at <= now ? undefined : row;
}

/** The same for a page that asks before anybody fills it in. */
export function invitationFor(realm: RealmActor, key: string): Promise<InvitationRow | undefined> {
  return findUsableInvitation(realm.database.sql, realm.state, key, realm.environment.clock());
}

export interface JoinArgs {
  key: string;
  email: string;
  fullName: string;
  passwordHash: string;
}

/** @throws BAD_REQUEST for an invitation that cannot be used, and for an address or a name that the organization refuses */
export const joinByInvitation = command(async (tx: Tx, args: JoinArgs) => {
  const { state } = tx;
  const invitation = await findUsableInvitation(tx.sql, state, args.key, tx.now);
  if (!invitation) throw badRequest("This invitation is not valid any more.");
  const email = checkEmail(invitation.email ?? args.email);
  checkEmailDomain(state, email);
  const user = await addUser(tx, {
    email,
    fullName: args.fullName,
    passwordHash: args.passwordHash,
    role: invitation.invite_as,
    joinsDefaultChannels: false,
    // Whoever has the link says what their address is; only an administrator names one for them.
    hasUnconfirmedEmail: invitation.email === null || !isAdmin(state.users.get(invitation.invited_by)!),
  });
  await addSubscriptions(
    tx,
    channelsOf(state, invitation).map((channel) => ({ channel, userIds: [user.id] })),
  );
  joinGroups(tx, invitation, user.id);
  const next = stepInvitation(invitation.state, { type: "joined", isReusable: invitation.email === null });
  tx.write(async (sql) => {
    await updateInvitation(sql, invitation.id, { state: next.state, expires_at: invitation.expires_at });
    await closeInvitationsOf(sql, tx.realmId, email);
  });
  if (next.state !== invitation.state) tellOfInvitations(tx, invitation.invited_by);
  const welcome = invitation.welcome_message_custom_text ?? (state.setting("welcome_message_custom_text") as string);
  if (welcome.trim() !== "") await sendBotMessage(tx, "welcome", { userIds: [user.id] }, welcome);
  if (invitation.notify_referrer_on_join)
    await sendBotMessage(
      tx,
      "notification",
      { userIds: [invitation.invited_by] },
      `**${asText(user.full_name)}** accepted your invitation to join the organization.`,
    );
  return { user_id: user.id };
});

/** Markdown that shows a text as it is: nobody can be mentioned who is not there yet. */
const asText = (text: string): string => text.replace(/[!-/:-@[-`{-~]/g, "\\$&");

/** What the invitation names, and the default channels if it includes them; without those that are archived by now. */
function channelsOf(state: RealmState, invitation: InvitationRow): ChannelRow[] {
  const ids = new Set(invitation.stream_ids);
  if (invitation.include_realm_default_subscriptions) for (const id of state.defaultChannels) ids.add(id);
  return [...ids].flatMap((id) => {
    const channel = state.channels.get(id);
    return channel && !channel.is_archived ? [channel] : [];
  });
}

function joinGroups(tx: Tx, invitation: InvitationRow, userId: number): void {
  for (const groupId of invitation.group_ids) {
    const group = tx.state.groups.byId.get(groupId);
    if (!group || group.deactivated) continue;
    tx.put("user_group_members", { group_id: groupId, user_id: userId, realm_id: tx.realmId });
    tx.event({ type: "user_group", op: "add_members", group_id: groupId, user_ids: [userId] }, { to: "realm" });
  }
}
