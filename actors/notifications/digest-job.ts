/**
 * The digest of the week, on the organization's day: once for each person who has not been there for five days, wants
 * it, and missed something in their channels. Who got one is stored with the email, so a crash sends none twice.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { UserId } from "../../storage/ids.ts";
import {
  type BusyTopic,
  type DigestTimes,
  findAwayPeople,
  findBusyTopics,
  findRealmsWithDigests,
  noteDigest,
  noteDigestDay,
} from "../../storage/notifications/digests.ts";
import { readInstallation } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import { insertEmailRows } from "../email/queue.ts";
import { canReadHistory } from "../realm/access.ts";
import type { Job } from "../realm/job.ts";
import type { JobRealm } from "../realm/served.ts";
import { realmSettings } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { digestLetter } from "./digest-letter.ts";
import { digestUnsubscribeUrl } from "./unsubscribe.ts";
import { isReachable } from "./wanted.ts";

const daySecs = 86_400;
const awaySecs = 5 * daySecs;
/** Less than a week: the day's jobs do not run at the same second. */
const betweenSecs = 6 * daySecs;
const weekSecs = 7 * daySecs;
/** Hour of the day, in UTC, before which nobody gets one. */
const fromHour = 8;
/** The first of January 1970 was a Thursday; a week begins on Monday. */
const firstWeekday = 3;
const peopleAtOnce = 200;
/** Conversations of an organization that digests are chosen from, and those in one digest. */
const busiest = 1000;
const maxShown = 10;

export const digestJob: Job = {
  name: "send digests of the week",
  everySecs: 60,
  isOn: ({ sendsEmail }) => sendsEmail,
  run: sendDigests,
  async findWaiting(sql, now) {
    const dayStart = now - (now % daySecs);
    if (now - dayStart < fromHour * 3600) return [];
    const weekday = (Math.floor(now / daySecs) + firstWeekday) % 7;
    const defaultWeekday = Number(realmSettings.digest_weekday.default);
    return findRealmsWithDigests(sql, timesAt(now), { weekday, defaultWeekday, dayStart });
  },
  onlyWaiting: true,
};

const timesAt = (now: number): DigestTimes => ({ now, awaySecs, betweenSecs });

async function sendDigests(realm: JobRealm, now: number): Promise<void> {
  const { sql } = realm.database;
  const topics = await findBusyTopics(sql, realm.id, now - weekSecs, busiest);
  const { key } = await readInstallation(sql);
  for (let after: UserId = 0; ; ) {
    const people = await findAwayPeople(sql, realm.id, timesAt(now), { after, limit: peopleAtOnce });
    for (const { user_id, seen_at } of people) {
      const user = realm.state.users.get(user_id);
      if (isReachable(user)) await sendDigest(realm, user, missedTopics(realm.state, user, topics, seen_at), now, key);
      after = user_id;
    }
    if (people.length < peopleAtOnce) break;
    await nextTurn();
  }
  await noteDigestDay(sql, realm.id, now);
}

/** What is new to somebody, in the channels that they follow and may read. */
function missedTopics(state: RealmState, user: UserRow, topics: readonly BusyTopic[], seenAt: number): BusyTopic[] {
  return topics.filter(({ channel_id, last_at }) => {
    const channel = state.channels.get(channel_id);
    const subscription = state.subscriptions.find(user.id, channel_id);
    return (
      last_at > seenAt &&
      channel !== undefined &&
      subscription?.is_active === true &&
      !subscription.is_muted &&
      canReadHistory(state, channel, user)
    );
  });
}

async function sendDigest(
  realm: JobRealm,
  user: UserRow,
  topics: readonly BusyTopic[],
  now: number,
  key: Buffer,
): Promise<void> {
  if (topics.length === 0) return;
  const { state } = realm;
  const letter = digestLetter(state, user, topics, maxShown, digestUnsubscribeUrl(state, user.id, key));
  await realm.database.transaction(async (sql) => {
    if (await noteDigest(sql, realm.id, user.id, timesAt(now)))
      await insertEmailRows(sql, realm.id, now, [{ kind: "digest", recipient: user.delivery_email, letter }]);
  });
}
