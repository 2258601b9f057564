/**
 * Decides who is told of which messages. The writer's node goes through the messages of its realm once, in order. A
 * notification for phones or browsers goes into the queue of `push-job.ts`. For each person who is away and wants an
 * email about a message, it stores a note with the time of the email. When a person's first note is due, they are told
 * of all their notes, with one email for each conversation. Progress, notes, queue and emails change in transactions.
 * So after a crash each message is noted and told of once, or not yet.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { lastOf } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import {
  type AlikeMessages,
  findDuePeople,
  findNextNews,
  findRealmsWithNews,
  insertMissed,
  lockNotificationCursor,
  type MissedMessage,
  type MissedRow,
  moveNotificationCursor,
  moveNotificationCursorToEnd,
  readMessagesAfter,
  sentOf,
  takeMissed,
} from "../../storage/notifications/missed.ts";
import { hasPushTargets, insertPushes, type WantedPush } from "../../storage/notifications/pushes.ts";
import { readInstallation } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import { insertEmailRows, type NewEmail } from "../email/queue.ts";
import { canReadMessage } from "../messages/access.ts";
import { presenceMemory } from "../presence/memory.ts";
import { offlineAfterSecs } from "../presence/presence.ts";
import type { Job } from "../realm/job.ts";
import { memoryOf } from "../realm/memory.ts";
import type { RealmReader } from "../realm/reader.ts";
import { userSetting } from "../users/settings/settings.ts";
import { missedLetter } from "./missed-letter.ts";
import { newReplyAddress, threadOf } from "./replies.ts";
import { unsubscribeUrl } from "./unsubscribe.ts";
import { candidatesOf, isPerson, isReachable, notificationReason } from "./wanted.ts";

const everySecs = 1;
/** Messages in one transaction, and people told in one run. */
const messagesAtOnce = 500;
const peopleAtOnce = 200;
/** Candidates that are checked in one turn of the event loop. */
const peoplePerTurn = 5000;
/** Of older ones nobody is told: there was no mail server, or the organization comes from elsewhere. */
export const oldestSecs = 86_400;
/** Where this job has never been, it begins with messages of the last minutes. */
export const firstSecs = 600;
/** Messages that a person is told of at once, the newest. */
const maxTold = 200;
/** Seconds after which a notification that could not be sent is dropped. */
export const pushKeptSecs = 86_400;

export const missedMessagesJob: Job = {
  name: "tell people of what they missed",
  everySecs,
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
  const { environment } = realm;
  const hasRelay = environment.relay !== undefined;
  return realm.database.transaction(async (sql) => {
    const after = await lockNotificationCursor(sql, realm.id, now - firstSecs);
    const pushes = await hasPushTargets(sql, realm.id, hasRelay);
    if (!pushes && !environment.sendsEmail) {
      await moveNotificationCursorToEnd(sql, realm.id);
      return false;
    }
    const next = { after, since: now - oldestSecs, limit: messagesAtOnce };
    const messages = await readMessagesAfter(sql, realm.id, next);
    if (messages.length === 0) return false;
    const { missed, pushed } = await decide(realm, messages, now, pushes);
    await insertMissed(sql, realm.id, missed);
    await insertPushes(sql, realm.id, pushed, { now, expiresAt: now + pushKeptSecs, hasRelay });
    await moveNotificationCursor(sql, realm.id, Math.max(...messages.map(({ last_id }) => last_id)));
    return messages.reduce((sum, { count }) => sum + count, 0) === messagesAtOnce;
  });
}

/** Decides who is told of which of these messages. Those that are alike are decided about once. */
async function decide(
  realm: RealmReader,
  messages: readonly AlikeMessages[],
  now: number,
  pushes: boolean,
): Promise<{ missed: MissedRow[]; pushed: WantedPush[] }> {
  const { state } = realm;
  const missed: MissedRow[] = [];
  const pushed: WantedPush[] = [];
  let looked = 0;
  for (const alike of messages) {
    if (alike.sent === null) continue;
    // Few are told of anything, so few texts are read.
    let sent: ReturnType<typeof sentOf> | undefined;
    for (const userId of candidatesOf(state, alike)) {
      // A mention of everybody has as many candidates as the channel has subscribers.
      if (looked++ >= peoplePerTurn) {
        await nextTurn();
        looked = 0;
      }
      const user = state.users.get(userId);
      const wanted = isPerson(user) && wantedWays(realm, user, alike, now, pushes);
      if (!wanted || !(wanted.email || wanted.push)) continue;
      sent ??= sentOf(alike);
      looked += sent.length;
      const period = userSetting(user, "email_notifications_batching_period_seconds");
      for (const { id, sent_at } of sent) {
        if (wanted.email) missed.push({ user_id: userId, message_id: id, due_at: sent_at + period });
        if (wanted.push) pushed.push({ user_id: userId, message_id: id });
      }
    }
  }
  // They are sent in the order of their messages.
  pushed.sort((one, other) => one.message_id - other.message_id);
  return { missed, pushed };
}

/** In which ways somebody is to be told of messages. */
function wantedWays(
  realm: RealmReader,
  user: UserRow,
  messages: AlikeMessages,
  now: number,
  pushes: boolean,
): Readonly<Record<"email" | "push", boolean>> {
  const { state, environment } = realm;
  const wants = (kind: "email" | "push") => notificationReason(state, user, messages, kind) !== undefined;
  const away = isAway(realm, user, now);
  return {
    email: environment.sendsEmail && away && isReachable(user) && wants("email"),
    push: pushes && (away || userSetting(user, "enable_online_push_notifications") === true) && wants("push"),
  };
}

/** Whether somebody is not at any of their clients, as far as they let us know. */
function isAway(realm: RealmReader, user: UserRow, now: number): boolean {
  const times = memoryOf(realm, presenceMemory).timesOf(user);
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
    const wanted = missed.filter(
      (message) =>
        canReadMessage(state, message, user) && notificationReason(state, user, message, "email") !== undefined,
    );
    const emails: NewEmail[] = [];
    for (const [conversation, messages] of byConversation(wanted)) {
      const replyTo = await newReplyAddress(realm, sql, user, lastOf(messages).id);
      const letter = missedLetter(state, user, messages, {
        unsubscribeUrl: unsubscribeUrl(state, user.id, key),
        ...(replyTo !== undefined && { replyTo }),
        thread: threadOf(realm.id, user.id, conversation, key),
      });
      emails.push({ kind: "missed", recipient: user.delivery_email, letter });
    }
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
