/**
 * Sending a message. The text is rendered and the conversation found before the command waits for its turn. So the
 * decision is a few checks and one row. A message that changes more than itself (the first of a channel, one that makes
 * somebody follow a topic, one with attachments) needs a transaction.
 */

import type { ChannelId, MessageId, RecipientId, UserId } from "../../../storage/ids.ts";
import { findMedia } from "../../../storage/messages/attachments.ts";
import { conversationHasMessages, ensureDirectConversation, topicExists } from "../../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { findCalledServices } from "../../bots/services.ts";
import { badRequest, errors } from "../../errors.ts";
import type { RenderedMessage } from "../../markdown/render.ts";
import type { Media } from "../../markdown/rendering.ts";
import { renderMessage } from "../../organization/markdown-context.ts";
import { canSeeUser, checkCanPost } from "../../realm/access.ts";
import type { Command, CommandContext } from "../../realm/command.ts";
import { type FastSend, NotBegun, type Work } from "../../realm/commit/work.ts";
import { memoryOf } from "../../realm/memory.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isLine, isLonger } from "../../text/texts.ts";
import { afterSendPolicies, type RaisedPolicy } from "../../topics/changes/visibility-policies.ts";
import { effectiveTopicsPolicy } from "../../topics/channel-topics-policy.ts";
import { meantTopic } from "../../topics/empty-topic.ts";
import { type KnownTopics, knownTopics } from "../../topics/known-topics.ts";
import { topicParticipants } from "../../topics/participants.ts";
import { conversations, sendLedger } from "../memories.ts";
import { findMentioned } from "../mentions.ts";
import { checkWidgetContent, widgetOf } from "../widgets.ts";
import { composeMessage, type MessageDraft, mutersOf, storeMessage } from "./compose.ts";

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

export interface SendMessageReply {
  id: MessageId;
  automatic_new_visibility_policy?: RaisedPolicy;
}

/** A message whose sender, recipient and text were checked. */
export interface Prepared {
  args: SendMessageArgs;
  content: string;
  rendered: RenderedMessage;
  /** Topic links, and the recipient's row id. */
  recipientId: RecipientId;
  /** Everyone in a direct conversation, ascending. */
  participants: UserId[] | undefined;
  topic: string;
  topicIsNew: boolean;
  topicParticipants: UserId[] | undefined;
  /** Whether a direct conversation has a message. Not looked up for people who may begin one. */
  hasBegun: boolean | undefined;
  /** First part of a widget, as JSON text. */
  widget: string | undefined;
}

/** Ends a message that was cut. */
export const truncationNotice = "\n[message truncated]";

/** What is stored of the typed text. @throws BAD_REQUEST when nothing is left */
export function normalizeContent(content: string): string {
  const text = content.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  if (text === "") throw badRequest("Message must not be empty");
  if (text.includes("\0")) throw badRequest("Message must not contain null bytes");
  return truncate(text, limits.message, truncationNotice);
}

/** Shortens to `max` code points, ending in `mark`. */
export function truncate(text: string, max: number, mark: string): string {
  if (!isLonger(text, max)) return text;
  // No code point has more than two code units.
  return [...text.slice(0, 2 * max)].slice(0, max - mark.length).join("") + mark;
}

/** The topic as stored. `(no topic)` is the old name of the empty one. @throws BAD_REQUEST unless it is one line */
export function normalizeTopic(word: string): string {
  if (!isLine(meantTopic(word))) throw badRequest("Invalid character in topic!");
  return knownTopic(word);
}

/** `normalizeTopic` of a topic that there is, which may be older than the rule. */
export function knownTopic(word: string): string {
  const topic = meantTopic(word);
  return topic === "(no topic)" ? "" : truncate(topic, limits.topic, "...");
}

export const sendMessage: Command<SendMessageArgs, SendMessageReply> = async (context, args) => {
  const sends = memoryOf(context.realm, sendLedger);
  if (args.local) await sends.ready(args.userId, args.local.queue_id);
  const prepared = await prepare(context.state, remembering(context), args);
  // The first send may have been stored meanwhile.
  const sentBefore = () => {
    if (!args.local) return undefined;
    if (!sends.isComplete(args.userId, args.local.queue_id)) throw new NotBegun();
    return sends.find(args.userId, args.local);
  };
  const topics = memoryOf(context.realm, knownTopics);
  let isStored = false;
  return {
    // Of repeated sends that wait together the first is stored, and the others find it.
    key: args.local && JSON.stringify([args.userId, args.local.queue_id, args.local.local_id]),
    fast: (state, takeId, now) => {
      if (sentBefore() !== undefined) return undefined;
      isStored = true;
      return decideFast(state, asOfNow(topics, prepared), takeId, now);
    },
    decide: (tx) => {
      const id = sentBefore();
      isStored = id === undefined;
      return id === undefined ? decideSlowly(tx, asOfNow(topics, prepared)) : { id };
    },
    committed: () => {
      if (isStored && "channelId" in args.to) topics.add(args.to.channelId, prepared.topic);
    },
  } satisfies Work<SendMessageReply>;
};

