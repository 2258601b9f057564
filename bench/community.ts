/**
 * People and channels to measure with. Users come from `parley seed`; what seeding does not offer (exact numbers of subscribers,
 * a key for every user) is written straight into the tables while Parley is not running, so that it finds it at its next start.
 */
import type postgres from "postgres";
import type { LoadProcess } from "./load/fleet.ts";
import type { Queue } from "./load/poll-set.ts";
import { type Account, form } from "./load/request.ts";
import { Parley, runCommand } from "./parley.ts";
import type { BenchPostgres } from "./postgres.ts";
import type { Setup } from "./setup.ts";

export interface Plan {
  users: number;
  /** Channels of the bench: the first `subscribers` of the users, in order of id, are subscribed to each. */
  channels: readonly { name: string; subscribers: number }[];
  /** More channels, and messages in them, as `parley seed` makes them. */
  seededChannels?: number;
  seededMessages?: number;
  /** What else is to be in the tables, written while Parley is not running. */
  write?(sql: postgres.Sql, members: readonly Member[], channelIds: ReadonlyMap<string, number>): Promise<void>;
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
  const first = await Parley.start(setup, database);
  const channelIds = new Map<string, number>();
  for (const { name } of plan.channels) {
    const { id } = await first.call<{ id: number }>("POST", "/api/v1/channels/create", { name, subscribers: [] });
    channelIds.set(name, id);
  }
  await first.end();

  setup.log(`seeding ${plan.users} users`);
  await runCommand(setup, database, [
    "seed",
    "--users",
    String(plan.users),
    "--channels",
    String(plan.seededChannels ?? 1),
    "--messages",
    String(plan.seededMessages ?? 0),
  ]);
  const { sql } = database;
  await giveKeys(sql);
  const members = await readMembers(sql, first.owner.email, plan.users);
  if (members.length < plan.users) throw new Error(`${members.length} of ${plan.users} users were seeded`);
  for (const { name, subscribers } of plan.channels) {
    await subscribe(
      sql,
      channelIds.get(name)!,
      members.slice(0, subscribers).map((member) => member.userId),
    );
  }
  await plan.write?.(sql, members, channelIds);
  await sql`vacuum analyze`;
  return { parley: await Parley.start(setup, database), members, channelIds };
}

async function giveKeys(sql: postgres.Sql): Promise<void> {
  await sql`
    insert into credentials (user_id, realm_id, api_key)
    select id, realm_id, md5(random()::text || id) from users where not is_bot on conflict do nothing`;
}

async function readMembers(sql: postgres.Sql, ownerEmail: string, count: number): Promise<Member[]> {
  const rows = await sql<{ id: string; email: string; key: string }[]>`
    select u.id, u.delivery_email as email, c.api_key as key from users u join credentials c on c.user_id = u.id
    where u.is_active and not u.is_bot and u.delivery_email <> ${ownerEmail} order by u.id limit ${count}`;
  return rows.map((row) => ({ userId: Number(row.id), email: row.email, apiKey: row.key }));
}

async function subscribe(sql: postgres.Sql, channelId: number, userIds: readonly number[]): Promise<void> {
  await sql`
    insert into subscriptions (user_id, channel_id, realm_id, color)
    select u.id, ${channelId}, u.realm_id, 0 from users u where u.id in (select unnest(${userIds.map(String)}::bigint[]))
    on conflict do nothing`;
}

/** Long enough that no queue is collected while its bench runs. */
const idleQueueTimeoutSecs = 3600;
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
  return bodies.map((body, index) => {
    const { queue_id: queueId, last_event_id: lastEventId } = JSON.parse(body) as {
      queue_id: string;
      last_event_id: number;
    };
    return { queueId, lastEventId, account: members[index % members.length]! };
  });
}

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
