/**
 * Changing a channel. Everything is decided first, on the row as it would be, so one refused property changes none.
 * Then come the row, and the events to people who begin or cease to see the channel. Last are an event for each
 * property, and the notification bot's notices.
 */
import { hasNamedTopic } from "../../../storage/channels.ts";
import type { ChannelId, FolderId, UserId } from "../../../storage/ids.ts";
import {
  type ChannelGroupSetting,
  type ChannelRow,
  channelGroupSettings,
  type TopicsPolicy,
  type UserRow,
} from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { type ChannelChange, channelUpdate } from "../../events/channels.ts";
import { checkGroupSettingUpdate, type GroupSettingUpdate, shownGroupSetting } from "../../groups/setting-values.ts";
import { renderPlain } from "../../organization/markdown-context.ts";
import { accessChannel, canAdministerChannel, canReadContent, sameGroupSetting } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { grantChannel } from "../channel-machine.ts";
import { streamPostPolicy } from "../record.ts";
import {
  channelGroupRule,
  checkChannelDescription,
  checkChannelName,
  checkDefault,
  checkFolder,
  checkMayMakeWebPublic,
  checkMaySetDeletion,
  checkMaySetRetention,
  checkMaySetTopicsPolicy,
  checkPrivacy,
  givesContentAccess,
  listGroups,
} from "../rules.ts";
import { decideReturn, perform, rowAfter } from "./archive.ts";
import { dropDefaultChannel, putDefaultChannel } from "./default-channels.ts";
import { leaveDefaultGroup } from "./default-groups.ts";
import { noteChanges } from "./notices.ts";
import { tellChannelSight } from "./visibility-by-setting.ts";

export interface UpdateChannelArgs {
  userId: UserId;
  channelId: ChannelId;
  newName?: string | undefined;
  description?: string | undefined;
  isPrivate?: boolean | undefined;
  isWebPublic?: boolean | undefined;
  historyPublicToSubscribers?: boolean | undefined;
  isDefault?: boolean | undefined;
  /** null: as the organization; -1: for ever. */
  messageRetentionDays?: number | null | undefined;
  isArchived?: boolean | undefined;
  folderId?: FolderId | null | undefined;
  topicsPolicy?: TopicsPolicy | undefined;
  groups: Partial<Record<ChannelGroupSetting, GroupSettingUpdate>>;
}

export const updateChannel = command(async (tx: Tx, args: UpdateChannelArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  const before = accessChannel(state, user, args.channelId);
  if (args.isArchived) throw badRequest("A channel is archived with DELETE /streams/{stream_id}, not by changing it.");
  if (!canAdministerChannel(state, before, user))
    throw badRequest("You do not have permission to administer this channel.");
  const name = args.newName === undefined ? before.name : checkChannelName(args.newName);
  const back = args.isArchived === false ? decideReturn(state, user, before, name) : undefined;
  const after = await decide(tx, user, before, back ? rowAfter(before, back) : { ...before }, args);
  const isDefault = args.isDefault ?? state.defaultChannels.has(before.id);
  if (args.isDefault !== undefined || (isDefault && after.invite_only))
    decideDefault(state, user, after, args.isDefault);
  const holder = state.channelByName(name);
  const isNameFree = holder === undefined || holder.id === before.id;
  grantChannel(before, { type: "rename.asked", isNameFree }, holder?.name);
  // The notice comes last: whoever may read it is told of every change before.
  const orders = back?.actions ?? [];
  await perform(
    tx,
    user,
    after,
    orders.filter((order) => order !== "announceReturn"),
  );
  tx.put("channels", after);
  tellChannelSight(tx, before, after);
  tellChanges(tx, before, after);
  if (args.isDefault === true) putDefaultChannel(tx, before.id);
  if (args.isDefault === false) dropDefaultChannel(tx, before.id);
  if (after.invite_only) leaveDefaultGroup(tx, before.id);
  await perform(
    tx,
    user,
    after,
    orders.filter((order) => order === "announceReturn"),
  );
  await noteChanges(tx, user, before, after);
  return {};
});

