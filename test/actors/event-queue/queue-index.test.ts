import { describe, expect, it } from "vitest";
import { QueueProfiles } from "../../../actors/event-queue/profile.ts";
import { EventQueue } from "../../../actors/event-queue/queue.ts";
import { QueueIndex } from "../../../actors/event-queue/queue-index.ts";
import type { Registration } from "../../../actors/events/registration.ts";

const profiles = new QueueProfiles();

function newQueue(id: string, userId: number, types: string[] | null, all_public_streams = false): EventQueue {
  const registration = {
    event_types: types,
    narrow: [],
    all_public_streams,
    apply_markdown: true,
    client_gravatar: true,
    capabilities: [],
  };
  return new EventQueue(id, userId, profiles.of(registration as unknown as Registration), 600, 0, 0, 0, 0);
}

const takersOf = (index: QueueIndex, type: string): string[] =>
  index
    .takersOf(type)
    .flatMap((queues) => [...queues])
    .map(({ id }) => id)
    .sort();

describe("the index of queues", () => {
  const index = new QueueIndex();
  const queues = [
    newQueue("all", 1, null),
    newQueue("messages", 1, ["message"]),
    newQueue("messages of another", 2, ["message"]),
    newQueue("presence", 2, ["presence", "typing"], true),
  ];
  for (const queue of queues) index.add(queue);

  it("finds those that take a type, and those that take every type", () => {
    expect(takersOf(index, "message")).toEqual(["all", "messages", "messages of another"]);
    expect(takersOf(index, "typing")).toEqual(["all", "presence"]);
    expect(takersOf(index, "realm")).toEqual(["all"]);
  });

  it("keeps queues that take the same in one set", () => {
    expect(index.takersOf("message").map(({ size }) => size)).toEqual([1, 2]);
  });

  it("knows nothing of a queue that was removed, also when it is removed twice", () => {
    for (const queue of [queues[0]!, queues[3]!, queues[3]!]) index.remove(queue);
    expect(takersOf(index, "message")).toEqual(["messages", "messages of another"]);
    expect(index.takersOf("typing")).toEqual([]);
    expect([...index.allPublic]).toEqual([]);
    expect(index.of(1).map(({ id }) => id)).toEqual(["messages"]);
    expect(index.of(2).map(({ id }) => id)).toEqual(["messages of another"]);
    expect([...index.byId.keys()]).toEqual(["messages", "messages of another"]);
  });
});
