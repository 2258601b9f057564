/**
 * Reads an export of a Zulip server. It has one JSON file with most tables, files of a thousand messages each, and one
 * file of uploads. Beside them are folders of files, each with a list. Times are seconds with a fraction.
 * https://zulip.com/help/export-your-organization
 */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { integer, min, optional, pattern, string, type } from "superstruct";
import { codeOf } from "../../../storage/failures.ts";
import { readJsonTables } from "../../../storage/transfer/json-tables.ts";
import { checkRows, Findings, type Rules } from "../checks/check.ts";
import type { Row } from "../checks/columns.ts";
import { rulesOfMany } from "../checks/organization-rules.ts";
import { rulesOfRealm } from "../checks/rules.ts";
import { Reactions } from "./reactions.ts";
import {
  type AttachmentTable,
  auditEvents,
  type FileRecord,
  type MessageTables,
  type ReactionTable,
  type Tables,
  tablesRead,
} from "./tables.ts";

/** Whether reading failed because there is no such file. */
const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT";

/** Folders of files. */
type FileKind = "uploads" | "avatars" | "emoji" | "realm_icons" | "link_previews";

export class ZulipExport {
  private constructor(
    private readonly folder: string,
    readonly tables: Tables,
    readonly reactions: Reactions,
    /** Tables that an import does not read, or not all of, with the numbers of those rows. */
    readonly unread: ReadonlyMap<string, number>,
    readonly attachments: readonly AttachmentTable[],
    /** What uploads show, by their old paths; only our own exports tell. */
    readonly images: ReadonlyMap<string, unknown>,
    /** Names of the message files, in order. */
    readonly messageFiles: readonly string[],
    /** What of the tables is not allowed here. */
    readonly findings: Findings,
  ) {}

  /** @throws Error when the folder is not an export */
  static async open(folder: string): Promise<ZulipExport> {
    const names = await readdir(folder);
    if (!names.includes("realm.json"))
      throw new Error(
        "This is no export of Zulip's: it has no realm.json. Give the .tar.gz, or the folder it unpacks to.",
      );
    const findings = new Findings();
    const { tables, reactions, unread } = await readRealm(join(folder, "realm.json"), findings);
    if (tables.zerver_realm?.length !== 1) throw new Error("realm.json does not hold one organization.");
    const messageFiles = names.filter((name) => /^messages-\d+\.json$/.test(name)).sort();
    const uploads = names.includes("attachment.json")
      ? await readUploads(join(folder, "attachment.json"), findings)
      : { attachments: [], images: new Map<string, unknown>() };
    const { attachments, images } = uploads;
    return new ZulipExport(folder, tables, reactions, unread, attachments, images, messageFiles, findings);
  }

  /** Whether Parley wrote it. */
  get isOurs(): boolean {
    return this.rows("parley_export").length > 0;
  }

  /** The rows of a table. Empty when the exporting server had no such table. */
  rows<Name extends keyof Tables>(name: Name): NonNullable<Tables[Name]> {
    return (this.tables[name] ?? []) as NonNullable<Tables[Name]>;
  }

  /**
   * The rows of one table of a file of messages, some at a time. A file may be larger than memory.
   *
   * @param findings undefined: somebody has read them before, and noted what is not allowed
   */
  async *messageRows<Table extends keyof MessageTables>(
    name: string,
    table: Table,
    findings?: Findings,
  ): AsyncGenerator<MessageTables[Table][]> {
    for await (const { rows, mended } of readJsonTables(join(this.folder, name), table)) {
      findings?.note(unstorable(table), mended);
      yield taken(table, rows, findings);
    }
  }

