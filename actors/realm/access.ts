/**
 * What a person may see and do: the only place that decides it. `accessX` returns the thing, or throws the error of a
 * thing that does not exist, so nobody learns what exists. `canX` asks.
 */
import type { ChannelId, GroupId, UserId } from "../../storage/ids.ts";
import {
  type ChannelGroupSetting,
  type ChannelRow,
  type GroupSetting,
  roles,
  type UserGroupRow,
  type UserRow,
} from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import type { Groups } from "./state/group-index.ts";
import type { RealmState } from "./state/state.ts";

export const isOwner = (user: UserRow): boolean => user.role === roles.owner;
export const isAdmin = (user: UserRow): boolean => user.role <= roles.administrator;
export const isModerator = (user: UserRow): boolean => user.role <= roles.moderator;
export const isGuest = (user: UserRow): boolean => user.role === roles.guest;

export function requireAdmin(user: UserRow): void {
  if (!isAdmin(user)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization administrator");
}
export function requireOwner(user: UserRow): void {
  if (!isOwner(user)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
}

/** Whether one of the channel's own groups gives access to its content. */
function isInContentGroup(state: RealmState, channel: ChannelRow, user: UserRow): boolean {
  return (
    state.groups.holds(channel.can_add_subscribers_group, user) || state.groups.holds(channel.can_subscribe_group, user)
  );
}

/**
 * Whether somebody may know of a channel even when they are not subscribed to it.
 *
 * @param groups as they are, or as a command is going to make them
 */
export function seesUnsubscribed(channel: ChannelSight, user: UserRow, groups: Groups): boolean {
  if (channel.is_web_public) return true;
  if (isGuest(user)) return false;
  if (!channel.invite_only || isAdmin(user)) return true;
  return sightSettings.some((name) => groups.holds(channel[name], user));
}

/** Channel permissions whose holders may know of the channel. */
export const sightSettings = [
  "can_add_subscribers_group",
  "can_subscribe_group",
  "can_administer_channel_group",
] as const satisfies ChannelGroupSetting[];

/** The fields of a channel that decide who may know of it. Subscriptions count too. */
export type ChannelSight = Pick<ChannelRow, "id" | "invite_only" | "is_web_public" | (typeof sightSettings)[number]>;

/** Whether the user may know that the channel exists and read its settings. `user` undefined: a spectator. */
export function canSeeChannel(state: RealmState, channel: ChannelRow, user: UserRow | undefined): boolean {
  if (!user) return channel.is_web_public && state.hasSpectators;
  return state.subscriptions.has(user.id, channel.id) || seesUnsubscribed(channel, user, state.groups);
}

/**
 * Whether the user may read messages in the channel: at least those sent while they were subscribed. See
 * `canReadHistory`.
 */
export function canReadContent(state: RealmState, channel: ChannelRow, user: UserRow | undefined): boolean {
  if (channel.is_web_public && (user !== undefined || state.hasSpectators)) return true;
  if (!user) return false;
  if (state.subscriptions.has(user.id, channel.id)) return true;
  if (isGuest(user)) return false;
  return !channel.invite_only || isInContentGroup(state, channel, user);
}

/** Which of a channel's messages somebody may read: all, those that they received, or none. */
export type ReadableMessages = "all" | "received" | "none";

/** Every way to a message asks this, one by one (`canReadMessage`) or for a whole narrow. */
export function readableMessages(state: RealmState, channel: ChannelRow, user: UserRow | undefined): ReadableMessages {
  if (!canReadContent(state, channel, user)) return "none";
  return channel.is_web_public || channel.history_public_to_subscribers ? "all" : "received";
}

/** Whether the user may also read what was sent before they subscribed. */
export function canReadHistory(state: RealmState, channel: ChannelRow, user: UserRow | undefined): boolean {
  return readableMessages(state, channel, user) === "all";
}

/** @throws BAD_REQUEST, the same as for a channel that does not exist */
export function accessChannel(state: RealmState, user: UserRow | undefined, channelId: ChannelId): ChannelRow {
  const channel = state.channels.get(channelId);
  if (!channel || !canSeeChannel(state, channel, user)) throw badRequest("Invalid channel ID");
  return channel;
}

/** @throws STREAM_DOES_NOT_EXIST naming what the caller gave */
export function accessChannelByName(state: RealmState, user: UserRow | undefined, name: string): ChannelRow {
  const channel = state.channelByName(name.trim());
  if (!channel || !canSeeChannel(state, channel, user)) throw errors.STREAM_DOES_NOT_EXIST({ stream: name });
  return channel;
}

/** Organization administrators, and whoever the channel itself names. */
export function canAdministerChannel(
  state: RealmState,
  channel: Pick<ChannelRow, "can_administer_channel_group">,
  user: UserRow,
): boolean {
  return isAdmin(user) || (!isGuest(user) && state.groups.holds(channel.can_administer_channel_group, user));
}

/** Whether the user, or a bot's owner, reads the channel. Posting requires it. */
export function canReach(state: RealmState, channel: ChannelRow, user: UserRow): boolean {
  if (canReadContent(state, channel, user) || user.is_system_bot) return true;
  const owner = ownerBehind(state, user);
  return owner !== undefined && canReadContent(state, channel, owner);
}

/** @throws BAD_REQUEST with the reason why the user may not post there */
export function checkCanPost(state: RealmState, channel: ChannelRow, user: UserRow): void {
  if (!canReach(state, channel, user)) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: channel.id });
  if (channel.is_archived) throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  if (user.is_system_bot || state.groups.holds(channel.can_send_message_group, user)) return;
  const owner = ownerBehind(state, user);
  if (owner && state.groups.holds(channel.can_send_message_group, owner)) return;
  throw badRequest("You do not have permission to post in this channel.");
}

