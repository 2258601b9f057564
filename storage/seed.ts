/**
 * Bulk data, made by PostgreSQL itself in a few statements. People, channels, subscriptions and messages are as if they
 * had been made one by one. There is no log of how they came about. Only for a realm that no server has loaded.
 */
import { firstOf, onlyRow } from "./failures.ts";
import type { ChannelId, RealmId, UserId } from "./ids.ts";
import type { Database, Sql } from "./postgres.ts";
import { sealKeys } from "./users/credentials.ts";

export interface SeedCounts {
  users: number;
  channels: number;
  messages: number;
  /** Each person joins this many of the channels, at most all of them. */
  channelsPerUser: number;
}

export interface Seeded {
  /** First of the new people's ids and of the new channels' ids; they follow one another. */
  first_user_id: UserId | null;
  first_channel_id: ChannelId | null;
  /** Every new person's API key is this and the person's number, padded with zeros to 32 characters. */
  api_key_prefix: string;
}

const words =
  "delivery kernel channel topic reader writer commit position replica message harbour lantern compass meadow copper signal".split(
    " ",
  );

interface Seeding {
  realmId: RealmId;
  counts: SeedCounts;
  /** UNIX seconds: messages are spread over the 90 days before */
  now: number;
  /** What the people's API keys begin with. */
  prefix: string;
}

type Channels = readonly { id: ChannelId }[];

/** Called once all is seeded: PostgreSQL learns how many messages there are, and of whom. */
export async function analyzeSeeded(sql: Sql): Promise<void> {
  await sql`analyze messages`;
}

/** @param now UNIX seconds: messages are spread over the 90 days before */
export async function seedRealm(
  database: Database,
  realmId: RealmId,
  counts: SeedCounts,
  now: number,
): Promise<Seeded> {
  // The letter ends the number. Without it keys of organization 2 could be those of 20.
  const seeding = { realmId, counts, now, prefix: `seed${realmId}p` };
  return database.transaction(async (sql) => {
    const firstUser = await seedPeople(sql, seeding);
    const channels = await seedChannels(sql, seeding);
    const [firstChannel] = channels;
    if (firstUser !== null && firstChannel) {
      await seedSubscriptions(sql, seeding, firstUser, channels);
      if (counts.messages > 0) await seedMessages(sql, seeding, firstUser, channels);
    }
    await sealKeys(sql);
    return {
      first_user_id: firstUser,
      first_channel_id: firstChannel?.id ?? null,
      api_key_prefix: seeding.prefix,
    };
  });
}

/** Returns the first one's id. */
async function seedPeople(sql: Sql, { realmId, counts, now, prefix }: Seeding): Promise<UserId | null> {
  const { count: offset } = onlyRow(
    await sql<{ count: number }[]>`
      select count(*)::int as count from users where realm_id = ${realmId} and delivery_email like 'person%@seed.example'`,
  );
  const [first] = await sql<{ id: UserId }[]>`
    insert into users (id, realm_id, delivery_email, full_name, date_joined, first_login_at)
    select nextval('user_ids'), ${realmId}, 'person' || n || '@seed.example', 'Person ' || n, ${now - 86_400 * 100}, ${now - 86_400 * 100}
    from generate_series(${offset + 1}::int, ${offset + counts.users}::int) n returning id`;
  if (!first) return null;
  await sql`
    insert into credentials (user_id, realm_id, api_key)
    select u.id, ${realmId}, ${prefix} || lpad(substr(u.delivery_email, 7, position('@' in u.delivery_email) - 7), ${32 - prefix.length}::int, '0')
    from users u where u.realm_id = ${realmId} and u.id >= ${first.id}`;
  return first.id;
}

