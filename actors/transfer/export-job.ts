import { defined } from "../../storage/failures.ts";
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
    const stored = defined(realm.environment.storedFiles, "store of files");
    for (const id of await findPendingExports(realm.database.sql, realm.id)) {
      const begun = await realm.execute("beginExport", { id });
      if (begun === null) continue;
      const path = exportPath(realm.id, begun);
      let isDone = false;
      try {
        const { url } = realm.state;
        const type = begun.type as ExportType;
        await stored.files.putFromDisk(path, (file) =>
          writeExport(file, { database: realm.database, realmId: realm.id, url, type, files: stored }),
        );
        isDone = true;
      } catch (error) {
        realm.environment.log.warn({ realm: realm.id, err: error }, "an export failed");
      }
      const { isKept } = await realm.execute("endExport", { id, attempt: begun.attempts, isDone });
      if (!isKept) await stored.files.remove(path);
    }
  },
  findWaiting: (sql) => findRealmsWithPendingExports(sql),
  onlyWaiting: true,
  next: {
    at: async (sql, now) => ((await findRealmsWithPendingExports(sql)).length > 0 ? now : null),
    changedBy: ["realm_export"],
  },
};
