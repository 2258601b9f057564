/**
 * Walks what a person has not read. Whoever reads here and there has a range for each island of it, and what they have
 * read is in segments. So the segments next to the anchor are looked at first, and in them the ranges next to it. Only
 * if these have too few messages, all of them are.
 */
import { allRead, hasRead } from "../messages/read-segments.ts";
import { dividedLanes, lanesSql } from "./lanes.ts";
import { conditionSql, indexBound, isAmong, isOneConversation } from "./narrow.ts";
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
  const { whole, topics } = dividedLanes(draft, ownOf(draft));
  // Both sides share these: a parameter that no text uses would have no type.
  if (!parts.has("open")) {
    parts.set(
      "open",
      `select s.recipient_id, s.has_segments, s.received - coalesce(${allRead("s")}, '{}') as ids from ${whole} s`,
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
  // Ranges of one conversation follow one another, and a nested loop keeps their order: the nearest are read alone.
  // Those of several conversations lie side by side.
  const inOrder = (of: string) =>
    isOneConversation(draft.scope) ? `(select * from ${of} r order by ${isBack ? '"end" desc' : "first"})` : of;
  const walkRanges = (
    of: string,
    first = "o.first",
    end = 'o."end"',
  ) => `select m.id from ${inOrder(of)} o cross join lateral (
      select m.id from messages m where m.recipient_id = o.recipient_id and ${indexBound("m.id", ">=", first)}
        and ${indexBound("m.id", "<", end)} and ${side.bound("m.id")} and ${filters}
      order by m.id ${side.order} limit (select ${side.atMost})) m
    ${isOneConversation(draft.scope) ? "" : `order by m.id ${side.order}`} limit ${side.atMost}`;
  const [open, ranked, near] = [`open_${side.name}`, `ranges_${side.name}`, `near_${side.name}`];
  const most = rangesPerMessage * side.atMost;
  parts.set(open, openNearSql(side, whole));
  parts.set(ranked, `select * from ${rangesOf(open)} r order by ${isBack ? `"end" desc` : "first"} limit ${most}`);
  const hasRanges = `(select count(*) < ${most} from ${ranked})`;
  const hasAll = `(${hasRanges} and not exists (select from ${open} where reach is not null))`;
  // Ranges and segments that were left out have messages only on the far side of these.
  const edge = isBack
    ? `(select case when count(*) = ${most} then min("end") end from ${ranked})`
    : `(select case when count(*) = ${most} then max(first) end from ${ranked})`;
  const reach = `(select ${isBack ? "max" : "min"}(reach) from ${open})`;
  // They are ends of the range in the index: as conditions of their own they would have the rest of it read.
  const nearest = isBack ? [`greatest(o.first, ${edge}, ${reach})`] : [undefined, `least(o."end", ${edge}, ${reach})`];
  parts.set(near, walkRanges(ranked, ...nearest));
  const topic = conditions.find((condition) => condition.is === "topic" && !condition.negated);
  const all =
    topic?.is === "topic"
      ? `(${walkRanges(rangesOf("(select * from open where has_segments is not true)"))})
        union all (${walkTopics(side, inSegments(whole, parameters.texts(topic.topics)), filters)})`
      : walkRanges(rangesOf("open"));
  const ofTopics = topics === undefined ? "" : ` union all (${walkTopics(side, topics, filters)})`;
  return `select id from ${near} where ${hasAll} or (select count(*) from ${near}) >= ${side.limit}
    union all (select o.id from (${all}) o
      where not ${hasAll} and (select count(*) from ${near}) < ${side.limit})${ofTopics}`;
}

/** Topics of those conversations where somebody has read here and there. */
const inSegments = (own: string, topics: string): string =>
  `(select * from ${own} s cross join (select lower(t) as topic from jsonb_array_elements_text(${topics}) t) t
    where s.has_segments)`;

/**
 * The same of topics: between hundreds of ranges, or in a channel that is muted but for them, lie messages of others.
 * Each message of the topic is looked at, and one segment for it.
 *
 * @param own rows of what somebody received and has read, and `topic`
 */
function walkTopics(side: Side, own: string, filters: string): string {
  return `select m.id from ${own} s
    cross join lateral (
      select m.id from messages m where m.recipient_id = s.recipient_id and m.channel_id is not null
        and lower(m.topic) = s.topic and case when s.received @> m.id then true end and ${side.bound("m.id")} and ${filters}
        and ${hasRead("s", "m.id")} is not true
      order by m.id ${side.order} limit (select ${side.atMost})) m
    order by m.id ${side.order} limit ${side.atMost}`;
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
function openNearSql({ order, bound, atMost }: Side, own: string): string {
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
    from ${own} s cross join lateral (
      select range_agg(g.ids) as ids, case when count(*) = ${segments} then ${isBack ? "min" : "max"}(g.first) end as reach
      from (select g.first, g.ids from read_segments g where s.has_segments and g.user_id = s.user_id
        and g.recipient_id = s.recipient_id and ${isNear} order by g.first ${order} limit ${segments}) g) n`;
}
