/**
 * Sending a message. What depends on nothing but the text and the realm as it stands (rendering, finding the conversation)
 * is prepared before the command takes its place; the decision then is a few checks and one row. A message that changes
 * more than itself (the first of a channel, one that makes somebody follow a topic, one with attachments) takes the long
 * way, in a transaction.
 */
import { ensureDirectConversation, type MessageRow, topicExists } from "../../storage/messages.ts";
import { markRead } from "../../storage/read-state.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import type { MessageEvent, RealmEvent, WireMessage } from "../events.ts";
import { type RenderedMessage, renderMarkdown, renderTopicLinks } from "../markdown/render.ts";
import { apiEmail, checkCanPost } from "./access.ts";
import { claimAttachments } from "./attachments.ts";
import type { Command, CommandContext } from "./command.ts";
import type { Audience, Entry } from "./entry.ts";
import type { FastSend, Work } from "./log.ts";
import { markdownContext } from "./markdown-context.ts";
import { findAlerted, findMentioned } from "./mentions.ts";
import { limits } from "./realm-settings.ts";
import type { RealmState } from "./state.ts";
import { afterSendPolicies, type PolicyChange, putTopicPolicies } from "./topic-policies.ts";
import { effectiveTopicsPolicy } from "./topics-policy.ts";
import type { Tx } from "./tx.ts";
import { avatarUrl } from "./user-record.ts";
import { widgetOf } from "./widgets.ts";

export interface SendMessageArgs {
  userId: number;
  to: { channelId: number; topic: string } | { userIds: number[] };
  /** Markdown, as typed. */
  content: string;
  client: string;
  readBySender: boolean;
  /** The queue whose copy carries `local_id` back. */
  local?: { queue_id: string; local_id: string };
  widgetContent?: string;
}

export interface SendMessageReply {
  id: number;
  automatic_new_visibility_policy?: number;
}

interface Prepared {
  args: SendMessageArgs;
  content: string;
  rendered: RenderedMessage;
  /** Topic links, and the recipient's row id. */
  recipientId: number;
  /** Everyone in a direct conversation, ascending. */
  participants: number[] | undefined;
  topic: string;
  topicIsNew: boolean;
  topicParticipants: number[] | undefined;
}

const truncationNotice = "\n[message truncated]";

/** What is stored of the typed text. @throws BAD_REQUEST when nothing is left */
export function normalizeContent(content: string): string {
  const text = content.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  if (text === "") throw badRequest("Message must not be empty");
  if (text.includes("\0")) throw badRequest("Message must not contain null bytes");
  return truncate(text, limits.message, truncationNotice);
}

/** Shortens to `max` code points, ending in `mark`. */
export function truncate(text: string, max: number, mark: string): string {
  if (text.length <= max) return text;
  const points = [...text];
  return points.length <= max ? text : points.slice(0, max - mark.length).join("") + mark;
}

/** The topic as stored. `(no topic)` is the old name of the empty one. */
export function normalizeTopic(topic: string): string {
  const trimmed = topic.trim();
  if (/[\0-\x1f]/.test(trimmed)) throw badRequest("Invalid character in topic!");
  return trimmed === "(no topic)" ? "" : truncate(trimmed, limits.topic, "...");
}

export const sendMessage: Command<SendMessageArgs, SendMessageReply> = async (context, args) => {
  const repeated = args.local && context.realm.sends.find(args.userId, args.local);
  if (repeated !== undefined) return { decide: () => ({ id: repeated }) };
  const prepared = await prepare(context, args);
  const { realm } = context;
  const remember = (id: number) => {
    if (args.local) realm.sends.add(args.userId, args.local, id);
  };
  return {
    fast: (state, takeId, now) => decideFast(realm.topics, state, prepared, takeId, now),
    decide: (tx) => decideSlowly(tx, prepared),
    committed: ({ id }) => remember(id),
  } satisfies Work<SendMessageReply>;
};

