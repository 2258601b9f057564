import { NotBegun } from "../realm/commit/work.ts";
import type { Coordination } from "./coordination.ts";

/** Pause between attempts to begin a term again. */
const retryMs = 100;

/**
 * One process is the whole cluster, and writes every realm that it loads. Another process may still take a realm for a
 * moment, as the command line does to add an account. Then this one begins a new term and reads what the other wrote.
 *
 * @param startedAt UNIX seconds
 */
export function localCoordination(startedAt = Math.floor(Date.now() / 1000)): Coordination {
  return {
    nodeId: undefined,
    generation: startedAt,
    forwardsUnderWay: 0,
    hasStreams: true,
    streamEnd: async () => "",
    async join(_realmId, _place, member) {
      await member.won();
      let hasLeft = false;
      const winAgain = (): void => {
        if (!hasLeft) setTimeout(() => void member.won().catch(winAgain), retryMs);
      };
      return {
        publish: () => {},
        claim: () => {},
        publishEphemeral: (entry) => member.publish(entry),
        forward: () => Promise.reject(new NotBegun()),
        lag: () => ({ positions: 0, ms: 0 }),
        writerlessMs: () => 0,
        fenced: winAgain,
        release: async () => {
          hasLeft = true;
        },
      };
    },
    nodes: async () => [],
    onRequest: () => {},
    drain: async () => {},
    close: async () => {},
  };
}
