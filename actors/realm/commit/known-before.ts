/**
 * What this node knows of a realm beside what PostgreSQL has. A standby that was promoted may lack the newest changes,
 * and so may a PostgreSQL that was put back. What clients were told must then not be told of something else.
 */
import type { LogPosition, RealmId } from "../../../storage/ids.ts";
import type { Lack } from "../../../storage/log/promotions.ts";
import { endQueuesAfterPromotion, endQueuesBeyondLog } from "../../../storage/lost-log.ts";
import type { RealmEnvironment } from "../environment.ts";

/** What a replica knows. */
interface Replica {
  readonly position: LogPosition;
  readonly newestStored: LogPosition;
}

export class KnownBefore {
  /** The newest position that clients were told. */
  #told: LogPosition = 0;
  /** The newest that was seen stored, if it is not known yet whether it still is. */
  #stored: LogPosition = 0;
  #lack: Lack | undefined;
  /** A replica was here when it happened. What is lost of it is known. */
  #hadReplica = false;
  #notes = 0;

  /** For a term that begins. */
  get forTerm(): { told: LogPosition; lack: Lack | undefined } {
    return { told: this.#told, lack: this.#lack };
  }

  /** PostgreSQL may lack what a replica here had. @param replica undefined: none was loaded */
  note(lack: Lack, replica: Replica | undefined): void {
    this.#notes++;
    this.#hadReplica ||= replica !== undefined;
    this.#told = Math.max(this.#told, replica?.position ?? 0);
    this.#stored = Math.max(this.#stored, replica?.newestStored ?? 0);
    if (this.#lack !== "lost") this.#lack = lack;
  }

  /** Another node, or an earlier process, told clients of this position. */
  noteTold(position: LogPosition): void {
    this.#told = Math.max(this.#told, position);
  }

  /** A term has begun above all of it. */
  forget(): void {
    this.#told = 0;
    this.#stored = 0;
    this.#lack = undefined;
    this.#hadReplica = false;
  }

  /**
   * Ends queues whose clients were told of what the log has lost, before any comes back.
   * @param aside the replica that may go on
   */
  async endQueues({ database, log }: RealmEnvironment, realmId: RealmId, aside: Replica | undefined): Promise<void> {
    const told = Math.max(this.#told, aside?.position ?? 0);
    const stored = Math.max(this.#stored, aside?.newestStored ?? 0);
    const notes = this.#notes;
    const kept =
      this.#hadReplica || aside
        ? await endQueuesBeyondLog(database.vital.sql, realmId, { told, stored })
        : await endQueuesAfterPromotion(database.vital, realmId);
    // Another one may have been promoted meanwhile.
    if (this.#notes === notes) this.#stored = 0;
    if (kept === undefined) return;
    log.error({ realm: realmId, kept, told }, "PostgreSQL may lack the newest changes; queues end");
  }
}
