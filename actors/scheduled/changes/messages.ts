/** Scheduled messages. They are checked like a send when they are scheduled, and again when they are due. */

import { defined } from "../../../storage/failures.ts";
import type { ChannelId, ScheduledId, UserId } from "../../../storage/ids.ts";
import {
  deleteScheduled,
  findScheduled,
  findScheduledById,
  putScheduled,
  type ScheduledRow,
} from "../../../storage/messages/scheduled.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { ApiError, badRequest } from "../../errors.ts";
import { granted } from "../../lifecycle.ts";
import { silentMention } from "../../messages/changes/move-notices.ts";
import { checkSend, sendChecked } from "../../messages/changes/send.ts";
import { sendBotMessage, wordsOfBot } from "../../messages/changes/system-messages.ts";
import type { SendMessageArgs } from "../../messages/prepared.ts";
import { checkRoom } from "../../personal/changes/list-limits.ts";
import { command } from "../../realm/command.ts";
import type { Audience } from "../../realm/entry.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { Tx } from "../../realm/transaction.ts";
import { checkDeliveryTime } from "../delivery-time.ts";
import {
  type ScheduledAction,
  type ScheduledRefusal,
  scheduledRefusals,
  scheduledState,
  stepScheduled,
} from "../machine.ts";
import type { ScheduledMessageRecord } from "../shapes.ts";
import { deliverReminder } from "./reminders.ts";

/** A scheduled message as its owner sees it. https://zulip.com/api/get-scheduled-messages */
export function renderScheduled(row: ScheduledRow): ScheduledMessageRecord {
  return {
    scheduled_message_id: row.id,
    type: row.type,
    to: row.to,
    ...(row.type === "stream" && { topic: row.topic }),
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: row.scheduled_delivery_timestamp,
    failed: row.failed,
  };
}

/** A person's scheduled messages, soonest first. */
export async function findScheduledMessages(
  { database }: RealmReader,
  user: UserRow,
): Promise<ScheduledMessageRecord[]> {
  return (await findScheduled(database.sql, user.id, "messages")).map(renderScheduled);
}

/** The message to send, and its recipient. */
type Payload = Pick<ScheduledRow, "user_id" | "type" | "to" | "topic" | "content" | "client" | "read_by_sender">;

const sendArgs = (row: Payload): SendMessageArgs => ({
  userId: row.user_id,
  to: typeof row.to === "number" ? { channelId: row.to, topic: row.topic } : { userIds: row.to },
  content: row.content,
  client: row.client,
  readBySender: row.read_by_sender,
});

/** The row of a message that could be sent now. @throws the errors of sending */
async function checkedRow(tx: Tx, id: ScheduledId, payload: Payload, timestamp: number): Promise<ScheduledRow> {
  const prepared = await checkSend(tx, sendArgs(payload));
  const others = prepared.participants?.filter((participant) => participant !== payload.user_id);
  return {
    ...payload,
    id,
    to: others ? (others.length > 0 ? others : [payload.user_id]) : payload.to,
    topic: prepared.participants ? "" : prepared.topic,
    content: prepared.content,
    rendered_content: prepared.rendered.html,
    scheduled_delivery_timestamp: timestamp,
    failed: false,
    reminder_target_message_id: null,
    note: null,
  };
}

export interface ScheduleMessageArgs {
  userId: UserId;
  to: { channelId: ChannelId; topic: string } | { userIds: UserId[] };
  content: string;
  timestamp: number;
  readBySender: boolean;
  client: string;
}

export const scheduleMessage = command(async (tx: Tx, args: ScheduleMessageArgs) => {
  const user = tx.user(args.userId);
  checkDeliveryTime(args.timestamp, tx.now);
  const isChannel = "channelId" in args.to;
  const payload: Payload = {
    user_id: user.id,
    type: isChannel ? "stream" : "private",
    to: "channelId" in args.to ? args.to.channelId : args.to.userIds,
    topic: "channelId" in args.to ? args.to.topic : "",
    content: args.content,
    client: args.client,
    read_by_sender: args.readBySender,
  };
  const row = await checkedRow(tx, await tx.id("object_ids"), payload, args.timestamp);
  await checkRoom(tx, "scheduled", user.id, [row.content, row.rendered_content]);
  tx.write((sql) => putScheduled(sql, tx.realmId, row));
  tx.event(
    { type: "scheduled_messages", op: "add", scheduled_messages: [renderScheduled(row)] },
    { to: "users", ids: [user.id] },
  );
  return { scheduled_message_id: row.id };
});

/** A scheduled message, but not a reminder. */
async function findMessage(tx: Tx, id: ScheduledId): Promise<ScheduledRow | undefined> {
  const row = await findScheduledById(tx.sql, tx.realmId, id);
  return row?.reminder_target_message_id === null ? row : undefined;
}

const refused = (refusal: ScheduledRefusal) => scheduledRefusals[refusal]("Scheduled message");

