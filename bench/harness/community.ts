/**
 * People and channels to measure with, from `parley seed`. Exact numbers of subscribers are written straight into the
 * tables while Parley is not running.
 */
import type postgres from "postgres";
import type { LoadProcess } from "../load/fleet.ts";
import type { Queue } from "../load/poll-set.ts";
import { type Account, form } from "../load/request.ts";
import { Parley, runCommand } from "./parley.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { Setup } from "./setup.ts";

export interface Plan {
  users: number;
  /** Channels of the bench: the first `subscribers` of the users, in order of id, are subscribed to each. */
  channels: readonly { name: string; subscribers: number }[];
  /** More channels, with everybody in `channelsEach` of them and messages in all, as `parley seed` makes them. */
  seeded?: { channels: number; channelsEach: number; messages: number };
  /** What else is to be in the tables, written while Parley is not running. */
  write?(sql: postgres.Sql, members: readonly Member[], channelIds: ReadonlyMap<string, number>): Promise<void>;
  /** Makes Parley one node of many. */
  redisUrl?: string;
  /** Settings of Parley's other than the usual ones. */
  settings?: Readonly<Record<string, string>>;
}

export interface Member extends Account {
  userId: number;
}

export interface Community {
  parley: Parley;
  /** In order of id; channel `subscribers` counts from the start. */
  members: readonly Member[];
  channelIds: ReadonlyMap<string, number>;
}

/** Makes the community on an empty database and starts Parley on it. */
export async function startCommunity(setup: Setup, database: BenchPostgres, plan: Plan): Promise<Community> {
  setup.log(`seeding ${plan.users} users`);
  const { channels, channelsEach, messages } = plan.seeded ?? { channels: 0, channelsEach: 0, messages: 0 };
  const people = await seed(setup, database, { users: plan.users, channels, messages, subscribe: channelsEach });
  const own = await seed(setup, database, { users: 0, channels: plan.channels.length, messages: 0, subscribe: 0 });

  const { sql } = database;
  const members = await readMembers(sql, people, plan.users);
  const channelIds = new Map(plan.channels.map(({ name }, index) => [name, own.first_channel_id + index]));
  for (const { name, subscribers } of plan.channels)
    await subscribe(sql, [channelIds.get(name)!], members.slice(0, subscribers));
  await plan.write?.(sql, members, channelIds);
  await sql`vacuum analyze`;
  return { parley: await Parley.start(setup, database, plan.redisUrl, plan.settings), members, channelIds };
}

interface Seeded {
  first_user_id: number;
  /** The new channels' ids follow one another. */
  first_channel_id: number;
  /** Before the number of a person, in their API key. */
  api_key_prefix: string;
}

async function seed(setup: Setup, database: BenchPostgres, counts: Readonly<Record<string, number>>): Promise<Seeded> {
  const args = Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]);
  const printed = await runCommand(setup, database, ["seed", ...args, "--json"]);
  return JSON.parse(printed.trim().split("\n").at(-1)!) as Seeded;
}

async function readMembers(
  sql: postgres.Sql,
  { first_user_id, api_key_prefix }: Seeded,
  count: number,
): Promise<Member[]> {
  const rows = await sql<{ id: string; email: string }[]>`
    select id, delivery_email as email from users where id >= ${first_user_id} order by id limit ${count}`;
  if (rows.length < count) throw new Error(`${rows.length} of ${count} users were seeded`);
  const keyOf = (email: string) =>
    `${api_key_prefix}${/\d+/.exec(email)![0].padStart(32 - api_key_prefix.length, "0")}`;
  return rows.map(({ id, email }) => ({ userId: Number(id), email, apiKey: keyOf(email) }));
}

/** Subscribes the members to the channels, from the first message on. */
export async function subscribe(
  sql: postgres.Sql,
  channelIds: readonly number[],
  members: readonly Member[],
): Promise<void> {
  await sql`
    with joined as (
      select u.id as user_id, c.id as channel_id, c.recipient_id, c.realm_id from users u cross join channels c
      where u.id in (select unnest(${members.map((member) => String(member.userId))}::bigint[]))
        and c.id in (select unnest(${channelIds.map(String)}::bigint[]))),
    subscribed as (
      insert into subscriptions (user_id, channel_id, realm_id, color) select user_id, channel_id, realm_id, 0 from joined
      on conflict do nothing)
    insert into received (user_id, recipient_id, realm_id, ids)
    select user_id, recipient_id, realm_id, '{[1,)}' from joined on conflict do nothing`;
}

/** Long enough that no queue is collected while its bench runs. */
export const idleQueueTimeoutSecs = 3600;
const registersAtOnce = 16;

/** Registers `count` queues for message events, the members taking turns. */
export async function registerQueues(
  parley: Parley,
  load: LoadProcess,
  members: readonly Account[],
  count = members.length,
): Promise<Queue[]> {
  if (count === 0) return [];
  const { bodies } = await load.closedLoop({
    port: parley.port,
    requests: members.map((member) =>
      form(
        "POST",
        "/api/v1/register",
        {
          event_types: ["message"],
          fetch_event_types: ["message"],
          apply_markdown: true,
          idle_queue_timeout: idleQueueTimeoutSecs,
        },
        member,
      ),
    ),
    concurrency: registersAtOnce,
    count,
    keepBodies: true,
    timeoutMs: 300_000,
  });
  return queuesOf(bodies, members);
}

/** The queues of answers to POST /register, the members taking turns. */
export const queuesOf = (bodies: readonly string[], members: readonly Account[]): Queue[] =>
  bodies.map((body, index) => {
    const { queue_id: queueId, last_event_id: lastEventId } = JSON.parse(body) as {
      queue_id: string;
      last_event_id: number;
    };
    return { queueId, lastEventId, account: members[index % members.length]! };
  });

/** Requests that send a message to a channel, all of the same length. */
export function channelMessages(sender: Account, channelId: number, count = 16): string[] {
  return Array.from({ length: count }, (_, index) =>
    form(
      "POST",
      "/api/v1/messages",
      {
        type: "channel",
        to: [channelId],
        topic: "bench",
        content: `Message ${String(index).padStart(3, "0")} of the bench: the build is green again, see you at lunch. **Thanks!**`,
      },
      sender,
    ),
  );
}
