/** Copies of plain data, and numbers that tell it apart. Both are most of what exploring costs. */

/** A deep copy. */
export function copyOf<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) {
    const field = value[key];
    copy[key] = typeof field === "object" && field !== null ? copyOf(field) : field;
  }
  return copy as T;
}

const texts = new Map<string, number>();

function hashOfText(text: string): number {
  const known = texts.get(text);
  if (known !== undefined) return known;
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  texts.set(text, hash);
  return hash;
}

let [one, other] = [0, 0];

function mix(number: number): void {
  one = Math.imul((one << 5) ^ (one >>> 27) ^ number, 0x9e3779b1);
  other = Math.imul((other << 7) ^ (other >>> 25) ^ number, 0x85ebca6b) + 1;
}

function mixAll(value: unknown): void {
  if (typeof value === "number") mix(value | 0);
  else if (typeof value === "string") mix(hashOfText(value));
  else if (typeof value !== "object") mix(value === undefined ? 3 : value ? 5 : 7);
  else if (value === null) mix(11);
  else if (Array.isArray(value)) {
    mix(0x10000 + value.length);
    for (const item of value) mixAll(item);
  } else {
    // An object's keys need not be told: of each kind they are the same.
    mix(13);
    for (const key in value) mixAll((value as Record<string, unknown>)[key]);
  }
}

/** 53 bits of a value. Two of a million values have the same ones by a chance of one to ten thousand. */
export function hashOf(value: unknown): number {
  [one, other] = [0x12345678, 0x2545f491];
  mixAll(value);
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return 4294967296 * (2097151 & other) + (one >>> 0);
}
