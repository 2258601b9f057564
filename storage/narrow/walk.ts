/** Reads the messages of a narrow on both sides of an anchor, outwards. `narrow.ts` explains how. */

import type { MessageId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { dividedLanes, lanesOf } from "./lanes.ts";
import {
  type Condition,
  conditionSql,
  indexBound,
  isOneConversation,
  type Narrowed,
  Parameters,
  scopeSql,
  topicRows,
} from "./narrow.ts";
import { isIndexed, walkSearch } from "./search.ts";
import type { Draft, Side } from "./statement.ts";
import { walkUnread } from "./walk-unread.ts";

/** The range around an anchor. The anchor need not be the id of a message. */
export interface Stretch {
  anchor: MessageId;
  includeAnchor: boolean;
  /** Most messages with lower ids. */
  before: number;
  /** Most messages with higher ids. */
  after: number;
}

/** Messages read next to the anchor before all conversations are scanned, for each one wanted. */
const windowPerMessage = 10;
const windowAtLeast = 1000;

/**
 * Limits inside a statement are rounded up to one of these, and are part of its text. PostgreSQL takes an unknown limit
 * for a tenth of everything, and then plans each statement anew, which takes longer than running it. There are few of
 * them, since each text is kept.
 */
const roundLimits = [1, 100, 250, 1000, 5000];

/** Finds the messages of a narrow around an anchor, ascending. */
export async function findAround(sql: Sql, narrowed: Narrowed, stretch: Stretch): Promise<MessageId[]> {
  const { parameters, text } = aroundSql(narrowed, stretch);
  // Unsafe: the text depends on the kinds of the conditions.
  const rows = await sql.unsafe<{ id: MessageId }[]>(`${text} select id from picked order by id`, parameters.values, {
    prepare: true,
  });
  return rows.map(({ id }) => id);
}

/**
 * The beginning of a statement (`with … picked as (…)`). The rest reads the ids in `picked`. `$1` is the realm, `$2`
 * the person.
 */
export function aroundSql(narrowed: Narrowed, stretch: Stretch): { parameters: Parameters; text: string } {
  const draft = begin(narrowed);
  const anchor = draft.parameters.add(stretch.anchor, "bigint");
  // Never evaluated. It uses the parameters that the rest may not use.
  draft.parts.set("asked", `select ${draft.realm}, ${draft.me}, ${anchor}`);
  const picks = ["select 0::bigint as id where false"];
  if (narrowed.scope.in !== "nothing") {
    if (stretch.includeAnchor && !isAtEnd(stretch.anchor))
      picks.push(
        `select m.id from messages m where m.realm_id = ${draft.realm} and m.id = ${anchor} and ${draft.fits()}`,
      );
    for (const side of sidesOf(stretch, anchor, draft.parameters))
      picks.push(`select id from (${walk(draft, side)}) found order by id ${side.order} limit ${side.limit}`);
  }
  draft.parts.set("picked", picks.map((pick) => `(${pick})`).join(" union all "));
  return { parameters: draft.parameters, text: withParts(draft.parts) };
}

/** The lowest id in a narrow that the person has not read. @param passedOver what else it must match */
export async function findFirstUnread(
  sql: Sql,
  narrowed: Narrowed,
  passedOver: Condition | undefined,
): Promise<MessageId | undefined> {
  if (narrowed.scope.in === "nothing" || narrowed.userId === null) return undefined;
  const conditions: Condition[] = [...narrowed.conditions, { is: "unread", negated: false }];
  if (passedOver) conditions.push(passedOver);
  const ids = await findAround(
    sql,
    { ...narrowed, conditions },
    { anchor: -1, includeAnchor: false, before: 0, after: 1 },
  );
  return ids[0];
}

/**
 * The lowest id in a narrow among messages sent at or after a time. Ids ascend with time, so bisection finds the
 * organization's first message without an index of times. It takes one look-up of the key for each bit of an id.
 * @param since UNIX seconds
 */
export async function findFirstSince(sql: Sql, narrowed: Narrowed, since: number): Promise<MessageId | undefined> {
  const messageAt = async (id: MessageId) =>
    (
      await sql<{ id: MessageId; sent_at: number }[]>`
        select id, sent_at from messages where realm_id = ${narrowed.realmId} and id >= ${id} order by id limit 1`
    )[0];
  const [newest] = await sql<{ id: MessageId }[]>`
    select id from messages where realm_id = ${narrowed.realmId} order by id desc limit 1`;
  if (!newest) return undefined;
  let low = 0;
  let high = newest.id + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await messageAt(middle);
    if (!found || found.sent_at >= since) high = middle;
    else low = found.id + 1;
  }
  if (low > newest.id) return undefined;
  const ids = await findAround(sql, narrowed, { anchor: low, includeAnchor: true, before: 0, after: 1 });
  return ids[0];
}