  /** The list of one of the folders of files. */
  async records(kind: FileKind): Promise<readonly FileRecord[]> {
    try {
      const records = await readJson(join(this.folder, kind, "records.json"));
      return Array.isArray(records) ? records.filter(isFileRecord) : [];
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /** The bytes of a file in one of the folders. Undefined when it does not exist there. */
  async readFile(kind: FileKind, path: string): Promise<Buffer | undefined> {
    const place = await this.#placeOf(kind, path);
    return place === undefined ? undefined : readFile(place);
  }

  async hasFile(kind: FileKind, path: string): Promise<boolean> {
    return (await this.#placeOf(kind, path)) !== undefined;
  }

  /** `readFile` of one that may be large, to be read once. */
  async openFile(kind: FileKind, path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const place = await this.#placeOf(kind, path);
    return place === undefined ? undefined : (await open(place)).createReadStream();
  }

  /** Where a file is. Undefined when there is none, or when the path leads out of the folder. */
  async #placeOf(kind: FileKind, path: string): Promise<string | undefined> {
    const below = normalize(path);
    if (below.startsWith("..") || below.startsWith(sep) || below.includes("\0")) return undefined;
    const place = join(this.folder, kind, below);
    return (await stat(place).catch(() => undefined))?.isFile() ? place : undefined;
  }
}

const unstorable = (table: string): string =>
  `texts in ${table} with null characters or halves of others, which have signs of replacement there now`;

/** Tables that are read some rows at a time. */
interface TablesOfMany extends MessageTables {
  zerver_attachment: AttachmentTable;
  zerver_reaction: ReactionTable;
}

/** The rows that the table's rule takes. What a row is, the rule has seen to; a table without one is our own. */
function taken<Table extends keyof TablesOfMany>(
  table: Table,
  rows: Row[],
  findings?: Findings,
): TablesOfMany[Table][] {
  const rules: Rules = rulesOfMany;
  const rule = rules[table];
  return (rule ? checkRows(table, rule, rows, findings) : rows) as unknown as TablesOfMany[Table][];
}

const isFileRecord = (value: unknown): value is FileRecord =>
  typeof value === "object" && value !== null && "path" in value && typeof value.path === "string";

const picture = type({
  width: min(integer(), 1),
  height: min(integer(), 1),
  type: pattern(string(), /^(?:image|video)\/[\w.+-]{1,60}$/),
  frames: min(integer(), 1),
  transcoded: optional(pattern(string(), /^[\w.-]{1,40}$/)),
});
const isPicture = (value: unknown): boolean => value === false || picture.is(value);

/** The uploads, and what they show. */
async function readUploads(
  path: string,
  findings: Findings,
): Promise<{ attachments: AttachmentTable[]; images: Map<string, unknown> }> {
  const attachments: AttachmentTable[] = [];
  const images = new Map<string, unknown>();
  for await (const { table, rows, mended } of readJsonTables(path)) {
    findings.note(unstorable(table), mended);
    if (table === "zerver_attachment") for (const row of taken(table, rows, findings)) attachments.push(row);
    if (table === "parley_attachment")
      for (const { path_id, image } of rows)
        if (typeof path_id === "string" && isPicture(image)) images.set(path_id, image);
  }
  return { attachments, images };
}

/** Most of the audit log is of no use here, and it may be long. */
const isWanted = (table: string, row: Readonly<Record<string, unknown>>): boolean =>
  table !== "zerver_realmauditlog" || Object.values<unknown>(auditEvents).includes(row["event_type"]);

/** What `realm.json` has. */
async function readRealm(
  path: string,
  findings: Findings,
): Promise<{ tables: Tables; reactions: Reactions; unread: Map<string, number> }> {
  const tables: Record<string, Record<string, unknown>[]> = {};
  const reactions = new Reactions();
  const unread = new Map<string, number>();
  for await (const { table, rows, mended } of readJsonTables(path)) {
    if (table === "zerver_reaction") for (const row of taken(table, rows, findings)) reactions.add(row);
    else if (!Object.hasOwn(tablesRead, table)) unread.set(table, (unread.get(table) ?? 0) + rows.length);
    else {
      const known = (tables[table] ??= []);
      for (const row of rows)
        if (isWanted(table, row)) known.push(row);
        else unread.set(table, (unread.get(table) ?? 0) + 1);
    }
    if (Object.hasOwn(tablesRead, table) || table === "zerver_reaction") findings.note(unstorable(table), mended);
  }
  const rules = rulesOfRealm(tables);
  for (const [table, rows] of Object.entries(tables)) {
    const rule = rules[table];
    if (rule === undefined) throw new Error(`There is no rule for ${table}.`);
    tables[table] = checkRows(table, rule, rows, findings);
  }
  return { tables: tables as unknown as Tables, reactions, unread };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}
