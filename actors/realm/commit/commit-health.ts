/** Whether commits get through: for the node's health, and for other nodes that wait for what is published. */
import { isUndone, StorageRefusesChanges } from "../../../storage/postgres.ts";

/** How long a refused commit counts as trouble. */
const refusalCountsMs = 10_000;
/** Other nodes wait a tenth of a second for a commit to be published. Then they read it from PostgreSQL. */
const slowCommitMs = 75;

export class CommitHealth {
  /** When the commit under way began. */
  #since: number | undefined;
  /** Why the last commit was refused. Undefined: it was not. */
  #refused: { reason: string; at: number } | undefined;

  begin(): void {
    this.#since = performance.now();
  }

  end(): void {
    this.#since = undefined;
  }

  /** A change was stored. */
  stored(): void {
    this.#refused = undefined;
  }

  /** Returns whether nothing was done, and that is certain. */
  failed(error: unknown): boolean {
    if (error instanceof StorageRefusesChanges) this.#refused = { reason: error.message, at: performance.now() };
    return isUndone(error);
  }

  /** Why changes cannot be made: the last commit was refused, or one is under way for longer than `patienceMs`. */
  trouble(patienceMs: number): string | undefined {
    if (this.#lastsLonger(patienceMs)) return "a commit hangs in the database";
    // A node in trouble gets no traffic, so no commit may come to show that the trouble is over.
    return this.#refused && performance.now() - this.#refused.at < refusalCountsMs ? this.#refused.reason : undefined;
  }

  /** A commit has been under way for so long that others may have read it from PostgreSQL. */
  get isSlow(): boolean {
    return this.#lastsLonger(slowCommitMs);
  }

  #lastsLonger(ms: number): boolean {
    return this.#since !== undefined && performance.now() - this.#since > ms;
  }
}