function begin({ realmId, userId, scope, conditions }: Narrowed): Draft {
  const parameters = new Parameters();
  const realm = parameters.add(realmId, "integer");
  const me = parameters.add(userId, "bigint");
  // Built on first use: a statement must not have parameters that its text does not use.
  const filters = once(() => conditions.map((c) => conditionSql(c, me, parameters)).join(" and ") || "true");
  return {
    scope,
    conditions,
    parameters,
    realm,
    me,
    filters,
    fits: once(() => `${scopeSql(scope, me, parameters)} and ${filters()}`),
    parts: new Map(),
  };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function sidesOf(stretch: Stretch, anchor: string, parameters: Parameters): Side[] {
  const sides: Side[] = [];
  if (stretch.before > 0)
    sides.push({
      name: "before",
      order: "desc",
      bound: (id) => (isAtEnd(stretch.anchor) ? "true" : `${id} < ${anchor}`),
      limit: parameters.add(stretch.before, "integer"),
      atMost: roundLimit(stretch.before),
    });
  if (stretch.after > 0)
    sides.push({
      name: "after",
      order: "asc",
      bound: (id) => (isAtStart(stretch.anchor) ? "true" : `${id} > ${anchor}`),
      limit: parameters.add(stretch.after, "integer"),
      atMost: roundLimit(stretch.after),
    });
  return sides;
}

/**
 * Whether all ids are on one side of the anchor. Then the text has no bound, and is planned once. The planner takes an
 * unknown bound for a third of everything.
 */
const isAtStart = (anchor: MessageId): boolean => anchor <= 0;
const isAtEnd = (anchor: MessageId): boolean => anchor >= Number.MAX_SAFE_INTEGER;

const roundLimit = (count: number): number => roundLimits.find((limit) => limit >= count) ?? count;

const withParts = (parts: ReadonlyMap<string, string>): string =>
  `with ${[...parts].map(([name, text]) => `${name} as materialized (${text})`).join(",\n")}`;

/** Ids on one side, nearest first. */
function walk(draft: Draft, side: Side): string {
  const { scope, conditions, realm, me, fits } = draft;
  const wanted = new Set(conditions.filter(({ negated }) => !negated).map(({ is }) => is));
  const end = `order by m.id ${side.order} limit ${side.atMost}`;
  const straight = () => `select m.id from messages m where ${side.bound("m.id")} and ${fits()}`;
  if (wanted.has("id")) return `${straight()} and m.realm_id = ${realm} ${end}`;
  if (wanted.has("starred")) {
    return `select m.id from message_flags f join messages m on m.realm_id = ${realm} and m.id = f.message_id
      where f.user_id = ${me} and f.starred and ${side.bound("f.message_id")} and ${fits()} order by f.message_id ${side.order} limit ${side.atMost}`;
  }
  if (conditions.some(isIndexed)) return walkSearch(draft, side);
  if (wanted.has("unread")) return walkUnread(draft, side);
  if (wanted.has("mentioned")) return walkRare(draft, side, mentionsOf(draft));
  const mentions = conditions.find((condition) => !condition.negated && condition.is === "mentions");
  if (mentions && mentions.is === "mentions") {
    const person = draft.parameters.add(mentions.userId, "bigint");
    return walkRare(draft, side, `select a.id from messages a where a.mentioned @> array[${person}]`);
  }
  if (wanted.has("alerted"))
    return walkRare(draft, side, `select a.id from messages a where a.alerted @> array[${me}]`);
  // An index has the ids of one conversation, or of one sender, in order.
  if (isOneConversation(scope) || wanted.has("sender") || wanted.has("direct")) return `${straight()} ${end}`;
  if (wanted.has("reaction")) {
    return `select m.id from (select distinct x.message_id as id from reactions x where ${side.bound("x.message_id")} order by id ${side.order}) x
      join messages m on m.realm_id = ${realm} and m.id = x.id where ${fits()} order by x.id ${side.order} limit ${side.atMost}`;
  }
  const topic = conditions.find((condition) => !condition.negated && condition.is === "topic");
  const lanes = lanesOf(draft, wanted.has("dm") || wanted.has("directIncluding"));
  if (topic && topic.is === "topic") {
    const topics = draft.parameters.texts(topic.topics);
    return walkLanes(
      draft,
      side,
      `${lanes} l cross join (select lower(t) as topic from jsonb_array_elements_text(${topics}) t) t`,
      "and m.channel_id is not null and lower(m.topic) = t.topic",
    );
  }
  const followed = conditions.find((condition) => !condition.negated && condition.is === "followed");
  if (followed && followed.is === "followed") {
    return walkLanes(
      draft,
      side,
      `${lanes} l join ${topicRows(draft.parameters, followed.topics)} t using (recipient_id)`,
      "and m.channel_id is not null and lower(m.topic) = t.topic",
    );
  }
  return walkWindow(draft, side, lanes);
}

/**
 * Ids of messages that mention the person: by name, by group, or everyone in a channel or topic. Those of a topic also
 * mention them in a history that they may read, when they lost the message and may read it again.
 */
function mentionsOf({ me, scope, parameters }: Draft): string {
  const received = `
    select a.id from messages a where a.mentioned @> array[${me}]
    union select w.id from received r join messages w on w.recipient_id = r.recipient_id and (w.channel_wildcard or w.topic_wildcard)
      where r.user_id = ${me} and r.ids @> w.id and (w.channel_wildcard or ${me} = any(w.topic_participants))`;
  if (scope.in !== "history") return received;
  return `${received}
    union select t.id from messages t where t.recipient_id = any(${parameters.ids(scope.recipientIds)})
      and (t.channel_wildcard or t.topic_wildcard) and ${me} = any(t.topic_participants)`;
}

/** Reads the whole of a small set of ids. */
function walkRare({ realm, fits }: Draft, side: Side, set: string): string {
  return `select m.id from (${set}) x join messages m on m.realm_id = ${realm} and m.id = x.id
    where ${side.bound("x.id")} and ${fits()} order by x.id ${side.order} limit ${side.atMost}`;
}

/**
 * The first ids of all lanes, merged. `from` has the lanes as `l`. Whoever joined late received nothing of what is
 * before. The planner expects that a condition of this form holds for every second message. Of an unknown limit it
 * expects a tenth of what there is. Both make it read in the order of the index, and end there.
 */
function walkLanes({ filters }: Draft, side: Side, from: string, and = ""): string {
  return `select m.id from ${from} cross join lateral (
      select m.id from messages m where m.recipient_id = l.recipient_id
        and ${indexBound("m.id", ">=", "coalesce(lower(l.ids), 0)")} and case when l.ids @> m.id then true end
        ${and} and ${side.bound("m.id")} and ${filters()}
      order by m.id ${side.order} limit (select ${side.atMost})) m
    order by m.id ${side.order} limit ${side.atMost}`;
}

function walkWindow(draft: Draft, side: Side, lanes: string): string {
  const { realm, filters } = draft;
  const size = windowAtLeast + windowPerMessage * side.atMost;
  const name = `near_${side.name}`;
  // Looks up a hash of the conversations first, in a form that the planner cannot turn into a loop over them.
  const inScope = draft.scope.in === "history" ? "true" : scopeSql(draft.scope, draft.me, draft.parameters);
  draft.parts.set(
    name,
    `select m.id from (select m.* from messages m where m.realm_id = ${realm} and ${side.bound("m.id")} order by m.id ${side.order} limit ${size}) m
     where (m.recipient_id in (select recipient_id from ${lanes})) is true and ${inScope} and ${filters()}
     order by m.id ${side.order} limit ${side.atMost}`,
  );
  const { whole, topics } = dividedLanes(draft, lanes);
  const all = walkLanes(draft, side, `${whole} l`);
  if (topics === undefined) return whenTooFew(name, side, all);
  const ofTopics = walkLanes(draft, side, `${topics} l`, "and m.channel_id is not null and lower(m.topic) = l.topic");
  return whenTooFew(name, side, `(${all}) union all (${ofTopics})`);
}

/** Uses a part if it has enough ids. Otherwise a more thorough one runs, and only then. */
function whenTooFew(part: string, side: Side, otherwise: string): string {
  return `select id from ${part} where (select count(*) from ${part}) >= ${side.limit}
    union all (select o.id from (${otherwise}) o where (select count(*) from ${part}) < ${side.limit})`;
}
