/**
 * Narrows by words, and by what messages contain. The index knows which messages have a word, but not their order. If a
 * tenth of five million messages have it, half a million would be read to show the newest hundred. So the index is
 * asked for words *and* a part of the history (see the column `search`). The search begins at the anchor and goes
 * outwards, over more in each step, until there are enough messages: `questions.ts`.
 *
 * Words that begin with something may be many, and the index reads the messages of all of them, whatever else is asked.
 * So it is asked for the first four letters, which are one lexeme, and each message that it finds is checked. Where
 * most of these have other words, the word is rarer, and is asked for itself.
 *
 * Before that, messages next to the anchor are read: of the topic, of the sender, of the conversation or of all. That
 * finds words of nearly every message, and it ends the search where there are no more of them than these few.
 */
import { lanesOf } from "./lanes.ts";
import { type Condition, conditionSql, isOneConversation, scopeSql, wordQuerySql } from "./narrow.ts";
import { questions } from "./questions.ts";
import { type Draft, isDirect, type Side, type Walk } from "./statement.ts";
import { spansOfUnread } from "./walk-unread.ts";

/** Messages read next to the anchor, for each one wanted. */
const nearPerMessage = 4;
const nearAtLeast = 200;
/** The same of a set that may be small. Reading them takes as long as a few questions to the index. */
const smallSet = 1000;
/** Messages of a sender that the index of senders may be read for. */
const fewOfSender = 20_000;
/** Conversations, or ranges of unread messages in them, that are looked at one by one. */
const fewLanes = 250;

/** Messages that are read one by one, since there may be few of them. */
interface Source {
  /** The SQL of `count` of them, as rows of messages. */
  rows: (count: number) => string;
  /** Whether they come from the anchor outwards. If not, they count only when these are all. */
  isOrdered: boolean;
  /** SQL: whether all parts of the set were looked at. */
  isWhole?: string;
  count: number;
}

/** Whether the index of words can answer the condition. */
export function isIndexed(condition: Condition): boolean {
  return !condition.negated && ["search", "link", "image", "attachment", "resolved"].includes(condition.is);
}

/** Matching ids on one side, nearest first. */
export function walkSearch(draft: Draft, side: Side): string {
  const { me, parameters, scope, conditions } = draft;
  const query = (isWide: boolean) =>
    conditions
      .filter(isIndexed)
      .map((condition) => `(${wordsSql(condition, draft, isWide)})`)
      .join(" && ");
  // Both sides share it. It is made once, and not for each message that is checked.
  if (!draft.parts.has("words")) draft.parts.set("words", `select ${query(false)} as query, ${query(true)} as wide`);
  const words = "(select query from words)";
  const wide = "(select wide from words)";
  const fits = [
    scopeSql(scope, me, parameters),
    ...conditions.filter((c) => !isIndexed(c)).map((c) => unplannedSql(c, draft)),
  ].join(" and ");
  const end = `order by m.id ${side.order} limit ${side.atMost}`;
  const sources = sourcesOf(draft, side);
  const isSelective = conditions.some((condition) => condition.is === "search" && condition.isSelective);
  const walks: Walk[] = [
    ...sources.map((source, index) => near(draft, side, source, index, `m.search @@ ${words} and ${fits}`)),
    ...ofSender(draft, side, wide, `m.search @@ ${words} and ${fits} ${end}`),
    ...questions(
      draft,
      side,
      { words, wide, isSelective, check: `m.search @@ ${words} and ${fits}` },
      firstSql(draft, side, sources),
    ),
  ];
  const answers: string[] = [];
  const before: string[] = [];
  for (const [index, { name, query, isAll, needsAll }] of walks.entries()) {
    const gate = before.map((isEnough) => `not (${isEnough})`).join(" and ") || "true";
    draft.parts.set(name, query(gate));
    const hasEnough = `(select count(*) from ${name}) >= ${side.limit}`;
    const isEnough = isAll === undefined ? hasEnough : needsAll ? isAll : `(${hasEnough} or ${isAll})`;
    // The last one counts anyway: it searched everything.
    const counts = index < walks.length - 1 ? ` and (${isEnough})` : "";
    answers.push(`select id from ${name} where ${gate}${counts}`);
    before.push(isEnough);
  }
  return answers.join(" union all ");
}

/**
 * A condition whose text hides the sender from the planner. With what it knows of each sender it would plan every
 * search anew, which takes longer than most searches.
 */
function unplannedSql(condition: Condition, { me, parameters }: Draft): string {
  if (condition.is !== "sender" || condition.negated) return conditionSql(condition, me, parameters);
  return `m.sender_id = (select ${parameters.add(condition.userId, "bigint")})`;
}

