import { readToldGeneration } from "../../storage/realms.ts";
import type { Job } from "./job.ts";

export const restartJob: Job = {
  name: "tell of restart",
  // The first run matters: it comes when this node becomes the realm's writer.
  everySecs: 600,
  async run(realm) {
    const { generation } = realm.environment.coordination;
    const told = await readToldGeneration(realm.database.sql, realm.id);
    if (told === null || told < generation) await realm.execute("tellOfRestart", { generation });
  },
};
