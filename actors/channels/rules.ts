/** Rules for a channel's properties, shared by creating and changing channels. */
import type { FolderId } from "../../storage/ids.ts";
import {
  type ChannelGroupSetting,
  type ChannelRow,
  channelGroupSettings,
  type GroupSetting,
  type TopicsPolicy,
  type UserRow,
} from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { GroupSettingRule } from "../groups/setting-values.ts";
import { requireAdmin } from "../realm/access.ts";
import { limits } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { isLegible } from "../text/legible-name.ts";
import { isLonger } from "../text/texts.ts";
import { grantFolder } from "./folder-machine.ts";
import { channelGroupDefaults } from "./permission-defaults.ts";

/** @throws BAD_REQUEST */
export function checkChannelName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("Channel name can't be empty.");
  if (isLonger(trimmed, limits.channelName))
    throw badRequest(`Channel name too long (limit: ${limits.channelName} characters).`);
  if (/[\p{Cs}\p{Cn}]/u.test(trimmed) || !isLegible(trimmed)) throw badRequest("Invalid character in channel name.");
  return trimmed;
}

/** A description is one line. @throws BAD_REQUEST */
export function checkChannelDescription(description: string): string {
  const text = description.replace(/\r\n?|\n/g, " ");
  if (isLonger(text, limits.channelDescription))
    throw badRequest(`Channel description too long (limit: ${limits.channelDescription} characters).`);
  return text;
}

/** What decides who sees a channel and its past. */
export type ChannelPrivacy = Pick<
  ChannelRow,
  "invite_only" | "is_web_public" | "history_public_to_subscribers" | "can_create_topic_group"
>;

/**
 * Checks that these go together. A channel is private, web-public or neither. Only a private one may hide its history
 * from new subscribers. Then everybody may start topics in it, since not everybody can see which topics exist.
 *
 * @throws BAD_REQUEST
 */
export function checkPrivacy(state: RealmState, privacy: ChannelPrivacy): void {
  if (privacy.invite_only && privacy.is_web_public)
    throw badRequest("A channel cannot be both private and web-public.");
  if (privacy.history_public_to_subscribers) return;
  if (!privacy.invite_only) throw badRequest("The history of a public channel cannot be protected.");
  if (privacy.can_create_topic_group !== state.systemGroup("role:everyone")) {
    throw badRequest("Where history is protected, 'can_create_topic_group' must be 'role:everyone'.");
  }
}

/**
 * @throws BAD_REQUEST where the server or the organization has no web-public channels, and when the user may not make
 * one
 */
export function checkMayMakeWebPublic(state: RealmState, user: UserRow): void {
  if (!state.hasSpectators) throw badRequest("Web-public channels are not enabled.");
  if (!state.may(user, "can_create_web_public_channel_group")) throw badRequest("Insufficient permission");
}

/** @throws BAD_REQUEST */
export function checkMaySetTopicsPolicy(state: RealmState, user: UserRow): void {
  if (!state.may(user, "can_set_topics_policy_group")) throw badRequest("Insufficient permission");
}

/**
 * Only administrators of the organization may say how long a channel keeps its messages, since it deletes messages.
 * People who administer only the channel may not. https://zulip.com/api/update-stream
 *
 * @throws UNAUTHORIZED_PRINCIPAL
 */
export function checkMaySetRetention(user: UserRow): void {
  requireAdmin(user);
}

/** @throws UNAUTHORIZED_PRINCIPAL; BAD_REQUEST for a private channel, which cannot be a default channel */
export function checkDefault(user: UserRow, isPrivate: boolean): void {
  requireAdmin(user);
  if (isPrivate) throw badRequest("A default channel cannot be private.");
}

/** A folder that channels may be put in. @throws BAD_REQUEST */
export function checkFolder(state: RealmState, folderId: FolderId): FolderId {
  const folder = state.folders.get(folderId);
  if (!folder) throw badRequest("Invalid channel folder ID");
  grantFolder(folder, { type: "channel.put" });
  return folderId;
}

/** Settings that only people may change who set the policy for deleting messages. */
const deletionSettings: readonly ChannelGroupSetting[] = [
  "can_delete_any_message_group",
  "can_delete_own_message_group",
];
/** Settings that also give access to a private channel's messages. */
const contentSettings: readonly ChannelGroupSetting[] = ["can_add_subscribers_group", "can_subscribe_group"];

/** @throws BAD_REQUEST when one of the settings changes who may delete messages and the user may not decide that */
export function checkMaySetDeletion(state: RealmState, user: UserRow, names: readonly ChannelGroupSetting[]): void {
  if (!names.some((name) => deletionSettings.includes(name))) return;
  if (!state.may(user, "can_set_delete_message_policy_group")) throw badRequest("Insufficient permission");
}

export function givesContentAccess(name: ChannelGroupSetting): boolean {
  return contentSettings.includes(name);
}

/** The values that a permission of a channel may have. */
export function channelGroupRule(name: ChannelGroupSetting): GroupSettingRule {
  return { everyone: channelGroupDefaults[name].everyone, nobody: true };
}

/** Group settings by name, in the order of the table. */
export function listGroups<T>(groups: Partial<Record<ChannelGroupSetting, T>>): [ChannelGroupSetting, T][] {
  const given: [ChannelGroupSetting, T][] = [];
  for (const name of channelGroupSettings) {
    const value = groups[name];
    if (value !== undefined) given.push([name, value]);
  }
  return given;
}

/** The options of a new channel, beside its name and description. */
export interface ChannelOptions {
  inviteOnly: boolean;
  isWebPublic: boolean;
  /** undefined: only public channels show their history to new subscribers. */
  historyPublicToSubscribers: boolean | undefined;
  topicsPolicy: TopicsPolicy;
  /** null: as the organization; -1: for ever. */
  messageRetentionDays: number | null;
  folderId: FolderId | null;
  isDefault: boolean;
  announce: boolean;
  groups: Partial<Record<ChannelGroupSetting, GroupSetting>>;
}