/** Look-ups in PostgreSQL before a message is decided. The realm's memories answer most of them. */
interface Lookups {
  /** Row id of the conversation of exactly these people. */
  conversation(participants: UserId[]): Promise<RecipientId>;
  /** Uploads, by path. */
  media(pathIds: string[]): Promise<ReadonlyMap<string, Media>>;
  hasMessages(recipientId: RecipientId): Promise<boolean>;
  hasTopic(channel: ChannelRow, topic: string): Promise<boolean>;
  topicParticipants(channel: ChannelRow, topic: string): Promise<UserId[]>;
}

/** Answers from the realm's memory where it can. */
const remembering = ({ realm, state, database: { sql } }: CommandContext): Lookups => ({
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
const inTransaction = ({ sql, realmId, state }: Tx): Lookups => ({
  conversation: (participants) => ensureDirectConversation(sql, realmId, participants),
  media: (pathIds) => findMedia(sql, realmId, pathIds),
  hasMessages: (recipientId) => conversationHasMessages(sql, recipientId),
  hasTopic: (channel, topic) => topicExists(sql, channel.recipient_id, topic),
  topicParticipants: (channel, topic) => topicParticipants(sql, state, channel, topic),
});

/**
 * Checks a message that is to be sent by another command, now or later, and prepares it for `sendChecked`. Nothing is
 * recorded when it throws.
 *
 * @throws the error that its sender would get
 */
export async function checkSend(tx: Tx, args: SendMessageArgs): Promise<Prepared> {
  const prepared = await prepare(tx.state, inTransaction(tx), args);
  check(tx.state, prepared);
  return prepared;
}

/** Sends it as part of the running command. */
export const sendChecked = (tx: Tx, prepared: Prepared): Promise<SendMessageReply> => decideSlowly(tx, prepared);

async function prepare(state: RealmState, lookups: Lookups, args: SendMessageArgs): Promise<Prepared> {
  const sender = state.users.get(args.userId);
  if (!sender) throw badRequest("Account is deactivated");
  const content = normalizeContent(args.content);
  const rendered = await renderMessage(state, sender, content, lookups.media);
  const widget = args.widgetContent === undefined ? widgetOf(content) : checkWidgetContent(args.widgetContent);
  if ("userIds" in args.to) {
    if (args.to.userIds.length === 0) throw badRequest("Message must have recipients");
    for (const id of args.to.userIds) {
      const person = state.users.get(id);
      if (!person || !canSeeUser(state, person, sender)) throw badRequest(`Invalid user ID ${id}`);
    }
    const participants = [...new Set([...args.to.userIds, sender.id])].sort((a, b) => a - b);
    const recipientId = await lookups.conversation(participants);
    const hasBegun = state.may(sender, "direct_message_initiator_group")
      ? undefined
      : await lookups.hasMessages(recipientId);
    return {
      args,
      content,
      rendered,
      widget,
      recipientId,
      participants,
      topic: "",
      topicIsNew: false,
      topicParticipants: undefined,
      hasBegun,
    };
  }
  const channel = state.channels.get(args.to.channelId);
  if (!channel) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: args.to.channelId });
  checkCanPost(state, channel, sender);
  const topic = normalizeTopic(args.to.topic);
  // Each field is named: spreading the common ones took as long as the rest of this function.
  return {
    args,
    content,
    rendered,
    widget,
    recipientId: channel.recipient_id,
    participants: undefined,
    topic,
    topicIsNew: !(await lookups.hasTopic(channel, topic)),
    topicParticipants: rendered.mentionsTopicWildcard ? await lookups.topicParticipants(channel, topic) : undefined,
    hasBegun: undefined,
  };
}

/** Of many sends that wait with the same new topic only the first begins it. */
function asOfNow(topics: KnownTopics, prepared: Prepared): Prepared {
  const { to } = prepared.args;
  if (!prepared.topicIsNew || !("channelId" in to) || !topics.has(to.channelId, prepared.topic)) return prepared;
  return { ...prepared, topicIsNew: false };
}

