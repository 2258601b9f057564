/** Counts how busy channels are: every few hours, in one grouped query outside of requests. */
import { countMessagesSince, findNewestSendTimes } from "../../../storage/channels.ts";
import type { ChannelId, RecipientId } from "../../../storage/ids.ts";
import type { Job } from "../../realm/job.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { ChannelActivity } from "./activity.ts";

const secondsPerDay = 86_400;
/** A channel with a message in the last so many days is active. https://zulip.com/api/get-streams */
const recentDays = 180;
/**
 * Traffic is an average over so many days, and known for channels that are a week old. Source:
 * zulip.com/api/get-streams.
 */
const trafficDays = 28;
const weekDays = 7;
/** An average over four weeks hardly changes in less. */
const everySecs = 6 * 3600;
/** Channels that one command changes at most. */
const batchSize = 200;

/** Counts a realm's messages and keeps what they say about its channels. */
export const channelActivityJob: Job = {
  name: "count channel activity",
  everySecs,
  async run(realm, now) {
    const found = await findActivities(realm, now);
    for (let start = 0; start < found.length; start += batchSize)
      await realm.execute("noteChannelActivity", { activities: found.slice(start, start + batchSize) });
  },
};

/** The channels whose activity has changed. */
async function findActivities({ id, state, database }: RealmReader, now: number): Promise<ChannelActivity[]> {
  const counts = new Map<ChannelId, number>();
  for (const row of await countMessagesSince(database.sql, id, now - trafficDays * secondsPerDay))
    counts.set(row.channel_id, row.messages);
  // The time of the newest message is asked only for channels without traffic.
  const quiet = [...state.channels.values()].filter(
    (channel) => !counts.has(channel.id) && channel.first_message_id !== null,
  );
  const newest = new Map<RecipientId, number>();
  for (const row of await findNewestSendTimes(
    database.sql,
    quiet.map((channel) => channel.recipient_id),
  ))
    newest.set(row.recipient_id, row.sent_at);
  const since = now - recentDays * secondsPerDay;
  const activities: ChannelActivity[] = [];
  for (const channel of state.channels.values()) {
    const messages = counts.get(channel.id) ?? 0;
    const isRecentlyActive =
      messages > 0 || channel.date_created >= since || (newest.get(channel.recipient_id) ?? 0) >= since;
    const weeklyTraffic = averageTraffic(messages, (now - channel.date_created) / secondsPerDay);
    if (isRecentlyActive !== channel.is_recently_active || weeklyTraffic !== channel.stream_weekly_traffic)
      activities.push({ channelId: channel.id, isRecentlyActive, weeklyTraffic });
  }
  return activities;
}

/**
 * Messages in an average week, rounded to two significant digits. Null while the channel is younger than a week.
 *
 * @param messages in the last four weeks
 */
export function averageTraffic(messages: number, ageDays: number): number | null {
  if (ageDays < weekDays) return null;
  const average = (messages * weekDays) / Math.min(ageDays, trafficDays);
  return Number(Math.round(average).toPrecision(2));
}
