/** Pages of what a directory looks for. */
import { type Attribute, findAttribute, findPart } from "./attributes.ts";
import { type Filter, pathsOf } from "./filter.ts";
import { refusal } from "./refusals.ts";

export interface Paging {
  /** From 1. */
  startIndex: number;
  count: number;
}

export interface Page<T> {
  /** How many there are in all. */
  total: number;
  items: T[];
}

/** @throws a 400 with `invalidFilter` for a filter by what is not kept: that nothing was found would be wrong */
export function checkKnown(attributes: readonly Attribute[], filter: Filter): void {
  for (const path of pathsOf(filter)) {
    const [name = "", part] = path.split(".");
    const found = name === "id" ? "passed over" : findAttribute(attributes, name);
    const isKnown = found === "passed over" ? name === "id" : found && (part === undefined || findPart(found, part));
    if (!isKnown) throw refusal("invalidFilter", `Nothing is found by ${path}: it is not kept.`);
  }
}
