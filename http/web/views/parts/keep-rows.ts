/**
 * The rows of a list as they are now. Those that say what they said before are the objects of before: whoever draws
 * them sees by identity that there is nothing to draw. What is drawn of older lists keeps no copies of them.
 */
export function keepRows<R extends { key: string }>(
  now: readonly R[],
  before: readonly R[],
  saysTheSame: (one: R, other: R) => boolean,
): R[] {
  // Most rows follow one another as they did before. The first that does not has the others looked up by their keys.
  let places: Map<string, number> | undefined;
  let next = 0;
  return now.map((row) => {
    if (before[next]?.key !== row.key) {
      places ??= new Map(before.map(({ key }, place) => [key, place]));
      next = places.get(row.key) ?? next;
    }
    const old = before[next];
    if (old?.key !== row.key) return row;
    next++;
    return saysTheSame(old, row) ? old : row;
  });
}
