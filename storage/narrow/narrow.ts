/**
 * The SQL that finds the messages of a narrow. Every value is a parameter. The text of a statement depends only on the
 * kinds of its conditions, so there are few texts, and each is prepared once.
 *
 * It is fast because wanted ids are read in order, and never sorted out of everything that matches:
 * - *Lanes*: a conversation, or a topic of one, has an index in id order. The first N of all lanes are the merged first
 * N of each lane. A person in hundreds of conversations would need hundreds of index scans. So the realm's messages
 * next to the anchor are tried first: they mostly contain what is wanted.
 * - *Rare messages* (starred, mentions, alert words, a sender, one id): an index of exactly those. The other conditions
 * are checked on each.
 * - *Words*, and what else the index of words knows (links, resolved topics): see `search.ts`.
 */
import { firstOf } from "../failures.ts";
import type { MessageId, RealmId, RecipientId, UserId } from "../ids.ts";
import { hasRead } from "../messages/read-segments.ts";
import type { Sql } from "../postgres.ts";

/** All channels by what a person may read of them, by recipient id. */
export interface ChannelLimits {
  /** Something, or everything. */
  readable: readonly RecipientId[];
  unreadable: readonly RecipientId[];
  /** Those readable ones of which they may read only what they received. */
  onlyReceived: readonly RecipientId[];
}

/** The conversations and messages that a narrow may find at all. */
export type Scope =
  /**
   * What the person received in channels, as far as they may read it, and their direct messages. An organization may
   * have thousands of channels. So the limits are found when a statement needs them.
   */
  | { in: "received"; limits: () => ChannelLimits }
  /** The whole history of channels, by recipient id. */
  | { in: "history"; recipientIds: readonly RecipientId[] }
  /** What the person received in one channel with protected history. */
  | { in: "receivedIn"; recipientId: RecipientId }
  /** The direct conversation of exactly these users, ascending. */
  | { in: "direct"; userIds: readonly UserId[] }
  /** Everything that the person may read, received or not. */
  | { in: "readable"; limits: () => ChannelLimits }
  | { in: "nothing" };

/** Topics of channels: recipient ids, and for each the topic in its own spelling. */
export interface TopicList {
  recipientIds: readonly RecipientId[];
  topics: readonly string[];
}

export type Condition = { negated: boolean } & (
  | { is: "topic"; topics: readonly string[] }
  | { is: "sender"; userId: UserId }
  /** They are mentioned by name. */
  | { is: "mentions"; userId: UserId }
  | { is: "recipient"; recipientIds: readonly RecipientId[] }
  | { is: "direct"; userIds: readonly UserId[] }
  | { is: "directIncluding"; userIds: readonly UserId[]; groupOnly: boolean }
  | { is: "dm" | "starred" | "mentioned" | "alerted" | "unread" | "resolved" }
  | { is: "attachment" | "image" | "link" | "reaction" }
  | { is: "followed"; topics: TopicList }
  | { is: "muted"; topics: TopicList; channels: readonly RecipientId[]; except: TopicList }
  | { is: "id"; id: MessageId }
  | ({ is: "search" } & WordQueries)
);

/** What is looked for in the column `search`. */
export interface WordQueries {
  /** A `tsquery`. */
  query: string;
  /** A `tsquery` that finds more, and that the index answers without reading all words that begin with something. */
  wide: string;
  /** Whether several lexemes are in `wide`. What it finds is few as well then. */
  isSelective: boolean;
  /** For `websearch_to_tsquery`: finds the messages whose words are still those of the version before. */
  before: string;
}

/** A checked narrow: where to search, and the conditions that each message must match. */
export interface Narrowed {
  realmId: RealmId;
  /** Null for a spectator. */
  userId: UserId | null;
  scope: Scope;
  conditions: readonly Condition[];
}

/** The values of a statement under construction. */
export class Parameters {
  readonly values: (string | number | boolean | null)[] = [];