/** Setting of a bot whose new owner has not accepted it yet. */
export const notTaken = "owner_has_not_taken";

/** The owner whose access a bot shares: an active account that made or accepted the bot. */
export function ownerBehind(state: RealmState, user: UserRow): UserRow | undefined {
  if (!user.is_bot || user.bot_owner_id === null || user.settings[notTaken] === true) return undefined;
  const owner = state.users.get(user.bot_owner_id);
  return owner?.is_active ? owner : undefined;
}

/** Whether everybody may know of everybody. */
export function everybodyKnowsAll(state: RealmState): boolean {
  return state.groupSetting("can_access_all_users_group") === state.systemGroup("role:everyone");
}

/** Whether a guest, or anyone else, may know of another user (`can_access_all_users_group`). */
export function canSeeUser(state: RealmState, target: UserRow, user: UserRow): boolean {
  if (target.id === user.id || target.is_bot || state.may(user, "can_access_all_users_group")) return true;
  return state.subscriptions.channelsOf(user.id).some((channelId) => state.subscriptions.has(target.id, channelId));
}

/** @throws BAD_REQUEST */
export function accessUser(state: RealmState, user: UserRow, targetId: UserId): UserRow {
  const target = state.users.get(targetId);
  if (!target || !canSeeUser(state, target, user)) throw badRequest("No such user");
  return target;
}

declare module "../../storage/rows.ts" {
  interface UserChoices {
    email_address_visibility?: number;
  }
}

/** Who may see a user's real email. 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators. */
export function canSeeEmail(target: UserRow, user: UserRow | undefined): boolean {
  if (target.is_bot || target.id === user?.id) return true;
  if (!user) return false;
  switch (target.settings.email_address_visibility ?? 1) {
    case 1:
      return true;
    case 2:
      return !isGuest(user);
    case 3:
      return isAdmin(user);
    case 5:
      return isModerator(user);
    default:
      return false;
  }
}

/** Whether anybody in the organization sees the account's address. */
export function isEmailPublic(user: UserRow): boolean {
  return user.is_bot || (user.settings.email_address_visibility ?? 1) === 1;
}

/** The address by which the API knows a user: the real one when everybody may see it, else a placeholder. */
export function apiEmail(state: RealmState, user: UserRow): string {
  return isEmailPublic(user) ? user.delivery_email : placeholderEmail(state, user.id);
}

/** The placeholder address of a user. */
export const placeholderEmail = (state: RealmState, userId: UserId): string => `user${userId}@${state.botDomain}`;

/** A user by id, real email where the caller may see it, or placeholder address. @throws BAD_REQUEST */
export function accessUserByEmail(state: RealmState, user: UserRow, email: string): UserRow {
  const placeholder = /^user(\d+)@(.+)$/i.exec(email.trim());
  // Clients keep addresses for a long time. Earlier placeholder addresses had the host in them, with or without its
  // port.
  const hosts = [state.botDomain, state.host, state.host.replace(/:\d+$/, "")].map((host) => host.toLowerCase());
  if (placeholder && hosts.includes(placeholder[2]?.toLowerCase() ?? "")) {
    const target = state.users.get(Number(placeholder[1]));
    if (target && canSeeUser(state, target, user)) return target;
  }
  const target = state.userByEmail(email.trim());
  if (!target || !canSeeEmail(target, user) || !canSeeUser(state, target, user)) throw badRequest("No such user");
  return target;
}

/** @throws BAD_REQUEST */
export function accessGroup(state: RealmState, groupId: GroupId): UserGroupRow {
  const group = state.groups.byId.get(groupId);
  if (!group) throw badRequest("Invalid user group");
  return group;
}

/** Whether two values of a group setting mean the same, whatever the order of their members. */
export function sameGroupSetting(a: GroupSetting, b: GroupSetting): boolean {
  if (typeof a === "number" || typeof b === "number") return a === b;
  const same = <Id extends number>(x: Id[], y: Id[]) =>
    x.length === y.length && [...x].sort().join() === [...y].sort().join();
  return same(a.direct_members, b.direct_members) && same(a.direct_subgroups, b.direct_subgroups);
}
