/**
 * Emails about missed messages. The writer's node goes through the messages of its realm once, in order. For each
 * person who is away and wants to be told of a message, it stores a note with the time of the email. When a person's
 * first note is due, they are told of all their notes, with one email for each conversation. Progress, notes and emails
 * change in transactions. So after a crash each message is noted and told of once, or not yet.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { UserId } from "../../storage/ids.ts";
import {
  findDuePeople,
  findNextNews,
  findRealmsWithNews,
  insertMissed,
  lockNotificationCursor,
  type MissedMessage,
  type MissedRow,
  moveNotificationCursor,
  readMessagesAfter,
  takeMissed,
} from "../../storage/notifications/missed.ts";
import { readInstallation } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import { insertEmailRows } from "../email/queue.ts";
import { offlineAfterSecs } from "../presence/presence.ts";
import type { Job } from "../realm/job.ts";
import type { RealmReader } from "../realm/reader.ts";
import { userSetting } from "../users/settings/settings.ts";
import { missedLetter } from "./missed-letter.ts";
import { unsubscribeUrl } from "./unsubscribe.ts";
import { Candidates, emailReason, isReachable } from "./wanted.ts";

const everySecs = 3;
/** Messages of one transaction, and people told in one run. */
const messagesAtOnce = 500;
const peopleAtOnce = 200;
/** Candidates that are checked in one turn of the event loop. */
const peoplePerTurn = 5000;
/** Nobody is told of older messages. Those are from a time without a mail server, or from an import. */
const oldestSecs = 86_400;
/** In a realm that is new to this job, it starts with the messages of the last minutes. */
const firstSecs = 600;
/** Messages that a person is told of at once: the newest ones. */
const maxTold = 200;

export const missedMessagesJob: Job = {
  name: "tell people of what they missed",
  everySecs,
  isOn: ({ sendsEmail }) => sendsEmail,
  async run(realm, now) {
    while (await noteMissed(realm, now));
    const due = await findDuePeople(realm.database.sql, realm.id, now, peopleAtOnce);
    if (due.length === 0) return;
    const { key } = await readInstallation(realm.database.sql);
    for (const userId of due) await tell(realm, userId, now, key);
  },
  findWaiting: (sql, now) => findRealmsWithNews(sql, now, now - oldestSecs, now - firstSecs),
  onlyWaiting: true,
  next: { at: (sql, now) => findNextNews(sql, now - oldestSecs, now - firstSecs), changedBy: ["message"] },
};

/** Notes the next messages that are not noted yet. Returns whether there may be more. */
function noteMissed(realm: RealmReader, now: number): Promise<boolean> {
  const { state } = realm;
  const candidates = new Candidates(state);
  return realm.database.transaction(async (sql) => {
    const after = await lockNotificationCursor(sql, realm.id, now - firstSecs);
    const messages = await readMessagesAfter(sql, realm.id, after, messagesAtOnce);
    if (messages.length === 0) return false;
    const missed: MissedRow[] = [];
    let looked = 0;
    for (const message of messages) {
      if (message.sent_at < now - oldestSecs) continue;
      for (const userId of candidates.of(message)) {
        // A mention of everybody has as many candidates as the channel has subscribers.
        if (++looked % peoplePerTurn === 0) await nextTurn();
        const user = state.users.get(userId);
        if (!isReachable(user) || !isAway(realm, user, now) || emailReason(state, user, message) === undefined)
          continue;
        const period = userSetting(user, "email_notifications_batching_period_seconds") as number;
        missed.push({ user_id: userId, message_id: message.id, due_at: message.sent_at + period });
      }
    }
    await insertMissed(sql, realm.id, missed);
    await moveNotificationCursor(sql, realm.id, messages.at(-1)!.id);
    return messages.length === messagesAtOnce;
  });
}

/** Whether a person uses none of their clients, as far as their presence is shared. */
function isAway(realm: RealmReader, user: UserRow, now: number): boolean {
  const times = realm.presence.timesOf(user);
  return times === undefined || now - (times.active_timestamp ?? 0) > offlineAfterSecs;
}

/** Queues emails about everything that a person has missed. */
async function tell(realm: RealmReader, userId: UserId, now: number, key: Buffer): Promise<void> {
  const { state } = realm;
  await realm.database.transaction(async (sql) => {
    const missed = await takeMissed(sql, userId, maxTold);
    const user = state.users.get(userId);
    // Since the note, the person may have left, or lost access to the channel.
    if (!isReachable(user)) return;
    const wanted = missed.filter((message) => emailReason(state, user, message) !== undefined);
    const emails = [...byConversation(wanted).values()].map((messages) => ({
      kind: "missed" as const,
      recipient: user.delivery_email,
      letter: missedLetter(state, user, messages, unsubscribeUrl(state, user.id, key)),
    }));
    await insertEmailRows(sql, realm.id, now, emails);
  });
}

function byConversation(messages: readonly MissedMessage[]): Map<string, MissedMessage[]> {
  const conversations = new Map<string, MissedMessage[]>();
  for (const message of messages) {
    const key = `${message.recipient_id}:${message.topic.toLowerCase()}`;
    const known = conversations.get(key);
    if (known) known.push(message);
    else conversations.set(key, [message]);
  }
  return conversations;
}
