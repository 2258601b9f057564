/**
 * What became of a commit whose answer never came: its connection was lost, or is silent. First the writer's epoch is closed,
 * so that what was under way is over and nothing can be added to the log under it, however late it comes; then the log tells.
 */
import { setTimeout as delay } from "node:timers/promises";
import { type Database, StorageUnavailable, translate } from "../../storage/postgres.ts";
import { isLogged, type WriterTerm } from "../../storage/realm-log.ts";
import { closeEpoch } from "../../storage/realms.ts";
import { timely } from "../../storage/timely.ts";

/** What is asked here waits at most for those who hold the realm's row to be ended. */
const answerMs = 3000;
const retryMs = 100;

/**
 * @param positions of the commit's entries: if it has none, only a commit that was not asked for yet is known to be undone
 * @param wasAsked whether PostgreSQL may have been asked to commit
 * @returns "unknown" when PostgreSQL did not tell within `patienceMs`
 */
export async function outcomeOfCommit(
  database: Database,
  term: WriterTerm,
  { positions, wasAsked }: { positions: readonly number[]; wasAsked: boolean },
  patienceMs: number,
): Promise<"stored" | "not stored" | "unknown"> {
  if (!wasAsked) return "not stored";
  if (positions.length === 0) return "unknown";
  const deadline = performance.now() + patienceMs;
  const ask = async () => {
    await closeEpoch(database, term.realmId, term.epoch);
    return isLogged(database.sql, term.realmId, positions);
  };
  for (;;) {
    try {
      return (await timely(database, answerMs, ask())) ? "stored" : "not stored";
    } catch (error) {
      if (!(translate(error) instanceof StorageUnavailable) || performance.now() > deadline) return "unknown";
      await delay(retryMs);
    }
  }
}
