import { readToldGeneration } from "../../storage/realms.ts";
import type { Job } from "./job.ts";

export const restartJob: Job = {
  name: "tell of restart",
  // The first run, when the realm begins to be written here, is the one that matters.
  everySecs: 600,
  async run(realm) {
    const { generation } = realm.environment.coordination;
    const told = await readToldGeneration(realm.database.sql, realm.id);
    if (told === null || told < generation) await realm.execute("tellOfRestart", { generation });
  },
};