async function prepare({ realm, state, database }: CommandContext, args: SendMessageArgs): Promise<Prepared> {
  const sender = state.users.get(args.userId);
  if (!sender) throw badRequest("Account is deactivated");
  const content = normalizeContent(args.content);
  const rendered = renderMarkdown(content, markdownContext(state, sender));
  const common = { args, content, rendered };
  if ("userIds" in args.to) {
    const participants = [...new Set([...args.to.userIds, sender.id])].sort((a, b) => a - b);
    const recipientId = await realm.conversations.find(participants, () =>
      ensureDirectConversation(database.sql, realm.id, participants),
    );
    return { ...common, recipientId, participants, topic: "", topicIsNew: false, topicParticipants: undefined };
  }
  const channel = state.channels.get(args.to.channelId);
  if (!channel) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: args.to.channelId });
  checkCanPost(state, channel, sender);
  const topic = normalizeTopic(args.to.topic);
  const topicIsNew =
    !realm.topics.has(channel.id, topic) && !(await topicExists(database.sql, channel.recipient_id, topic));
  if (!topicIsNew) realm.topics.add(channel.id, topic);
  const topicParticipants = rendered.mentionsTopicWildcard ? await realm.topicParticipants(channel, topic) : undefined;
  return {
    ...common,
    recipientId: channel.recipient_id,
    participants: undefined,
    topic,
    topicIsNew,
    topicParticipants,
  };
}

function decideFast(
  topics: CommandContext["realm"]["topics"],
  state: RealmState,
  prepared: Prepared,
  takeId: () => number,
  now: number,
): FastSend<SendMessageReply> | undefined {
  const { args, rendered } = prepared;
  const { sender, channel } = check(state, prepared);
  if (rendered.hasAttachment || args.widgetContent !== undefined || widgetOf(prepared.content)) return undefined;
  if (channel && (channel.first_message_id === null || prepared.topicIsNew)) return undefined;
  const mentioned = findMentioned(state, rendered, channel, prepared.participants);
  if (channel && afterSendPolicies(state, sender, channel, prepared.topic, false, mentioned).length > 0)
    return undefined;
  if (mutersOf(state, sender, channel, prepared.participants).length > 0) return undefined;
  const { message, entry } = build(state, prepared, sender, channel, mentioned, takeId(), now);
  if (channel) topics.add(channel.id, prepared.topic);
  return { message, entry, reply: { id: message.id } };
}

async function decideSlowly(tx: Tx, prepared: Prepared): Promise<SendMessageReply> {
  const { state } = tx;
  const { args, rendered } = prepared;
  const { sender, channel } = check(state, prepared);
  const mentioned = findMentioned(state, rendered, channel, prepared.participants);
  const { message, entry } = build(state, prepared, sender, channel, mentioned, tx.messageIds(1)[0]!, tx.now);
  const muters = mutersOf(state, sender, channel, prepared.participants);
  if (muters.length > 0) (entry.event as MessageEvent).read_by = muters;
  const widget = args.widgetContent ?? widgetOf(prepared.content);
  tx.write(async (sql) => {
    await sql`insert into messages ${sql({ ...message, realm_id: tx.realmId } as never)}`;
    for (const userId of muters) await markRead(sql, tx.realmId, userId, [message.id]);
    if (widget) {
      await sql`insert into submessages (message_id, realm_id, sender_id, msg_type, content)
        values (${message.id}, ${tx.realmId}, ${sender.id}, 'widget', ${widget})`;
    }
  });
  if (channel && channel.first_message_id === null) {
    tx.put("channels", { ...channel, first_message_id: message.id });
    tx.event(
      {
        type: "stream",
        op: "update",
        stream_id: channel.id,
        name: channel.name,
        property: "first_message_id",
        value: message.id,
      },
      { to: "channelViewers", channelId: channel.id },
    );
  }
  tx.event(entry.event as RealmEvent, entry.audience!);
  if (rendered.hasAttachment) await claimAttachments(tx, sender, message.id, rendered.attachmentPathIds);
  let policy: PolicyChange | undefined;
  if (channel) {
    const policies = afterSendPolicies(state, sender, channel, prepared.topic, prepared.topicIsNew, mentioned);
    putTopicPolicies(tx, channel, prepared.topic, policies);
    policy = policies.find(({ userId }) => userId === sender.id);
  }
  return { id: message.id, ...(policy && { automatic_new_visibility_policy: policy.policy }) };
}

