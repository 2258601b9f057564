/** Removes files that nothing names any more, where whoever asked for it could not. */
import { defined } from "../../storage/failures.ts";
import {
  findDeletedFiles,
  findRealmsWithDeletedFiles,
  forgetDeletedFile,
  noteDeletedFiles,
} from "../../storage/files/deleted-files.ts";
import type { Job } from "../realm/job.ts";
import type { Tx } from "../realm/transaction.ts";

/** Whoever asked removes them at once, and has had time for it by then. */
const leftForSecs = 60;

/** Has the files removed after the commit, whatever happens meanwhile. Pictures go with what was drawn of them. */
export function deleteFiles(tx: Tx, paths: readonly string[]): void {
  if (paths.length > 0) tx.write((sql) => noteDeletedFiles(sql, tx.realmId, paths, tx.now));
}

export const deletedFilesJob: Job = {
  name: "deleted files",
  everySecs: leftForSecs,
  isOn: ({ storedFiles }) => storedFiles !== undefined,
  async run(realm, now) {
    const { sql } = realm.database;
    for (const path of await findDeletedFiles(sql, realm.id, now - leftForSecs)) {
      await defined(realm.environment.storedFiles, "store of files").remove(path);
      await forgetDeletedFile(sql, path);
    }
  },
  findWaiting: (sql, now) => findRealmsWithDeletedFiles(sql, now - leftForSecs),
  onlyWaiting: true,
};
