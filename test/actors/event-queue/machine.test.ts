import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type EventQueueEvent,
  type EventQueueState,
  eventQueueMachine,
  stepEventQueue,
} from "../../../actors/event-queue/machine.ts";

const step = (state: EventQueueState, event: EventQueueEvent) => {
  const { state: next, actions } = stepEventQueue(state, event);
  return [next, ...actions];
};

describe("event queue machine", () => {
  it("EQ1 a live queue that nobody polls gives its memory back", () => {
    expect(step("live", { type: "sweep.unpolled" })).toEqual(["idle", "shrink"]);
    expect(step("idle", { type: "sweep.unpolled" })).toEqual(["idle"]);
  });

  it("EQ2 a poll brings an idle queue up to date", () => {
    expect(step("idle", { type: "poll.attached", recoverable: true })).toEqual(["live", "revive"]);
  });

  it("EQ3 a queue that nobody polls for its time-out is collected", () => {
    expect(step("idle", { type: "sweep.expired" })).toEqual(["collected", "release"]);
    expect(step("live", { type: "sweep.expired" })).toEqual(["collected", "release"]);
  });

  it("EQ4 a deleted queue is collected, wherever it is", () => {
    for (const state of ["live", "idle", "evicted"] as const) {
      expect(step(state, { type: "queue.deleted" })).toEqual(["collected", "release"]);
    }
  });

  it("EQ5 a queue that falls too far behind is collected", () => {
    expect(step("live", { type: "backlog.overflowed" })).toEqual(["collected", "release"]);
    expect(step("idle", { type: "backlog.overflowed" })).toEqual(["collected", "release"]);
  });

  it("EQ6 a poll brings an evicted queue back", () => {
    expect(step("evicted", { type: "poll.attached", recoverable: true })).toEqual(["live", "revive"]);
  });

  it("EQ7 a queue that the log no longer reaches is collected", () => {
    expect(step("evicted", { type: "poll.attached", recoverable: false })).toEqual(["collected", "release"]);
    expect(step("idle", { type: "poll.attached", recoverable: false })).toEqual(["collected", "release"]);
  });

  it("EQ8 a node that lets a queue go ends nothing", () => {
    expect(step("live", { type: "node.released" })).toEqual(["evicted", "shrink"]);
    expect(step("idle", { type: "node.released" })).toEqual(["evicted", "shrink"]);
  });

  it("EQ9 a queue whose client asks again for what it acknowledged reads the log again", () => {
    expect(step("live", { type: "poll.rewound" })).toEqual(["idle", "shrink"]);
    expect(step("idle", { type: "poll.rewound" })).toEqual(["idle"]);
  });

  it("EQ13 a queue whose stream is cut holds nothing until its client comes again", () => {
    expect(step("live", { type: "stream.cut" })).toEqual(["idle", "shrink"]);
  });

  it("EQ10 a registered queue is live", () => {
    expect(step("unborn", { type: "queue.registered" })).toEqual(["live"]);
  });

  it("EQ12 a queue that memory has left behind reads the log with its first poll", () => {
    expect(step("unborn", { type: "queue.outrun" })).toEqual(["idle"]);
  });

  it("EQ11 a queue that was found by its registration holds nothing yet", () => {
    expect(step("unborn", { type: "queue.found" })).toEqual(["evicted"]);
  });

  it("stays collected for ever", () => {
    expect(eventQueueMachine.events.length).toBeGreaterThan(5);
    for (const type of eventQueueMachine.events)
      expect(step("collected", { type, recoverable: true } as EventQueueEvent), type).toEqual(["collected"]);
  });

  it("has a test for each rule of its table", () => {
    const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
    const rules = new Set(read("../../../actors/event-queue/machine.ts").match(/\bEQ\d+\b/g));
    const tested = new Set(read("./machine.test.ts").match(/\bEQ\d+\b/g));
    expect(rules.size).toBeGreaterThan(5);
    expect([...rules].filter((rule) => !tested.has(rule))).toEqual([]);
  });
});
