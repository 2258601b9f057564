/**
 * Makes a new message from its parts: the row, the event with every reader's flags, and, in a transaction, all else
 * that it changes. People send through `send.ts`, the organization's own bots through `system-messages.ts`.
 */
import { addWebhookCalls } from "../../../storage/bots/webhook-calls.ts";
import type { ChannelId, MessageId, RecipientId, UserId } from "../../../storage/ids.ts";
import { insertMessage, type MessageRow } from "../../../storage/messages/messages.ts";
import { insertSubmessage } from "../../../storage/messages/reactions.ts";
import { markReadBy } from "../../../storage/messages/read-state.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { findCalledServices } from "../../bots/services.ts";
import { type ChannelChange, channelUpdate } from "../../events/channels.ts";
import type { MessageEvent } from "../../events/messages.ts";
import type { RenderedMessage } from "../../markdown/render.ts";
import { everybodyKnowsAll } from "../../realm/access.ts";
import type { Audience } from "../../realm/entry.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { lexemesOf } from "../../text/lexemes.ts";
import {
  afterSendPolicies,
  putTopicPolicies,
  type RaisedPolicyChange,
} from "../../topics/changes/visibility-policies.ts";
import { claimAttachments } from "../../uploads/attachments.ts";
import { findAlerted, findCalledBots, findMentioned, receives } from "../mentions.ts";
import { wireMessage } from "../wire-message.ts";

/** Calls of one outgoing webhook that wait; messages above that do not call it. */
const maxWaitingCalls = 500;

/** Everything that makes a message, checked and rendered. */
export interface MessageDraft {
  sender: UserRow;
  /** undefined: a direct message. */
  channel: ChannelRow | undefined;
  /** Everyone in a direct conversation, ascending; undefined in a channel. */
  participants: UserId[] | undefined;
  recipientId: RecipientId;
  topic: string;
  topicIsNew: boolean;
  /** Whom a topic wildcard reaches; undefined without one. */
  topicParticipants: UserId[] | undefined;
  content: string;
  rendered: RenderedMessage;
  client: string;
  readBySender: boolean;
  /** The queue that gets `local_id` back. */
  local?: { queue_id: string; local_id: string } | undefined;
  /** First submessage of a widget, as JSON text. */
  widget?: string | undefined;
  /** People for whom the message counts as read at once, beside those who muted the sender. */
  readBy?: readonly UserId[] | undefined;
}

/** The row and the event of a draft. */
export function composeMessage(
  state: RealmState,
  draft: MessageDraft,
  mentioned: UserId[],
  id: MessageId,
  now: number,
  findUser?: (id: UserId) => UserRow | undefined,
): { message: MessageRow; event: MessageEvent; audience: Audience } {
  const { sender, channel, content, rendered, participants, topic } = draft;
  const alerted = findAlerted(state, content, channel, participants);
  const common = channel && rendered.mentionsChannelWildcard ? ["stream_wildcard_mentioned", "wildcard_mentioned"] : [];
  const flags: Record<string, string[]> = {};
  const flag = (userId: UserId, ...names: string[]) => {
    flags[userId] = [...(flags[userId] ?? []), ...names];
  };
  const called = channel && rendered.mentionedUserIds.length > 0 ? findCalledBots(state, rendered, channel) : [];
  for (const userId of mentioned) flag(userId, "mentioned");
  for (const userId of called) flag(userId, "mentioned");
  for (const userId of draft.topicParticipants ?? [])
    flag(userId, "topic_wildcard_mentioned", ...(common.length === 0 ? ["wildcard_mentioned"] : []));
  for (const userId of alerted) flag(userId, "has_alert_word");
  const message: MessageRow = {
    id,
    recipient_id: draft.recipientId,
    channel_id: channel?.id ?? null,
    sender_id: sender.id,
    topic,
    content,
    rendered_content: rendered.html,
    sent_at: now,
    client: draft.client,
    is_me_message: rendered.isMeMessage,
    has_link: rendered.hasLink,
    has_image: rendered.hasImage,
    has_attachment: rendered.hasAttachment,
    read_by_sender: draft.readBySender,
    channel_wildcard: channel !== undefined && rendered.mentionsChannelWildcard,
    topic_wildcard: draft.topicParticipants !== undefined,
    mentioned: mentioned.length > 0 ? mentioned : null,
    topic_participants: draft.topicParticipants ?? null,
    alerted: alerted.length > 0 ? alerted : null,
    search: lexemesOf(`${topic} ${content}`),
  };
  const event: MessageEvent = {
    type: "message",
    message: wireMessage(state, message, sender, participants, channel, findUser),
    read_by_sender: draft.readBySender,
    flags,
    common_flags: common,
    ...(channel && !sender.is_bot && !everybodyKnowsAll(state) && { has_strangers: true }),
    ...(draft.local && { local: draft.local }),
  };
  const audience: Audience = channel
    ? { to: "subscribers", channelId: channel.id, ...(called.length > 0 && { also: called }) }
    : { to: "users", ids: participants ?? [] };
  return { message, event, audience };
}