/** Whether this person may send this here, now. @throws what they are told otherwise */
function check(
  state: RealmState,
  { args, participants, topic, topicIsNew, rendered, topicParticipants }: Prepared,
): { sender: UserRow; channel: ChannelRow | undefined } {
  const sender = state.users.get(args.userId);
  if (!sender?.is_active) throw badRequest("Account is deactivated");
  for (const groupId of rendered.mentionedGroupIds) {
    const group = state.groups.byId.get(groupId);
    if (group && !group.is_system_group && !state.groups.holds(group.can_mention_group, sender)) {
      throw badRequest(`You are not allowed to mention user group '${group.name}'.`);
    }
  }
  if (participants) {
    checkDirect(state, sender, participants);
    return { sender, channel: undefined };
  }
  const channel = state.channels.get((args.to as { channelId: number }).channelId);
  if (!channel) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: (args.to as { channelId: number }).channelId });
  checkCanPost(state, channel, sender);
  checkTopic(state, channel, sender, topic, topicIsNew);
  const many = largestFreeWildcard;
  if (
    rendered.mentionsChannelWildcard &&
    state.subscriptions.subscribers(channel.id).size > many &&
    !state.may(sender, "can_mention_many_users_group")
  ) {
    throw errors.STREAM_WILDCARD_MENTION_NOT_ALLOWED();
  }
  if (
    rendered.mentionsTopicWildcard &&
    (topicParticipants?.length ?? 0) > many &&
    !state.may(sender, "can_mention_many_users_group")
  ) {
    throw errors.TOPIC_WILDCARD_MENTION_NOT_ALLOWED();
  }
  return { sender, channel };
}

/** Up to so many people anybody may mention at once. Source: zulip.com/help/restrict-wildcard-mentions. */
const largestFreeWildcard = 15;

/** @throws BAD_REQUEST when the channel's topic rules forbid this topic */
export function checkTopic(state: RealmState, channel: ChannelRow, user: UserRow, topic: string, isNew: boolean): void {
  const policy = effectiveTopicsPolicy(state, channel);
  if (topic === "" && policy === "disable_empty_topic")
    throw badRequest("Sending messages to the general chat is not allowed in this channel.");
  if (topic !== "" && policy === "empty_topic_only")
    throw badRequest("Only the general chat topic is allowed in this channel.");
  if (isNew && !user.is_system_bot && !state.groups.holds(channel.can_create_topic_group, user)) {
    throw badRequest("You do not have permission to create new topics in this channel.");
  }
}

function checkDirect(state: RealmState, sender: UserRow, participants: readonly number[]): void {
  const people = participants.map((id) => state.users.get(id)!);
  const others = people.filter(({ id }) => id !== sender.id);
  const inactive = others.find((user) => !user.is_active);
  if (inactive && others.length === 1)
    throw badRequest(`'${inactive.full_name}' is no longer using this organization.`);
  if (inactive && others.every((user) => !user.is_active))
    throw badRequest("Everyone in this conversation has left the organization.");
  const humans = others.filter((user) => !user.is_bot);
  if (humans.length === 0 || sender.is_system_bot) return;
  if (!people.some((user) => state.may(user, "direct_message_permission_group"))) {
    throw badRequest("Direct messages are disabled in this organization.");
  }
}

