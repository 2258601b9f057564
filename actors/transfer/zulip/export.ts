/**
 * Reads an export of a Zulip server. It has one JSON file with most tables, files of a thousand messages each, one file
 * of uploads, and folders of files, each with a list. Times are seconds with a fraction.
 * https://zulip.com/help/export-your-organization
 */
import { open, readdir, readFile, stat } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { readJsonTables } from "../../../storage/transfer/json-tables.ts";
import { Reactions } from "./reactions.ts";
import {
  type AttachmentTable,
  auditEvents,
  type FileRecord,
  type MessageTables,
  type OwnImageTable,
  type ReactionTable,
  type Tables,
  tablesRead,
} from "./tables.ts";

/** Whether reading failed because there is no such file. */
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

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
  ) {}

  /** @throws Error when the folder is not an export */
  static async open(folder: string): Promise<ZulipExport> {
    const names = await readdir(folder);
    if (!names.includes("realm.json"))
      throw new Error(
        "This is no export of Zulip's: it has no realm.json. Give the .tar.gz, or the folder it unpacks to.",
      );
    const { tables, reactions, unread } = await readRealm(join(folder, "realm.json"));
    if (tables.zerver_realm?.length !== 1) throw new Error("realm.json does not hold one organization.");
    const messageFiles = names.filter((name) => /^messages-\d+\.json$/.test(name)).sort();
    const { zerver_attachment = [], parley_attachment = [] } = (
      names.includes("attachment.json") ? await readTables(join(folder, "attachment.json")) : {}
    ) as { zerver_attachment?: AttachmentTable[]; parley_attachment?: OwnImageTable[] };
    const images = new Map(parley_attachment.map(({ path_id, image }) => [path_id, image]));
    return new ZulipExport(folder, tables, reactions, unread, zerver_attachment, images, messageFiles);
  }

  /** Whether Parley wrote it. */
  get isOurs(): boolean {
    return this.rows("parley_export").length > 0;
  }

  /** The rows of a table. Empty when the exporting server had no such table. */
  rows<Name extends keyof Tables>(name: Name): NonNullable<Tables[Name]> {
    return (this.tables[name] ?? []) as NonNullable<Tables[Name]>;
  }

  /** The rows of one table of a file of messages, some at a time. A file may be larger than memory. */
  async *messageRows<Table extends keyof MessageTables>(
    name: string,
    table: Table,
  ): AsyncGenerator<MessageTables[Table][]> {
    for await (const { rows } of readJsonTables(join(this.folder, name), table))
      yield rows as unknown as MessageTables[Table][];
  }

  /** The list of one of the folders of files. */
  async records(kind: FileKind): Promise<readonly FileRecord[]> {
    try {
      return (await readJson(join(this.folder, kind, "records.json"))) as FileRecord[];
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  /**
   * The bytes of a file in one of the folders. Undefined when it does not exist.
   * @throws Error for a path outside of the folder
   */
  async readFile(kind: FileKind, path: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#locate(kind, path));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async hasFile(kind: FileKind, path: string): Promise<boolean> {
    return (await stat(this.#locate(kind, path)).catch(() => undefined))?.isFile() === true;
  }

  /** `readFile` of one that may be large, to be read once. */
  async openFile(kind: FileKind, path: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    try {
      return (await open(this.#locate(kind, path))).createReadStream();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #locate(kind: FileKind, path: string): string {
    const below = normalize(path);
    if (below.startsWith("..") || below.startsWith(sep)) throw new Error(`A path leads out of the export: ${path}`);
    return join(this.folder, kind, below);
  }
}

/** Tables by name. */
async function readTables(path: string): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for await (const { table, rows } of readJsonTables(path)) for (const row of rows) (tables[table] ??= []).push(row);
  return tables;
}

/** Most of the audit log is of no use here, and it may be long. */
const isWanted = (table: string, row: Readonly<Record<string, unknown>>): boolean =>
  table !== "zerver_realmauditlog" || Object.values<unknown>(auditEvents).includes(row["event_type"]);

/** What `realm.json` has. */
async function readRealm(path: string): Promise<{ tables: Tables; reactions: Reactions; unread: Map<string, number> }> {
  const tables: Record<string, object[]> = {};
  const reactions = new Reactions();
  const unread = new Map<string, number>();
  for await (const { table, rows } of readJsonTables(path)) {
    if (table === "zerver_reaction") for (const row of rows) reactions.add(row as unknown as ReactionTable);
    else if (!Object.hasOwn(tablesRead, table)) unread.set(table, (unread.get(table) ?? 0) + rows.length);
    else {
      const known = (tables[table] ??= []);
      for (const row of rows)
        if (isWanted(table, row)) known.push(row);
        else unread.set(table, (unread.get(table) ?? 0) + 1);
    }
  }
  return { tables: tables as unknown as Tables, reactions, unread };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}
