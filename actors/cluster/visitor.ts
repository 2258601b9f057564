/**
 * For a process that visits a realm and leaves again (the command line). It forwards its commands to the node that
 * writes, and becomes the writer only of a realm without one.
 */
import type { Bus } from "../../storage/cluster/bus.ts";
import type { Leases } from "../../storage/cluster/lease.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { Coordination } from "./coordination.ts";
import { Forwarding } from "./forwarding.ts";
import { localCoordination } from "./local.ts";
import type { NodeMessage } from "./node-messages.ts";
import { leaseOf } from "./seat.ts";

export function visitingCoordination(bus: Bus, leases: Leases): Coordination {
  const local = localCoordination();
  const forwarding = new Forwarding(bus);
  bus.onMessage((_from, message) => {
    const { kind } = message as NodeMessage;
    if (kind === "done" || kind === "refused")
      forwarding.receive(message as Extract<NodeMessage, { kind: typeof kind }>);
  });
  return {
    ...local,
    async join(realmId, place, member) {
      const findWriter = () => leases.holder(leaseOf(realmId)).catch(() => undefined);
      if ((await findWriter()) === undefined) return local.join(realmId, place, member);
      return {
        publish: () => {},
        publishEphemeral: () => {},
        claim: () => {},
        async forward(command, deadlineMs) {
          const writer = await findWriter();
          if (writer === undefined) throw new NotBegun();
          return forwarding.send(writer, realmId, command, deadlineMs);
        },
        lag: () => ({ positions: 0, ms: 0 }),
        writerlessMs: () => 0,
        fenced: () => {},
        release: async () => {},
      };
    },
    close: () => bus.close(),
  };
}
