/** Forwarding, between two ends of a memory bus and over a bus that fails as told. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Forwarding } from "../../../actors/cluster/forwarding.ts";
import type { CommandMessage, NodeMessage } from "../../../actors/cluster/node-messages.ts";
import { ApiError } from "../../../actors/errors.ts";
import { NotBegun } from "../../../actors/realm/commit/work.ts";
import type { Bus } from "../../../storage/cluster/bus.ts";
import { MemoryHub, memoryBus } from "../../../storage/cluster/bus-memory.ts";
import { CoordinationUnavailable } from "../../../storage/cluster/lease.ts";

/** A sender, and a writer that keeps what it was asked and answers when told. */
function pair() {
  const hub = new MemoryHub();
  const bus = memoryBus(hub, "sender");
  const forwarding = new Forwarding(bus);
  bus.onMessage((_from, message) => forwarding.receive(message as Extract<NodeMessage, { kind: "done" | "refused" }>));
  const writer = memoryBus(hub, "writer");
  const asked: CommandMessage[] = [];
  writer.onMessage((_from, message) => void asked.push(message as CommandMessage));
  return { forwarding, writer, asked, answer: (message: NodeMessage) => writer.send("sender", message) };
}

/** A sender whose bus does nothing but what `send` does. */
const over = (send: Bus["send"]) => new Forwarding({ ...memoryBus(new MemoryHub(), "sender"), send });

const delivered = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
const deadlineMs = 10_000;
const lastAnswersMs = 1000;
const longerThanLastAnswersMs = 1200;
const addReaction = { name: "addReaction", args: {}, by: undefined };

async function refusal(outcome: Promise<unknown>): Promise<unknown> {
  return outcome.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error,
  );
}

function expectUnknown(error: unknown): void {
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 503, message: expect.stringContaining("may or may not have been done") });
}

describe("forwarding", () => {
  it("brings the reply and its position back, to the right caller", async () => {
    const { forwarding, asked, answer } = pair();
    const first = forwarding.send(
      "writer",
      7,
      { name: "sendMessage", args: { content: "one" }, by: undefined },
      deadlineMs,
    );
    const second = forwarding.send(
      "writer",
      7,
      { name: "sendMessage", args: { content: "two" }, by: undefined },
      deadlineMs,
    );
    await delivered();
    expect(asked).toMatchObject([
      { kind: "command", realm: 7, name: "sendMessage", args: { content: "one" } },
      { kind: "command", realm: 7, name: "sendMessage", args: { content: "two" } },
    ]);
    await answer({ kind: "done", id: asked[1]!.id, reply: { id: 2 }, position: 12 });
    await answer({ kind: "done", id: asked[0]!.id, reply: { id: 1 }, position: 11 });
    expect(await first).toEqual({ reply: { id: 1 }, position: 11 });
    expect(await second).toEqual({ reply: { id: 2 }, position: 12 });
    expect(forwarding.underWay).toBe(0);
  });

  it("brings a refusal back as it was", async () => {
    const { forwarding, asked, answer } = pair();
    const outcome = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    await delivered();
    const error = {
      status: 400,
      code: "REACTION_ALREADY_EXISTS",
      message: "Reaction already exists.",
      extra: { x: 1 },
    };
    await answer({ kind: "refused", id: asked[0]!.id, error });
    expect(await outcome).toBeInstanceOf(ApiError);
    expect(await outcome).toMatchObject(error);
  });

  it("says that nothing was begun when the other node says so", async () => {
    const { forwarding, asked, answer } = pair();
    const outcome = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    await delivered();
    await answer({ kind: "refused", id: asked[0]!.id });
    expect(await outcome).toBeInstanceOf(NotBegun);
  });

  it("says that nothing was begun when nobody is there to get it", async () => {
    const { forwarding } = pair();
    expect(await refusal(forwarding.send("nobody", 7, addReaction, deadlineMs))).toBeInstanceOf(NotBegun);
    expect(forwarding.underWay).toBe(0);
  });

  it("tells a command that never left from one that may have", async () => {
    const certain = over(() => Promise.reject(new CoordinationUnavailable("not connected", true)));
    expect(await refusal(certain.send("writer", 7, addReaction, deadlineMs))).toBeInstanceOf(NotBegun);
    const uncertain = over(() => Promise.reject(new CoordinationUnavailable("cut off", false)));
    expectUnknown(await refusal(uncertain.send("writer", 7, addReaction, 50)));
  });

  it("asks again, by another way, for a command that may have left, and takes that answer", async () => {
    const asked: [string, unknown][] = [];
    const forwarding = over(async (_to, message, nature = "plain") => {
      asked.push([nature, message]);
      if (nature === "plain") throw new CoordinationUnavailable("cut off", false);
      return true;
    });
    const outcome = forwarding.send("writer", 7, { name: "addReaction", args: { x: 1 }, by: undefined }, deadlineMs);
    await delivered();
    expect(asked).toMatchObject([
      ["plain", { kind: "command", id: 1, args: { x: 1 } }],
      ["repeat", { kind: "again", id: 1, args: { x: 1 } }],
    ]);
    forwarding.receive({ kind: "done", id: 1, reply: { y: 2 }, position: 5 });
    expect(await outcome).toEqual({ reply: { y: 2 }, position: 5 });
  });

  it("takes an answer that is there before the bus says that the command is on its way", async () => {
    const sends: (() => void)[] = [];
    const forwarding = over(() => new Promise((resolve) => sends.push(() => resolve(true))));
    const outcome = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    forwarding.receive({ kind: "refused", id: 1 });
    // An error that nobody looks at in time ends the process.
    await delivered();
    sends[0]!();
    expect(await outcome).toBeInstanceOf(NotBegun);
  });

  it("gives up on a writer that was replaced, and on no other", async () => {
    const { forwarding, asked, answer } = pair();
    const mine = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    const other = forwarding.send("writer", 8, addReaction, deadlineMs);
    await delivered();
    forwarding.writerChanged(7, "writer");
    expect(forwarding.underWay).toBe(2);
    forwarding.writerChanged(7, "successor");
    expectUnknown(await mine);
    await answer({ kind: "done", id: asked[1]!.id, reply: {}, position: 3 });
    expect(await other).toEqual({ reply: {}, position: 3 });
  });

  it("takes the answers that a writer gave before it was replaced", async () => {
    const { forwarding, asked, answer } = pair();
    const outcome = forwarding.send("writer", 7, addReaction, deadlineMs);
    const handedBack = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    await delivered();
    forwarding.writerChanged(7, "successor");
    await answer({ kind: "done", id: asked[0]!.id, reply: {}, position: 3 });
    await answer({ kind: "refused", id: asked[1]!.id });
    expect(await outcome).toEqual({ reply: {}, position: 3 });
    expect(await handedBack).toBeInstanceOf(NotBegun);
  });

  it("takes them also when the process did not get to run in time", async () => {
    const { forwarding, asked, answer } = pair();
    const outcome = forwarding.send("writer", 7, addReaction, deadlineMs);
    await delivered();
    forwarding.writerChanged(7, "successor");
    setTimeout(() => {
      const end = performance.now() + longerThanLastAnswersMs;
      while (performance.now() < end);
      // It is read after the timers.
      void answer({ kind: "done", id: asked[0]!.id, reply: {}, position: 3 });
    });
    expect(await outcome).toEqual({ reply: {}, position: 3 });
  });

  it("refuses when too many are under way, and says that nothing was done", async () => {
    const forwarding = over(async () => true);
    for (let index = 0; index < 10_000; index++) forwarding.send("writer", 7, addReaction, deadlineMs).catch(() => {});
    expect(await refusal(forwarding.send("writer", 7, addReaction, deadlineMs))).toMatchObject({
      status: 503,
      message: expect.stringContaining("nothing was done"),
    });
    forwarding.writerChanged(7, "nobody");
  });
});

