/** What the parts of a narrow's statement share while it is put together. */
import type { Condition, Parameters, Scope } from "./narrow.ts";

/** SQL that the parts of one statement share. */
export interface Draft {
  scope: Scope;
  conditions: readonly Condition[];
  parameters: Parameters;
  realm: string;
  me: string;
  /** In the scope, and as the conditions say. */
  fits(): string;
  /** As the conditions say. */
  filters(): string;
  /** Named parts, in order, each by its name. */
  parts: Map<string, string>;
}

/** One direction from the anchor. */
export interface Side {
  name: "before" | "after";
  order: "desc" | "asc";
  /** Compares an id with the anchor. */
  bound: (id: string) => string;
  /** The parameter that says how many are wanted. */
  limit: string;
  /** As many or a few more, the same for many requests: what the parts of the statement look for. */
  atMost: number;
}
