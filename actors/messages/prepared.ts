/** A message that is rendered and whose conversation is found: what is done before its command waits for its turn. */
import type { ChannelId, RecipientId, UserId } from "../../storage/ids.ts";
import { findMedia } from "../../storage/messages/attachments.ts";
import { conversationHasMessages, ensureDirectConversation, topicExists } from "../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import type { RenderedMessage } from "../markdown/render.ts";
import type { Media } from "../markdown/rendering.ts";
import { renderMessage } from "../organization/markdown-context.ts";
import { canSeeUser, checkCanPost } from "../realm/access.ts";
import type { CommandContext } from "../realm/command.ts";
import { memoryOf } from "../realm/memory.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { knownTopics } from "../topics/known-topics.ts";
import { topicParticipants } from "../topics/participants.ts";
import { conversations } from "./memories.ts";
import { checkDirect, checkMentions, checkTopic } from "./send-rules.ts";
import { normalizeContent, normalizeTopic } from "./typed-text.ts";
import { checkWidgetContent, widgetOf } from "./widgets.ts";

export interface SendMessageArgs {
  userId: UserId;
  to: { channelId: ChannelId; topic: string } | { userIds: UserId[] };
  /** Markdown, as typed. */
  content: string;
  client: string;
  readBySender: boolean;
  /** The queue that gets `local_id` back. */
  local?: { queue_id: string; local_id: string } | undefined;
  widgetContent?: string | undefined;
}

interface PreparedText {
  args: SendMessageArgs;
  content: string;
  rendered: RenderedMessage;
  recipientId: RecipientId;
  /** First part of a widget, as JSON text. */
  widget: string | undefined;
}

export interface PreparedDirect extends PreparedText {
  /** Everyone in the conversation, ascending. */
  participants: UserId[];
  /** Whether the conversation has a message. Not looked up for people who may begin one. */
  hasBegun: boolean | undefined;
}

export interface PreparedForChannel extends PreparedText {
  participants: undefined;
  channelId: ChannelId;
  topic: string;
  topicIsNew: boolean;
  /** Looked up for a mention of all of them. */
  topicParticipants: UserId[] | undefined;
}

/** A message whose sender, recipient and text were checked. */
export type Prepared = PreparedDirect | PreparedForChannel;

/** Look-ups in PostgreSQL before a message is decided. The realm's memories answer most of them. */
export interface Lookups {
  /** Row id of the conversation of exactly these people. */
  conversation(participants: UserId[]): Promise<RecipientId>;
  /** Uploads, by path. */
  media(pathIds: string[]): Promise<ReadonlyMap<string, Media>>;
  hasMessages(recipientId: RecipientId): Promise<boolean>;
  hasTopic(channel: ChannelRow, topic: string): Promise<boolean>;
  topicParticipants(channel: ChannelRow, topic: string): Promise<UserId[]>;
}

/** Answers from the realm's memory where it can. */
export const remembering = ({ realm, state, database: { sql } }: CommandContext): Lookups => ({
  conversation: (participants) =>
    memoryOf(realm, conversations).find(participants, () => ensureDirectConversation(sql, realm.id, participants)),
  media: (pathIds) => findMedia(sql, realm.id, pathIds),
  hasMessages: (recipientId) => conversationHasMessages(sql, recipientId),
  async hasTopic(channel, topic) {
    const topics = memoryOf(realm, knownTopics);
    if (topics.has(channel.id, topic)) return true;
    const exists = await topicExists(sql, channel.recipient_id, topic);
    if (exists) topics.add(channel.id, topic);
    return exists;
  },
  topicParticipants: (channel, topic) => topicParticipants(sql, state, channel, topic),
});

/** Reads inside a command's transaction. */
export const inTransaction = ({ sql, realmId, state }: Tx): Lookups => ({
  conversation: (participants) => ensureDirectConversation(sql, realmId, participants),
  media: (pathIds) => findMedia(sql, realmId, pathIds),
  hasMessages: (recipientId) => conversationHasMessages(sql, recipientId),
  hasTopic: (channel, topic) => topicExists(sql, channel.recipient_id, topic),
  topicParticipants: (channel, topic) => topicParticipants(sql, state, channel, topic),
});

/** @throws the error that its sender gets */
export async function prepare(state: RealmState, lookups: Lookups, args: SendMessageArgs): Promise<Prepared> {
  const sender = state.users.get(args.userId);
  if (!sender) throw badRequest("Account is deactivated");
  const content = normalizeContent(args.content);
  const rendered = await renderMessage(state, sender, content, lookups.media);
  const widget = args.widgetContent === undefined ? widgetOf(content) : checkWidgetContent(args.widgetContent);
  // Each field is named below: spreading the common ones took as long as the rest of this function.
  if ("userIds" in args.to) {
    const participants = participantsOf(state, sender, args.to.userIds);
    const recipientId = await lookups.conversation(participants);
    const hasBegun = state.may(sender, "direct_message_initiator_group")
      ? undefined
      : await lookups.hasMessages(recipientId);
    return { args, content, rendered, widget, recipientId, participants, hasBegun };
  }
  const { channelId } = args.to;
  const channel = state.channels.get(channelId);
  if (!channel) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: channelId });
  checkCanPost(state, channel, sender);
  const topic = normalizeTopic(args.to.topic);
  return {
    args,
    content,
    rendered,
    widget,
    recipientId: channel.recipient_id,
    participants: undefined,
    channelId,
    topic,
    topicIsNew: !(await lookups.hasTopic(channel, topic)),
    topicParticipants: rendered.mentionsTopicWildcard ? await lookups.topicParticipants(channel, topic) : undefined,
  };
}

/** Everyone in a direct conversation, ascending. @throws BAD_REQUEST for people whom the sender may not write to */
function participantsOf(state: RealmState, sender: UserRow, userIds: readonly UserId[]): UserId[] {
  if (userIds.length === 0) throw badRequest("Message must have recipients");
  for (const id of userIds) {
    const person = state.users.get(id);
    if (!person || !canSeeUser(state, person, sender)) throw badRequest(`Invalid user ID ${id}`);
  }
  return [...new Set([...userIds, sender.id])].sort((a, b) => a - b);
}

/** Checks that this person may send this here now. @throws ApiError if not */
export function check(state: RealmState, prepared: Prepared): { sender: UserRow; channel: ChannelRow | undefined } {
  const { args, rendered } = prepared;
  const sender = state.users.get(args.userId);
  if (!sender?.is_active) throw badRequest("Account is deactivated");
  if (prepared.participants) {
    checkMentions(state, sender, rendered, undefined, undefined);
    checkDirect(state, sender, prepared.participants, prepared.hasBegun);
    return { sender, channel: undefined };
  }
  const channel = state.channels.get(prepared.channelId);
  if (!channel) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: prepared.channelId });
  checkCanPost(state, channel, sender);
  checkTopic(state, channel, sender, prepared.topic, prepared.topicIsNew);
  checkMentions(state, sender, rendered, channel, prepared.topicParticipants);
  return { sender, channel };
}