describe("forwarding, as time goes by", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("asks a writer that was replaced once more, and passes over what it says too late", async () => {
    const { forwarding, asked, answer } = pair();
    const outcome = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    await delivered();
    forwarding.writerChanged(7, "successor");
    vi.advanceTimersByTime(lastAnswersMs);
    expectUnknown(await outcome);
    // The answer that comes late, or twice, changes nothing.
    await answer({ kind: "done", id: asked[0]!.id, reply: {}, position: 3 });
    await answer({ kind: "done", id: asked[0]!.id, reply: {}, position: 3 });
    await delivered();
    expect(asked.map(({ kind }) => kind)).toEqual(["command", "again"]);
    expect(forwarding.underWay).toBe(0);
  });

  it("says after the deadline that it does not know", async () => {
    const { forwarding } = pair();
    const outcome = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    vi.advanceTimersByTime(deadlineMs - 1);
    expect(forwarding.underWay).toBe(1);
    vi.advanceTimersByTime(1);
    expectUnknown(await outcome);
    expect(forwarding.underWay).toBe(0);
  });

  /** A sender whose messages by Redis get lost, and what it asked again. */
  function deaf(isConnected: boolean) {
    const again: unknown[] = [];
    const confirmations: ((isThere: boolean) => void)[] = [];
    const send: Bus["send"] = async (_to, message, nature = "plain") => {
      if (nature === "repeat") again.push((message as CommandMessage).id);
      else return new Promise((resolve) => confirmations.push(resolve));
      return true;
    };
    const bus: Bus = { ...memoryBus(new MemoryHub(), "sender"), send, isConnected: true };
    const forwarding = new Forwarding(bus);
    const outcome = refusal(forwarding.send("writer", 7, addReaction, deadlineMs));
    Object.assign(bus, { isConnected });
    return { forwarding, outcome, again, confirm: (isThere: boolean) => confirmations[0]!(isThere) };
  }

  it("asks again soon when Redis is in doubt, and later when it is not", async () => {
    const [doubtful, sound] = [deaf(false), deaf(true)];
    vi.advanceTimersByTime(250);
    expect([doubtful.again, sound.again]).toEqual([[1], []]);
    vi.advanceTimersByTime(800);
    expect([doubtful.again.length, sound.again]).toEqual([1, [1]]);
    for (const { forwarding, outcome } of [doubtful, sound]) {
      forwarding.receive({ kind: "refused", id: 1 });
      expect(await outcome).toBeInstanceOf(NotBegun);
    }
  });

  it("does not take what it asked for again for undone when Redis says at last that nobody got it", async () => {
    const { forwarding, outcome, confirm } = deaf(false);
    vi.advanceTimersByTime(250);
    confirm(false);
    await Promise.resolve();
    await Promise.resolve();
    expect(forwarding.underWay).toBe(1);
    vi.advanceTimersByTime(deadlineMs);
    expectUnknown(await outcome);
  });
});
