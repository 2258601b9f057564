/** Reading the audit log, as JSON, JSON lines and CSV. */
import { type AuditFilter, type AuditRow, readAudit } from "../../storage/users/audit-log.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { AuditRecord } from "./shapes.ts";

/** Rows that one request reads at most, and the text of theirs. */
export const maxAuditRows = 1000;
const maxAuditBytes = 2 * 1024 * 1024;

export interface AuditWindow {
  filter: AuditFilter;
  /** A row's number, which need not exist. */
  anchor: number;
  before: number;
  after: number;
}

export interface AuditPart {
  /** In the order of the log. */
  rows: AuditRow[];
  foundOldest: boolean;
  foundNewest: boolean;
}

/** The rows around a number, without the one that has it. */
export async function readAuditLog(
  { id, database }: RealmReader,
  { filter, anchor, before, after }: AuditWindow,
): Promise<AuditPart> {
  const maxBytes = maxAuditBytes / 2;
  const read = (isBack: boolean, rows: number) =>
    readAudit(database.sql, id, filter, { beyond: anchor, isBack, rows: rows + 1, maxBytes });
  const [older, newer] = [await read(true, before), await read(false, after)];
  return {
    rows: [...older.found.slice(0, before).reverse(), ...newer.found.slice(0, after)],
    foundOldest: !older.isCut && older.found.length <= before,
    foundNewest: !newer.isCut && newer.found.length <= after,
  };
}

export const recordOf = ({ json, hash }: AuditRow): AuditRecord => ({ ...JSON.parse(json), hash });

/** One line: the text that was hashed, with the hash as its last member. */
export const lineOf = ({ json, hash }: AuditRow): string => `${json.slice(0, -1)},"hash":"${hash}"}`;

const columns = [
  "num",
  "event_time",
  "event_type",
  "acting_user_id",
  "acting_user_role",
  "via",
  "session_id",
  "ip_address",
  "user_agent",
  "modified_user_ids",
  "modified_stream_id",
  "modified_user_group_id",
  "before",
  "after",
  "hash",
] as const satisfies readonly (keyof AuditRecord)[];

export const csvHead = columns.join(",");

/** A cell as every spreadsheet reads it. One that would be a formula begins with an apostrophe. */
function cellOf(value: unknown): string {
  if (value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of a table, with the time as people write it. */
export function csvOf(row: AuditRow): string {
  const record = recordOf(row);
  const shown = { ...record, event_time: new Date(record.event_time * 1000).toISOString() };
  return columns.map((name) => cellOf(shown[name])).join(",");
}
