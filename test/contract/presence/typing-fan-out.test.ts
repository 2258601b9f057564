/** What a word about somebody's typing may cost everybody else. */
import { beforeAll, describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
beforeAll(setUp);

describe("typing in a direct conversation", () => {
  it("is told to a hundred people, and to nobody in a larger one", async () => {
    const { client, id } = server.owner;
    const cursor = cursorOf(await client.register({ event_types: ["typing"] }));
    // With the sender, 100 and 101.
    expectSuccess(await client.post("/typing", { op: "start", to: ids.slice(0, 99) }));
    expectSuccess(await client.post("/typing", { op: "stop", to: ids.slice(0, 100) }));
    expectSuccess(await client.post("/typing", { op: "stop", to: [ids[0]] }));
    const events = await client.drain(cursor, 2);
    expect(events.map(({ op, recipients }) => [op, (recipients as unknown[]).length])).toEqual([
      ["start", 100],
      ["stop", 2],
    ]);
    expect(events[0]!["sender"]).toMatchObject({ user_id: id });
  });

  it("names at most 1000 people", async () => {
    const answer = await server.owner.client.post("/typing", { op: "start", to: Array(1001).fill(ids[0]) });
    expectError(answer, 400);
  });
});

describe("typing in an edit", () => {
  it("is not told in a direct conversation of more than a hundred", async () => {
    const { client } = server.owner;
    const send = async (to: number[]) =>
      expectSuccess(await client.post("/messages", { type: "direct", to, content: "x" }))["id"] as number;
    const [large, small] = [await send(ids.slice(0, 100)), await send(ids.slice(0, 99))];
    const cursor = cursorOf(await client.register({ event_types: ["typing_edit_message"] }));
    expectSuccess(await client.post(`/messages/${large}/typing`, { op: "start" }));
    expectSuccess(await client.post(`/messages/${small}/typing`, { op: "start" }));
    expect((await client.drain(cursor, 1)).map(({ message_id }) => message_id)).toEqual([small]);
  });
});

async function setUp(): Promise<void> {
  ids = [];
  for (let count = 0; count < 101; count++) ids.push((await server.addUser(`Typist ${count}`)).id);
}

let ids: number[];
