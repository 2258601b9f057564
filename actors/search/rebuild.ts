/**
 * Gives messages that the version before stored the words of this one, so that they are found alike. The newest come
 * first. Each commit renews a part and notes how far it is, so a crash costs at most one part. Until the end searches
 * ask for the words of both versions.
 */
import {
  endRebuild,
  findOldWords,
  findRealmsWithOldWords,
  renewWords,
} from "../../storage/messages/words/search-rebuilds.ts";
import type { Command } from "../realm/command.ts";
import type { Job } from "../realm/job.ts";

/** Messages of one commit. Others wait for some ten milliseconds. */
const messagesPerPart = 100;
const everySecs = 5;
/** Other work of the database needs its time: at most 2,000 messages a second. */
const partsPerRun = 100;

/** Renews the words of the next messages. */
export const rebuildSearch: Command<object, { more: boolean }> = () => ({
  decide: async (tx) => {
    const ids = await findOldWords(tx.sql, tx.realmId, messagesPerPart);
    tx.write((sql) => (ids.length > 0 ? renewWords(sql, tx.realmId, ids) : endRebuild(sql, tx.realmId)));
    return { more: ids.length > 0 };
  },
});

export const rebuildSearchJob: Job = {
  name: "words of older messages",
  everySecs,
  async run(realm) {
    for (let part = 0; part < partsPerRun; part++) {
      const { more } = await realm.execute("rebuildSearch", {});
      if (!more) return;
    }
  },
  findWaiting: (sql) => findRealmsWithOldWords(sql),
  onlyWaiting: true,
};
