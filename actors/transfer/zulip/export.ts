/**
 * Reads an export of a Zulip server. It has one JSON file with most tables, files of a thousand messages each, one file
 * of uploads, and folders of files, each with a list. Times are seconds with a fraction.
 * https://zulip.com/help/export-your-organization
 */
import { readdir, readFile } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { readJsonTables } from "../../../storage/transfer/json-tables.ts";
import type { AttachmentTable, FileRecord, MessageFile, MessageTable, OwnImageTable, Tables } from "./tables.ts";

/** Whether reading failed because there is no such file. */
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

/** Folders of files. */
type FileKind = "uploads" | "avatars" | "emoji" | "realm_icons";

export class ZulipExport {
  private constructor(
    private readonly folder: string,
    readonly tables: Tables,
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
    const tables = (await readTables(join(folder, "realm.json"))) as unknown as Tables;
    if (tables.zerver_realm?.length !== 1) throw new Error("realm.json does not hold one organization.");
    const messageFiles = names.filter((name) => /^messages-\d+\.json$/.test(name)).sort();
    const { zerver_attachment = [], parley_attachment = [] } = (
      names.includes("attachment.json") ? await readTables(join(folder, "attachment.json")) : {}
    ) as { zerver_attachment?: AttachmentTable[]; parley_attachment?: OwnImageTable[] };
    const images = new Map(parley_attachment.map(({ path_id, image }) => [path_id, image]));
    return new ZulipExport(folder, tables, zerver_attachment, images, messageFiles);
  }

  /** Whether Parley wrote it. */
  get isOurs(): boolean {
    return this.rows("parley_export").length > 0;
  }

  /** The rows of a table. Empty when the exporting server had no such table. */
  rows<Name extends keyof Tables>(name: Name): NonNullable<Tables[Name]> {
    return (this.tables[name] ?? []) as NonNullable<Tables[Name]>;
  }

  async readMessages(name: string): Promise<MessageFile> {
    const none: MessageFile = { zerver_message: [], zerver_usermessage: [] };
    return { ...none, ...(await readTables(join(this.folder, name))) };
  }

  /** The messages of a file alone, one after the other. */
  async eachMessage(name: string, onMessage: (message: MessageTable) => void): Promise<void> {
    const onRow = (_: string, row: unknown) => onMessage(row as MessageTable);
    await readJsonTables(join(this.folder, name), onRow, "zerver_message");
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
    const below = normalize(path);
    if (below.startsWith("..") || below.startsWith(sep)) throw new Error(`A path leads out of the export: ${path}`);
    try {
      return await readFile(join(this.folder, kind, below));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }
}

/** Tables by name. Their file may be larger than what fits one text. */
async function readTables(path: string): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  await readJsonTables(path, (table, row) => {
    (tables[table] ??= []).push(row);
  });
  return tables;
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}
