import { describe, expect, it } from "vitest";
import { FanOut } from "../../../actors/event-queue/fan-out.ts";
import { QueueProfiles } from "../../../actors/event-queue/profile.ts";
import { EventQueue } from "../../../actors/event-queue/queue.ts";
import { type KeptRealm, Upkeep } from "../../../actors/event-queue/upkeep.ts";
import type { Registration } from "../../../actors/events/registration.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";

/** Until a heartbeat is due, and the writer has not given it a place. */
const patienceSecs = 120;
const position = 7;

describe("a poll that waits while there is no writer", () => {
  it("has a heartbeat at the newest place, and when it was told of that place already an empty answer", () => {
    let now = 0;
    const environment = { steady: () => now, clock: () => now, limits: { idleAfterSecs: 600 } };
    const limits = { maxBacklogEvents: 10, maxBacklogBytes: 1000 };
    const state = {} as RealmState;
    const fanOut = new FanOut(state, limits, { delivered: () => {}, answered: () => {}, collected: () => {} });
    const realm = { environment, position, publish: () => {} } as unknown as KeptRealm;
    const upkeep = new Upkeep(realm, fanOut, () => {});
    const registration = {
      event_types: null,
      narrow: [],
      all_public_streams: false,
      apply_markdown: true,
      client_gravatar: true,
      capabilities: [],
    };
    const profile = new QueueProfiles().of(registration as unknown as Registration);
    const queue = new EventQueue("q", 1, profile, 600, 0, 0, 0, 0);
    fanOut.add(queue, { type: "queue.registered" });
    upkeep.schedule(queue, now);
    const poll = (lastEventId: number): unknown => {
      const answers: { events: unknown }[] = [];
      queue.acknowledge(lastEventId);
      queue.parked = {
        isStream: false,
        answer: (body) => void answers.push(JSON.parse(Buffer.from(body).toString()) as { events: unknown }),
      };
      queue.parkedAt = now;
      for (const end = now + patienceSecs; now < end && answers.length === 0; now++) upkeep.sweep(now);
      expect(answers).toHaveLength(1);
      return answers[0]!.events;
    };
    expect(poll(0)).toEqual([{ type: "heartbeat", id: position }]);
    expect(poll(position)).toEqual([]);
  });
});
