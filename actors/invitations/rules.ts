/** What an invitation may hold, given who makes it. */
import type { ChannelId, GroupId } from "../../storage/ids.ts";
import type { InvitationRow } from "../../storage/invitations.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { mayAddMembers } from "../groups/rules.ts";
import { canSeeChannel, isAdmin } from "../realm/access.ts";
import { limits } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { maySubscribeOthers } from "../subscriptions/rules.ts";
import { isLonger } from "../text/texts.ts";

/** What the inviter chose. */
export interface InvitationChoices {
  inviteAs: number;
  channelIds: ChannelId[];
  groupIds: GroupId[];
  includeDefaultChannels: boolean;
  /** null: the organization's; empty: none. */
  welcomeText: string | null;
}

/** The largest number of minutes that a date far in the future still takes. */
const maxMinutes = 2_000_000_000;
/** Channels or groups that one invitation may name: more than an organization's page could offer. */
const maxNamed = 10_000;

/**
 * Whether people join by the invitation: by what its maker may now, active, able to invite so, and not below what it
 * gives.
 */
export function isStillGood(state: RealmState, invitation: InvitationRow): boolean {
  const maker = state.users.get(invitation.invited_by);
  if (!maker?.is_active || invitation.invite_as < maker.role) return false;
  return state.may(maker, invitation.email === null ? "create_multiuse_invite_group" : "can_invite_users_group");
}

/**
 * What the invitation will hold: the choices, without a welcome text that the inviter may not set.
 *
 * @throws BAD_REQUEST
 */
export function checkChoices(state: RealmState, user: UserRow, choices: InvitationChoices): InvitationChoices {
  if (choices.inviteAs < user.role) throw badRequest("You cannot invite somebody into a role above your own.");
  const channelIds = [...new Set(choices.channelIds)];
  const groupIds = [...new Set(choices.groupIds)];
  if (channelIds.length > maxNamed || groupIds.length > maxNamed) throw badRequest("Too many channels or groups.");
  for (const id of channelIds) checkChannel(state, user, id);
  for (const id of groupIds) {
    const group = state.groups.byId.get(id);
    if (!group || group.deactivated || group.is_system_group)
      throw badRequest(`Invalid user group ID: ${id}. No invites were sent.`);
    if (!mayAddMembers(state, user, group)) throw badRequest("You do not have permission to add users to this group.");
  }
  let { welcomeText } = choices;
  if (!isAdmin(user)) welcomeText = null;
  if (welcomeText !== null && isLonger(welcomeText, limits.welcomeText))
    throw badRequest(`welcome_message_custom_text is too long (limit: ${limits.welcomeText} characters)`);
  return { ...choices, channelIds, groupIds, welcomeText };
}

function checkChannel(state: RealmState, user: UserRow, id: ChannelId): void {
  const channel = state.channels.get(id);
  if (!channel || channel.is_archived || !canSeeChannel(state, channel, user))
    throw badRequest(`Invalid channel ID ${id}. No invites were sent.`);
  if (maySubscribeOthers(state, channel, user)) return;
  throw badRequest("You do not have permission to subscribe other users to channels.");
}

/** UNIX seconds at which an invitation made now ends, null for never. @throws BAD_REQUEST */
export function expiryOf(now: number, minutes: number | null): number | null {
  if (minutes === null) return null;
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > maxMinutes)
    throw badRequest("invite_expires_in_minutes is not a positive integer");
  return now + minutes * 60;
}
