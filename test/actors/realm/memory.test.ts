/** What nouns remember of a realm: when each is told of an entry, and what the next load gets. */
import { expect, it } from "vitest";
import type { LogEntry } from "../../../actors/realm/entry.ts";
import { defineMemory, Memories, type MemoryRealm, memoryOf } from "../../../actors/realm/memory.ts";
import { defineNoun, sumOf } from "../../../actors/realm/noun.ts";

const realm = {} as MemoryRealm;
const entry: LogEntry = { position: 7, bytes: 2 };

/** A memory that writes down what it is told. */
const diary = (name: string, told: string[]) =>
  defineMemory<{ left: string }, string>({
    name,
    load: (_realm, left) => ({ left: left ?? "nothing" }),
    foresee: () => void told.push(`${name} foresees`),
    apply: (_memory, { position }) => void told.push(`${name} applies ${position}`),
    stop: async () => void told.push(`${name} stops`),
    close: () => `what ${name} knew`,
  });

it("memories hear of an entry in the order in which they are declared, and stop in the other", async () => {
  const told: string[] = [];
  const memories = new Memories();
  await memories.load([diary("one", told), diary("two", told)], realm, undefined);
  memories.foresee(entry);
  memories.apply(entry);
  await memories.stop();
  expect(told).toEqual(["one foresees", "two foresees", "one applies 7", "two applies 7", "two stops", "one stops"]);
});

it("the next load gets what this one leaves, each memory its own", async () => {
  const [one, two] = [diary("one", []), diary("two", [])];
  const first = new Memories();
  await first.load([one, two], realm, undefined);
  expect(memoryOf({ memories: first }, one)).toEqual({ left: "nothing" });
  const second = new Memories();
  await second.load([two, one], realm, first.close());
  expect(memoryOf({ memories: second }, one)).toEqual({ left: "what one knew" });
  expect(memoryOf({ memories: second }, two)).toEqual({ left: "what two knew" });
});

it("what no noun of the server remembers is a bug, which names it", () => {
  expect(() => memoryOf({ memories: new Memories() }, diary("lost", []))).toThrow('"lost"');
});

it("an entry that is not stored is published as the memory that knows it decides, else as it is", async () => {
  const memories = new Memories();
  const decided = [{ tick: true }] as const;
  const decides = defineMemory<object>({
    name: "decides",
    load: () => ({}),
    decide: (_memory, { presence }) => presence && decided,
  });
  await memories.load([diary("other", []), decides], realm, undefined);
  expect(memories.decide({ presence: { batch: "", users: [] } })).toBe(decided);
  expect(memories.decide(entry)).toEqual([entry]);
});

it("two nouns cannot have a command of one name", () => {
  const noun = defineNoun({ commands: { addThing: () => ({ decide: () => null }) } });
  expect(Object.keys(sumOf([noun, {}]).commands)).toEqual(["addThing"]);
  expect(() => sumOf([noun, noun])).toThrow("addThing");
});
