import { describe, expect, it } from "vitest";
import { FanOut } from "../../../actors/event-queue/fan-out.ts";
import { QueueProfiles } from "../../../actors/event-queue/profile.ts";
import { EventQueue } from "../../../actors/event-queue/queue.ts";
import type { Registration } from "../../../actors/event-queue/registration.ts";
import { type KeptRealm, Upkeep } from "../../../actors/event-queue/upkeep.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";

/** Until a heartbeat is due, and the writer has not given it a place. */
const patienceSecs = 120;
const position = 7;

/** Queues of nobody's, whose polls are answered as `upkeep` sees fit. */
function startUpkeep(clock: () => number) {
  const environment = { steady: clock, clock, limits: { idleAfterSecs: 600 } };
  const limits = { maxBacklogEvents: 10, maxBacklogBytes: 1000 };
  const state = {} as RealmState;
  const fanOut = new FanOut(state, limits, { delivered: () => {}, answered: () => {}, collected: () => {} });
  const realm = { environment, position, publish: () => {} } as unknown as KeptRealm;
  const upkeep = new Upkeep(realm, fanOut, () => {});
  const registration = { event_types: null, narrow: [], all_public_streams: false, capabilities: [] };
  const profile = new QueueProfiles().of(registration as unknown as Registration);
  const add = (name: string): EventQueue => {
    const queue = new EventQueue(name, 1, profile, 600, 0, 0, 0, 0);
    fanOut.add(queue, { type: "queue.registered" });
    upkeep.schedule(queue, clock());
    return queue;
  };
  const park = (queue: EventQueue, answered: (events: unknown) => void): void => {
    queue.parked = {
      isStream: false,
      answer: (body) => answered((JSON.parse(Buffer.from(body).toString()) as { events: unknown }).events),
    };
    queue.parkedAt = clock();
  };
  return { upkeep, add, park };
}

describe("a poll that waits while there is no writer", () => {
  it("has a heartbeat at the newest place, and when it was told of that place already an empty answer", () => {
    let now = 0;
    const { upkeep, add, park } = startUpkeep(() => now);
    const queue = add("q");
    const poll = (lastEventId: number): unknown => {
      const answers: unknown[] = [];
      queue.acknowledge(lastEventId);
      park(queue, (events) => answers.push(events));
      for (const end = now + patienceSecs; now < end && answers.length === 0; now++) upkeep.sweep(now);
      expect(answers).toHaveLength(1);
      return answers[0];
    };
    expect(poll(0)).toEqual([{ type: "heartbeat", id: position }]);
    expect(poll(position)).toEqual([]);
  });
});

describe("heartbeats of few queues", () => {
  it("are due 45 to 55 seconds after their polls came, together at every fifth second", () => {
    let now = 0;
    const { upkeep, add, park } = startUpkeep(() => now);
    const due: { at: number; after: number }[] = [];
    const queues = Array.from({ length: 40 }, (_, index) => add(`q${index}`));
    for (; now < 20; now++) {
      for (const queue of queues.slice(2 * now, 2 * now + 2)) {
        const since = now;
        park(queue, () => due.push({ at: now, after: now - since }));
      }
      upkeep.sweep(now);
    }
    // The writer gives each second's heartbeats their place at once.
    for (; now < patienceSecs; now++) {
      upkeep.sweep(now);
      upkeep.heartbeat(position + now);
    }
    expect(due).toHaveLength(queues.length);
    for (const { after } of due) {
      expect(after).toBeGreaterThanOrEqual(45);
      expect(after).toBeLessThanOrEqual(55);
    }
    expect(new Set(due.map(({ at }) => at % 5)).size).toBe(1);
  });
});
