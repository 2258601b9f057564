/** Reads settings that are JSON, as whoever runs the server wrote them: what is wrong is told with its place. */
import { readFileSync } from "node:fs";
import { messageOf } from "../../storage/failures.ts";

/** A value that cannot be used; the message names the variable. */
export class SettingError extends Error {
  override readonly name = "SettingError";
}

/**
 * Reads JSON of an organization's host, or `*`, and what is set for it. Empty text is none.
 *
 * @returns by host in small letters
 * @throws Error that names the variable
 */
export function parseByHost<T>(
  variable: string,
  text: string,
  read: (given: unknown, where: string) => T,
): ReadonlyMap<string, T> {
  const byHost = new Map<string, T>();
  if (text.trim() === "") return byHost;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new SettingError(`${variable} is not valid JSON.`);
  }
  if (!isRecord(parsed)) throw new SettingError(`${variable} must be a JSON object of hosts.`);
  for (const [host, given] of Object.entries(parsed))
    byHost.set(host.toLowerCase(), read(given, `${variable}, ${host}`));
  return byHost;
}

/** What is set for an organization: under its host, under its host without a port, or for every other one. */
export function ofHost<T>(byHost: ReadonlyMap<string, T> | undefined, host: string): T | undefined {
  const name = host.toLowerCase();
  return byHost?.get(name) ?? byHost?.get(name.replace(/:\d{1,5}$/, "")) ?? byHost?.get("*");
}

/** An error that says where a setting is wrong. */
export const settingError = (where: string, problem: string): Error => new SettingError(`${where}: ${problem}`);

/** The fields of an object. Each is checked when it is read. */
export class Fields {
  readonly #given: Readonly<Record<string, unknown>>;

  /** @throws Error for what is no object, or has fields that nobody knows */
  constructor(
    given: unknown,
    readonly where: string,
    known: ReadonlySet<string>,
  ) {
    if (!isRecord(given)) throw settingError(where, "must be an object.");
    const unknown = Object.keys(given).find((key) => !known.has(key));
    if (unknown !== undefined) throw settingError(where, `there is no ${unknown}.`);
    this.#given = given;
  }

  fail(problem: string): Error {
    return settingError(this.where, problem);
  }

  text(key: string): string | undefined {
    const value = this.#given[key];
    if (value !== undefined && (typeof value !== "string" || value === "")) throw this.fail(`${key} must be a text.`);
    return value;
  }

  needed(key: string): string {
    const value = this.text(key);
    if (value === undefined) throw this.fail(`${key} is missing.`);
    return value;
  }

  flag(key: string): boolean {
    const value = this.#given[key] ?? false;
    if (typeof value !== "boolean") throw this.fail(`${key} must be true or false.`);
    return value;
  }

  texts(key: string): string[] | undefined {
    const value = this.#given[key];
    if (value === undefined) return undefined;
    if (!isTexts(value)) throw this.fail(`${key} must be a list of texts.`);
    return value;
  }

  /** One text, or several. */
  list(key: string): string[] {
    const list = [this.#given[key] ?? []].flat();
    if (!isTexts(list)) throw this.fail(`${key} must be a text, or a list of texts.`);
    if (list.length === 0) throw this.fail(`${key} is missing.`);
    return list;
  }

  /** An object of texts, or of lists of them. */
  record(key: string): Record<string, string[]> {
    const value = this.#given[key] ?? {};
    if (!isRecord(value)) throw this.fail(`${key} must be an object of texts.`);
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => {
        const list = [each].flat();
        if (!isTexts(list)) throw this.fail(`${key}, ${name}: must be a text, or a list of texts.`);
        return [name, list];
      }),
    );
  }

  oneOf<const T extends string>(key: string, words: readonly T[], otherwise: NoInfer<T>): T {
    const given = this.text(key) ?? otherwise;
    const found = words.find((word) => word === given);
    if (found === undefined) throw this.fail(`${key} must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`);
    return found;
  }

  /** A secret, or the one in the file that `key_file` names. */
  secret(key: string): string | undefined {
    const secret = this.text(key);
    if (this.text(`${key}_file`) === undefined) return secret;
    if (secret !== undefined) throw this.fail(`must have either ${key} or ${key}_file.`);
    return this.file(`${key}_file`)?.trim();
  }

  /** What is in the file that a field names. */
  file(key: string): string | undefined {
    const path = this.text(key);
    if (path === undefined) return undefined;
    try {
      return readFileSync(path, "utf8");
    } catch (error) {
      throw this.fail(`cannot read ${path}: ${messageOf(error)}`);
    }
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string" && each !== "");

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