/** In order of their ids. */
async function seedChannels(sql: Sql, { realmId, counts, now }: Seeding): Promise<Channels> {
  const owner = onlyRow(
    await sql<{ id: UserId }[]>`
      select id from users where realm_id = ${realmId} and not is_bot order by role, id limit 1`,
  );
  const { count: first } = onlyRow(
    await sql<{ count: number }[]>`
      select count(*)::int as count from channels where realm_id = ${realmId} and name like 'seeded %'`,
  );
  return sql<{ id: ChannelId }[]>`
    insert into channels (id, realm_id, recipient_id, name, creator_id, date_created, can_add_subscribers_group, can_administer_channel_group,
      can_create_topic_group, can_delete_any_message_group, can_delete_own_message_group, can_move_messages_out_of_channel_group,
      can_move_messages_within_channel_group, can_remove_subscribers_group, can_resolve_topics_group, can_send_message_group, can_subscribe_group)
    select nextval('channel_ids'), ${realmId}, nextval('recipient_ids'), 'seeded ' || n, ${owner.id}, ${now - 86_400 * 100},
      nobody, nobody, everyone, nobody, nobody, nobody, nobody, admins, nobody, everyone, nobody
    from generate_series(${first + 1}::int, ${first + counts.channels}::int) n,
      (select to_jsonb((select id from user_groups where realm_id = ${realmId} and name = 'role:nobody')) as nobody,
              to_jsonb((select id from user_groups where realm_id = ${realmId} and name = 'role:everyone')) as everyone,
              to_jsonb((select id from user_groups where realm_id = ${realmId} and name = 'role:administrators')) as admins) g
    returning id`;
}

async function seedSubscriptions(
  sql: Sql,
  { realmId, counts }: Seeding,
  firstUser: UserId,
  channels: Channels,
): Promise<void> {
  const perUser = Math.min(counts.channelsPerUser, channels.length);
  if (perUser === 0) return;
  // Person number p joins `perUser` channels in a row, beginning at place p: every channel gets its fair share.
  await sql`
    with joined as (
      select u.id as user_id, c.id as channel_id, c.recipient_id
      from users u cross join generate_series(0, ${perUser - 1}::int) k
      join channels c on c.id = ${firstOf(channels).id}::bigint + (u.id + k) % ${channels.length}::int and c.realm_id = ${realmId}
      where u.realm_id = ${realmId} and u.id >= ${firstUser}),
    subscribed as (
      insert into subscriptions (user_id, channel_id, realm_id, color) select user_id, channel_id, ${realmId}, 7781095 from joined
      on conflict do nothing)
    insert into received (user_id, recipient_id, realm_id, ids)
    select user_id, recipient_id, ${realmId}, int8multirange(int8range(1, null)) from joined on conflict do nothing`;
}

async function seedMessages(
  sql: Sql,
  { realmId, counts, now }: Seeding,
  firstUser: UserId,
  channels: Channels,
): Promise<void> {
  const firstChannel = firstOf(channels).id;
  // Whole blocks of ids, so that the next writer's block comes after them.
  const blocks = Math.ceil(counts.messages / 1000);
  const { first } = onlyRow(
    await sql<{ first: number }[]>`
      select min(nextval('message_id_blocks')) as first from generate_series(1, ${blocks}::int)`,
  );
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client, read_by_sender)
    select ${first}::bigint + n, ${realmId}, c.recipient_id, c.id, ${firstUser}::bigint + (n * 7919::bigint) % ${counts.users}::int,
      'topic ' || (n / 37) % 50, t.text, '<p>' || t.text || '</p>',
      ${now - 86_400 * 90}::bigint + (n * ${86_400 * 90}::bigint) / ${counts.messages}::bigint, 'seed', true
    from generate_series(0, ${counts.messages - 1}::bigint) n
    join channels c on c.id = ${firstChannel}::bigint + (n * 31) % ${channels.length}::int and c.realm_id = ${realmId}
    cross join lateral (select string_agg((${[...words]}::text[])[1 + ((n * 17 + k * k * 13) % ${words.length}::int)::int], ' ') as text
                        from generate_series(1, 12) k) t`;
  await sql`
    update channels c set first_message_id = (select min(m.id) from messages m where m.recipient_id = c.recipient_id)
    where c.realm_id = ${realmId} and c.id >= ${firstChannel}`;
}