/** Reads messages of a source and checks each. */
function near(draft: Draft, side: Side, source: Source, index: number, check: string): Walk {
  const { rows, count, isOrdered, isWhole } = source;
  const read = `read_${side.name}_${index}`;
  draft.parts.set(read, `select m.id, (${check}) is true as fits from (${rows(count)}) m`);
  return {
    name: `near_${side.name}_${index}`,
    query: (gate) =>
      `select m.id from ${read} m where ${gate} and m.fits order by m.id ${side.order} limit ${side.atMost}`,
    isAll: `${isWhole ? `${isWhole} and ` : ""}(select count(*) from ${read}) < ${count}`,
    needsAll: !isOrdered,
  };
}

/**
 * Intersects what two indexes know, before any message is read: that of words and that of senders. It takes as long as
 * both have entries, so the sender's must not be many.
 */
function ofSender(draft: Draft, side: Side, wide: string, check: string): Walk[] {
  const { conditions, parts } = draft;
  const sender = conditions.find(({ is, negated }) => !negated && is === "sender");
  if (!sender) return [];
  const isSender = unplannedSql(sender, draft);
  const few = `few_${side.name}`;
  parts.set(
    few,
    `select count(*) <= ${fewOfSender} as are from (
       select from messages m where ${isSender} limit ${fewOfSender + 1}) m`,
  );
  const isAll = `(select are from ${few})`;
  const rows = (gate: string) =>
    `select m.* from messages m where ${gate} and m.search @@ ${wide} and ${isSender} and ${side.bound("m.id + 0")}`;
  return [
    {
      name: `of_sender_${side.name}`,
      query: (gate) => `select m.id from (${rows(`${gate} and ${isAll}`)} offset 0) m where ${check}`,
      isAll,
      needsAll: true,
    },
  ];
}

/** The sets that the narrow names, each in the order of its index; where it names none, all messages. */
function sourcesOf(draft: Draft, side: Side): Source[] {
  const { scope, conditions, parameters, me, realm } = draft;
  const wanted = conditions.filter(({ negated }) => !negated);
  const end = (limit: number | string) => `${side.bound("m.id")} order by m.id ${side.order} limit ${limit}`;
  const ordered = (where: string, isSmall: boolean): Source => ({
    // An unknown limit makes the planner read in the order of the index, whatever it thinks of the size of the set.
    rows: (limit) => `select m.* from messages m where ${where} and ${end(isSmall ? `(select ${limit})` : limit)}`,
    isOrdered: true,
    count: (isSmall ? smallSet : nearAtLeast) + nearPerMessage * side.atMost,
  });
  // The limit ends the loop over the lanes.
  const unordered = (lanes: string, and: string): Source => ({
    rows: (limit) =>
      `select m.* from (select * from ${lanes} l limit ${fewLanes}) l cross join lateral (
         select m.* from messages m where m.recipient_id = l.recipient_id${and} and ${side.bound("m.id")} limit (select ${limit})) m limit ${limit}`,
    isOrdered: false,
    isWhole: `(select count(*) from (select from ${lanes} l limit ${fewLanes + 1}) l) <= ${fewLanes}`,
    count: smallSet,
  });
  const sources: Source[] = [];
  const conversation = isOneConversation(scope) ? scopeSql(scope, me, parameters) : undefined;
  const topic = wanted.find(({ is }) => is === "topic");
  if (conversation && topic?.is === "topic" && topic.topics.length === 1)
    sources.push(ordered(`${conversation} and ${conditionSql(topic, me, parameters)}`, true));
  const sender = wanted.find(({ is }) => is === "sender");
  if (sender) sources.push(ordered(unplannedSql(sender, draft), true));
  if (sources.length === 0 && conversation) sources.push(ordered(conversation, false));
  const unread = wanted.some(({ is }) => is === "unread") && spansOfUnread(draft, side);
  if (unread) sources.push(unordered(unread, ' and m.id >= l.first and m.id < l."end"'));
  if (isDirect(draft)) sources.push(unordered(lanesOf(draft, true), ""));
  // The first unread message may be far from the anchor.
  const isPast =
    side.order === "desc"
      ? `m.id < (select max("end") from ${unread} r)`
      : `m.id >= (select min(first) from ${unread} r)`;
  if (!sources.some(({ isOrdered }) => isOrdered) && !isDirect(draft))
    sources.push(ordered(`m.realm_id = ${realm}${unread ? ` and ${isPast}` : ""}`, false));
  return sources;
}

/** The message nearest to the anchor, where a question to the index begins. */
function firstSql({ realm }: Draft, side: Side, sources: readonly Source[]): string {
  const next = `select m.id from messages m where m.realm_id = ${realm} and ${side.bound("m.id")} order by m.id ${side.order} limit 1`;
  return sources.find(({ isOrdered }) => isOrdered)?.rows(1) ?? next;
}

function wordsSql(condition: Condition, { parameters }: Draft, isWide: boolean): string {
  if (condition.is !== "search") return `'''#${condition.is}'''::tsquery`;
  return wordQuerySql(isWide ? condition.wide : condition.query, condition.before, parameters);
}
