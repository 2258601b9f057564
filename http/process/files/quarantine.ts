/** `parley files quarantine`: what clamd has not called clean yet, and what an operator decides of it. */
import type { ServedRealm } from "../../../actors/realm/served.ts";
import { showAll } from "../../../actors/uploads/scanning/job.ts";
import { openFiles } from "../../../storage/files/open-files.ts";
import { findQuarantined, type QuarantinedUpload } from "../../../storage/files/quarantine.ts";
import { thumbnailsOf } from "../../pictures/thumbnails.ts";
import { nowOrLater, storedPath } from "../../resources/uploads/files.ts";
import { type AdminResult, realmIn, type Values, withRealm } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";

/** As many are told at once. */
const mostTold = 1000;

/** Lists what waits, or lets people have one of them, or deletes one. */
export async function showQuarantine(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const { release, delete: removed } = values;
  if (release !== undefined && removed !== undefined) throw new Error("Say --release or --delete, not both.");
  const { id } = await realmIn(storage, config, values);
  const waiting = await findQuarantined(storage.database.sql, id, mostTold);
  const chosen = release ?? removed;
  if (chosen === undefined) return told(waiting);
  const file = waiting.find((each) => String(each.id) === chosen);
  if (!file) throw new Error(`No file ${String(chosen)} is in quarantine: parley files quarantine lists them.`);
  return withRealm(storage, config, values, (realm) =>
    release === undefined ? remove(realm, config, file) : letOut(realm, file),
  );
}

function told(waiting: readonly QuarantinedUpload[]): AdminResult {
  const files = waiting.map(({ id, file_name: name, size, owner_id, quarantined_at, scan_at, scan_attempts }) => ({
    ...{ id, name, size, owner_id, quarantined_at, scan_at, scan_attempts },
  }));
  const lines = files.map(
    ({ id, name, size, owner_id, quarantined_at: since, scan_at: next, scan_attempts: attempts }) =>
      `${id}  since ${timeOf(since)}, ${attempts} attempts, next ${timeOf(next)}, ${size} bytes, account ${owner_id}: ${name}`,
  );
  return { text: lines.join("\n") || "Nothing is in quarantine.", data: { files } };
}

const timeOf = (secs: number | null): string =>
  secs === null ? "never" : `${new Date(secs * 1000).toISOString().slice(0, 19)}Z`;

/** Its thumbnails are not drawn: it is no safer than it was. */
async function letOut(realm: ServedRealm, { id, ...file }: QuarantinedUpload): Promise<AdminResult> {
  await realm.execute("releaseScanned", { id, image: null });
  await audit(realm, "user_upload_released", file);
  await showAll(realm, { id, path_id: file.path_id });
  return { text: `Everybody who may read ${file.file_name} has it now.`, data: { id, released: true } };
}

async function remove(realm: ServedRealm, config: Config, { id, ...file }: QuarantinedUpload): Promise<AdminResult> {
  const place = storedPath(file.path_id);
  const paths = [place, ...thumbnailsOf(place, file)];
  const { isHeld } = await realm.execute("removeAttachment", { userId: file.owner_id, id, files: paths });
  await audit(realm, "user_upload_deleted", file);
  const files = openFiles(config);
  if (!isHeld) await nowOrLater(Promise.all(paths.map((path) => files.remove(path))));
  const kept = isHeld ? " A legal hold keeps its bytes." : "";
  return { text: `${file.file_name} is deleted.${kept}`, data: { id, deleted: true, held: isHeld } };
}

const audit = (
  realm: ServedRealm,
  type: "user_upload_released" | "user_upload_deleted",
  { owner_id, file_name, size }: Omit<QuarantinedUpload, "id">,
) => realm.execute("recordAudit", { fact: { type, userIds: [owner_id], after: { file_name, size } } });
