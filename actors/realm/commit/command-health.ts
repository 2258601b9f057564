/** Whether commands get through to the writer, wherever it is: for the node's health. */

import type { LogPosition } from "../../../storage/ids.ts";
import { ApiError } from "../../errors.ts";

/** How long a command that waited in vain counts as trouble. */
const inVainCountsMs = 10_000;

/** Whether an organization's changes are taken. */
export interface ChangeHealth {
  /** Why not, in words. Undefined: they are, or there are none. */
  trouble: string | undefined;
  /** The log has grown of late. A refusal needs no commit, so it proves nothing. */
  isProven: boolean;
}

/** A command that has not ended yet. */
interface WaitingCommand {
  readonly since: number;
}

export class CommandHealth {
  /** The longest waiting one first. */
  readonly #waiting = new Set<WaitingCommand>();
  #answeredAt = 0;
  /** When one ended after it had waited for nothing. */
  #inVainAt = Number.NEGATIVE_INFINITY;
  /** The newest position that was known when somebody asked. Undefined: none was. */
  #stored: LogPosition | undefined;
  #storedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly patienceMs: number) {}

  /** Waits for a command. */
  async watch<Reply>(run: () => Promise<Reply>): Promise<Reply> {
    const command = { since: performance.now() };
    this.#waiting.add(command);
    try {
      const reply = await run();
      this.answered();
      return reply;
    } catch (error) {
      // Whatever else it is came from a storage that is away.
      if (error instanceof ApiError && error.code !== "SERVICE_UNAVAILABLE") this.answered();
      else if (performance.now() - command.since > this.patienceMs) this.#inVainAt = performance.now();
      throw error;
    } finally {
      this.#waiting.delete(command);
    }
  }

  /** A command, or a part of one, was done or refused by the writer. */
  answered(): void {
    this.#answeredAt = performance.now();
    this.#inVainAt = Number.NEGATIVE_INFINITY;
  }

  /** Whether the log was seen to have grown within this time, whoever wrote to it. */
  hasStored(withinMs: number): boolean {
    return performance.now() - this.#storedAt < withinMs;
  }

  /**
   * Why changes are not taken: some have waited for long, and none was answered.
   * @param stored the log's newest position that is known here; undefined while nothing is loaded
   */
  trouble(stored: LogPosition | undefined): string | undefined {
    // A writer elsewhere that stores parts of a long command, or what others ask for, takes changes.
    if (stored !== undefined) {
      if (stored > (this.#stored ?? stored)) {
        this.answered();
        this.#storedAt = performance.now();
      }
      this.#stored = Math.max(this.#stored ?? stored, stored);
    }
    const now = performance.now();
    const [longest] = this.#waiting;
    const isStuck = longest !== undefined && now - Math.max(longest.since, this.#answeredAt) > this.patienceMs;
    // A node in trouble gets no traffic, so no command may come to show that the trouble is over.
    const isInVain = now - this.#inVainAt < inVainCountsMs;
    return isStuck || isInVain ? "no change is taken by the node that writes" : undefined;
  }
}