  /** Adds a value, and returns its placeholder. */
  add(value: string | number | boolean | null, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  ids(ids: readonly number[]): string {
    return this.add(`{${ids.join(",")}}`, "text::bigint[]");
  }

  texts(texts: readonly string[]): string {
    return this.add(JSON.stringify(texts), "text::jsonb");
  }
}

export const topicRows = (parameters: Parameters, { recipientIds, topics }: TopicList): string =>
  `(select distinct recipient_id, lower(topic) as topic from unnest(${parameters.ids(recipientIds)},
     array(select jsonb_array_elements_text(${parameters.texts(topics)}))) as t(recipient_id, topic))`;

/** The SQL condition for message `m`. */
export function conditionSql(condition: Condition, me: string, parameters: Parameters): string {
  const sql = positiveSql(condition, me, parameters);
  return condition.negated ? `(${sql}) is not true` : sql;
}

function positiveSql(condition: Condition, me: string, parameters: Parameters): string {
  switch (condition.is) {
    case "topic":
      return condition.topics.length === 1
        ? `(m.channel_id is not null and lower(m.topic) = lower(${parameters.add(firstOf(condition.topics), "text")}))`
        : `(m.channel_id is not null and lower(m.topic) in (select lower(t) from jsonb_array_elements_text(${parameters.texts(condition.topics)}) t))`;
    case "sender":
      return `m.sender_id = ${parameters.add(condition.userId, "bigint")}`;
    case "recipient":
      return isAmong("m.recipient_id", condition.recipientIds, parameters);
    case "direct":
      return `m.recipient_id = ${conversationSql(condition.userIds, parameters)}`;
    case "directIncluding":
      return `(m.channel_id is null and (select ${condition.groupOnly ? "cardinality(c.user_ids) > 2 and " : ""}c.user_ids @> ${parameters.ids(condition.userIds)}
        from direct_conversations c where c.recipient_id = m.recipient_id))`;
    case "dm":
      return "m.channel_id is null";
    case "starred":
      return `exists (select from message_flags f where f.user_id = ${me} and f.message_id = m.id and f.starred)`;
    case "mentioned":
      return `(${me} = any(m.mentioned) or ${me} = any(m.topic_participants) or (m.channel_wildcard and ${receivedSql(me)}))`;
    case "mentions": {
      const person = parameters.add(condition.userId, "bigint");
      // Who is mentioned through a group is in the column as well.
      return `(${person} = any(m.mentioned) and strpos(m.rendered_content, format('"user-mention" data-user-id="%s"', ${person})) > 0)`;
    }
    case "alerted":
      return `${me} = any(m.alerted)`;
    case "unread":
      return unreadSql(me);
    case "resolved":
      return "(m.channel_id is not null and starts_with(m.topic, '✔ '))";
    case "attachment":
      return "m.has_attachment";
    case "image":
      return "m.has_image";
    case "link":
      return "m.has_link";
    case "reaction":
      return "exists (select from reactions x where x.message_id = m.id)";
    case "followed":
      return `(m.channel_id is not null and (m.recipient_id, lower(m.topic)) in ${topicRows(parameters, condition.topics)})`;
    case "muted":
      return `(m.channel_id is not null and ((m.recipient_id, lower(m.topic)) in ${topicRows(parameters, condition.topics)}
        or (m.recipient_id = any(${parameters.ids(condition.channels)}) and (m.recipient_id, lower(m.topic)) not in ${topicRows(parameters, condition.except)})))`;
    case "id":
      return `m.id = ${parameters.add(condition.id, "bigint")}`;
    case "search":
      return `m.search @@ (select ${wordQuerySql(condition.query, condition.before, parameters)})`;
  }
}

/** The `tsquery` for words. It asks for those of the version before as well, as long as a message has only these. */
export function wordQuerySql(query: string, before: string, parameters: Parameters): string {
  const words = `${parameters.add(query, "text")}::tsquery`;
  return `case when exists (select from search_rebuilds where realm_id = $1)
    then ${words} || websearch_to_tsquery('english', ${parameters.add(before, "text")}) else ${words} end`;
}

/** The recipient id of the direct conversation of exactly these users. */
export const conversationSql = (userIds: readonly UserId[], parameters: Parameters): string =>
  `(select c.recipient_id from direct_conversations c where c.realm_id = $1 and c.user_ids = ${parameters.ids(userIds)})`;

const receivedSql = (me: string): string =>
  `exists (select from received r where r.user_id = ${me} and r.recipient_id = m.recipient_id and r.ids @> m.id)`;
const takesPartSql = (me: string): string =>
  `exists (select from direct_conversation_members d where d.user_id = ${me} and d.recipient_id = m.recipient_id)`;
const unreadSql = (me: string): string =>
  `(not (m.sender_id = ${me} and m.read_by_sender)
    and not exists (select from read_states s where s.user_id = ${me} and s.recipient_id = m.recipient_id and ${hasRead("s", "m.id")})
    and (m.channel_id is null or ${receivedSql(me)}))`;

const readableSql = (limits: ChannelLimits, me: string, parameters: Parameters): string =>
  `case when m.channel_id is null then ${takesPartSql(me)}
    else ${inReadableChannel("m.recipient_id", limits, parameters)}
      and (${isNotAmong("m.recipient_id", limits.onlyReceived, parameters)} or ${receivedSql(me)}) end`;

/** By the shorter list: guests read few channels of thousands, members nearly all. */
export const inReadableChannel = (
  column: string,
  { readable, unreadable }: ChannelLimits,
  parameters: Parameters,
): string =>
  readable.length < unreadable.length
    ? isAmong(column, readable, parameters)
    : isNotAmong(column, unreadable, parameters);

/**
 * A comparison at which an index begins or ends. Of two plain ones the planner expects that they leave one row in 200.
 * Then it reads and sorts all that they leave, where the first hundred in the order of the index are asked for. Of this
 * form it expects a third each.
 */
export const indexBound = (id: string, operator: ">=" | "<", value: string): string =>
  `(${id}, 0) ${operator} (${value}, 0)`;

/** Who joined late received nothing of what is before: it is not read either. */
function receivedInSql(recipientId: RecipientId, me: string, parameters: Parameters): string {
  const channel = parameters.add(recipientId, "bigint");
  const first = `(select coalesce(lower(r.ids), 0) from received r where r.user_id = ${me} and r.recipient_id = ${channel})`;
  return `m.recipient_id = ${channel} and ${indexBound("m.id", ">=", first)} and ${receivedSql(me)}`;
}

/** The SQL condition for message `m` to be in the scope. */
export function scopeSql(scope: Scope, me: string, parameters: Parameters): string {
  switch (scope.in) {
    case "received":
      return `case when m.channel_id is null then ${takesPartSql(me)}
        else ${receivedSql(me)} and ${inReadableChannel("m.recipient_id", scope.limits(), parameters)} end`;
    case "history":
      return scope.recipientIds.length === 1
        ? `m.recipient_id = ${parameters.add(firstOf(scope.recipientIds), "bigint")}`
        : isAmong("m.recipient_id", scope.recipientIds, parameters);
    case "receivedIn":
      return receivedInSql(scope.recipientId, me, parameters);
    case "direct":
      return `m.recipient_id = ${conversationSql(scope.userIds, parameters)}`;
    case "readable":
      return readableSql(scope.limits(), me, parameters);
    case "nothing":
      return "false";
  }
}

/**
 * Whether a column is in a list that may have thousands of ids. The list is hashed once. As an array it would be read
 * anew for each message. The planner cannot turn this form into a loop over the list.
 */
export const isAmong = (column: string, ids: readonly number[], parameters: Parameters): string =>
  `(${column} in (select unnest(${parameters.ids(ids)}))) is true`;
export const isNotAmong = (column: string, ids: readonly number[], parameters: Parameters): string =>
  `(${column} in (select unnest(${parameters.ids(ids)}))) is not true`;

/** Whether the scope is a single conversation. */
export const isOneConversation = (scope: Scope): boolean =>
  scope.in === "direct" || scope.in === "receivedIn" || (scope.in === "history" && scope.recipientIds.length === 1);

/** Those of the given ids that are in the narrow, ascending. */
export async function findAmong(sql: Sql, narrowed: Narrowed, ids: readonly MessageId[]): Promise<MessageId[]> {
  if (ids.length === 0) return [];
  const parameters = new Parameters();
  const realm = parameters.add(narrowed.realmId, "integer");
  const me = parameters.add(narrowed.userId, "bigint");
  const wanted = parameters.ids(ids);
  const where = [
    scopeSql(narrowed.scope, me, parameters),
    ...narrowed.conditions.map((c) => conditionSql(c, me, parameters)),
  ];
  // Unsafe: the text depends on the kinds of the conditions.
  const rows = await sql.unsafe<{ id: MessageId }[]>(
    `with asked as (select ${me})
     select m.id from messages m where m.realm_id = ${realm} and m.id = any(${wanted}) and ${where.join(" and ")} order by m.id`,
    parameters.values,
    { prepare: true },
  );
  return rows.map(({ id }) => id);
}
