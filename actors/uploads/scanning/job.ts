/**
 * Has uploads in quarantine looked at. A file stays there until it is known to be clean: whoever cannot be asked, takes
 * too long or says anything else is asked again. All of it is in the file's row, so any node goes on with it.
 */
import { defined } from "../../../storage/failures.ts";
import {
  type DueScan,
  endScan,
  findDueScans,
  findRealmsWithDueScans,
  nextScanAt,
  postponeScan,
} from "../../../storage/files/quarantine.ts";
import { findAttachment } from "../../../storage/messages/attachments.ts";
import type { Job } from "../../realm/job.ts";
import type { JobRealm } from "../../realm/served.ts";
import type { FileScanner } from "./file-scanner.ts";

/** Read at once: some may be under way. */
const maxRead = 16;
/** After the first attempt in vain, and twice as long after each. */
const firstWaitSecs = 10;
const longestWaitSecs = 600;
/** Somebody has to change a limit first. */
const tooLargeWaitSecs = 3600;
/** Messages with a file that are shown anew, the newest. */
const maxMessages = 200;

export const scanJob: Job = {
  name: "look at uploads",
  everySecs: 1,
  isOn: ({ fileScanner, storedFiles }) => fileScanner !== undefined && storedFiles !== undefined,
  async run(realm, now) {
    const { environment, database } = realm;
    const scanner = defined(environment.fileScanner, "scanner");
    if (scanner.free <= 0) return;
    // It is not waited for: a file that takes minutes keeps no other one waiting.
    for (const file of await findDueScans(database.sql, realm.id, now, maxRead))
      if (scanner.free > 0 && !scanner.isUnderWay(file.id))
        scanner.begin(
          file.id,
          () => look(realm, scanner, file),
          (error) =>
            environment.log.warn({ realm: realm.id, file: file.id, err: error }, "an upload was not looked at"),
        );
  },
  findWaiting: (sql, now) => findRealmsWithDueScans(sql, now),
  onlyWaiting: true,
  next: { at: (sql) => nextScanAt(sql), changedBy: ["attachment"] },
};

async function look(realm: JobRealm, scanner: FileScanner, file: DueScan): Promise<void> {
  try {
    if (file.quarantined_at === null) await show(realm, file);
    else await scan(realm, scanner, file);
  } catch (error) {
    await postpone(realm, file);
    throw error;
  }
}

async function scan(realm: JobRealm, scanner: FileScanner, file: DueScan): Promise<void> {
  const { environment, id: realmId } = realm;
  const { log, metrics, storedFiles } = environment;
  const { files, storedUpload } = defined(storedFiles, "store of files");
  const place = storedUpload(file.path_id);
  const opened = await files.open(place);
  if (!opened) return postpone(realm, file);
  const verdict = await scanner.ask(opened);
  metrics.scanned(verdict.is);
  const about = { realm: realmId, file: file.id, size: file.size };
  switch (verdict.is) {
    case "clean": {
      // Its thumbnails are there before anybody may ask for them.
      const image = await scanner.scans.examine(place, file.content_type);
      await realm.execute("releaseScanned", { id: file.id, image });
      return showAll(realm, file);
    }
    case "infected":
      log.warn({ ...about, finding: verdict.finding }, "an upload is infected: it is deleted");
      await realm.execute("removeInfected", { id: file.id, finding: verdict.finding, files: [place] });
      // If the store is away, a job does it.
      return files
        .remove(place)
        .catch((error: unknown) => log.warn({ ...about, err: error }, "a file is not removed yet"));
    case "too_large":
      log.warn({ ...about, why: verdict.why }, "clamd looks at no upload of that size: it stays in quarantine");
      return postpone(realm, file, tooLargeWaitSecs);
    case "failed":
      log.warn({ ...about, why: verdict.why }, "clamd does not say whether an upload is clean");
      return postpone(realm, file);
    case "away":
      // The scanner waits, not the file.
      log.warn({ why: verdict.why }, "clamd cannot be asked: uploads stay in quarantine");
      return;
    default:
      verdict satisfies never;
  }
}

function postpone(realm: JobRealm, { id, scan_attempts }: DueScan, secs?: number): Promise<void> {
  const wait = secs ?? Math.min(longestWaitSecs, firstWaitSecs * 2 ** Math.min(scan_attempts, 10));
  return postponeScan(realm.database.sql, id, realm.environment.clock() + wait);
}

async function show(realm: JobRealm, file: DueScan): Promise<void> {
  await showAll(realm, file);
  await endScan(realm.database.sql, file.id);
}

/** Shows a file that was released in the messages that have come to link to it meanwhile. */
export async function showAll(realm: JobRealm, { id, path_id }: Pick<DueScan, "id" | "path_id">): Promise<void> {
  const row = await findAttachment(realm.database.sql, realm.id, id);
  for (const messageId of row?.message_ids.slice(-maxMessages) ?? [])
    await realm.execute("showScanned", { messageId, pathId: path_id });
}
