/**
 * Values that were found right lately. A registration is 50 KB, and the next one is nearly the same: what is in both is
 * looked at once.
 */

/** As many values are kept for each thing that they are held against. */
const maxValues = 32;

const rightTexts = new WeakMap<object, Set<string>>();

/**
 * Whether a value of JSON is right. What `look` says must depend on nothing but the value and what it is held against.
 */
export function isRight(against: object, value: unknown, look: () => boolean): boolean {
  if (typeof value !== "object" || value === null) return look();
  const texts = rightTexts.get(against) ?? new Set();
  rightTexts.set(against, texts);
  // The whole value, and not a digest of it: a wrong one is never taken for another.
  const text = JSON.stringify(value);
  if (texts.has(text)) return true;
  if (!look()) return false;
  if (texts.size >= maxValues) texts.clear();
  texts.add(text);
  return true;
}
