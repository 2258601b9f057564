/**
 * Reads an export of a Zulip server. It has one JSON file with most tables, files of a thousand messages each, one file
 * of uploads, and folders of files, each with a list. Times are seconds with a fraction.
 * https://zulip.com/help/export-your-organization
 */
import { readdir, readFile } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import type { AttachmentTable, FileRecord, MessageFile, Tables } from "./tables.ts";

/** Whether reading failed because there is no such file. */
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

export class ZulipExport {
  private constructor(
    private readonly folder: string,
    readonly tables: Tables,
    readonly attachments: readonly AttachmentTable[],
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
    const tables = (await readJson(join(folder, "realm.json"))) as Tables;
    if (tables.zerver_realm?.length !== 1) throw new Error("realm.json does not hold one organization.");
    const messageFiles = names.filter((name) => /^messages-\d+\.json$/.test(name)).sort();
    const { zerver_attachment = [] } = names.includes("attachment.json")
      ? ((await readJson(join(folder, "attachment.json"))) as { zerver_attachment?: AttachmentTable[] })
      : {};
    return new ZulipExport(folder, tables, zerver_attachment, messageFiles);
  }

  /** The rows of a table. Empty when the exporting server had no such table. */
  rows<Name extends keyof Tables>(name: Name): NonNullable<Tables[Name]> {
    return (this.tables[name] ?? []) as NonNullable<Tables[Name]>;
  }

  async readMessages(name: string): Promise<MessageFile> {
    return (await readJson(join(this.folder, name))) as MessageFile;
  }

  /** The list of one of the folders of files. */
  async records(kind: "uploads" | "avatars" | "emoji"): Promise<readonly FileRecord[]> {
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
  async readFile(kind: "uploads" | "avatars" | "emoji", path: string): Promise<Buffer | undefined> {
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

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, "utf8"));
}
