/**
 * The words of new and changed messages wait in a list until PostgreSQL merges it into their index. The commit that
 * makes the list too long does so, and whoever comes after waits: a tenth of a second in a long history. So it is
 * merged before, while nobody waits. https://www.postgresql.org/docs/current/gin.html#GIN-FAST-UPDATE
 */
import type { Database } from "../../postgres.ts";

/** Of the usual length, they fill half the list. Fewer cost more each: a word that many have is put in once. */
const mergedTogether = 640;
/** After a failure, as where the index is somebody else's. */
const pauseMs = 60_000;

export class PendingWords {
  /** What others left comes first. */
  #messages = mergedTogether;
  #isMerging = false;
  #pausedUntil = 0;

  constructor(private readonly database: Pick<Database, "sql">) {}

  /** @param messages that were stored, with their words */
  add(messages: number): void {
    this.#messages += messages;
    if (this.#messages < mergedTogether || this.#isMerging || performance.now() < this.#pausedUntil) return;
    this.#messages = 0;
    this.#isMerging = true;
    void this.#merge();
  }

  async #merge(): Promise<void> {
    try {
      await this.database.sql`select gin_clean_pending_list('messages_search')`;
    } catch {
      // PostgreSQL merges by itself.
      this.#pausedUntil = performance.now() + pauseMs;
    }
    this.#isMerging = false;
    this.add(0);
  }
}

/** Of all organizations in a database. */
const ofDatabases = new WeakMap<Database, PendingWords>();

export function pendingWordsOf(database: Database): PendingWords {
  const known = ofDatabases.get(database) ?? new PendingWords(database);
  ofDatabases.set(database, known);
  return known;
}
