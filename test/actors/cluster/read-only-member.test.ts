/** How the command line finds the node that writes, where only that node's answer tells. */
import { expect, it } from "vitest";
import type { NodeMessage } from "../../../actors/cluster/node-messages.ts";
import { writerByMail } from "../../../actors/cluster/read-only-member.ts";
import type { Member } from "../../../actors/realm/coordination.ts";
import { MemoryHub, memoryBus } from "../../../storage/cluster/bus-memory.ts";

it("commands that ask the writer at once all hear its answer, and one that asks later asks anew", async () => {
  const { find, helloes } = joined();
  expect(await Promise.all([find(), find(), find()])).toEqual(["writer", "writer", "writer"]);
  expect(helloes()).toBe(1);
  expect(await find()).toBe("writer");
  expect(helloes()).toBe(2);
});

it("a node that answers, and writes other realms, is not the writer", async () => {
  expect(await joined([2]).find()).toBeUndefined();
});

/** A read-only member, and a node that PostgreSQL names as the writer, which says that it writes these realms. */
function joined(writes: readonly number[] = [realmId]) {
  const hub = new MemoryHub();
  const writer = memoryBus(hub, "writer");
  let helloes = 0;
  writer.onMessage((from) => {
    helloes++;
    void writer.send(from, { kind: "here", writes } satisfies NodeMessage);
  });
  const findWriter = writerByMail(memoryBus(hub, "member"));
  const member = { term: async () => ({ epoch: 1, node: "writer", isServed: true }) } as unknown as Member;
  return { find: () => findWriter(realmId, member), helloes: () => helloes };
}

const realmId = 1;
