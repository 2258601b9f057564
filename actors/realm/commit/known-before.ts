/**
 * What this node knows of a realm beside what PostgreSQL has. A standby that was promoted may lack the newest changes,
 * and so may a PostgreSQL that was put back. What clients were told must then not be told of something else.
 */
import type { LogPosition, RealmId } from "../../../storage/ids.ts";
import type { Lack } from "../../../storage/log/promotions.ts";
import { endQueuesAfterPromotion, endQueuesBeyondLog } from "../../../storage/lost-log.ts";
import type { Database } from "../../../storage/postgres.ts";

export class KnownBefore {
  /** The newest position that clients were told. */
  #told: LogPosition = 0;
  /** The newest that was seen stored, if it is not known yet whether it still is. */
  #stored: LogPosition = 0;
  #lack: Lack | undefined;
  /** A replica was here when it happened. What is lost of it is known. */
  #hadReplica = false;

  /** For a term that begins. */
  get forTerm(): { told: LogPosition; lack: Lack | undefined } {
    return { told: this.#told, lack: this.#lack };
  }

  /** PostgreSQL may lack what a replica here had. @param replica undefined: none was loaded */
  note(lack: Lack, replica: { position: LogPosition; newestStored: LogPosition } | undefined): void {
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
   * @returns the position up to which the log is whole; undefined: nothing was lost, as far as can be known
   */
  async endQueues(database: Database, realmId: RealmId): Promise<LogPosition | undefined> {
    if (!this.#hadReplica) return endQueuesAfterPromotion(database, realmId);
    if (this.#stored === 0) return undefined;
    const kept = await endQueuesBeyondLog(database.sql, realmId, { told: this.#told, stored: this.#stored });
    this.#stored = 0;
    return kept;
  }
}
