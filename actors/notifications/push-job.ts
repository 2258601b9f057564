/**
 * Sends the notifications that wait, a few at a time. One that is being sent is this node's for a while; a node that
 * dies leaves it to the next one, under the same id. That is the only way in which somebody gets one twice: when the
 * relay's word was on its way. What phones show is remembered, and taken away when it is read.
 */
import { defined } from "../../storage/failures.ts";
import type { MessageId, UserId } from "../../storage/ids.ts";
import {
  claimDuePushes,
  countShown,
  deleteOldShown,
  deletePush,
  findNextPush,
  findRealmsWithPushes,
  findStale,
  noteShown,
  type PushRow,
  postponePush,
  postponeRelayed,
  removeShown,
} from "../../storage/notifications/pushes.ts";
import type { UserRow } from "../../storage/rows.ts";
import { canReadMessage } from "../messages/access.ts";
import type { Job } from "../realm/job.ts";
import type { JobRealm } from "../realm/served.ts";
import type { Delivery } from "./delivery.ts";
import { firstSecs, oldestSecs, pushKeptSecs } from "./missed-job.ts";
import { deliver } from "./push-delivery.ts";
import { isPerson, notificationReason } from "./wanted.ts";

/** Taken at once, and under way at once. */
const takenAtOnce = 16;
const underWay = 8;
/** What was taken and not settled by then is taken again: longer than two requests that nobody answers. */
const leaseSecs = 30;
/** One that was not taken waits so long the first time, and twice as long each time after. */
const firstRetrySecs = 5;
const longestRetrySecs = 900;
/** While the relay is away it is left alone. */
const restSecs = 10;
/** Messages in one removal: what fits into a notification. */
const removedAtOnce = 200;
/** Phones forget their notifications as well. */
const shownKeptSecs = 30 * 86_400;

export const sendPushesJob: Job = {
  name: "send notifications to phones and browsers",
  everySecs: 1,
  run: sendPushes,
  findWaiting: findRealmsWithPushes,
  onlyWaiting: true,
  next: { at: (sql, now) => findNextPush(sql, now - oldestSecs, now - firstSecs), changedBy: ["message"] },
};

/** Takes away what phones show and should not any more. */
export const removePushesJob: Job = {
  name: "take read notifications away",
  everySecs: 1,
  isOn: ({ relay }) => relay !== undefined,
  async run(realm, now) {
    const { readNews } = defined(realm.environment.relay, "relay");
    const news = readNews.take(realm.id);
    if (!news) return;
    const { sql } = realm.database;
    try {
      if (news === "everything") await deleteOldShown(sql, realm.id, now - shownKeptSecs);
      const about = news === "everything" ? news : { userIds: [...news.userIds], messageIds: [...news.messageIds] };
      const stale = new Map<UserId, MessageId[]>();
      for (const { user_id, message_id } of await findStale(sql, realm.id, about)) {
        const ids = stale.get(user_id);
        if (ids) ids.push(message_id);
        else stale.set(user_id, [message_id]);
      }
      if (stale.size === 0) return;
      const times = { now, expiresAt: now + pushKeptSecs };
      for (const [userId, ids] of stale)
        for (let from = 0; from < ids.length; from += removedAtOnce)
          await removeShown(sql, realm.id, userId, ids.slice(from, from + removedAtOnce), times);
    } catch (error) {
      readNews.forget(realm.id);
      throw error;
    }
    await sendPushes(realm);
  },
};

async function sendPushes(realm: JobRealm): Promise<void> {
  for (;;) {
    const now = realm.environment.clock();
    const claim = { now, limit: takenAtOnce, leaseSecs };
    const waiting = await claimDuePushes(realm.database.sql, realm.id, claim);
    if (waiting.length === 0) return;
    await Promise.all(
      Array.from({ length: underWay }, async () => {
        for (let row = waiting.shift(); row; row = waiting.shift()) await settle(realm, row);
      }),
    );
  }
}

/** Never throws: what could not be settled is taken again. */
async function settle(realm: JobRealm, row: PushRow): Promise<void> {
  const { log } = realm.environment;
  try {
    await trySettle(realm, row);
  } catch (error) {
    log.warn({ realm: realm.id, push: row.id, err: error }, "a notification was not settled");
  }
}

async function trySettle(realm: JobRealm, row: PushRow): Promise<void> {
  const { database, environment } = realm;
  const { log } = environment;
  const now = environment.clock();
  const user = realm.state.users.get(row.user_id);
  const delivery = isPerson(user) && row.expires_at > now ? deliveryOf(realm, user, row) : undefined;
  if (!delivery) {
    if (row.expires_at <= now) log.warn({ realm: realm.id, push: row.id }, "a notification was given up");
    await deletePush(database.sql, row.id);
    return;
  }
  const badge =
    row.target === "browser"
      ? 0
      : (await countShown(database.sql, row.user_id, row.message_id ?? undefined)) + (row.message_id === null ? 0 : 1);
  const outcome = await deliver(realm, delivery, badge);
  if (outcome === "sent" || outcome === "nobody") {
    await database.transaction(async (sql) => {
      await deletePush(sql, row.id);
      if (outcome === "nobody" || row.target === "browser" || row.message_id === null) return;
      await noteShown(sql, realm.id, { user_id: row.user_id, message_id: row.message_id }, now);
    });
    environment.relay?.readNews.noteReader(realm.id, row.user_id);
    return;
  }
  log.warn({ realm: realm.id, push: row.id, target: row.target, ...outcome }, "a notification was not sent");
  const wait = Math.min(firstRetrySecs * 2 ** Math.min(row.attempts - 1, 10), longestRetrySecs);
  await postponePush(database.sql, row.id, now + wait);
  if (outcome.isAway) await postponeRelayed(database.sql, realm.id, now + restSecs);
}

/** What is to be sent, by rights and settings as they are now; undefined: nothing. */
function deliveryOf({ state }: JobRealm, user: UserRow, row: PushRow): Delivery | undefined {
  const { target, browser_id, notification_id: id, message } = row;
  const to = { id, target, browserId: browser_id, user };
  if (row.message_id === null) return { ...to, removed: row.removed_ids! };
  const isTheirs = message !== null && canReadMessage(state, message, user);
  const reason = isTheirs ? notificationReason(state, user, message, "push") : undefined;
  return message && reason ? { ...to, pushed: { state, user, message, reason } } : undefined;
}
