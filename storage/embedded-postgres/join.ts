import { setTimeout as sleep } from "node:timers/promises";
import {
  DataDirInUse,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";
import { findRunningPostgres } from "./running.ts";

/** A server that recovers from its log takes its time; one that starts takes a second. */
const joinWithinMs = 30_000;
const joinPollMs = 100;

/** What a guest may know of somebody's PostgreSQL. `stop` leaves it running if it is another Parley's. */
export type SharedPostgres = Pick<EmbeddedPostgres, "url" | "stop">;

/**
 * The PostgreSQL of the Parley that has `dataDir` now, or one's own where none has it: for a process that has business
 * with the database and goes again.
 * @throws DataDirInUse when whoever has the folder runs none that can be reached from here
 */
export async function joinEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<SharedPostgres> {
  const deadline = performance.now() + joinWithinMs;
  for (;;) {
    try {
      return await startEmbeddedPostgres(options);
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      const url = await findRunningPostgres(options.dataDir, options.systemFolders);
      if (url !== undefined) return { url, stop: async () => {} };
      if (performance.now() > deadline) throw error;
      await sleep(joinPollMs);
    }
  }
}
