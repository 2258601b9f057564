/** The state that the parts of a narrow's statement share while it is built. */
import type { Condition, Parameters, Scope } from "./narrow.ts";

/** SQL fragments that the parts of one statement share. */
export interface Draft {
  scope: Scope;
  conditions: readonly Condition[];
  parameters: Parameters;
  realm: string;
  me: string;
  /** The condition of the scope and all other conditions. */
  fits(): string;
  /** All conditions without the scope. */
  filters(): string;
  /** The common table expressions by name, in order. */
  parts: Map<string, string>;
}

/** One direction from the anchor. */
export interface Side {
  name: "before" | "after";
  order: "desc" | "asc";
  /** Makes the comparison of an id with the anchor. */
  bound: (id: string) => string;
  /** The parameter with the number of wanted ids. */
  limit: string;
  /** The number of wanted ids, rounded up, so that many requests share one text. */
  atMost: number;
}

/** One way to search. It runs when those before it did not end the search. */
export interface Walk {
  /** Of the common table expression with what it finds. */
  name: string;
  query: (gate: string) => string;
  /** SQL: whether it looked at all messages that there are. That ends the search, as enough messages do. */
  isAll?: string;
  /** Whether it counts only if it looked at all. */
  needsAll?: boolean;
}

/** Whether only direct messages are asked for. */
export const isDirect = ({ scope, conditions }: Draft): boolean =>
  scope.in !== "history" && conditions.some(({ is, negated }) => !negated && (is === "dm" || is === "directIncluding"));
