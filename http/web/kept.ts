/** What this browser keeps from one visit to the next. An older page may have written it, or a person. */

/** The JSON under a key. Undefined: nothing, what is no JSON, or storage is forbidden. */
export function kept(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

/** The members of a value, whatever they are. None of what is no object. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** The texts of a list. */
export const textsOf = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((one) => typeof one === "string") : [];

/** The members of a value that are texts, with their names. */
export const namedTextsOf = (value: unknown): [name: string, text: string][] =>
  Object.entries(membersOf(value)).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : []));
