/**
 * The commands of a realm itself, whatever its nouns. They tell its position, and of a restart.
 *
 * Queues outlive the server that made them. Their clients would not notice that another server, perhaps of another
 * version, goes on with them. So that server sends a `restart` event. A node that joins running ones is no restart; see
 * `Coordination.generation`.
 */

import { hasEarlierQueues } from "../../storage/event-queues.ts";
import type { LogPosition } from "../../storage/ids.ts";
import { readToldGeneration, writeToldGeneration } from "../../storage/realms.ts";
import { featureLevel, mergeBase, version } from "../version.ts";
import { command } from "./command.ts";
import type { Job } from "./job.ts";
import { defineNoun } from "./noun.ts";

/** The newest position that any client may know. Only a writer that nobody has replaced answers it. */
export const tellPosition = command<Record<string, never>, LogPosition>((tx) => tx.state.position);

/** @param generation when the server that writes the realm began to serve, UNIX seconds */
export const tellOfRestart = command<{ generation: number }, null>(async (tx, { generation }) => {
  const told = await readToldGeneration(tx.sql, tx.realmId);
  if (told !== null && told >= generation) return null;
  tx.write((sql) => writeToldGeneration(sql, tx.realmId, generation));
  // Before the first server nobody had a queue. One that was killed at once has told nobody of itself.
  if (told !== null || (await hasEarlierQueues(tx.sql, tx.realmId, generation))) {
    const about = { zulip_version: version, zulip_merge_base: mergeBase, zulip_feature_level: featureLevel };
    tx.event({ type: "restart", ...about, server_generation: generation }, { to: "realm" });
  }
  return null;
});

export const restartJob: Job = {
  name: "tell of restart",
  // The first run matters: it comes when this node becomes the realm's writer.
  everySecs: 600,
  async run(realm) {
    const { generation } = realm.environment.coordination;
    const told = await readToldGeneration(realm.database.sql, realm.id);
    if (told === null || told < generation) await realm.execute("tellOfRestart", { generation });
  },
};

/** What a realm does whatever its nouns. */
export const realmNoun = defineNoun({
  commands: {
    tellPosition,
    tellOfRestart,
  },
  jobs: [restartJob],
});
