/**
 * What `mongoexport` writes of a collection: a document on each line, or all of them as one array. Its values are those
 * of MongoDB's Extended JSON, of either version. https://www.mongodb.com/docs/manual/reference/mongodb-extended-json/
 */
import { createReadStream } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Struct } from "superstruct";
import { hasFields, isObject } from "../../text/json-object.ts";

/** Bytes of a collection that is one array: a text of more does not fit into a string. */
const maxArrayBytes = 256 * 2 ** 20;

/** Collections of one database, each a file of its own. */
export class MongoExport {
  private constructor(
    private readonly folder: string,
    private readonly names: ReadonlySet<string>,
  ) {}

  static async open(folder: string): Promise<MongoExport> {
    return new MongoExport(folder, new Set(await readdir(folder)));
  }

  has(collection: string): boolean {
    return this.names.has(`${collection}.json`);
  }

  /** What there is besides. */
  others(read: readonly string[]): string[] {
    return [...this.names].filter((name) => !read.includes(name.replace(/\.json$/, "")));
  }

  /**
   * Documents that have the form; none where the collection was not exported. @throws Error that names file and line of
   * what is no JSON @param onOther of each that has another form
   */
  async *documents<T, S>(collection: string, form: Struct<T, S>, onOther: () => void): AsyncGenerator<T> {
    if (!this.has(collection)) return;
    const path = join(this.folder, `${collection}.json`);
    const documents = (await beginsArray(path)) ? arrayIn(path, collection) : linesIn(path, collection);
    for await (const document of documents) {
      if (form.is(document)) yield document;
      else onOther();
    }
  }
}

async function beginsArray(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(1024), 0, 1024, 0);
    return buffer.toString("utf8", 0, bytesRead).trimStart().startsWith("[");
  } finally {
    await file.close();
  }
}

async function* arrayIn(path: string, collection: string): AsyncGenerator<unknown> {
  const file = await open(path);
  try {
    if ((await file.stat()).size > maxArrayBytes)
      throw new Error(`${collection}.json is too large for one array: export it without --jsonArray.`);
    const list = plain(await file.readFile("utf8"), `${collection}.json`);
    if (Array.isArray(list)) yield* list;
  } finally {
    await file.close();
  }
}

async function* linesIn(path: string, collection: string): AsyncGenerator<unknown> {
  let number = 0;
  const input = createReadStream(path);
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++;
    if (text.trim() !== "") yield plain(text, `Line ${number} of ${collection}.json`);
  }
}

function plain(text: string, where: string): unknown {
  try {
    return JSON.parse(text, (_, value: unknown) => plainValue(value));
  } catch {
    throw new Error(`${where} is no JSON.`);
  }
}

/** Ids as text, dates as milliseconds since 1970, binary data as Base64. */
function plainValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [first, ...others] = Object.keys(value);
  if (first === undefined || !first.startsWith("$")) return value;
  const inner = value[first];
  // The first version names the type of binary data beside it.
  if (first === "$binary") return typeof inner === "string" ? inner : hasFields(inner) ? inner["base64"] : undefined;
  if (others.length > 0) return value;
  if (first === "$date") return typeof inner === "string" ? Date.parse(inner) : inner;
  if (first === "$oid") return inner;
  return numbers.has(first) ? Number(inner) : value;
}

const numbers = new Set(["$numberInt", "$numberLong", "$numberDouble", "$numberDecimal"]);
