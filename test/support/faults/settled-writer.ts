/**
 * Which of several nodes writes an organization for good. Of nodes that have just met the first one writes, and hands
 * over some seconds later where another one should write: half of all tests that ask earlier see it change.
 */
import { score } from "../../../actors/cluster/cluster-node.ts";
import type { RunningServer } from "../../../http/process/main.ts";
import { until } from "../time/until.ts";

/** @returns its place among `nodes`, when it writes the first organization */
export async function settledWriter(nodes: readonly RunningServer[]): Promise<number> {
  const realms = await Promise.all(nodes.map(({ app }) => app.system.realmByHost("localhost")));
  const scores = realms.map(({ id, environment }) => score(environment.coordination.nodeId ?? "", id));
  const index = scores.indexOf(scores.toSorted().at(-1) ?? "");
  await until("the node to write that should", () => realms[index]?.isWriter === true);
  return index;
}
