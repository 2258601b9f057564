/**
 * Narrows by words, and by what messages contain. The index knows which messages have a word, but not their order. If a
 * tenth of five million messages have it, half a million would be read to show the newest hundred. So the index is
 * asked for words *and* a part of the history (see the column `search`). The search begins at the anchor and goes
 * outwards, over two to four times as much in each step, until there are enough messages. So no step finds many more
 * messages than are wanted. A word of nearly every message is found earlier, by reading the messages next to the
 * anchor.
 */
import { type Condition, conditionSql, conversationSql, isOneConversation, scopeSql } from "./narrow.ts";
import type { Draft, Side } from "./statement.ts";

/** Messages read next to the anchor, for each one wanted. */
const nearPerMessage = 4;
const nearAtLeast = 200;
/**
 * Parts of 2^bits ids: the lexeme of a part, and how many parts are asked for together. Two are the minimum, since the
 * anchor may be at an edge.
 */
const steps = [
  { bits: 12, mark: "#", count: 2 },
  { bits: 12, mark: "#", count: 4 },
  { bits: 12, mark: "#", count: 10 },
  { bits: 16, mark: "##", count: 2 },
  { bits: 16, mark: "##", count: 6 },
  { bits: 20, mark: "###", count: 2 },
];

/** Whether the index of words can answer the condition. */
export function isIndexed(condition: Condition): boolean {
  return !condition.negated && ["search", "link", "image", "attachment", "resolved"].includes(condition.is);
}

/** Matching ids on one side, nearest first. */
export function walkSearch(draft: Draft, side: Side): string {
  const { me, parameters, scope, conditions } = draft;
  const words = conditions
    .filter(isIndexed)
    .map((condition) => wordsSql(condition, draft))
    .join(" && ");
  const fits = [
    // A search of nothing but stop words finds nothing. Without this check, the lexeme of the part alone would match.
    `numnode(${words}) > 0`,
    scopeSql(scope, me, parameters),
    ...conditions.filter((c) => !isIndexed(c)).map((c) => conditionSql(c, me, parameters)),
  ].join(" and ");
  const walks = [...partSteps(draft, side, words, fits)];
  const names = walks.map((_, index) => `found_${side.name}_${index}`);
  const tooFew = (name: string) => `(select count(*) from ${name}) < ${side.limit}`;
  for (const [index, step] of walks.entries()) {
    const gate = names.slice(0, index).map(tooFew).join(" and ") || "true";
    draft.parts.set(names[index]!, step(gate));
  }
  // A step counts if it found enough. The last one counts anyway: it searched everything.
  const answers = names.map(
    (name, index) => `select id from ${name}${index < names.length - 1 ? ` where not ${tooFew(name)}` : ""}`,
  );
  return answers.join(" union all ");
}

type Step = (gate: string) => string;

function* partSteps(draft: Draft, side: Side, words: string, fits: string): Generator<Step> {
  const { realm, scope } = draft;
  const end = `order by m.id ${side.order} limit ${side.atMost}`;
  const size = nearAtLeast + nearPerMessage * side.atMost;
  const source = isOneConversation(scope) ? scopeSql(scope, draft.me, draft.parameters) : `m.realm_id = ${realm}`;
  const next = (limit: number) =>
    `select m.* from messages m where ${source} and ${side.bound("m.id")} order by m.id ${side.order} limit ${limit}`;
  yield () => `select m.id from (${next(size)}) m where m.search @@ (${words}) and ${fits} ${end}`;

  const edge = `edge_${side.name}`;
  draft.parts.set(edge, `select (select id from (${next(1)}) m) as id`);
  const conversation = conversationQuery(draft);
  // "+ 0" keeps the planner from reading the ids in order in the hope that the words are frequent.
  const ask = (query: string, gate: string) =>
    `select m.id from (select m.id from messages m where ${gate} and m.search @@ (${query}${conversation})
       and m.realm_id + 0 = ${realm} and ${side.bound("m.id + 0")} and ${fits} offset 0) m ${end}`;
  for (const { bits, mark, count } of steps) {
    const nth = side.order === "desc" ? "- n" : "+ n";
    const part = `(select string_agg(format('''${mark}%s''', (id >> ${bits}) ${nth}), '|') from ${edge}, generate_series(0, ${count - 1}) n)::tsquery`;
    yield (gate) => ask(`${words} && ${part}`, gate);
  }
  yield (gate) => ask(words, gate);
}

function wordsSql(condition: Condition, { parameters }: Draft): string {
  return condition.is === "search"
    ? `websearch_to_tsquery('english', ${parameters.add(condition.query, "text")})`
    : `'''#${condition.is}'''::tsquery`;
}

/** Adds a single conversation to the query of the index. */
function conversationQuery({ scope, parameters }: Draft): string {
  switch (scope.in) {
    case "direct":
      return ` && format('''@%s''', ${conversationSql(scope.userIds, parameters)})::tsquery`;
    case "receivedIn":
      return ` && format('''@%s''', ${parameters.add(scope.recipientId, "bigint")})::tsquery`;
    case "history":
      return scope.recipientIds.length === 1
        ? ` && format('''@%s''', ${parameters.add(scope.recipientIds[0]!, "bigint")})::tsquery`
        : "";
    default:
      return "";
  }
}
