import { expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { describeNodes, listNodes } from "../../../http/process/nodes.ts";

it("parley nodes: a replica is as far behind as its writer is ahead", () => {
  const node = (id: string, isWriter: boolean, position: number, lagMs: number) => ({
    id,
    name: `host:${id}`,
    ...(isWriter && { version: "0.1.0" }),
    startedAt: 1000,
    state: "ready" as const,
    realms: [{ id: 1, isWriter, position, lagMs, queues: 3 }],
  });
  const infos = [node("1", true, 500, 0), node("2", false, 480, 1200), node("3", false, 501, 2)];
  const { text, data } = describeNodes(infos, new Map([[1, "Parley"]]), 1000 + 90_061);
  expect(text.split("\n")).toEqual([
    "host:1  ready, Parley 0.1.0, up 1 d 1 h",
    "  Parley: writes, at 500, 3 queues",
    "host:2  ready, an older Parley, up 1 d 1 h",
    "  Parley: follows, 20 behind (1200 ms), at 480, 3 queues",
    "host:3  ready, an older Parley, up 1 d 1 h",
    "  Parley: follows, 0 behind (2 ms), at 501, 3 queues",
  ]);
  expect((data as { nodes: object[] }).nodes[1]).toMatchObject({
    name: "host:2",
    version: null,
    started_at: 1000,
    realms: [{ id: 1, role: "follower", lag_positions: 20, lag_ms: 1200 }],
  });
});

it("parley nodes: without Redis it says that there are none, which is no failure", async () => {
  const listed = await listNodes({} as never, readConfig({}));
  expect(listed).toEqual({ text: expect.stringContaining("one process"), data: { nodes: [] } });
});