/** Changes the row `after`. @throws when the caller may not change a property, or its value is not allowed */
async function decide(
  tx: Tx,
  user: UserRow,
  before: ChannelRow,
  after: ChannelRow,
  args: UpdateChannelArgs,
): Promise<ChannelRow> {
  const { state } = tx;
  Object.assign(after, decidePrivacy(before, args));
  if (args.newName !== undefined) {
    after.name = checkChannelName(args.newName);
    if (after.name === before.name) throw badRequest("Channel already has that name.");
  }
  if (args.description !== undefined) {
    after.description = checkChannelDescription(args.description);
    if (after.description !== before.description) after.rendered_description = renderPlain(state, after.description);
  }
  decideGroups(state, user, before, after, args.groups);
  if (changesPrivacy(before, after)) {
    if (!canReadContent(state, before, user)) throw badRequest("Channel content access is required.");
    if (after.is_web_public && !before.is_web_public) checkMayMakeWebPublic(state, user);
  }
  checkPrivacy(state, after);
  if (args.messageRetentionDays !== undefined && args.messageRetentionDays !== before.message_retention_days) {
    checkMaySetRetention(user);
    after.message_retention_days = args.messageRetentionDays;
  }
  if (args.folderId !== undefined && args.folderId !== after.folder_id)
    after.folder_id = args.folderId === null ? null : checkFolder(state, args.folderId);
  if (args.topicsPolicy !== undefined && args.topicsPolicy !== before.topics_policy) {
    checkMaySetTopicsPolicy(state, user);
    if (args.topicsPolicy === "empty_topic_only" && (await hasNamedTopic(tx.sql, before.recipient_id)))
      throw badRequest("The channel has messages outside of its empty topic.");
    after.topics_policy = args.topicsPolicy;
  }
  return after;
}

const privacyFields = ["invite_only", "is_web_public", "history_public_to_subscribers"] as const;
const changesPrivacy = (before: ChannelRow, after: ChannelRow): boolean =>
  privacyFields.some((field) => before[field] !== after[field]);

/** Private and web-public exclude each other: turning one on turns off the other, unless both were asked for. */
function decidePrivacy(before: ChannelRow, args: UpdateChannelArgs): Pick<ChannelRow, (typeof privacyFields)[number]> {
  const invite_only = args.isPrivate ?? (args.isWebPublic === true ? false : before.invite_only);
  const is_web_public = args.isWebPublic ?? (args.isPrivate === true ? false : before.is_web_public);
  // A channel that becomes private protects its history by default, as a new private channel does.
  const inherited = invite_only && before.invite_only ? before.history_public_to_subscribers : !invite_only;
  return { invite_only, is_web_public, history_public_to_subscribers: args.historyPublicToSubscribers ?? inherited };
}

function decideGroups(
  state: RealmState,
  user: UserRow,
  before: ChannelRow,
  after: ChannelRow,
  updates: UpdateChannelArgs["groups"],
): void {
  const changed: ChannelGroupSetting[] = [];
  for (const [name, update] of listGroups(updates)) {
    const value = checkGroupSettingUpdate(state, name, before[name], update, channelGroupRule(name));
    if (value === undefined) continue;
    if (givesContentAccess(name) && !canReadContent(state, before, user))
      throw badRequest("Channel content access is required.");
    after[name] = value;
    changed.push(name);
  }
  checkMaySetDeletion(state, user, changed);
}

function decideDefault(state: RealmState, user: UserRow, after: ChannelRow, asked: boolean | undefined): void {
  if (asked === undefined) {
    if (after.invite_only) throw badRequest("A default channel cannot be private.");
    return;
  }
  if (asked === state.defaultChannels.has(after.id) && !(asked && after.invite_only)) return;
  checkDefault(user, asked && after.invite_only);
  if (asked) grantChannel(after, { type: "default.asked" });
}

/** Sends an event for each property that differs, to those who see the channel as it is now. */
function tellChanges(tx: Tx, before: ChannelRow, after: ChannelRow): void {
  const { state } = tx;
  const { description, rendered_description, history_public_to_subscribers, is_web_public } = after;
  const tell = (change: ChannelChange, channel = after) =>
    tx.event(channelUpdate(channel, change), { to: "channelViewers", channelId: after.id });
  // Events name the channel by its old name.
  if (after.name !== before.name) tell({ property: "name", value: after.name }, before);
  if (description !== before.description) tell({ property: "description", value: description, rendered_description });
  if (changesPrivacy(before, after)) {
    const privacy = { history_public_to_subscribers, is_web_public };
    tell({ property: "invite_only", value: after.invite_only, ...privacy });
  }
  if (after.message_retention_days !== before.message_retention_days)
    tell({ property: "message_retention_days", value: after.message_retention_days });
  if (after.folder_id !== before.folder_id) tell({ property: "folder_id", value: after.folder_id });
  if (after.topics_policy !== before.topics_policy) tell({ property: "topics_policy", value: after.topics_policy });
  for (const name of channelGroupSettings) {
    if (sameGroupSetting(after[name], before[name])) continue;
    tell({ property: name, value: shownGroupSetting(state, after[name]) });
    if (name !== "can_send_message_group") continue;
    const policy = streamPostPolicy(state, after[name]);
    if (policy !== streamPostPolicy(state, before[name])) tell({ property: "stream_post_policy", value: policy });
  }
}
