/**
 * Questions to the index of words, over ever more of the history. A question has the words, a part of the history and
 * the conversation as conditions of their own. So the index goes from match to match of all of them, and skips what is
 * between. As one condition it would read the whole list of the word that has the fewest messages.
 *
 * The first question is about a few thousand ids. What one finds says of how many ids the next one has to be. Where
 * that would be dear, the words are so rare that everything is asked for.
 */
import { firstOf } from "../failures.ts";
import { lanesOf } from "./lanes.ts";
import { conversationSql } from "./narrow.ts";
import { type Draft, isDirect, type Side, type Walk } from "./statement.ts";

/** Direct conversations that are part of a question. */
const maxAskedConversations = 500;
/** A part has 2^bits ids. Its lexeme (`#n`, `##n`) is in the column `search`. */
const [small, large] = [
  { bits: 12, mark: "'#'" },
  { bits: 16, mark: "'##'" },
];
/** Large parts of the second question, beyond that of the edge: so many if nothing, or little, is known. */
const [secondBlind, secondMost] = [1, 3];
/** Large parts of the third question: the index reads all ids of them. */
const thirdMost = 32;
/** Messages asked for, for each one wanted: words are not spread evenly. */
const margin = "1.5";
/** Messages found by the first letters of a word, for each with the word, beyond which the word is asked for. */
const noise = 10;
const noiseAtLeast = 50;

export interface WordsSql {
  /** The `tsquery` that messages have to match. */
  words: string;
  /** One that finds more, and that the index answers in less time. */
  wide: string;
  /** Whether several words are in `wide`. */
  isSelective: boolean;
  /** The condition for message `m`. */
  check: string;
}

/** @param first the SQL of the message next to the anchor */
export function questions(
  draft: Draft,
  side: Side,
  { words, wide, isSelective, check }: WordsSql,
  first: string,
): Walk[] {
  const { realm, parts } = draft;
  const named = (name: string) => `${name}_${side.name}`;
  const [asked, one, two, three] = [named("asked"), named("one"), named("two"), named("three")];
  parts.set(`edge_${side.name}`, `select (select id from (${first}) m) as id`);
  const conversation = conversationQuery(draft, wide);
  // "+ 0" keeps the planner from reading the ids in order in the hope that the words are frequent.
  const ask = (query: string, gate: string, part = "") =>
    `select m.* from messages m where ${gate} and m.search @@ ${query}
       ${part && `and m.search @@ (select query from ${part})`}${conversation} and m.realm_id + 0 = ${realm} and ${side.bound("m.id + 0")}`;
  // They are sorted first: then only as many are checked as are wanted.
  const nearest = (rows: string) =>
    `select m.id from (select * from ${rows} m order by m.id ${side.order} offset 0) m where ${check}
     order by m.id ${side.order} limit ${side.atMost}`;
  const isNoisy = `(select count(*) from ${asked}) > ${noiseAtLeast} + ${noise} * (select count(*) from ${one})`;
  const precise = `(select case when ${isNoisy} then ${words} else ${wide} end)`;
  const within = (name: string, choice: string) => {
    parts.set(`part_${name}`, partSql(side, choice));
    return `part_${name}`;
  };
  return [
    {
      name: one,
      query: (gate) => {
        const part = within(one, `select ${small.bits} as bits, ${small.mark} as mark, 1 as parts`);
        parts.set(asked, ask(wide, gate, part));
        return nearest(asked);
      },
    },
    { name: two, query: (gate) => nearest(`(${ask(precise, gate, within(two, secondChoice(side, one)))})`) },
    {
      name: three,
      query: (gate) => {
        const part = within(three, thirdChoice(side, two));
        return nearest(`(${ask(precise, `${gate} and (select query is not null from ${part})`, part)})`);
      },
    },
    { name: named("all"), query: (gate) => nearest(`(${ask(isSelective ? precise : words, gate)})`) },
  ];
}

/** The part with the edge, and as many more as `choice` says (`bits`, `mark`, `parts`). `reach` counts their ids. */
function partSql({ order, name }: Side, choice: string): string {
  const [nth, ofEdge] = order === "desc" ? ["- n", "(e.id & mask) + 1"] : ["+ n", "mask + 1 - (e.id & mask)"];
  return `select ${ofEdge} + c.parts * (mask + 1) as reach,
      (select string_agg(format('''%s%s''', c.mark, (e.id >> c.bits) ${nth}), '|')::tsquery from generate_series(0, c.parts) n) as query
    from edge_${name} e cross join lateral (${choice}) c cross join lateral (select (1::bigint << c.bits) - 1 as mask) b`;
}

/** How many ids the next question has to be of, if what it finds is as frequent as what the one before found. */
const wantedIds = ({ limit }: Side, before: string): string =>
  `select f.found, ceil(${margin} * ${limit} * p.reach / greatest(f.found, 1))::bigint as ids
   from part_${before} p, (select count(*) as found from ${before}) f`;

/** Small parts where these are few, and else large ones. */
function secondChoice(side: Side, before: string): string {
  const partsOf = (bits: number) => `(w.ids >> ${bits})::integer + 1`;
  const isFew = `w.ids < 1 << ${large.bits}`;
  return `select case when ${isFew} then ${small.bits} else ${large.bits} end as bits,
      case when ${isFew} then ${small.mark} else ${large.mark} end as mark,
      case when ${isFew} then ${partsOf(small.bits)} when w.found = 0 then ${secondBlind} else least(${partsOf(large.bits)}, ${secondMost}) end as parts
    from (${wantedIds(side, before)}) w`;
}

/** Large parts. None, and so no `query`, where nothing is known, or where everything is not much more. */
function thirdChoice(side: Side, before: string): string {
  const parts = `(w.ids >> ${large.bits})::integer + 1`;
  return `select ${large.bits} as bits, ${large.mark} as mark,
      case when w.found > 0 and ${parts} <= ${thirdMost} and ${parts} < h.parts / 2 then ${parts} else -1 end as parts
    from (${wantedIds(side, before)}) w, (select (id >> ${large.bits})::integer as parts from edge_${side.name}) h`;
}

/** The conversations of the narrow as a condition of the question, if they are few. */
function conversationQuery(draft: Draft, wide: string): string {
  const { scope, parameters } = draft;
  const isOne = (recipient: string) => ` and m.search @@ format('''@%s''', ${recipient})::tsquery`;
  if (scope.in === "direct") return isOne(conversationSql(scope.userIds, parameters));
  if (scope.in === "receivedIn") return isOne(parameters.add(scope.recipientId, "bigint"));
  if (scope.in === "history" && scope.recipientIds.length === 1)
    return isOne(parameters.add(firstOf(scope.recipientIds), "bigint"));
  if (!isDirect(draft)) return "";
  // Nothing is in the conversation 0.
  draft.parts.set(
    "asked_conversations",
    `select case when count(*) <= ${maxAskedConversations} then coalesce(string_agg(format('''@%s''', recipient_id), '|'), '''@0''')::tsquery end as query
     from ${lanesOf(draft, true)}`,
  );
  return ` and m.search @@ coalesce((select query from asked_conversations), ${wide})`;
}
