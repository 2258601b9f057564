/** What one setting is: its variable in the environment, how its value is read, and how its documentation shows it. */

import { messageOf } from "../../../storage/failures.ts";
import type { Rate } from "../../api/rate-limit.ts";
import { hostNameOf } from "../../server/addresses.ts";

/** Somebody gave a setting a value that it cannot have. The message names the variable. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** The values that a setting may have. */
interface Kind<T> {
  /** @throws ConfigError */
  read(given: string, variable: string): T;
  /** A value as the documentation has it; left out, the text itself. */
  show?(value: T): string;
  /** Whether spaces at its ends belong to it. */
  isVerbatim?: true;
}

export interface Setting<T = unknown> {
  variable: string;
  kind: Kind<T>;
  /** What it is where nobody says. */
  fallback: T;
  /** The same for people. */
  shown: string;
  /** What the documentation says of it. Settings after each other with the same words are one row; undefined: none. */
  words: string | undefined;
}

/** A variable. @param shown what it is where nobody says, if the fallback does not tell; Markdown */
export function setting<T>(variable: string, kind: Kind<T>, fallback: T, shown?: string): Setting<T>;
export function setting<T>(
  variable: string,
  kind: Kind<T>,
  fallback?: undefined,
  shown?: string,
): Setting<T | undefined>;
export function setting<T>(variable: string, kind: Kind<T>, fallback?: T, shown?: string): Setting<T | undefined> {
  const told = fallback === undefined ? "none" : (kind.show?.(fallback) ?? `\`${String(fallback)}\``);
  // The kind is never asked to show what is undefined.
  return { variable, kind: kind as Kind<T | undefined>, fallback, shown: shown ?? told, words: undefined };
}

/** Settings that the documentation tells of in one row. @param words Markdown */
export function row<S extends Record<string, Setting>>(words: string, settings: S): S {
  const told = Object.entries(settings).map(([name, each]) => [name, { ...each, words }] as const);
  return Object.fromEntries(told) as S;
}

const wrong = (variable: string, demand: string, given: string) =>
  new ConfigError(`${variable} must be ${demand}, not "${given}".`);

export const text: Kind<string> = { read: (given) => given };

/** @param demand how a text that fits is called */
export const textLike = (fits: (given: string) => boolean, demand: string): Kind<string> => ({
  read(given, variable) {
    if (!fits(given)) throw wrong(variable, demand, given);
    return given;
  },
});

export const oneOf = <const T extends string>(...choices: T[]): Kind<T> => ({
  read(given, variable) {
    const chosen = choices.find((choice) => choice === given);
    if (chosen === undefined) throw wrong(variable, `one of ${choices.join(", ")}`, given);
    return chosen;
  },
});

export const integer = (min: number, max: number): Kind<number> => ({
  read(given, variable) {
    if (/^\d+$/.test(given) && Number(given) >= min && Number(given) <= max) return Number(given);
    throw wrong(variable, `a whole number from ${min} to ${max}`, given);
  },
});

export const mib = 1024 * 1024;
export const bytes = (min: number): Kind<number> => ({
  ...integer(min, 2 ** 40),
  show: (value) => `${value / mib} MiB`,
});

export const flag: Kind<boolean> = {
  read(given, variable) {
    if (["1", "true", "on", "yes"].includes(given.toLowerCase())) return true;
    if (["0", "false", "off", "no"].includes(given.toLowerCase())) return false;
    throw new ConfigError(`${variable} must be "on" or "off", not "${given}".`);
  },
  show: (value) => (value ? "`on`" : "`off`"),
};

export const share: Kind<number> = {
  read(given, variable) {
    if (/^(0(\.\d+)?|1(\.0+)?)$/.test(given)) return Number(given);
    throw wrong(variable, "a share from 0 to 1, such as 0.01", given);
  },
};

/** Without a slash at its end. */
export const webAddress: Kind<string> = {
  read(given, variable) {
    if (!URL.canParse(given) || !["http:", "https:"].includes(new URL(given).protocol))
      throw wrong(variable, "an address that starts with http:// or https://", given);
    return given.replace(/\/+$/, "");
  },
};

/** No message shows the text: it may hold a password. @param check throws the rest of a sentence, if it is wrong */
export const checked = (check: (given: string) => unknown): Kind<string> => ({
  read(given, variable) {
    try {
      check(given);
    } catch (error) {
      throw new ConfigError(`${variable} ${messageOf(error)}`);
    }
    return given;
  },
});

/** @param parse throws a whole sentence, which names the variable */
export const parsed = <T>(parse: (given: string) => T): Kind<T> => ({
  read(given) {
    try {
      return parse(given);
    } catch (error) {
      throw new ConfigError(messageOf(error));
    }
  },
});

/** Like `127.0.0.1:9992`. */
export const addressWithPort: Kind<{ host: string; port: number }> = {
  read(given, variable) {
    const port = Number(/:(\d{1,5})$/.exec(given)?.[1]);
    const host = hostNameOf(given);
    if (host === undefined || !(port >= 0 && port <= 65_535))
      throw wrong(variable, "an address and a port, like 127.0.0.1:9992", given);
    return { host, port };
  },
};

/** So many, in so many seconds. @param example one for the message */
export const rate = (example: Rate): Kind<Rate> => ({
  read(given, variable) {
    const [, limit, windowSecs] = /^(\d{1,9})\/(\d{1,6})$/.exec(given) ?? [];
    if (Number(limit) > 0 && Number(windowSecs) > 0 && Number(windowSecs) <= 86_400)
      return { limit: Number(limit), windowSecs: Number(windowSecs) };
    const demand = `like "${example.limit}/${example.windowSecs}" (so many in so many seconds, at most 86400)`;
    throw wrong(variable, demand, given);
  },
  show: ({ limit, windowSecs }) => `\`${limit}/${windowSecs}\``,
});
