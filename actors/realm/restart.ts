/**
 * Queues outlive the server that made them. Their clients would not notice that another server, perhaps of another
 * version, goes on with them, so it tells them by a `restart` event. A node that joins running ones is no restart; see
 * `Coordination.generation`.
 */
import { readToldGeneration, writeToldGeneration } from "../../storage/realms.ts";
import { featureLevel, mergeBase, version } from "../version.ts";
import { command } from "./command.ts";

/** @param generation when the server that writes the realm began to serve, UNIX seconds */
export const tellOfRestart = command<{ generation: number }, null>(async (tx, { generation }) => {
  const told = await readToldGeneration(tx.sql, tx.realmId);
  if (told !== null && told >= generation) return null;
  tx.write((sql) => writeToldGeneration(sql, tx.realmId, generation));
  // Before the first server nobody had a queue.
  if (told !== null) {
    const about = { zulip_version: version, zulip_merge_base: mergeBase, zulip_feature_level: featureLevel };
    tx.event({ type: "restart", ...about, server_generation: generation }, { to: "realm" });
  }
  return null;
});
