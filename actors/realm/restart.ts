/**
 * Queues outlive the server that made them, so their clients would not notice that another one, of another version
 * perhaps, goes on with them: it tells them. A node that joins others which are up is no restart: see
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
  // Nobody has a queue of an earlier server where there was none.
  if (told !== null) {
    const about = { zulip_version: version, zulip_merge_base: mergeBase, zulip_feature_level: featureLevel };
    tx.event({ type: "restart", ...about, server_generation: generation }, { to: "realm" });
  }
  return null;
});
