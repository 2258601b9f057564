/** Reads `PARLEY_DATABASES`: the databases beside the first, by name. */
import { readDatabaseUrl } from "../database-url.ts";
import { messageOf } from "../failures.ts";

/** What the database of `DATABASE_URL` is called. */
export const firstDatabase = "main";
/** Databases that there may be, with the first. Each has every so-many-th id of a sequence. */
export const maxDatabases = 16;

const namePattern = /^[a-z][a-z0-9_-]{0,30}$/;

/**
 * Reads `{"name": "postgres://…"}`, or `name=postgres://…` with spaces or line breaks between them.
 * @throws Error that says in one sentence what is wrong, without a password
 */
export function readDatabaseList(text: string): ReadonlyMap<string, string> {
  const pairs = text.trim().startsWith("{") ? pairsOfJson(text) : pairsOfWords(text);
  const urls = new Map<string, string>();
  for (const [name, url] of pairs) {
    if (!namePattern.test(name))
      throw new Error(`PARLEY_DATABASES: a name has small letters, digits, _ and -, unlike "${name}".`);
    if (name === firstDatabase)
      throw new Error(`PARLEY_DATABASES: ${firstDatabase} is the database that DATABASE_URL names.`);
    if (urls.has(name)) throw new Error(`PARLEY_DATABASES: ${name} is there twice.`);
    try {
      readDatabaseUrl(url);
    } catch (error) {
      throw new Error(`PARLEY_DATABASES: the address of ${name} ${messageOf(error)}`);
    }
    urls.set(name, url);
  }
  if (urls.size >= maxDatabases) throw new Error(`PARLEY_DATABASES names more than ${maxDatabases - 1} databases.`);
  return urls;
}

function pairsOfJson(text: string): [string, string][] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    // What the parser says shows the text, which may have passwords.
  }
  const pairs = typeof read === "object" && read !== null && !Array.isArray(read) ? Object.entries(read) : undefined;
  if (!pairs?.every((pair): pair is [string, string] => typeof pair[1] === "string"))
    throw new Error('PARLEY_DATABASES must be JSON like {"name": "postgres://…"}, or name=postgres://….');
  return pairs;
}

const pairsOfWords = (text: string): [string, string][] =>
  text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => {
      const at = word.indexOf("=");
      if (at <= 0) throw new Error("PARLEY_DATABASES must have a name before each address: name=postgres://….");
      return [word.slice(0, at), word.slice(at + 1)];
    });
