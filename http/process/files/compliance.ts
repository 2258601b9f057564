/** `parley hold …` and `parley compliance export`: legal holds, and messages as law asks for them. */
import { mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { emlOf } from "../../../actors/compliance/eml.ts";
import {
  type ComplianceRecord,
  type FileCopy,
  maxExportMessages,
  readCompliancePart,
} from "../../../actors/compliance/export.ts";
import { readLegalHolds } from "../../../actors/compliance/holds.ts";
import { keptSearch } from "../../../actors/narrow/search-terms.ts";
import { openFiles } from "../../../storage/files/open-files.ts";
import type { HoldId, MessageId } from "../../../storage/ids.ts";
import { type AdminResult, required, type Values, withRealm } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";
import { storedFilesOf } from "../node-parts.ts";

export function createHold(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const name = required(values, "name");
  const { email, channel, query } = values;
  return withRealm(storage, config, values, async (realm) => {
    const { state } = realm;
    const user = email === undefined ? undefined : state.userByEmail(String(email));
    if (email !== undefined && !user) throw new Error(`There is no account under ${email}.`);
    const found = channel === undefined ? undefined : [...state.channels.values()].find((one) => one.name === channel);
    if (channel !== undefined && !found) throw new Error(`There is no channel ${channel}.`);
    const on = {
      userId: user?.id,
      channelId: found?.id,
      query: query === undefined ? undefined : keptSearch(String(query)),
    };
    const { id } = await realm.execute("addLegalHold", { actorId: undefined, name, ...on });
    return { text: `Hold ${id}: deleted messages are kept aside from now on.`, data: { id } };
  });
}

export function listHolds(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const holds = await readLegalHolds(realm);
    const what = ({ user_id, channel_id, query }: (typeof holds)[number]) =>
      user_id !== null ? `user ${user_id}` : channel_id !== null ? `channel ${channel_id}` : `search ${query}`;
    const lines = holds.map((hold) => `${hold.id} ${hold.name}: ${what(hold)}`);
    return { text: lines.join("\n") || "There is no hold.", data: { legal_holds: holds } };
  });
}

export function endHold(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const id: HoldId = Number(required(values, "id"));
  return withRealm(storage, config, values, async (realm) => {
    await realm.execute("endLegalHold", { actorId: undefined, id });
    return { text: `Hold ${id} has ended. What was kept for it alone is gone.`, data: { id } };
  });
}

/**
 * Writes messages into a folder: `messages.jsonl`, or an email each. Their files are in `files` there, each once, under
 * its SHA-256. `position` says how far it is, and the same command goes on from it.
 */
export function exportCompliance(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { file, format = "jsonl", id } = values;
  if (typeof file !== "string") throw new Error("Name the folder: parley compliance export FOLDER");
  if (format !== "jsonl" && format !== "eml") throw new Error("--format must be jsonl or eml.");
  const holdId: HoldId | undefined = id === undefined ? undefined : Number(id);
  const folder = resolve(file);
  return withRealm(storage, config, values, async (realm) => {
    const filesFolder = join(folder, "files");
    await mkdir(filesFolder, { recursive: true, mode: 0o700 });
    const placeOf = (sha256: string) => join(filesFolder, sha256);
    const stored = storedFilesOf(openFiles(config));
    const openUpload = (pathId: string) => stored.files.open(stored.storedUpload(pathId));
    const host = new URL(realm.state.url).hostname;
    let { position, size } = await readPlace(folder);
    let messages = 0;
    for (let isComplete = false; !isComplete; ) {
      const scope = { holdId, after: position, limit: maxExportMessages, how: format };
      const part = await readCompliancePart(realm, openUpload, scope, () => copyInto(placeOf));
      if (format === "jsonl") size = await writeLines(folder, part.records, size);
      else
        for (const record of part.records)
          await writeWhole(join(folder, `${record.id}.eml`), await emlOf(record, host, placeOf));
      messages += part.records.length;
      ({ position, isComplete } = part);
      await writeWhole(join(folder, "position"), JSON.stringify({ position, size }));
    }
    return {
      text: `${folder} has ${messages} messages more, up to ${position}.`,
      data: { folder, messages, position },
    };
  });
}

interface Place {
  position: MessageId;
  /** Bytes of the lines up to there. What follows was cut, and is written again. */
  size: number;
}

async function readPlace(folder: string): Promise<Place> {
  const text = await readFile(join(folder, "position"), "utf8").catch(() => undefined);
  return text === undefined ? { position: 0, size: 0 } : JSON.parse(text);
}

async function writeLines(folder: string, records: readonly ComplianceRecord[], size: number): Promise<number> {
  const lines = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  const file = await open(join(folder, "messages.jsonl"), size === 0 ? "w" : "r+", 0o600);
  try {
    await file.truncate(size);
    await file.write(lines, 0, lines.length, size);
    await file.sync();
  } finally {
    await file.close();
  }
  return size + lines.length;
}

/** A copy gets its name when it is whole. One that was cut is written over by the next. */
async function copyInto(placeOf: (sha256: string) => string): Promise<FileCopy> {
  const begun = placeOf("unfinished.part");
  const file = await open(begun, "w", 0o600);
  return {
    write: async (piece) => void (await file.writeFile(piece)),
    async done(sha256) {
      await file.sync();
      await file.close();
      await rename(begun, placeOf(sha256));
    },
    async dropped() {
      await file.close();
      await rm(begun, { force: true });
    },
  };
}

/** A file is there whole, or not at all. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text, { mode: 0o600 });
  await rename(`${path}.part`, path);
}
