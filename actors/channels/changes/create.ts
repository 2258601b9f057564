/** Creating channels. `update.ts` changes them, `archive.ts` archives them. */
import type { UserId } from "../../../storage/ids.ts";
import type { ChannelGroupSetting, ChannelRow, GroupSetting, UserRow } from "../../../storage/rows.ts";
import { badRequest, errors } from "../../errors.ts";
import { checkGroupSetting } from "../../groups/setting-values.ts";
import { renderPlain } from "../../organization/markdown-context.ts";
import { canSeeUser, isGuest, sameGroupSetting } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { defaultChannelGroups } from "../permission-defaults.ts";
import { renderChannel } from "../record.ts";
import {
  type ChannelOptions,
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
  listGroups,
} from "../rules.ts";
import { putDefaultChannel } from "./default-channels.ts";
import { announceChannel, noteCreated } from "./notices.ts";
import { addSubscribers } from "./subscribers.ts";

export { checkChannelName } from "../rules.ts";

export interface CreateChannelArgs extends ChannelOptions {
  userId: UserId;
  name: string;
  description: string;
  subscriberIds: UserId[];
}

export const createChannel = command(async (tx: Tx, args: CreateChannelArgs) => {
  const channel = await addChannel(tx, args);
  await noteCreated(tx, tx.user(args.userId), channel);
  return { id: channel.id };
});

/**
 * The rows and events of a new channel, for any command that makes one. The command also has `noteCreated` tell of it,
 * once everybody is subscribed.
 *
 * @throws BAD_REQUEST, CHANNEL_ALREADY_EXISTS, UNAUTHORIZED_PRINCIPAL
 */
export async function addChannel(tx: Tx, args: CreateChannelArgs): Promise<ChannelRow> {
  const { state } = tx;
  const creator = tx.user(args.userId);
  const subscriberIds = [...new Set(args.subscriberIds)];
  for (const id of subscriberIds) checkSubscriber(state, creator, id);
  const planned = planChannel(state, creator, args);
  const channel: ChannelRow = {
    ...planned,
    id: await tx.id("channel_ids"),
    recipient_id: await tx.id("recipient_ids"),
    rendered_description: renderPlain(state, planned.description),
    date_created: tx.now,
  };
  tx.put("channels", channel);
  tx.event(
    { type: "stream", op: "create", streams: [renderChannel(state, channel)] },
    { to: "channelViewers", channelId: channel.id },
  );
  if (args.isDefault) putDefaultChannel(tx, channel.id);
  await addSubscribers(tx, channel, subscriberIds);
  if (args.announce) await announceChannel(tx, creator, channel);
  return channel;
}

/** A channel that may be made, as far as that can be said before it is. */
export type PlannedChannel = Omit<ChannelRow, "id" | "recipient_id" | "rendered_description" | "date_created">;

/** @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL when this person may not make this channel */
export function planChannel(
  state: RealmState,
  creator: UserRow,
  args: Omit<CreateChannelArgs, "subscriberIds">,
): PlannedChannel {
  const name = checkChannelName(args.name);
  const description = checkChannelDescription(args.description);
  checkMayCreate(state, creator, args);
  const taken = state.channelByName(name);
  if (taken) throw errors.CHANNEL_ALREADY_EXISTS({ name: taken.name });
  const groups = checkGroups(state, creator, args.groups);
  const planned: PlannedChannel = {
    realm_id: state.id,
    name,
    description,
    creator_id: creator.id,
    invite_only: args.inviteOnly,
    is_web_public: args.isWebPublic,
    history_public_to_subscribers: args.historyPublicToSubscribers ?? !args.inviteOnly,
    is_archived: false,
    message_retention_days: args.messageRetentionDays,
    topics_policy: args.topicsPolicy,
    folder_id: args.folderId === null ? null : checkFolder(state, args.folderId),
    first_message_id: null,
    is_recently_active: true,
    stream_weekly_traffic: null,
    ...groups,
  };
  checkPrivacy(state, planned);
  return planned;
}

/** Checks that this person may make a channel with these options. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
function checkMayCreate(state: RealmState, creator: UserRow, args: ChannelOptions): void {
  if (isGuest(creator)) throw badRequest("Insufficient permission");
  const permission = args.inviteOnly ? "can_create_private_channel_group" : "can_create_public_channel_group";
  if (!state.may(creator, permission)) throw badRequest("Insufficient permission");
  if (args.isWebPublic) checkMayMakeWebPublic(state, creator);
  if (args.messageRetentionDays !== null) checkMaySetRetention(creator);
  if (args.topicsPolicy !== "inherit") checkMaySetTopicsPolicy(state, creator);
  if (args.isDefault) checkDefault(creator, args.inviteOnly);
}

/** @throws BAD_REQUEST for somebody who does not exist, is deactivated, or whom the caller may not know of */
function checkSubscriber(state: RealmState, creator: UserRow, id: UserId): void {
  const user = state.users.get(id);
  if (!user?.is_active || user.is_system_bot || !canSeeUser(state, user, creator)) throw badRequest("No such user");
}

/** All eleven permissions of a new channel: the chosen ones and the defaults. */
function checkGroups(
  state: RealmState,
  creator: UserRow,
  chosen: ChannelOptions["groups"],
): Record<ChannelGroupSetting, GroupSetting> {
  const groups = defaultChannelGroups((group) => state.systemGroup(group), creator.id);
  const unusual: ChannelGroupSetting[] = [];
  for (const [name, value] of listGroups(chosen)) {
    const setting = checkGroupSetting(state, name, value, channelGroupRule(name));
    if (!sameGroupSetting(setting, groups[name])) unusual.push(name);
    groups[name] = setting;
  }
  checkMaySetDeletion(state, creator, unusual);
  return groups;
}
