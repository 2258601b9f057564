import { dirname } from "node:path";
import { makeFolderDurably } from "../../storage/durable-file.ts";
import { filePath, removeFile } from "../../storage/files.ts";
import { exportPath, findPendingExports, findRealmsWithPendingExports } from "../../storage/transfer/realm-exports.ts";
import type { Job } from "../realm/job.ts";
import type { ExportType } from "./zulip-export/scope.ts";
import { writeExport } from "./zulip-export/write.ts";

/** Writes the exports that administrators have asked for, one after the other. */
export const exportJob: Job = {
  name: "export",
  everySecs: 1,
  isOn: ({ storedFiles }) => storedFiles !== undefined,
  async run(realm) {
    const files = realm.environment.storedFiles!;
    for (const id of await findPendingExports(realm.database.sql, realm.id)) {
      const begun = await realm.execute("beginExport", { id });
      if (begun === null) continue;
      const stored = exportPath(realm.id, begun);
      const path = filePath(files.dataDir, stored);
      let isDone = false;
      try {
        await makeFolderDurably(dirname(path), 0o700);
        const { url } = realm.state;
        const type = begun.type as ExportType;
        await writeExport(path, { database: realm.database, realmId: realm.id, url, type, files });
        isDone = true;
      } catch (error) {
        realm.environment.log.warn({ realm: realm.id, err: error }, "an export failed");
      }
      const { isKept } = await realm.execute("endExport", { id, attempt: begun.attempts, isDone });
      if (!isKept) await removeFile(files.dataDir, stored);
    }
  },
  findWaiting: (sql) => findRealmsWithPendingExports(sql),
  onlyWaiting: true,
  next: {
    at: async (sql, now) => ((await findRealmsWithPendingExports(sql)).length > 0 ? now : null),
    changedBy: ["realm_export"],
  },
};
