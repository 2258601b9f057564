import { NotBegun } from "../realm/commit/work.ts";
import type { Coordination } from "./coordination.ts";

/** Between attempts to begin a term again. */
const retryMs = 100;

/**
 * One process is the whole cluster: it writes every realm that it loads. Another one may still take a realm for a
 * moment (the command line, adding an account); then this one begins a new term and reads what the other wrote.
 *
 * @param startedAt UNIX seconds
 */
export function localCoordination(startedAt = Math.floor(Date.now() / 1000)): Coordination {
  return {
    generation: startedAt,
    forwardsUnderWay: 0,
    silentMs: 0,
    place: async () => "",
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
