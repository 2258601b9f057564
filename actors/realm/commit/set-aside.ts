/**
 * A realm's replica that is not used for now. PostgreSQL may lack what it was made of: a standby was promoted, or a
 * commit got no answer. It keeps its queues and parked polls meanwhile. If PostgreSQL has all of it, it goes on. So a
 * large one is not loaded anew. Else it is given up, and another one is loaded.
 */
import { setTimeout as delay } from "node:timers/promises";
import { mayBeLoss, translate } from "../../../storage/postgres.ts";
import type { LoadedRealm } from "../loaded.ts";
import type { CarriedOver } from "../memory.ts";

/** Parked polls are answered, and ask anew, when PostgreSQL has not come back by then. */
const keptForMs = 30_000;
/** Pause after PostgreSQL could not be asked for a while. */
const retryMs = 50;

export class SetAside {
  #replica: LoadedRealm | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What a replica that was dropped left to the next one. */
  #left: CarriedOver | undefined;

  get replica(): LoadedRealm | undefined {
    return this.#replica;
  }

  /** @param look at it: done until it is used or given up where polls wait, as nobody else may come */
  put(replica: LoadedRealm, look: () => Promise<void>): void {
    replica.pause();
    this.#replica = replica;
    this.#timer = setTimeout(() => this.giveUp(), keptForMs);
    this.#timer.unref();
    if (replica.memories.clients() > 0) setImmediate(() => void this.#lookAgain(replica, look));
  }

  async #lookAgain(replica: LoadedRealm, look: () => Promise<void>): Promise<void> {
    while (this.#replica === replica) {
      await look().catch(() => {});
      await delay(retryMs);
    }
  }

  /** A check that is under way may have asked another PostgreSQL. */
  doubt(): void {
    this.#replica?.pause();
  }

  drop(replica: LoadedRealm | undefined): void {
    this.#left = replica?.close() ?? this.#left;
  }

  giveUp(): void {
    this.drop(this.#replica);
    this.#end();
  }

  /** What a failure is to the realm's machine. */
  failed(error: unknown): "doubted" | "failed" {
    if (mayBeLoss(translate(error))) return "doubted";
    this.giveUp();
    return "failed";
  }

  /** The replica that goes on, or another one. @param load is given what the last one left */
  async next(load: (left: CarriedOver | undefined) => Promise<LoadedRealm>): Promise<LoadedRealm> {
    const replica = this.#replica;
    if (replica !== undefined && (await replica.isKept()) && this.#replica === replica) return replica;
    if (this.#replica === replica) this.giveUp();
    return load(this.#left);
  }

  /** What `next` gave is in use. @returns whether it was set aside */
  taken(replica: LoadedRealm): boolean {
    const isKept = this.#replica === replica;
    this.#left = undefined;
    this.#end();
    return isKept;
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#replica = undefined;
  }
}
