/** `parley audit …`: whether an audit log is whole, and the log in a file. */
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { csvHead, csvOf, lineOf } from "../../actors/audit/read.ts";
import { lastOf } from "../../storage/failures.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { Sql } from "../../storage/postgres.ts";
import { findAuditHash, readAudit, verifyAudit as verify } from "../../storage/users/audit-log.ts";
import { type AdminResult, realmIn, type Values } from "./admin.ts";
import type { Config } from "./config.ts";
import type { RunningStorage } from "./main.ts";

const slice = { rows: 1000, maxBytes: 2 ** 20 };

function headIn({ head }: Values): { num: number; hash: string } | undefined {
  if (head === undefined) return undefined;
  const [, num, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(String(head)) ?? [];
  if (hash === undefined) throw new Error("--head must be NUM:HASH, as an earlier parley audit verify has printed it.");
  return { num: Number(num), hash };
}

/** @throws Error that names the first row that is wrong */
export async function verifyAudit(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const head = headIn(values);
  const { id } = await realmIn(
    storage,
    config,
    values["file"] === undefined ? values : { ...values, realm: values["file"] },
  );
  const { sql } = storage.database;
  const { rows, shortenedBy, kept, last, hash, brokenAt, hasOtherEnd } = await verify(sql, id);
  if (brokenAt !== null)
    throw new Error(`The audit log is not what was written: row ${brokenAt} does not follow from those before it.`);
  if (hasOtherEnd) throw new Error(`The audit log is not what was written: it does not end where it ended.`);
  const known = head && (await findAuditHash(sql, id, head.num));
  if (head && known === undefined && head.num <= shortenedBy)
    throw new Error(`Row ${head.num} is not there to compare: the log was shortened up to row ${shortenedBy}.`);
  if (head && known !== head.hash)
    throw new Error(`The audit log is not what was written: row ${head.num} had another hash.`);
  const still = kept === 0 ? "" : `, of which ${kept === 1 ? "one is" : `${kept} are`} still there`;
  const from = shortenedBy === 0 ? "" : ` since it was shortened by the first ${shortenedBy}${still}`;
  const counted = rows === 1 ? "1 row" : `${rows} rows`;
  const found =
    last === 0 ? "The audit log is empty." : `The audit log is whole: ${counted}${from}. Head ${last}:${hash}`;
  return { text: found, data: { rows, shortenedBy, kept, hash } };
}

/** Writes a whole log, a slice at a time. */
export async function exportAudit(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { file, format = "jsonl" } = values;
  if (typeof file !== "string") throw new Error("Name the file: parley audit export FILE");
  if (format !== "jsonl" && format !== "csv") throw new Error("--format must be jsonl or csv.");
  const { id } = await realmIn(storage, config, values);
  const path = resolve(file);
  let rows = 0;
  const lines = async function* () {
    if (format === "csv") yield `${csvHead}\n`;
    for await (const found of slices(storage.database.sql, id)) {
      rows += found.length;
      yield found.map((row) => `${format === "csv" ? csvOf(row) : lineOf(row)}\n`).join("");
    }
  };
  // A file that is there already is somebody's.
  await pipeline(Readable.from(lines()), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  return { text: `${path} has ${rows === 1 ? "1 row" : `${rows} rows`}.`, data: { file: path, rows } };
}

async function* slices(sql: Sql, realmId: RealmId) {
  for (let beyond = 0; ; ) {
    const { found } = await readAudit(sql, realmId, {}, { beyond, isBack: false, ...slice });
    if (found.length === 0) return;
    yield found;
    beyond = lastOf(found).num;
  }
}
