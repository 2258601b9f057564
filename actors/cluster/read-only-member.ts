/**
 * For a process that joins a realm for a moment (the command line). Where a node writes, the process is a read-only
 * member: it forwards its commands to that node. A realm without a writer it writes itself.
 */
import type { Bus } from "../../storage/cluster/bus.ts";
import type { Leases } from "../../storage/cluster/lease.ts";
import type { RealmId } from "../../storage/ids.ts";
import { NotBegun } from "../realm/commit/work.ts";
import type { Coordination, Member } from "../realm/coordination.ts";
import { leaseOf } from "./candidate.ts";
import { Forwarding } from "./forwarding.ts";
import { localCoordination } from "./local.ts";
import type { NodeMessage } from "./node-messages.ts";

/** Tells which node writes a realm. Undefined: none does, or none that can be reached. */
export type FindWriter = (realmId: RealmId, member: Member) => Promise<string | undefined>;

/** By the lease in Redis. */
export const writerByLease =
  (leases: Leases): FindWriter =>
  (realmId) =>
    leases.holder(leaseOf(realmId)).catch(() => undefined);

/** A node that lives answers sooner, also on a machine that is many times too busy. */
const answersWithinMs = 12_000;

/** Without Redis. PostgreSQL names the writer. The writer has to answer, since it may have died. */
export function writerByMail(bus: Bus): FindWriter {
  // Several commands may ask a node at once. One answer is for all of them.
  const asked = new Map<string, { written: Promise<readonly RealmId[]>; answer(writes: readonly RealmId[]): void }>();
  bus.onMessage((from, data) => {
    const message = data as NodeMessage;
    if (message.kind === "here") asked.get(from)?.answer(message.writes);
  });
  const ask = (node: string) => {
    let answer: (writes: readonly RealmId[]) => void = () => {};
    const written = new Promise<readonly RealmId[]>((resolve) => {
      answer = resolve;
    });
    const overdue = setTimeout(answer, answersWithinMs, []);
    void written.then(() => {
      clearTimeout(overdue);
      asked.delete(node);
    });
    const asking = { written, answer };
    asked.set(node, asking);
    void bus.send(node, { kind: "hello" } satisfies NodeMessage).catch(() => answer([]));
    return asking;
  };
  return async (realmId, member) => {
    const { isServed, node } = await member.term();
    if (!isServed || node === null) return undefined;
    const { written } = asked.get(node) ?? ask(node);
    return (await written).includes(realmId) ? node : undefined;
  };
}

export function commandLineCoordination(bus: Bus, writerOf: FindWriter): Coordination {
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
      const findWriter = () => writerOf(realmId, member);
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
