/** The time without an acknowledged send. */

/** The longest since the last acknowledgement before `from`, of the worst of several nodes. */
export function longestGap(lists: readonly (readonly number[])[], from: number): number {
  return Math.max(...lists.map((list) => gapSince(list, from)));
}

/** @param times ascending; the last one before `from` begins the first gap, and now ends the last one */
function gapSince(times: readonly number[], from: number): number {
  const first = Math.max(
    0,
    times.findLastIndex((time) => time <= from),
  );
  const watched = [...times.slice(first), performance.now()];
  return Math.max(...watched.slice(1).map((time, index) => time - (watched[index] ?? time)));
}
