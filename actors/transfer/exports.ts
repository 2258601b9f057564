/**
 * Exports on request of an administrator. A job of the node that writes the organization writes them, so a request is
 * answered at once. An attempt that was cut off is followed by another.
 */
import { randomBytes } from "node:crypto";
import type { Infer } from "superstruct";
import type { ExportId, UserId } from "../../storage/ids.ts";
import { roles, type UserRow } from "../../storage/rows.ts";
import { exportPath, findExports, putExport, type RealmExportRow } from "../../storage/transfer/realm-exports.ts";
import { badRequest } from "../errors.ts";
import type { exportConsents, RealmExportRecord } from "../organization/export-shapes.ts";
import { requireAdmin } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import { deleteFiles } from "../uploads/deleted-files.ts";
import { userSetting } from "../users/settings/settings.ts";
import { consents, type ExportType } from "./zulip-export/scope.ts";

/** Exports of an organization that are asked for in a week, without those that failed. */
const maxPerWeek = 5;
const weekSecs = 7 * 86_400;
/** An export that a server dies of three times is not tried again. */
const maxAttempts = 3;
/** Those that are listed, the newest; the files of older ones are removed with `DELETE`. */
const maxListed = 100;

/** Below the organization's address. */
const exportUrlPath = (row: RealmExportRow): string => `/exports/${row.id}/${row.file}.tar.gz`;

function render(state: RealmState, row: RealmExportRow): RealmExportRecord {
  const { state: is, finished_at } = row;
  return {
    id: row.id,
    acting_user_id: row.acting_user_id,
    export_time: row.requested_at,
    export_type: row.type,
    export_url: is === "done" ? state.url + exportUrlPath(row) : null,
    pending: is === "pending",
    failed_timestamp: is === "failed" ? finished_at : null,
    deleted_timestamp: is === "deleted" ? finished_at : null,
  };
}

const newest = (rows: readonly RealmExportRow[]): readonly RealmExportRow[] => rows.slice(-maxListed);

/** The exports of an organization, oldest first. */
export async function readExports({ state, database, id }: RealmReader): Promise<RealmExportRecord[]> {
  return newest(await findExports(database.sql, id)).map((row) => render(state, row));
}

/** Where a finished export is among the stored files; undefined when there is none under this id and name. */
export async function findFinishedExport(
  { database, id: realmId }: RealmReader,
  id: ExportId,
  file: string,
): Promise<{ path: string; requestedAt: number } | undefined> {
  const rows = await findExports(database.sql, realmId);
  const row = rows.find((one) => one.id === id && one.state === "done" && `${one.file}.tar.gz` === file);
  return row && { path: exportPath(realmId, row), requestedAt: row.requested_at };
}

/** Who agreed that what belongs to them may be exported. */
export function listConsents(state: RealmState): Infer<typeof exportConsents> {
  return [...state.users.values()]
    .filter((user) => user.is_active && !user.is_bot)
    .map((user) => ({
      user_id: user.id,
      consented: consents(user),
      email_address_visibility: userSetting(user, "email_address_visibility"),
    }));
}

/** Stores a row, and tells administrators of all exports as they are then. */
async function keep(tx: Tx, rows: readonly RealmExportRow[], row: RealmExportRow): Promise<void> {
  tx.write((sql) => putExport(sql, tx.realmId, row));
  const known = rows.some(({ id }) => id === row.id);
  const next = known ? rows.map((one) => (one.id === row.id ? row : one)) : [...rows, row];
  const exports = newest(next).map((one) => render(tx.state, one));
  tx.event({ type: "realm_export", exports }, { to: "admins" });
}

/** @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const requestExport = command(async (tx: Tx, { userId, type }: { userId: UserId; type: ExportType }) => {
  requireAdmin(tx.user(userId));
  if (type === "full_without_consent")
    throw badRequest("This organization's owners do not have access to everybody's content.");
  const isConsentingOwner = (user: UserRow) =>
    user.is_active && !user.is_bot && user.role === roles.owner && consents(user);
  if (type === "full_with_consent" && ![...tx.state.users.values()].some(isConsentingOwner))
    throw badRequest("Make sure at least one Organization Owner is consenting to the export.");
  const rows = await findExports(tx.sql, tx.realmId);
  if (rows.some(({ state }) => state === "pending")) throw badRequest("An export is under way already.");
  const recent = rows.filter(({ state, requested_at }) => state !== "failed" && requested_at > tx.now - weekSecs);
  if (recent.length >= maxPerWeek)
    throw badRequest(`Exceeded rate limit: there can be ${maxPerWeek} exports in a week.`);
  const id = await tx.id("object_ids");
  tx.audit({ type: "realm_export_requested", after: { id, export_type: type } });
  await keep(tx, rows, {
    id,
    acting_user_id: userId,
    type,
    requested_at: tx.now,
    finished_at: null,
    state: "pending",
    attempts: 0,
    file: randomBytes(18).toString("hex"),
  });
  return { id };
});

/** Begins an attempt; null when there is nothing to do. */
export const beginExport = command(async (tx: Tx, { id }: { id: ExportId }): Promise<RealmExportRow | null> => {
  const rows = await findExports(tx.sql, tx.realmId);
  const row = rows.find((one) => one.id === id);
  if (row?.state !== "pending") return null;
  if (row.attempts >= maxAttempts) {
    await keep(tx, rows, { ...row, state: "failed", finished_at: tx.now });
    return null;
  }
  const begun = { ...row, attempts: row.attempts + 1 };
  tx.write((sql) => putExport(sql, tx.realmId, begun));
  return begun;
});

/** Ends an attempt. Answers whether its file is the export. */
export const endExport = command(
  async (tx: Tx, { id, attempt, isDone }: { id: ExportId; attempt: number; isDone: boolean }) => {
    const rows = await findExports(tx.sql, tx.realmId);
    const row = rows.find((one) => one.id === id);
    // Another node has begun a later one.
    if (row?.state !== "pending" || row.attempts !== attempt) return { isKept: false };
    await keep(tx, rows, { ...row, state: isDone ? "done" : "failed", finished_at: tx.now });
    return { isKept: isDone };
  },
);

/** Answers the file that is to be removed. @throws BAD_REQUEST, UNAUTHORIZED_PRINCIPAL */
export const deleteExport = command(async (tx: Tx, { userId, id }: { userId: UserId; id: ExportId }) => {
  requireAdmin(tx.user(userId));
  const rows = await findExports(tx.sql, tx.realmId);
  const row = rows.find((one) => one.id === id);
  if (!row) throw badRequest("Invalid data export ID");
  if (row.state === "deleted") throw badRequest("Export already deleted");
  if (row.state === "failed") throw badRequest("Export failed, nothing to delete");
  if (row.state === "pending") throw badRequest("Export still in progress");
  await keep(tx, rows, { ...row, state: "deleted", finished_at: tx.now });
  deleteFiles(tx, [exportPath(tx.realmId, row)]);
  tx.audit({ type: "realm_export_deleted", before: { id, export_type: row.type } });
  return { file: exportPath(tx.realmId, row) };
});
