/**
 * The part of the register answer that only PostgreSQL holds: a person's own lists, the bots they manage, and what they
 * received and have read. One statement reads all of it in one snapshot, together with the snapshot's log position. Its
 * text hardly varies, so it is planned once for everybody.
 */
import { onlyRow } from "./failures.ts";
import type { LogPosition, MessageId, RealmId, RecipientId, UserId } from "./ids.ts";
import { parseIntegers } from "./integers.ts";
import { type Lane, lanesSql, parseLanes } from "./messages/lanes.ts";
import type { ScheduledRow } from "./messages/scheduled.ts";
import { type FlagRow, flagsSql, type ReaderFlags, readFlagRows } from "./messages/shared-records.ts";
import type { Draft } from "./personal/drafts.ts";
import type { NavigationView } from "./personal/navigation-views.ts";
import type { SavedSnippet } from "./personal/saved-snippets.ts";
import type { Sql } from "./postgres.ts";
import type { UserRow } from "./rows.ts";
import type { CallService } from "./users/call-tokens.ts";
import type { DeviceRow } from "./users/devices.ts";

/** A person's lists. */
export interface StoredLists {
  /** Direct conversations with their newest message, newest first. */
  conversations: { recipient_id: RecipientId; user_ids: UserId[]; max_message_id: MessageId }[];
  /** Message ids, ascending. */
  starred: MessageId[];
  /** By ascending id. */
  bots: UserRow[];
  /** Soonest first, as are the reminders. */
  scheduled: ScheduledRow[];
  reminders: ScheduledRow[];
  /** Oldest first. */
  devices: DeviceRow[];
  /** Newest edit first. */
  drafts: Draft[];
  /** Oldest first. */
  snippets: SavedSnippet[];
  /** In the order in which they were added. */
  views: NavigationView[];
  /** Names of the steps that the person has been through. */
  steps: string[];
  /** Services for video calls that they let the server into. */
  calls: CallService[];
}

export interface StoredState {
  /** The newest durable position in the log that is younger than a day; 0 when there is none. */
  logged: LogPosition;
  lanes: Lane[];
  flags: ReaderFlags;
  lists: StoredLists;
}

export interface StoredStateQuery {
  realmId: RealmId;
  userId: UserId;
  /** UNIX seconds */
  now: number;
  /** Whether the lists are wanted. */
  lists: boolean;
  /** Every bot of the organization, not only the person's. */
  allBots: boolean;
  maxConversations: number;
  maxDrafts: number;
}

const secondsPerDay = 86_400;

const list = (select: string): string => `(select json_agg(t) from (${select}) t)`;

/**
 * `$1` is the person, `$2` the realm, `$3` and `$4` days around now. `$5` and `$6` are how many conversations and
 * drafts. From message `$7` on, rare flags are wanted.
 */
const listColumns = (allBots: boolean): Record<keyof StoredLists, string> => ({
  conversations: list(`
    select c.recipient_id, c.user_ids, newest.id as max_message_id
    from direct_conversation_members d join direct_conversations c on c.recipient_id = d.recipient_id
    cross join lateral (select m.id from messages m where m.recipient_id = d.recipient_id order by m.id desc limit 1) newest
    where d.user_id = $1 order by newest.id desc limit $5`),
  starred: `(select array_agg(message_id order by message_id)::text from message_flags where user_id = $1 and starred)`,
  bots: list(`
    select u.* from users u where u.realm_id = $2 and u.is_bot and not u.is_system_bot ${allBots ? "" : "and u.bot_owner_id = $1"} order by u.id`),
  scheduled: list(`
    select * from scheduled_messages where user_id = $1 and reminder_target_message_id is null
    order by scheduled_delivery_timestamp, id`),
  reminders: list(`
    select * from scheduled_messages where user_id = $1 and reminder_target_message_id is not null
    order by scheduled_delivery_timestamp, id`),
  devices: list(`select * from devices where user_id = $1 order by id`),
  drafts: list(`
    select id, type, "to", topic, content, timestamp::bigint as timestamp from drafts where user_id = $1
    order by drafts.timestamp desc, id desc limit $6`),
  snippets: list(`select id, title, content, date_created from saved_snippets where user_id = $1 order by id`),
  views: list(`select fragment, is_pinned, name from navigation_views where user_id = $1 order by position`),
  steps: `(select json_agg(name) from onboarding_steps where user_id = $1)`,
  calls: `(select json_agg(service) from video_call_tokens where user_id = $1)`,
});

/** Reads all of it. */
export async function readStoredState(sql: Sql, query: StoredStateQuery): Promise<StoredState> {
  const lists = query.lists
    ? Object.entries(listColumns(query.allBots)).map(([name, select]) => `${select} as ${name}`)
    : // Parameters have to be named.
      ["$5::bigint, $6::bigint"];
  // Every node has long applied what is older than a day, even if clocks differ.
  const logged = `coalesce((select max(position) from realm_log
    where realm_id = $2::integer and logged_at >= $3::bigint and logged_at < $4::bigint), 0)`;
  // Unsafe: the statement is put together from constants, by what is asked for.
  const rows = await sql.unsafe<
    ({ logged: LogPosition; lanes: string; flags: FlagRow[] | null; starred?: string | null } & Partial<StoredLists>)[]
  >(
    `select ${logged} as logged, (${lanesSql}) as lanes, ${flagsSql} as flags, ${lists.join(", ")}`,
    [
      query.userId,
      query.realmId,
      query.now - secondsPerDay,
      query.now + secondsPerDay,
      query.maxConversations,
      query.maxDrafts,
    ],
    { prepare: true },
  );
  const { logged: position, lanes, flags, starred, ...found } = onlyRow(rows);
  return {
    logged: position,
    lanes: parseLanes(lanes),
    flags: readFlagRows(flags),
    lists: {
      conversations: found.conversations ?? [],
      starred: parseIntegers(starred ?? "{}"),
      bots: found.bots ?? [],
      scheduled: found.scheduled ?? [],
      reminders: found.reminders ?? [],
      devices: found.devices ?? [],
      drafts: found.drafts ?? [],
      snippets: found.snippets ?? [],
      views: found.views ?? [],
      steps: found.steps ?? [],
      calls: found.calls ?? [],
    },
  };
}
