/** Reminders: at a chosen time the notification bot shows a person a message again. */

import { defined } from "../../../storage/failures.ts";
import type { MessageId, ScheduledId, UserId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import {
  deleteScheduled,
  findScheduled,
  findScheduledById,
  putScheduled,
  type ScheduledRow,
} from "../../../storage/messages/scheduled.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { granted } from "../../lifecycle.ts";
import { renderMarkdown } from "../../markdown/render.ts";
import { accessMessage, findReadable } from "../../messages/access.ts";
import { silentMention, topicLink } from "../../messages/changes/move-notices.ts";
import { sendBotMessage, wordsOfBot } from "../../messages/changes/system-messages.ts";
import { truncate, truncationNotice } from "../../messages/typed-text.ts";
import { markdownContext } from "../../organization/markdown-context.ts";
import { checkRoom } from "../../personal/changes/list-limits.ts";
import { canSeeUser } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { quoted } from "../../text/quotation.ts";
import { isLonger } from "../../text/texts.ts";
import { unknownSender } from "../../users/record.ts";
import { checkDeliveryTime } from "../delivery-time.ts";
import { type ScheduledAction, scheduledRefusals, scheduledState, stepScheduled } from "../machine.ts";
import type { ReminderRecord } from "../shapes.ts";

/** A reminder as its owner sees it. https://zulip.com/api/get-reminders */
export function renderReminder(row: ScheduledRow): ReminderRecord {
  return {
    reminder_id: row.id,
    type: "private",
    to: row.to as UserId[],
    content: row.content,
    rendered_content: row.rendered_content,
    scheduled_delivery_timestamp: row.scheduled_delivery_timestamp,
    failed: row.failed,
    reminder_target_message_id: row.reminder_target_message_id!,
  };
}

/** A person's reminders, soonest first. */
export async function findReminders({ database }: RealmReader, user: UserRow): Promise<ReminderRecord[]> {
  return (await findScheduled(database.sql, user.id, "reminders")).map(renderReminder);
}

/** Length of the quotation. The rest is for the note and the link. */
const maxQuoted = limits.message - 2 * limits.reminderNote - 1000;

function compose(state: RealmState, user: UserRow, message: MessageAccess, note: string): string {
  const person = state.knownUser(message.sender_id);
  const sender = canSeeUser(state, person, user)
    ? silentMention(person)
    : unknownSender(state, person.id).sender_full_name;
  const channel = message.channel_id === null ? undefined : state.knownChannel(message.channel_id);
  const words = wordsOfBot(state, user);
  const what = channel ? topicLink({ channel, topic: message.topic }, message.id) : words.directMessageBy(sender);
  return [
    words.remindsOf(what),
    ...(note === "" ? [] : [`${words.note}\n${quoted(note)}`]),
    `${words.wrote(sender)}\n${quoted(truncate(message.content, maxQuoted, truncationNotice))}`,
  ].join("\n\n");
}

export interface CreateReminderArgs {
  userId: UserId;
  messageId: MessageId;
  timestamp: number;
  note: string;
}

export const createReminder = command(async (tx: Tx, args: CreateReminderArgs) => {
  const { state } = tx;
  const user = tx.user(args.userId);
  checkDeliveryTime(args.timestamp, tx.now);
  const note = args.note.trim();
  if (isLonger(note, limits.reminderNote))
    throw badRequest(`note is too long (limit: ${limits.reminderNote} characters)`);
  const message = await accessMessage(state, tx.sql, user, args.messageId);
  const content = compose(state, user, message, note);
  const row: ScheduledRow = {
    id: await tx.id("object_ids"),
    user_id: user.id,
    type: "private",
    to: [user.id],
    topic: "",
    content,
    rendered_content: renderMarkdown(content, markdownContext(state, user)).html,
    scheduled_delivery_timestamp: args.timestamp,
    failed: false,
    reminder_target_message_id: message.id,
    note,
    read_by_sender: false,
    client: "Internal",
  };
  await checkRoom(tx, "reminders", user.id, [row.content, row.rendered_content]);
  tx.write((sql) => putScheduled(sql, tx.realmId, row));
  tx.event({ type: "reminders", op: "add", reminders: [renderReminder(row)] }, { to: "users", ids: [user.id] });
  return { reminder_id: row.id };
});

/** @throws a 404 for a reminder of somebody else */
export const deleteReminder = command(async (tx: Tx, args: { userId: UserId; id: ScheduledId }) => {
  const user = tx.user(args.userId);
  const found = await findScheduledById(tx.sql, tx.realmId, args.id);
  const row = found?.reminder_target_message_id === null ? undefined : found;
  const step = stepScheduled(scheduledState(row), { type: "deletion.asked", byAuthor: row?.user_id === user.id });
  await perform(
    tx,
    granted(step, (refusal) => scheduledRefusals[refusal]("Reminder")).actions,
    defined(row, "reminder"),
  );
  return {};
});

/** Sends a reminder that is due. It shows the message as it is now, if the person may still read it. */
export async function deliverReminder(tx: Tx, row: ScheduledRow, isAuthorActive: boolean): Promise<void> {
  const message = isAuthorActive
    ? await findReadable(tx.state, tx.sql, tx.user(row.user_id), row.reminder_target_message_id!)
    : undefined;
  const event = { type: "reminder.due", isAuthorActive, mayRead: message !== undefined } as const;
  const step = stepScheduled(scheduledState(row), event);
  await perform(tx, step.actions, { ...row, failed: step.state === "failed" }, message);
}

/**
 * Performs the machine's actions for a reminder.
 *
 * @param row the new row
 * @param message the message to remind of, when it is due
 */
async function perform(
  tx: Tx,
  actions: readonly ScheduledAction[],
  row: ScheduledRow,
  message?: MessageAccess,
): Promise<void> {
  for (const action of actions) {
    switch (action) {
      case "send":
        if (message) await remind(tx, row, message);
        break;
      case "forget":
        tx.write((sql) => deleteScheduled(sql, row.id));
        tx.event({ type: "reminders", op: "remove", reminder_id: row.id }, { to: "users", ids: [row.user_id] });
        break;
      case "keep":
        tx.write((sql) => putScheduled(sql, tx.realmId, row));
        break;
      case "explain":
        await explain(tx, row);
        break;
      case "show":
        // A reminder cannot be edited, and fails only when its owner is deactivated. So nobody is told.
        break;
      default:
        action satisfies never;
    }
  }
}

/** Tells whose the reminder is that there is nothing left to remind of; what they noted is still theirs. */
async function explain(tx: Tx, row: ScheduledRow): Promise<void> {
  const user = tx.user(row.user_id);
  const words = wordsOfBot(tx.state, user);
  const note = row.note ? ` ${words.yourNote}\n${quoted(row.note)}` : "";
  const content = `${words.remindsOfNothing}${note}`;
  await sendBotMessage(tx, "notification", { userIds: [user.id] }, content, { author: user });
}

async function remind(tx: Tx, row: ScheduledRow, message: MessageAccess): Promise<void> {
  const user = tx.user(row.user_id);
  const content = compose(tx.state, user, message, row.note ?? "");
  await sendBotMessage(tx, "notification", { userIds: [user.id] }, content, { author: user });
}
