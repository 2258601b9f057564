/** Objects in JSON from others, which may be anything. */

/** An object or a list: whatever has fields. */
export const hasFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An own field of what may be anything. */
export const memberOf = (value: unknown, name: string): unknown =>
  hasFields(value) && Object.hasOwn(value, name) ? value[name] : undefined;

/** The object that a JSON text is. Undefined: it is none, or no JSON. */
export function jsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
