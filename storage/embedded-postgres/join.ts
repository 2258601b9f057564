import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lockFile } from "./data-lock.ts";
import {
  DataDirInUse,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "./embedded-postgres.ts";
import { findPostgresHome } from "./home.ts";
import { findRunningPostgres } from "./running.ts";

/** A server that recovers from its log takes its time; one that starts takes a second. */
const joinWithinMs = 30_000;
const joinPollMs = 100;

/** What a guest may know of somebody's PostgreSQL. `stop` leaves it running if it is another Parley's. */
export type SharedPostgres = Pick<EmbeddedPostgres, "url" | "stop">;

/**
 * The PostgreSQL of the Parley that has `dataDir` now, or one's own where none has it. For a process that has business
 * with the database and goes again. It may find another such process at work with a PostgreSQL of its own, which goes
 * when that one does. Then it waits for that one's end, and says so.
 * @throws DataDirInUse when whoever has the folder runs none that can be reached from here
 */
export async function joinEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<SharedPostgres> {
  const { folder } = await findPostgresHome(options.dataDir, () => {}, options.systemFolders);
  const visit = await lockForVisit(folder, options.notify);
  try {
    const postgres = await startOrJoin(options);
    // Whoever comes while a server serves goes beside others like it.
    if (!postgres.isOwn) await visit();
    return {
      url: postgres.url,
      async stop() {
        await postgres.stop();
        await visit();
      },
    };
  } catch (error) {
    await visit();
    throw error;
  }
}

/** Waits until no other such process has a PostgreSQL of its own, or is about to. The result lets the next one in. */
async function lockForVisit(folder: string, notify: (line: string) => void): Promise<() => Promise<void>> {
  for (let hasTold = false; ; hasTold = true) {
    const file = await lockFile(join(folder, "visit.lock"));
    let isOpen = file !== undefined;
    if (file)
      return async () => {
        if (isOpen) await file.close();
        isOpen = false;
      };
    if (!hasTold) notify(`Another parley command is at work in ${folder}: this one waits for it.`);
    await sleep(joinPollMs);
  }
}

async function startOrJoin(options: EmbeddedPostgresOptions): Promise<SharedPostgres & { isOwn: boolean }> {
  const deadline = performance.now() + joinWithinMs;
  for (;;) {
    try {
      const own = await startEmbeddedPostgres(options);
      return { url: own.url, stop: () => own.stop(), isOwn: true };
    } catch (error) {
      if (!(error instanceof DataDirInUse)) throw error;
      const url = await findRunningPostgres(options.dataDir, options.systemFolders);
      if (url !== undefined) return { url, stop: async () => {}, isOwn: false };
      if (performance.now() > deadline) throw error;
      await sleep(joinPollMs);
    }
  }
}
