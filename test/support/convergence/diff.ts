/** Readable differences between two normalized states. */
import { isUnknowable } from "../../../http/client/state/unknowable.ts";

/** Longest rendering of one value in a difference, in characters. */
const MAX_VALUE_CHARS = 200;

/**
 * The paths at which `a` and `b` differ, as `path: <value in a> ≠ <value in b>`. A value marked unknowable equals
 * anything, a missing one included; a conversation whose newest message is unknowable may be missing altogether.
 */
export function diffStates(a: unknown, b: unknown, path = ""): string[] {
  if (isUnknowable(a) || isUnknowable(b) || Object.is(a, b)) return [];
  if (Array.isArray(a) && Array.isArray(b)) return diffKeys(a, b, (key) => `${path}[${key}]`);
  if (isObject(a) && isObject(b)) return diffKeys(a, b, (key) => (path === "" ? key : `${path}.${key}`));
  if ((a === undefined && isUncertain(b)) || (b === undefined && isUncertain(a))) return [];
  return [`${path || "(the whole)"}: ${render(a)} ≠ ${render(b)}`];
}

function diffKeys(a: object, b: object, pathOf: (key: string) => string): string[] {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  const differences: string[] = [];
  for (const key of keys) {
    const [left, right] = [get(a, key), get(b, key)];
    // Nearly all are the same: these need no path.
    if (!Object.is(left, right)) differences.push(...diffStates(left, right, pathOf(key)));
  }
  return differences;
}

function get(value: object, key: string): unknown {
  return (value as Record<string, unknown>)[key];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A conversation whose newest message is unknowable may have no message left, and so not be listed at all. */
function isUncertain(value: unknown): boolean {
  return isObject(value) && isUnknowable(get(value, "max_message_id"));
}

function render(value: unknown): string {
  const text = value === undefined ? "(missing)" : JSON.stringify(value);
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}