function decideFast(
  state: RealmState,
  prepared: Prepared,
  takeId: () => MessageId,
  now: number,
): FastSend<SendMessageReply> | undefined {
  const { rendered } = prepared;
  const { sender, channel } = check(state, prepared);
  if (rendered.hasAttachment || prepared.widget !== undefined) return undefined;
  if (channel && (channel.first_message_id === null || !channel.is_recently_active || prepared.topicIsNew))
    return undefined;
  if (findCalledServices(state, { sender, channel, participants: prepared.participants, rendered }).length > 0)
    return undefined;
  const mentioned = findMentioned(state, rendered, channel, prepared.participants);
  if (channel && afterSendPolicies(state, sender, channel, prepared.topic, false, mentioned).length > 0)
    return undefined;
  if (mutersOf(state, sender, channel, prepared.participants).length > 0) return undefined;
  const draft = draftOf(prepared, sender, channel);
  const { message, event, audience } = composeMessage(state, draft, mentioned, takeId(), now);
  return { message, entry: { event, audience }, reply: { id: message.id } };
}

async function decideSlowly(tx: Tx, prepared: Prepared): Promise<SendMessageReply> {
  const { widget } = prepared;
  const { sender, channel } = check(tx.state, prepared);
  const { id, policies } = await storeMessage(tx, {
    ...draftOf(prepared, sender, channel),
    widget,
  });
  const policy = policies.find(({ userId }) => userId === sender.id);
  return { id, ...(policy && { automatic_new_visibility_policy: policy.policy }) };
}

function draftOf(prepared: Prepared, sender: UserRow, channel: ChannelRow | undefined): MessageDraft {
  const { args, content, rendered, participants, topic, topicIsNew, topicParticipants, recipientId } = prepared;
  return {
    sender,
    channel,
    participants,
    recipientId,
    topic,
    topicIsNew,
    topicParticipants,
    content,
    rendered,
    client: args.client,
    readBySender: args.readBySender,
    local: args.local,
  };
}

/** Checks that this person may send this here now. @throws ApiError if not */
function check(
  state: RealmState,
  { args, participants, topic, topicIsNew, rendered, topicParticipants, hasBegun }: Prepared,
): { sender: UserRow; channel: ChannelRow | undefined } {
  const sender = state.users.get(args.userId);
  if (!sender?.is_active) throw badRequest("Account is deactivated");
  if (participants) {
    checkMentions(state, sender, rendered, undefined, undefined);
    checkDirect(state, sender, participants, hasBegun);
    return { sender, channel: undefined };
  }
  const channel = state.channels.get((args.to as { channelId: ChannelId }).channelId);
  if (!channel) throw errors.STREAM_DOES_NOT_EXIST({ stream_id: (args.to as { channelId: ChannelId }).channelId });
  checkCanPost(state, channel, sender);
  checkTopic(state, channel, sender, topic, topicIsNew);
  checkMentions(state, sender, rendered, channel, topicParticipants);
  return { sender, channel };
}

/** A wildcard mention of up to so many people needs no permission. https://zulip.com/help/restrict-wildcard-mentions */
const largestFreeWildcard = 15;

/** @throws BAD_REQUEST when the text mentions a group that its sender may not, or too many people at once */
export function checkMentions(
  state: RealmState,
  sender: UserRow,
  rendered: RenderedMessage,
  channel: ChannelRow | undefined,
  topicParticipants: readonly UserId[] | undefined,
): void {
  for (const groupId of rendered.mentionedGroupIds) {
    const group = state.groups.byId.get(groupId);
    if (group && !group.is_system_group && !state.groups.holds(group.can_mention_group, sender)) {
      throw badRequest(`You are not allowed to mention user group '${group.name}'.`);
    }
  }
  if (!channel || state.may(sender, "can_mention_many_users_group")) return;
  if (rendered.mentionsChannelWildcard && state.subscriptions.subscribers(channel.id).size > largestFreeWildcard)
    throw errors.STREAM_WILDCARD_MENTION_NOT_ALLOWED();
  if (rendered.mentionsTopicWildcard && (topicParticipants?.length ?? 0) > largestFreeWildcard)
    throw errors.TOPIC_WILDCARD_MENTION_NOT_ALLOWED();
}

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

/** @param hasBegun whether the conversation has a message already; looked up for those who may not begin one */
function checkDirect(
  state: RealmState,
  sender: UserRow,
  participants: readonly UserId[],
  hasBegun: boolean | undefined,
): void {
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
    throw badRequest(
      state.groupSetting("direct_message_permission_group") === state.systemGroup("role:nobody")
        ? "Direct messages are disabled in this organization."
        : "This conversation does not include any users who can authorize it.",
    );
  }
  if (!hasBegun && !state.may(sender, "direct_message_initiator_group"))
    throw badRequest("You do not have permission to initiate direct message conversations.");
}
