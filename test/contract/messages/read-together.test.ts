/** People who mark messages read at the same time share a commit; each is decided by themselves. */

import { describe, expect, it } from "vitest";
import { historyMemory } from "../../../actors/history/history.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { settledWriter } from "../../support/faults/settled-writer.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const people = server.people("Ada", "Bob", "Cid", "Dan", "Eve", "Fay");
const channel = server.channel("together", people);
const closed = server.channel("closed", [server.owner, people[0]], { invite_only: true });

describe("marking read together", () => {
  it("leaves everybody with what they did not mark", async () => {
    const ids = await send(channel.id, 6);
    await Promise.all(people.map((person, index) => mark(person, [ids[index]!, ids[(index + 1) % 6]!])));
    for (const [index, person] of people.entries()) {
      const marked = new Set([ids[index], ids[(index + 1) % 6]]);
      expect(await unreadOf(person)).toEqual(ids.filter((id) => !marked.has(id)));
    }
    await Promise.all(people.map((person) => mark(person, ids)));
  });

  it("tells each what they marked, and what they mark twice once", async () => {
    const [id] = await send(channel.id, 1);
    const [first, second] = people;
    const queues = await Promise.all(
      [first, second].map(({ client }) => client.register({ event_types: ["update_message_flags"] })),
    );
    await Promise.all([mark(first, [id!]), mark(first, [id!]), mark(second, [id!])]);
    for (const [index, { client }] of [first, second].entries()) {
      const { queue_id, last_event_id } = queues[index]!;
      const { events } = expectSuccess(await client.get("/events", { queue_id, last_event_id })) as {
        events: { messages: number[] }[];
      };
      expect(events.map(({ messages }) => messages)).toEqual([[id]]);
    }
  });

  it("writes one entry for all who mark the same at once, and asks PostgreSQL for nobody again", async () => {
    const crowd = await Promise.all(Array.from({ length: 30 }, (_, index) => server.addUser(`Reader ${index}`)));
    const hall = await server.addChannel("hall", crowd);
    const [first, second, third] = await send(hall, 3);
    const writer = (await server.realms())[await settledWriter(server.nodes)]!;
    const markAll = (messageOf: (index: number) => number) =>
      Promise.all(
        crowd.map(({ id: userId }, index) =>
          writer.execute("updateMessageFlags", { userId, messageIds: [messageOf(index)], op: "add", flag: "read" }),
        ),
      );
    // What it takes to decide is in memory by then.
    await markAll(() => first!);
    const cursors = await Promise.all(crowd.map((person) => person.queue({ event_types: ["update_message_flags"] })));
    const { position } = writer;
    await markAll((index) => (index === 7 ? third! : second!));
    const entries = await server.database.sql<{ messages: number[]; readers: number }[]>`
      select entry->'e'->'messages' as messages, json_array_length(entry->'a'->'ids') as readers from realm_log
      where position > ${position} and entry->'e'->>'type' = 'update_message_flags' order by readers`;
    const readersOf = (id: number | undefined) =>
      entries.filter(({ messages }) => messages[0] === id).reduce((sum, { readers }) => sum + readers, 0);
    expect([readersOf(third), readersOf(second)]).toEqual([1, 29]);
    // A batch may have been under way already when others came.
    expect(entries.length).toBeLessThan(crowd.length / 2);
    for (const [index, person] of crowd.entries()) {
      const marked = index === 7 ? third : second;
      expect((await person.drain(cursors[index]!)).map((event) => event["messages"])).toEqual([[marked]]);
      expect(await unreadOf(person)).toEqual([index === 7 ? second : third]);
      expect(memoryOf(writer, historyMemory).readers.find(person.id)).toBeDefined();
    }
  });

  it("passes over what one of them may not read", async () => {
    const [secret] = await send(closed.id, 1);
    const [open] = await send(channel.id, 1);
    const answers = await Promise.all(people.map((person) => mark(person, [secret!, open!])));
    for (const answer of answers) expectSuccess(answer);
    expect(await unreadOf(people[0])).toEqual([]);
    const rows = await server.database.sql<{ user_id: number }[]>`
      select s.user_id from read_states s join channels c using (recipient_id) where c.id = ${closed.id}`;
    expect(rows.map(({ user_id }) => user_id)).toEqual([people[0].id]);
  });

  it("refuses one without the others", async () => {
    const ids = await send(channel.id, 1);
    const [leaver, ...others] = people;
    const writer = (await server.realms())[await settledWriter(server.nodes)]!;
    expectSuccess(await server.owner.client.delete(`/users/${leaver.id}`, {}));
    const asked = [leaver, ...others].map(({ id: userId }) =>
      writer.execute("updateMessageFlags", { userId, messageIds: ids, op: "add", flag: "read" }).then(
        ({ updatedCount }) => updatedCount,
        (error: unknown) => String(error),
      ),
    );
    expect(await Promise.all(asked)).toEqual([expect.stringContaining("deactivated"), 1, 1, 1, 1, 1]);
  });
});

async function send(to: number, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let index = 0; index < count; index++) {
    const fields = { type: "stream", to, topic: "t", content: "x" };
    ids.push(expectSuccess(await server.owner.client.post("/messages", fields))["id"] as number);
  }
  return ids;
}

const mark = ({ client }: Person, messages: number[]) =>
  client.post("/messages/flags", { messages, op: "add", flag: "read" });

async function unreadOf({ client }: Person): Promise<number[]> {
  const narrow = JSON.stringify([{ operator: "is", operand: "unread" }]);
  const { messages } = expectSuccess(
    await client.get("/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow }),
  ) as { messages: { id: number }[] };
  return messages.map(({ id }) => id);
}
