import { defined } from "../../storage/failures.ts";
import { findLeftErasures, findRealmsWithLeftErasures } from "../../storage/personal/erasures.ts";
import type { Job } from "../realm/job.ts";
import { walkErasure } from "./walk.ts";

/** Whoever asked for an erasure does it. After so long without a part of it, they do so no more. */
const leftForSecs = 60;

/** Goes on with erasures whose command line has ended early. */
export const erasureJob: Job = {
  name: "erase people's data",
  everySecs: leftForSecs,
  isOn: ({ storedFiles }) => storedFiles !== undefined,
  async run(realm, now) {
    const { storedUpload } = defined(realm.environment.storedFiles, "store of files");
    for (const userId of await findLeftErasures(realm.database.sql, realm.id, now - leftForSecs))
      await walkErasure(realm, userId, storedUpload);
  },
  findWaiting: (sql, now) => findRealmsWithLeftErasures(sql, now - leftForSecs),
  onlyWaiting: true,
};
