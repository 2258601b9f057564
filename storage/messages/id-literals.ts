/** Lists of ids as PostgreSQL reads them: one text, whose length a statement's plan does not depend on. */
import type { MessageId } from "../ids.ts";

/** As a `bigint[]` literal. */
export const idArray = (ids: readonly number[]): string => `{${ids.join(",")}}`;

/** As an `int8multirange` literal. @param ids ascending, each once */
export function multirange(ids: readonly MessageId[]): string {
  const ranges: string[] = [];
  for (let index = 0; index < ids.length; ) {
    const first = index;
    while (index + 1 < ids.length && ids[index + 1] === ids[index]! + 1) index++;
    ranges.push(`[${ids[first]},${ids[index]! + 1})`);
    index++;
  }
  return `{${ranges.join(",")}}`;
}
