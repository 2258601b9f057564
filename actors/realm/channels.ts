/** Channels: how they begin, change, and are archived. */
import type { ChannelGroupSetting, ChannelRow, GroupSetting, TopicsPolicy } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { isGuest } from "./access.ts";
import { defaultChannelGroups } from "./channel-defaults.ts";
import { renderChannel } from "./channel-record.ts";
import { command } from "./command.ts";
import { renderPlain } from "./markdown-context.ts";
import { limits } from "./realm-settings.ts";
import { addSubscribers } from "./subscribe.ts";
import type { Tx } from "./tx.ts";

/** @throws BAD_REQUEST */
export function checkChannelName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw badRequest("Channel name can't be empty.");
  if ([...trimmed].length > limits.channelName)
    throw badRequest(`Channel name too long (limit: ${limits.channelName} characters).`);
  if (/[\p{Cc}\p{Cs}\p{Cn}]/u.test(trimmed)) throw badRequest("Invalid character in channel name.");
  return trimmed;
}

/** @throws BAD_REQUEST */
export function checkChannelDescription(description: string): string {
  const text = description.replace(/\n/g, " ");
  if ([...text].length > limits.channelDescription) {
    throw badRequest(`Channel description too long (limit: ${limits.channelDescription} characters).`);
  }
  return text;
}

export interface CreateChannelArgs {
  userId: number;
  name: string;
  description: string;
  subscriberIds: number[];
  inviteOnly: boolean;
  isWebPublic: boolean;
  historyPublicToSubscribers: boolean | undefined;
  topicsPolicy: TopicsPolicy;
  messageRetentionDays: number | null;
  folderId: number | null;
  isDefault: boolean;
  announce: boolean;
  groups: Partial<Record<ChannelGroupSetting, GroupSetting>>;
}

export const createChannel = command(async (tx: Tx, args: CreateChannelArgs) => {
  const channel = await addChannel(tx, args);
  return { id: channel.id };
});

/** The rows and events of a new channel; for whatever command brings one about. */
export async function addChannel(tx: Tx, args: CreateChannelArgs): Promise<ChannelRow> {
  const { state } = tx;
  const creator = tx.user(args.userId);
  const name = checkChannelName(args.name);
  const description = checkChannelDescription(args.description);
  const permission = args.isWebPublic
    ? "can_create_web_public_channel_group"
    : args.inviteOnly
      ? "can_create_private_channel_group"
      : "can_create_public_channel_group";
  if (isGuest(creator) || !state.may(creator, permission)) throw badRequest("Insufficient permission");
  if (state.channelByName(name)) throw badRequest(`Channel '${name}' already exists`);
  for (const id of args.subscriberIds) if (!state.users.get(id)?.is_active) throw badRequest(`No such user`);
  const channel: ChannelRow = {
    id: await tx.id("channel_ids"),
    realm_id: tx.realmId,
    recipient_id: await tx.id("recipient_ids"),
    name,
    description,
    rendered_description: renderPlain(state, description),
    creator_id: creator.id,
    date_created: tx.now,
    invite_only: args.inviteOnly,
    is_web_public: args.isWebPublic,
    history_public_to_subscribers: args.historyPublicToSubscribers ?? !args.inviteOnly,
    is_archived: false,
    message_retention_days: args.messageRetentionDays,
    topics_policy: args.topicsPolicy,
    folder_id: args.folderId,
    first_message_id: null,
    is_recently_active: true,
    stream_weekly_traffic: null,
    ...defaultChannelGroups((group) => state.systemGroup(group), creator.id),
    ...args.groups,
  };
  tx.put("channels", channel);
  tx.event(
    { type: "stream", op: "create", streams: [renderChannel(state, channel)] },
    { to: "channelViewers", channelId: channel.id },
  );
  await addSubscribers(tx, channel, [...new Set(args.subscriberIds)]);
  return channel;
}
