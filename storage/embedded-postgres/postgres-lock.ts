/**
 * Whether a PostgreSQL lives on a set of files. Pids do not tell: one that runs in another container, or on another
 * machine that shares the disk, has a pid that means nothing here. So every PostgreSQL that Parley starts is given an
 * open file with a lock, `postgres.lock`, which its children inherit. As long as one of them lives anywhere, the kernel
 * keeps the lock.
 *
 * The file says which port the newest of them was given. A `postmaster.pid` with that port is of one that held the
 * lock, and may be removed by whoever has the lock now. Any other one cannot be judged, and stays.
 */
import type { FileHandle } from "node:fs/promises";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { syncFolder } from "../durable-file.ts";
import { lockFile, readText } from "./data-lock.ts";

/** A process that was ended may take a moment to close its files. */
const closeMs = 2_000;
const pollMs = 20;

export class PostgresLock {
  private constructor(
    private readonly file: FileHandle,
    private readonly data: string,
    /** As the file says: of the newest PostgreSQL that was started. */
    private port: number | undefined,
  ) {}

  /**
   * Takes the lock of the PostgreSQL in `<folder>/data`. Those that this process can see have been ended.
   * @param ended the postmaster that was
   * @throws Error in one sentence when one lives that cannot be seen from here, or may live
   */
  static async take(folder: string, ended: number | undefined): Promise<PostgresLock> {
    const path = join(folder, "postgres.lock");
    const deadline = performance.now() + closeMs;
    let file = await lockFile(path);
    while (file === undefined && performance.now() < deadline) {
      await sleep(pollMs);
      file = await lockFile(path);
    }
    if (file === undefined) {
      throw new Error(
        `A PostgreSQL that another Parley left behind still runs on ${join(folder, "data")}, in another container or on ` +
          "another machine: end it there first.",
      );
    }
    const port = Number.parseInt((await readText(path)) ?? "", 10);
    const lock = new PostgresLock(file, join(folder, "data"), Number.isNaN(port) ? undefined : port);
    try {
      await lock.clear(ended);
    } catch (error) {
      await file.close();
      throw error;
    }
    return lock;
  }

  /** What a PostgreSQL is to have open, so that it holds the lock as long as it lives. */
  get fd(): number {
    return this.file.fd;
  }

  /** Says which port the next PostgreSQL gets, before it starts. */
  async announce(port: number): Promise<void> {
    this.port = port;
    await this.file.truncate();
    await this.file.write(`${port}\n`, 0);
    await this.file.sync();
  }

  /**
   * Removes the pid file of a PostgreSQL that is no more. If a stranger happened to have its pid, it would keep the
   * next one from starting.
   * @param ended one whose end was seen
   * @throws Error if it is of another one
   */
  async clear(ended: number | undefined): Promise<void> {
    const path = join(this.data, "postmaster.pid");
    const text = await readText(path);
    if (text === undefined) return;
    // Source: PostgreSQL src/include/utils/pidfile.h. Line 1 is the pid, negative where it served one session; 4 the
    // port.
    const [pid, , , port] = text.split("\n");
    // A living one has written it whole at once.
    const isCutOff = port === undefined || port.trim() === "";
    const isOurs = this.port !== undefined && Number(port) === this.port;
    if (!isCutOff && !isOurs && (ended === undefined || Number(pid) !== ended)) {
      throw new Error(
        `${path} names a PostgreSQL that this Parley did not start: if none runs on these files, neither here nor in ` +
          "another container nor on another machine, remove that file.",
      );
    }
    await rm(path, { force: true });
    await syncFolder(this.data);
  }

  /** The lock is free once no PostgreSQL has it. */
  close(): Promise<void> {
    return this.file.close();
  }
}