/** Recipients who muted the sender: their copy is read from the start. */
function mutersOf(
  state: RealmState,
  sender: UserRow,
  channel: ChannelRow | undefined,
  participants: readonly number[] | undefined,
): number[] {
  if (state.mutedUsers.size === 0) return [];
  const muters: number[] = [];
  for (const [userId, muted] of state.mutedUsers) {
    if (
      muted.has(sender.id) &&
      (channel ? state.subscriptions.has(userId, channel.id) : participants!.includes(userId))
    )
      muters.push(userId);
  }
  return muters;
}

function build(
  state: RealmState,
  prepared: Prepared,
  sender: UserRow,
  channel: ChannelRow | undefined,
  mentioned: number[],
  id: number,
  now: number,
): { message: MessageRow; entry: Entry } {
  const { args, content, rendered, participants, topic, recipientId } = prepared;
  const alerted = findAlerted(state, content, channel, participants);
  const common = [
    ...(channel && rendered.mentionsChannelWildcard ? ["stream_wildcard_mentioned", "wildcard_mentioned"] : []),
  ];
  const flags: Record<string, string[]> = {};
  const flag = (userId: number, ...names: string[]) => {
    flags[userId] = [...(flags[userId] ?? []), ...names];
  };
  for (const userId of mentioned) flag(userId, "mentioned");
  for (const userId of prepared.topicParticipants ?? [])
    flag(userId, "topic_wildcard_mentioned", ...(common.length === 0 ? ["wildcard_mentioned"] : []));
  for (const userId of alerted) flag(userId, "has_alert_word");
  const message: MessageRow = {
    id,
    recipient_id: recipientId,
    channel_id: channel?.id ?? null,
    sender_id: sender.id,
    topic,
    content,
    rendered_content: rendered.html,
    sent_at: now,
    client: args.client,
    is_me_message: rendered.isMeMessage,
    has_link: rendered.hasLink,
    has_image: rendered.hasImage,
    has_attachment: rendered.hasAttachment,
    read_by_sender: args.readBySender,
    channel_wildcard: channel !== undefined && rendered.mentionsChannelWildcard,
    topic_wildcard: prepared.topicParticipants !== undefined,
    mentioned: mentioned.length > 0 ? mentioned : null,
    topic_participants: prepared.topicParticipants ?? null,
    alerted: alerted.length > 0 ? alerted : null,
  };
  const event: MessageEvent = {
    type: "message",
    message: wireMessage(state, message, sender, participants),
    read_by_sender: args.readBySender,
    flags,
    common_flags: common,
    ...(args.local && { local: args.local }),
  };
  const audience: Audience = channel
    ? { to: "subscribers", channelId: channel.id }
    : { to: "users", ids: participants! };
  return { message, entry: { event, audience } };
}

/** A message in the wire's form, both contents side by side. */
export function wireMessage(
  state: RealmState,
  message: MessageRow,
  sender: UserRow,
  participants: readonly number[] | undefined,
): WireMessage {
  const channel = message.channel_id === null ? undefined : state.channels.get(message.channel_id);
  return {
    id: message.id,
    sender_id: sender.id,
    content: message.content,
    rendered_content: message.rendered_content,
    recipient_id: message.recipient_id,
    timestamp: message.sent_at,
    client: message.client,
    subject: message.topic,
    topic_links: channel ? renderTopicLinks(message.topic, markdownContext(state, undefined)) : [],
    is_me_message: message.is_me_message,
    sender_full_name: sender.full_name,
    sender_email: apiEmail(state, sender),
    sender_realm_str: state.subdomain,
    avatar_url: avatarUrl(state, sender),
    gravatar: sender.avatar_source === "G",
    type: channel ? "stream" : "private",
    ...(channel && { stream_id: channel.id }),
    display_recipient: channel
      ? channel.name
      : participants!.map((id) => {
          const user = state.users.get(id)!;
          return { id, email: apiEmail(state, user), full_name: user.full_name, is_mirror_dummy: false };
        }),
  };
}
