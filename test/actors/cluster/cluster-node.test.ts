/** What a node answers to a command of another one, whatever becomes of it here. */
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Cluster } from "../../../actors/cluster/cluster-node.ts";
import type { NodeMessage } from "../../../actors/cluster/node-messages.ts";
import { errors } from "../../../actors/errors.ts";
import { NotBegun } from "../../../actors/realm/commit/work.ts";
import type { Member } from "../../../actors/realm/coordination.ts";
import { HttpMetrics } from "../../../http/process/metrics/metrics.ts";
import type { Bus } from "../../../storage/cluster/bus.ts";
import { MemoryHub, memoryBus } from "../../../storage/cluster/bus-memory.ts";
import { memoryLeases } from "../../../storage/cluster/lease-memory.ts";
import { until } from "../../support/time/until.ts";

let asker: Bus;
let cluster: Cluster;
let answers: NodeMessage[];
let runs: number;
let execute: Member["execute"];
let handBack: () => void;
beforeEach(async () => {
  const hub = new MemoryHub();
  const log = { info() {}, warn() {}, error() {} };
  cluster = new Cluster({
    ...{ bus: memoryBus(hub, "writer"), leases: memoryLeases(new Map(), "writer"), leaseMs: 60_000, log },
    ...{ nodeName: "writer", version: "1", startedAt: 0, clock: () => 0, metrics: new HttpMetrics() },
  });
  [answers, runs] = [[], 0];
  handBack = () => {};
  asker = memoryBus(hub, "asker");
  asker.onMessage((_from, message) => {
    const { kind } = message as NodeMessage;
    if (kind === "done" || kind === "refused") answers.push(message as NodeMessage);
  });
  await cluster.join(1, "0", {
    beginTerm: async () => {},
    term: async () => ({ epoch: 1, isServed: false, node: null }),
    endTerm: async () => handBack(),
    entries() {},
    timeline: () => undefined,
    advance() {},
    catchUp: async () => {},
    claimed() {},
    position: () => 0,
    queueCount: () => 0,
    publish() {},
    execute(...args) {
      runs++;
      return execute(...args);
    },
  });
});
afterEach(() => cluster.close());

const ask = (kind: "command" | "again", id: number) =>
  asker.send("writer", { kind, id, realm: 1, name: "sendMessage", args: {}, by: undefined } satisfies NodeMessage);

async function answerTo(id: number): Promise<NodeMessage> {
  await ask("command", id);
  await until("an answer", () => answers.length > 0);
  return answers[0]!;
}

it("that PostgreSQL went away, in words that are for the caller, and no error of its own", async () => {
  execute = () => Promise.reject(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
  expect(await answerTo(7)).toMatchObject({
    kind: "refused",
    id: 7,
    error: { status: 503, code: "SERVICE_UNAVAILABLE", message: expect.stringContaining("may or may not") },
  });
});

it("that nothing was begun, or why it was refused", async () => {
  execute = () => Promise.reject(new NotBegun());
  expect(await answerTo(1)).toEqual({ kind: "refused", id: 1 });
  answers = [];
  execute = () => Promise.reject(errors.BAD_REQUEST("No."));
  expect(await answerTo(2)).toMatchObject({ id: 2, error: { status: 400, message: "No." } });
});

it("the same again, without doing it again", async () => {
  let done: (outcome: { reply: unknown; position: number }) => void = () => {};
  execute = () => new Promise((resolve) => (done = resolve));
  await ask("command", 7);
  await ask("again", 7);
  await ask("command", 7);
  await until("it to be begun", () => runs > 0);
  done({ reply: { id: 3 }, position: 9 });
  const answer = { kind: "done", id: 7, reply: { id: 3 }, position: 9 };
  await until("an answer", () => answers.length > 0);
  await ask("again", 7);
  await until("another", () => answers.length > 1);
  expect([answers, runs]).toEqual([[answer, answer], 1]);
});

it("whether it lives, and what it writes", async () => {
  const said: NodeMessage[] = [];
  asker.onMessage((_from, message) => void said.push(message as NodeMessage));
  await asker.send("writer", { kind: "hello" } satisfies NodeMessage);
  await until("an answer", () => said.length > 0);
  expect(said).toEqual([{ kind: "here", writes: [1] }]);
});

it("before it tells the others that they may write", async () => {
  const lost = new Promise<void>((resolve) => {
    handBack = resolve;
  });
  // What a command still does when its writer has ended.
  execute = () => lost.then(() => delay(50)).then(() => Promise.reject(new NotBegun()));
  const heard: string[] = [];
  asker.onMessage((_from, message) => void heard.push((message as NodeMessage).kind));
  await ask("command", 1);
  await until("it to be taken", () => runs === 1);
  await cluster.drain();
  await until("the lease to be free", () => heard.includes("free"));
  expect(heard).toEqual(["refused", "free"]);
});