/**
 * Sends a draft in a transaction. It writes the row, who has read it, a widget's first part, and the channel's first
 * message. It links uploads, and people follow topics through it. The channel may be new in this command, as may its
 * topic.
 */
export async function storeMessage(
  tx: Tx,
  draft: MessageDraft,
): Promise<{ id: MessageId; policies: RaisedPolicyChange[] }> {
  const { state } = tx;
  const { sender, channel, participants, rendered } = draft;
  const mentioned = findMentioned(state, rendered, channel, participants);
  const { message, event, audience } = composeMessage(state, draft, mentioned, tx.messageId(), tx.now, (id) =>
    tx.userNow(id),
  );
  const readers = [...new Set([...(draft.readBy ?? []), ...mutersOf(state, sender, channel, participants)])];
  if (readers.length > 0) event.read_by = readers.sort((a, b) => a - b);
  if (draft.widget !== undefined) {
    const id = await tx.id("object_ids");
    event.widget = { id, message_id: message.id, sender_id: sender.id, msg_type: "widget", content: draft.widget };
  }
  tx.write((sql) => insertMessage(sql, tx.realmId, message));
  if (readers.length > 0) tx.write((sql) => markReadBy(sql, tx.realmId, readers, message));
  const { widget } = event;
  if (widget) tx.write((sql) => insertSubmessage(sql, tx.realmId, widget));
  const services = findCalledServices(state, draft);
  if (services.length > 0) {
    const call = { botIds: services, messageId: message.id, now: tx.now, maxWaiting: maxWaitingCalls };
    tx.write((sql) => addWebhookCalls(sql, tx.realmId, call));
  }
  if (channel) noteActivity(tx, channel.id, message.id);
  tx.event(event, audience);
  if (rendered.hasAttachment) await claimAttachments(tx, sender, message.id, rendered.attachmentPathIds);
  if (!channel) return { id: message.id, policies: [] };
  const policies = afterSendPolicies(state, sender, channel, draft.topic, draft.topicIsNew, mentioned);
  putTopicPolicies(tx, channel, draft.topic, policies);
  return { id: message.id, policies };
}

/** Notes a channel's first message, and makes an inactive channel active again. */
function noteActivity(tx: Tx, channelId: ChannelId, messageId: MessageId): void {
  const channel = tx.channelNow(channelId);
  const isFirst = channel.first_message_id === null;
  if (!isFirst && channel.is_recently_active) return;
  tx.put("channels", { ...channel, ...(isFirst && { first_message_id: messageId }), is_recently_active: true });
  const tell = (change: ChannelChange) => tx.event(channelUpdate(channel, change), { to: "channelViewers", channelId });
  if (isFirst) tell({ property: "first_message_id", value: messageId });
  if (!channel.is_recently_active) tell({ property: "is_recently_active", value: true });
}

/** Recipients who muted the sender. The message counts as read for them at once. */
export function mutersOf(
  state: RealmState,
  sender: UserRow,
  channel: ChannelRow | undefined,
  participants: readonly UserId[] | undefined,
): UserId[] {
  if (state.mutedUsers.size === 0) return [];
  const muters: UserId[] = [];
  for (const [userId, muted] of state.mutedUsers) {
    if (muted.has(sender.id) && receives(state, userId, channel, participants)) muters.push(userId);
  }
  return muters;
}
