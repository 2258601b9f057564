/**
 * Calls of outgoing webhooks. A call is a row, committed together with the message that triggers it. The realm's writer
 * takes the call (`beginServiceCall`), asks the service, and settles it (`endServiceCall`). Settling removes the row
 * and posts the answer in one commit, so an answer is posted once, whatever crashes. A call that is not settled in time
 * counts as lost, and begins again.
 */
import {
  deleteWebhookCall,
  findDueWebhookCall,
  findFailureTold,
  findWebhookCall,
  putFailureTold,
  putWebhookCall,
  type WebhookCallRow,
} from "../../../storage/bots/webhook-calls.ts";
import type { UserId, WebhookCallId } from "../../../storage/ids.ts";
import { findDirectConversations, findMessages, type StoredMessage } from "../../../storage/messages/messages.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { ApiError } from "../../errors.ts";
import { checkSend, sendChecked } from "../../messages/changes/send.ts";
import { sendBotMessage, wordsOfBot } from "../../messages/changes/system-messages.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { asText } from "../../text/as-text.ts";
import { serviceOf } from "../services.ts";
import { type ServiceCall, type ServiceReply, servicePayload } from "./service-payload.ts";

/** Seconds before the second and the third attempt. The third is the last. */
const backOffSecs = [2, 30];
/** Seconds after which a request to a service is given up. */
export const serviceTimeoutSecs = 10;
/** Seconds after which an unsettled attempt counts as lost. */
const lostAfterSecs = 3 * serviceTimeoutSecs;
/** An owner is told of a bot's failures at most once in so many seconds. */
const tellEverySecs = 600;

/** A call that was taken: the request, and where to send it. */
export interface BegunServiceCall {
  id: WebhookCallId;
  attempt: number;
  url: string;
  interface: number;
  contentType: string;
  body: string;
}

/**
 * Takes the call that has been due longest. Returns none when no call is due, or when the call's message or bot is
 * gone.
 */
export const beginServiceCall = command(
  async (tx: Tx, _args: Record<string, never>): Promise<{ call?: BegunServiceCall }> => {
    const row = await findDueWebhookCall(tx.sql, tx.realmId, tx.now);
    if (!row) return {};
    const call = await findCall(tx, row);
    if (!call) return forget(tx, row);
    if (row.attempts > backOffSecs.length) return giveUp(tx, row, call.bot, "this server stopped while it was asked");
    const payload = servicePayload(tx.state, call);
    if (!payload) return giveUp(tx, row, call.bot, "its interface has no direct messages");
    const attempt = row.attempts + 1;
    const next = { ...row, attempts: attempt, is_under_way: true, due_at: tx.now + lostAfterSecs };
    tx.write((sql) => putWebhookCall(sql, next));
    const { base_url: url, interface: kind } = call.service;
    return { call: { id: row.id, attempt, url, interface: kind, ...payload } };
  },
);

/**
 * `failure` says why there is no answer, as the end of a sentence. `isLasting` means that another attempt would fail
 * too.
 */
export type ServiceOutcome = ServiceReply | { failure: string; isLasting: boolean };

/** Settles an attempt. Does nothing if another attempt has begun meanwhile. */
export const endServiceCall = command(
  async (tx: Tx, { id, attempt, outcome }: { id: WebhookCallId; attempt: number; outcome: ServiceOutcome }) => {
    const row = await findWebhookCall(tx.sql, tx.realmId, id);
    if (!row?.is_under_way || row.attempts !== attempt) return {};
    const call = await findCall(tx, row);
    if (!call) return forget(tx, row);
    if (!("failure" in outcome)) {
      const refusal = await answer(tx, call, outcome);
      return refusal ? giveUp(tx, row, call.bot, `its answer could not be sent: ${refusal.message}`) : forget(tx, row);
    }
    const wait = backOffSecs[attempt - 1];
    if (outcome.isLasting || wait === undefined) return giveUp(tx, row, call.bot, outcome.failure);
    tx.write((sql) => putWebhookCall(sql, { ...row, is_under_way: false, due_at: tx.now + wait }));
    return {};
  },
);

/** Undefined when the message or the bot is gone, or the bot's service is not called any more. */
async function findCall(tx: Tx, row: WebhookCallRow): Promise<ServiceCall | undefined> {
  const bot = tx.state.users.get(row.bot_id);
  const service = bot?.is_active ? serviceOf(bot) : undefined;
  const [message] = service ? await findMessages(tx.sql, tx.realmId, [row.message_id]) : [];
  if (!bot || !service || !message) return undefined;
  return { bot, service, message, participants: await participantsOf(tx, message) };
}

async function participantsOf(tx: Tx, message: StoredMessage): Promise<readonly UserId[] | undefined> {
  if (message.channel_id !== null) return undefined;
  return (await findDirectConversations(tx.sql, [message.recipient_id])).get(message.recipient_id);
}

/**
 * Posts the answer to the conversation where the message is now. @returns the reason when the bot may not post there
 */
async function answer(
  tx: Tx,
  { bot, message, participants }: ServiceCall,
  { content, widgetContent }: ServiceReply,
): Promise<ApiError | undefined> {
  if (content === undefined) return undefined;
  const { channel_id: channelId, topic } = message;
  const to =
    channelId === null ? { userIds: (participants ?? []).filter((id) => id !== bot.id) } : { channelId, topic };
  try {
    const args = { userId: bot.id, to, content, client: "OutgoingWebhookResponse", readBySender: true };
    await sendChecked(tx, await checkSend(tx, { ...args, widgetContent }));
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function forget(tx: Tx, row: WebhookCallRow): Record<string, never> {
  tx.write((sql) => deleteWebhookCall(sql, row.id));
  return {};
}

/** Ends a call that failed, and tells the bot's owner. */
async function giveUp(tx: Tx, row: WebhookCallRow, bot: UserRow, reason: string): Promise<Record<string, never>> {
  const owner = tx.state.users.get(bot.bot_owner_id ?? -1);
  const toldAt = await findFailureTold(tx.sql, bot.id);
  if (owner?.is_active && (toldAt === undefined || toldAt <= tx.now - tellEverySecs)) {
    tx.write((sql) => putFailureTold(sql, tx.realmId, bot.id, tx.now));
    const text = wordsOfBot(tx.state, owner).botFailed(asText(bot.full_name), reason);
    await sendBotMessage(tx, "notification", { userIds: [owner.id] }, text);
  }
  return forget(tx, row);
}
