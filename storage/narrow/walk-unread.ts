/**
 * Walks what a person has not read. Whoever reads here and there has a range for each island of it, and what they have
 * read is in segments. So the segments next to the anchor are looked at first, and in them the ranges next to it. Only
 * if these have too few messages, all of them are.
 */
import { allRead, hasRead } from "../messages/read-segments.ts";
import { lanesSql } from "./lanes.ts";
import { conditionSql, isAmong } from "./narrow.ts";
import type { Draft, Side } from "./statement.ts";

/** Ranges of unread messages looked at next to the anchor, for each message wanted: in some all were deleted. */
const rangesPerMessage = 4;
/** A segment has some 40 ranges. As many messages at least are expected between those of one. */
const messagesPerSegment = 20;
/** The upper bound of a range that has none. */
const highestId = "9223372036854775807";

/** Ids of one side that the person received and has not read. */
export function walkUnread(draft: Draft, side: Side): string {
  const { me, parameters, conditions, parts } = draft;
  // Both sides share these: a parameter that no text uses would have no type.
  if (!parts.has("open")) {
    parts.set(
      "open",
      `select s.recipient_id, s.has_segments, s.received - coalesce(${allRead("s")}, '{}') as ids from ${ownOf(draft)} s`,
    );
  }
  const isBack = side.order === "desc";
  const rangesOf = (open: string) => `(
    select o.recipient_id, coalesce(lower(r), 0) as first, coalesce(upper(r), ${highestId}) as "end"
    from ${open} o cross join lateral unnest(o.ids) as r where ${side.bound(isBack ? "lower(r)" : "upper(r)")} is not false)`;
  const filters = [
    // Whether each message is read need not be asked again: that would read all ranges for each.
    `not (m.sender_id = ${me} and m.read_by_sender)`,
    ...conditions
      .filter(({ is, negated }) => negated || is !== "unread")
      .map((condition) => conditionSql(condition, me, parameters)),
  ].join(" and ");
  const walkRanges = (of: string, and = "") => `select m.id from ${of} o cross join lateral (
      select m.id from messages m where m.recipient_id = o.recipient_id and m.id >= o.first and m.id < o."end"
        and ${side.bound("m.id")} and ${filters} ${and}
      order by m.id ${side.order} limit ${side.atMost}) m
    order by m.id ${side.order} limit ${side.atMost}`;
  const [open, ranked, near] = [`open_${side.name}`, `ranges_${side.name}`, `near_${side.name}`];
  const most = rangesPerMessage * side.atMost;
  parts.set(open, openNearSql(side));
  parts.set(ranked, `select * from ${rangesOf(open)} r order by ${isBack ? `"end" desc` : "first"} limit ${most}`);
  const hasRanges = `(select count(*) < ${most} from ${ranked})`;
  const hasAll = `(${hasRanges} and not exists (select from ${open} where reach is not null))`;
  // Ranges and segments that were left out have messages only on the far side of these. Both are one comparison each,
  // with which the index ends: a filter would read the rest of each conversation.
  const edge = isBack
    ? `m.id >= (select case when count(*) < ${most} then 0 else min("end") end from ${ranked})`
    : `m.id < (select case when count(*) < ${most} then ${highestId} else max(first) end from ${ranked})`;
  const reach = isBack
    ? `m.id >= (select coalesce(max(reach), 0) from ${open})`
    : `m.id < (select coalesce(min(reach), ${highestId}) from ${open})`;
  parts.set(near, walkRanges(ranked, `and ${edge} and ${reach}`));
  const topic = conditions.find((condition) => condition.is === "topic" && !condition.negated);
  const all =
    topic?.is === "topic"
      ? `(${walkRanges(rangesOf("(select * from open where has_segments is not true)"))})
        union all (${walkTopics(draft, side, topic.topics, filters)})`
      : walkRanges(rangesOf("open"));
  return `select id from ${near} where ${hasAll} or (select count(*) from ${near}) >= ${side.limit}
    union all (select o.id from (${all}) o
      where not ${hasAll} and (select count(*) from ${near}) < ${side.limit})`;
}

/**
 * The same of topics, where somebody has read here and there: between hundreds of ranges lie messages of other topics.
 * Each message of the topic is looked at, and one segment for it.
 */
function walkTopics({ parameters }: Draft, side: Side, topics: readonly string[], filters: string): string {
  return `select m.id from own s
    cross join (select lower(t) as topic from jsonb_array_elements_text(${parameters.texts(topics)}) t) t
    cross join lateral (
      select m.id from messages m where m.recipient_id = s.recipient_id and m.channel_id is not null
        and lower(m.topic) = t.topic and s.received @> m.id and ${side.bound("m.id")} and ${filters}
        and ${hasRead("s", "m.id")} is not true
      order by m.id ${side.order} limit ${side.atMost}) m
    where s.has_segments order by m.id ${side.order} limit ${side.atMost}`;
}

/**
 * Ranges that have all unread messages of one side, and those that were read here and there: `recipient_id`, `first`,
 * `"end"`.
 */
export function spansOfUnread(draft: Draft, side: Side): string {
  return `(select s.recipient_id, coalesce(lower(r), 0) as first, coalesce(upper(r), ${highestId}) as "end"
    from ${ownOf(draft)} s cross join lateral unnest(s.received - coalesce(s.ids, '{}')) as r
    where ${side.bound(side.order === "desc" ? "lower(r)" : "upper(r)")} is not false)`;
}

function ownOf(draft: Draft): string {
  if (!draft.parts.has("own")) draft.parts.set("own", ownSql(draft));
  return "own";
}

/** What the person received and has read of each conversation; of the latter without its segments. */
function ownSql(draft: Draft): string {
  const { me, scope, parameters } = draft;
  // A channel's history counts as unread only where it was received.
  const lanes =
    scope.in === "history"
      ? `select r.recipient_id, r.ids from received r
         where r.user_id = ${me} and ${isAmong("r.recipient_id", scope.recipientIds, parameters)}`
      : lanesSql(draft, false);
  return `select ${me} as user_id, c.recipient_id, c.ids as received, s.ids, s.has_segments
    from (${lanes}) c left join read_states s on s.user_id = ${me} and s.recipient_id = c.recipient_id`;
}

/**
 * What the person received without what they read, of one side: ranges of ids in each conversation. If there may be
 * more beyond the nearest segments, `reach` is where it begins, and the ranges end there.
 */
function openNearSql({ order, bound, atMost }: Side): string {
  const segments = Math.ceil(atMost / messagesPerSegment) + 2;
  const isBack = order === "desc";
  // The anchor is inside the last segment that begins before it.
  const isNear = isBack
    ? bound("g.first")
    : `g.first >= coalesce((select max(b.first) from read_segments b
        where b.user_id = s.user_id and b.recipient_id = s.recipient_id and not ${bound("b.first")}), 0)`;
  return `select s.recipient_id, s.received
      * int8multirange(${isBack ? "int8range(n.reach, null)" : "int8range(null, n.reach)"})
      - coalesce(s.ids, '{}') - coalesce(n.ids, '{}') as ids, n.reach
    from own s cross join lateral (
      select range_agg(g.ids) as ids, case when count(*) = ${segments} then ${isBack ? "min" : "max"}(g.first) end as reach
      from (select g.first, g.ids from read_segments g where s.has_segments and g.user_id = s.user_id
        and g.recipient_id = s.recipient_id and ${isNear} order by g.first ${order} limit ${segments}) g) n`;
}
