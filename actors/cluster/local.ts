import type { Bus } from "../../storage/cluster/bus.ts";
import type { RealmId } from "../../storage/ids.ts";
import type { Logger } from "../logger.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { Coordination, Member } from "../realm/coordination.ts";
import { CommandTaker } from "./command-taker.ts";
import type { NodeMessage } from "./node-messages.ts";

/** Pause between attempts to begin a term again. */
const retryMs = 100;

/**
 * One process is the whole cluster, and writes every realm that it loads. The command line hands its commands to it by
 * mail. A process that knows no mail may still take a realm for a moment. Then this one begins a new term and reads
 * what the other wrote.
 *
 * @param startedAt UNIX seconds
 * @param mail how others reach this process; without mail it takes no commands of others
 */
export function localCoordination(
  startedAt = Math.floor(Date.now() / 1000),
  mail?: { bus: Bus; log: Logger },
): Coordination {
  const members = new Map<RealmId, Member>();
  if (mail !== undefined) {
    const { bus, log } = mail;
    const commands = new CommandTaker(bus, log, (realm) => members.get(realm));
    bus.onMessage((from, data) => {
      const message = data as NodeMessage;
      if (message.kind === "command" || message.kind === "again") void commands.take(from, message);
      else if (message.kind === "hello")
        void bus.send(from, { kind: "here", writes: [...members.keys()] } satisfies NodeMessage).catch(() => {});
    });
  }
  return {
    nodeId: mail?.bus.nodeId,
    generation: startedAt,
    forwardsUnderWay: 0,
    hasStreams: true,
    streamEnd: async () => ({ place: "", told: 0 }),
    async join(realmId, _place, member) {
      await member.beginTerm();
      members.set(realmId, member);
      let hasLeft = false;
      const winAgain = (): void => {
        if (!hasLeft) setTimeout(() => void member.beginTerm().catch(winAgain), retryMs);
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
          if (members.get(realmId) === member) members.delete(realmId);
        },
      };
    },
    nodes: async () => [],
    onRequest: () => {},
    drain: async () => {},
    close: async () => mail?.bus.close(),
  };
}
