/** Lists of ids as PostgreSQL reads them: one text, whose length a statement's plan does not depend on. */
import type { MessageId } from "../ids.ts";

/** As a `bigint[]` literal. */
export const idArray = (ids: readonly number[]): string => `{${ids.join(",")}}`;

/** As an `int8multirange` literal. @param ids ascending, each once */
export function multirange(ids: readonly MessageId[]): string {
  const ranges: { first: MessageId; end: MessageId }[] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last?.end === id) last.end++;
    else ranges.push({ first: id, end: id + 1 });
  }
  return `{${ranges.map(({ first, end }) => `[${first},${end})`).join(",")}}`;
}
