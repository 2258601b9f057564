/**
 * Sending a message. The text is rendered and the conversation found before the command waits for its turn. So the
 * decision is a few checks and one row. A message that changes more than itself (the first of a channel, one that makes
 * somebody follow a topic, one with attachments) needs a transaction.
 */

import type { MessageId } from "../../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { findCalledServices } from "../../bots/services.ts";
import type { Command } from "../../realm/command.ts";
import { type FastSend, NotBegun, type Work } from "../../realm/commit/work.ts";
import { memoryOf } from "../../realm/memory.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { afterSendPolicies, type RaisedPolicy } from "../../topics/changes/visibility-policies.ts";
import { type KnownTopics, knownTopics } from "../../topics/known-topics.ts";
import { sendLedger } from "../memories.ts";
import { findMentioned } from "../mentions.ts";
import { check, inTransaction, type Prepared, prepare, remembering, type SendMessageArgs } from "../prepared.ts";
import { composeMessage, type MessageDraft, mutersOf, storeMessage } from "./compose.ts";

export interface SendMessageReply {
  id: MessageId;
  automatic_new_visibility_policy?: RaisedPolicy;
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
      if (isStored && !prepared.participants) topics.add(prepared.channelId, prepared.topic);
    },
  } satisfies Work<SendMessageReply>;
};

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

/** Of many sends that wait with the same new topic only the first begins it. */
function asOfNow(topics: KnownTopics, prepared: Prepared): Prepared {
  if (prepared.participants || !prepared.topicIsNew || !topics.has(prepared.channelId, prepared.topic)) return prepared;
  return { ...prepared, topicIsNew: false };
}

/** Undefined: it changes more than its own row. */
function decideFast(
  state: RealmState,
  prepared: Prepared,
  takeId: () => MessageId,
  now: number,
): FastSend<SendMessageReply> | undefined {
  const { rendered, participants } = prepared;
  const { sender, channel } = check(state, prepared);
  if (rendered.hasAttachment || prepared.widget !== undefined) return undefined;
  const draft = draftOf(prepared, sender, channel);
  if (channel && (channel.first_message_id === null || !channel.is_recently_active || draft.topicIsNew))
    return undefined;
  if (findCalledServices(state, { sender, channel, participants, rendered }).length > 0) return undefined;
  const mentioned = findMentioned(state, rendered, channel, participants);
  if (channel && afterSendPolicies(state, sender, channel, draft.topic, false, mentioned).length > 0) return undefined;
  if (mutersOf(state, sender, channel, participants).length > 0) return undefined;
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

/** What is stored of it. */
function draftOf(prepared: Prepared, sender: UserRow, channel: ChannelRow | undefined): MessageDraft {
  const { args, content, rendered, participants, recipientId } = prepared;
  const isDirect = participants !== undefined;
  return {
    sender,
    channel,
    participants,
    recipientId,
    topic: isDirect ? "" : prepared.topic,
    topicIsNew: !isDirect && prepared.topicIsNew,
    topicParticipants: isDirect ? undefined : prepared.topicParticipants,
    content,
    rendered,
    client: args.client,
    readBySender: args.readBySender,
    local: args.local,
  };
}
