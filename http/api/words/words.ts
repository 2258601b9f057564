/**
 * What parameters and fields of answers mean, in words. A name of the API means the same nearly everywhere, so it has
 * one sentence. Where it means something else, the sentence's key says where:
 *
 * | `name`               | anywhere                                                                          |
 * | `place.name`         | a parameter below this part of a path, or a field inside the field `place`         |
 * | `METHOD /path.name`  | a parameter of this endpoint                                                      |
 * | `place > name`       | a field of an answer, not inside another, below this part of a path               |
 */
import { channelWords } from "./channels.ts";
import { messageWords } from "./messages.ts";
import { organizationWords } from "./organization.ts";
import { peopleWords } from "./people.ts";
import { registerWords } from "./register.ts";
import { serverWords } from "./server.ts";
import { settingWords } from "./settings.ts";

/** No two have a key in common. */
export const glossaries = [
  messageWords,
  channelWords,
  peopleWords,
  organizationWords,
  settingWords,
  serverWords,
  registerWords,
] as const;

const words: ReadonlyMap<string, string> = new Map(glossaries.flatMap((glossary) => Object.entries(glossary)));

/** A method and a path as in the table of routes. */
interface Place {
  readonly method: string;
  readonly path: string;
}

/** The keys under which a parameter's sentence may be, the first that is there wins. */
export function keysOfParam(name: string, { method, path }: Place): string[] {
  return [`${method} ${path}.${name}`, ...placesOf(path).map((place) => `${place}.${name}`), name];
}

/**
 * The keys under which the sentence of an answer's field may be, or of one inside a parameter.
 * @param inside names of the fields around it, the nearest first
 */
export function keysOfField(name: string, { path }: Place, inside: readonly string[]): string[] {
  const places =
    inside.length > 0
      ? inside.map((parent) => `${parent}.${name}`)
      : placesOf(path).map((place) => `${place} > ${name}`);
  // The state has an organization's settings under longer names.
  const setting = name.startsWith("realm_") ? [`realm.${name.slice(6)}`, name.slice(6)] : [];
  return [...places, name, ...setting];
}

export function meaningOf(keys: readonly string[]): string | undefined {
  const key = keys.find((each) => words.has(each));
  return key === undefined ? undefined : words.get(key);
}

/** The fixed parts of a path, the last one first. */
function placesOf(path: string): string[] {
  const parts = path.replace(/^\^/, "").split("/");
  return parts.filter((part) => part !== "" && !part.startsWith(":")).reverse();
}