export interface UpdateScheduledArgs {
  userId: UserId;
  id: ScheduledId;
  type?: "stream" | "private" | undefined;
  to?: ChannelId | UserId[] | undefined;
  topic?: string | undefined;
  content?: string | undefined;
  timestamp?: number | undefined;
}

/** Changes the given fields. A failed message is tried again at a new time. */
export const updateScheduledMessage = command(async (tx: Tx, args: UpdateScheduledArgs) => {
  const user = tx.user(args.userId);
  const found = await findMessage(tx, args.id);
  const step = stepScheduled(scheduledState(found), {
    type: "edit.asked",
    byAuthor: found?.user_id === user.id,
    hasNewTime: args.timestamp !== undefined,
  });
  const { actions } = granted(step, refused);
  const before = defined(found, "such scheduled message");
  if (args.timestamp !== undefined) checkDeliveryTime(args.timestamp, tx.now);
  const type = args.type ?? before.type;
  if (type !== before.type && args.to === undefined)
    throw badRequest("Recipient required when updating type of scheduled message.");
  if (type === "stream" && before.type !== "stream" && args.topic === undefined)
    throw badRequest("Topic required when updating scheduled message type to channel.");
  const to = args.to ?? before.to;
  if (type === "stream" && typeof to !== "number") throw badRequest("Expected exactly one channel");
  const payload: Payload = {
    ...before,
    type,
    to: type === "private" && typeof to === "number" ? [to] : to,
    topic: type === "stream" ? (args.topic ?? before.topic) : "",
    content: args.content ?? before.content,
  };
  const row = await checkedRow(tx, before.id, payload, args.timestamp ?? before.scheduled_delivery_timestamp);
  await checkRoom(tx, "scheduled", user.id, [row.content, row.rendered_content], { instead: row.id });
  await perform(tx, actions, row);
  return {};
});

export const deleteScheduledMessage = command(async (tx: Tx, args: { userId: UserId; id: ScheduledId }) => {
  const user = tx.user(args.userId);
  const row = await findMessage(tx, args.id);
  const step = stepScheduled(scheduledState(row), { type: "deletion.asked", byAuthor: row?.user_id === user.id });
  await perform(tx, granted(step, refused).actions, defined(row, "such scheduled message"));
  return {};
});

/** Sends a message that is due. One that may not be sent is kept as failed, and its author is told why. */
export const deliverScheduled = command(async (tx: Tx, { id }: { id: ScheduledId }) => {
  const row = await findScheduledById(tx.sql, tx.realmId, id);
  if (!row || row.failed || row.scheduled_delivery_timestamp > tx.now) return {};
  const user = tx.state.users.get(row.user_id);
  const isAuthorActive = user?.is_active === true;
  if (row.reminder_target_message_id !== null) {
    await deliverReminder(tx, row, isAuthorActive);
    return {};
  }
  const prepared = isAuthorActive ? await checkSend(tx, sendArgs(row)).catch(expected) : undefined;
  const maySend = prepared !== undefined && !(prepared instanceof ApiError);
  const step = stepScheduled(scheduledState(row), { type: "due", isAuthorActive, maySend });
  await perform(tx, step.actions, { ...row, failed: step.state === "failed" }, prepared);
  return {};
});

/** Returns an error of the API. @throws any other error */
function expected(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}

/**
 * Performs the machine's actions.
 *
 * @param row the new row
 * @param prepared the message to send, or the reason why it may not be sent; when it is due
 */
async function perform(
  tx: Tx,
  actions: readonly ScheduledAction[],
  row: ScheduledRow,
  prepared?: ApiError | Awaited<ReturnType<typeof checkSend>>,
): Promise<void> {
  const owner: Audience = { to: "users", ids: [row.user_id] };
  for (const action of actions) {
    switch (action) {
      case "send":
        if (prepared && !(prepared instanceof ApiError)) await sendChecked(tx, prepared);
        break;
      case "forget":
        tx.write((sql) => deleteScheduled(sql, row.id));
        tx.event({ type: "scheduled_messages", op: "remove", scheduled_message_id: row.id }, owner);
        break;
      case "keep":
        tx.write((sql) => putScheduled(sql, tx.realmId, row));
        break;
      case "show":
        tx.event({ type: "scheduled_messages", op: "update", scheduled_message: renderScheduled(row) }, owner);
        break;
      case "explain":
        if (prepared instanceof ApiError) await explain(tx, row, prepared);
        break;
      default:
        action satisfies never;
    }
  }
}

/** Tells the author why the message was not sent. */
async function explain(tx: Tx, row: ScheduledRow, reason: ApiError): Promise<void> {
  const user = tx.user(row.user_id);
  const time = new Date(row.scheduled_delivery_timestamp * 1000).toISOString();
  await sendBotMessage(
    tx,
    "notification",
    { userIds: [user.id] },
    wordsOfBot(tx.state, user).notSent(silentMention(user), `<time:${time}>`, reason.message),
  );
}
