/** Whatever people keep in lists has an end, and they are told. */
import { describe, expect, it } from "vitest";
import { type ApiResponse, cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [mia] = server.people("Mia Member");

describe("drafts", () => {
  it("are at most 2000, and what is taken away makes room", async () => {
    const { client } = await server.addUser("Dora Drafts");
    const add = (count: number, content: string) =>
      client.post("/drafts", { drafts: Array.from({ length: count }, () => draft(content)) });
    const { ids } = expectSuccess(await add(1000, "d")) as { ids: number[] };
    expectSuccess(await add(999, "d"));
    expectRefused(await add(2, "d"), /at most 2000 drafts/);
    expectSuccess(await add(1, "d"));
    expectRefused(await add(1, "d"), /at most 2000 drafts/);
    expect(expectSuccess(await client.get("/drafts"))["count"]).toBe(2000);
    // What is taken away makes room; replacing takes none.
    expectSuccess(await client.delete(`/drafts/${ids[0]}`));
    expectSuccess(await client.patch(`/drafts/${ids[1]}`, { draft: draft("changed") }));
    expectSuccess(await add(1, "d"));
  });

  it("are 4 MB together at most", async () => {
    const { client } = await server.addUser("Drew Drafts");
    const large = "d".repeat(10_000);
    const add = (count: number) =>
      client.post("/drafts", { drafts: Array.from({ length: count }, () => draft(large)) });
    const { ids } = expectSuccess(await add(300)) as { ids: number[] };
    expectRefused(await add(150), /too large together \(limit: 4 MB\)/);
    expectSuccess(await add(118));
    expectRefused(await add(50), /too large together/);
    expectSuccess(await client.patch(`/drafts/${ids[0]}`, { draft: draft(large.replaceAll("d", "e")) }));
    expectRefused(
      (await client.patch(`/drafts/${ids[0]}`, { draft: draft("\u{1f600}".repeat(10_000)) })) as ApiResponse,
      /too large/,
    );
  });

  it("many at once come in several events, none of them large", async () => {
    const { client } = await server.addUser("Dan Drafts");
    const cursor = cursorOf(await client.register({ event_types: ["drafts"] }));
    const { ids } = expectSuccess(
      await client.post("/drafts", { drafts: Array.from({ length: 60 }, () => draft("d".repeat(10_000))) }),
    ) as { ids: number[] };
    const events = await client.drain(cursor);
    expect(events.length).toBeGreaterThan(1);
    for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(150_000);
    expect(events.flatMap((event) => (event["drafts"] as { id: number }[]).map(({ id }) => id))).toEqual(ids);
  });
});

describe("other lists of one's own", () => {
  it("saved snippets", async () => {
    const add = () => mia.client.post("/saved_snippets", { title: "t", content: "c" });
    expectSuccess(await add());
    await server.database.sql`insert into saved_snippets (id, realm_id, user_id, title, content, date_created)
      select nextval('object_ids'), ${await realmId()}, ${mia.id}, 't', 'c', 0 from generate_series(1, 999)`;
    expectRefused(await add(), /at most 1000 saved snippets/);
  });

  it("scheduled messages and reminders", async () => {
    const channel = await server.addChannel("later", [mia]);
    const { id } = expectSuccess(
      await mia.client.post("/messages", { type: "stream", to: channel, topic: "t", content: "now" }),
    );
    const at = Math.floor(Date.now() / 1000) + 86_400;
    const schedule = () =>
      mia.client.post("/scheduled_messages", {
        type: "stream",
        to: channel,
        topic: "t",
        content: "later",
        scheduled_delivery_timestamp: at,
      });
    const remind = () => mia.client.post("/reminders", { message_id: id, scheduled_delivery_timestamp: at });
    expectSuccess(await schedule());
    expectSuccess(await remind());
    await server.database.sql`insert into scheduled_messages
      select (json_populate_record(s, json_build_object('id', nextval('object_ids')))).*
      from scheduled_messages s, generate_series(1, 999) where s.user_id = ${mia.id}`;
    expectRefused(await schedule(), /at most 1000 scheduled messages/);
    expectRefused(await remind(), /at most 1000 reminders/);
  });

  it("devices", async () => {
    const add = () => mia.client.post("/register_client_device", {});
    for (let count = 0; count < 100; count++) expectSuccess(await add());
    expectRefused(await add(), /at most 100 devices/);
  });

  it("push tokens", async () => {
    const add = (token: string) => mia.client.post("/users/me/android_gcm_reg_id", { token });
    for (let count = 0; count < 100; count++) expectSuccess(await add(`token${count}`));
    expectRefused(await add("one more"), /at most 100 push tokens/);
    // One that is there is only sent again.
    expectSuccess(await add("token5"));
  });
});

describe("bots", () => {
  it("one person has at most 50 in use, made or given", async () => {
    const [ben, other] = [await server.addUser("Ben Bots"), await server.addUser("Olga Other")];
    const add = (person: Person, name: string) => person.client.post("/bots", { full_name: name, short_name: name });
    let bot = 0;
    for (let count = 0; count < 50; count++) bot = expectSuccess(await add(ben, `ben${count}`))["user_id"] as number;
    expectRefused(await add(ben, "one-more"), /at most 50 bots/);
    const { user_id: given } = expectSuccess(await add(other, "given"));
    expectRefused(
      await server.owner.client.patch(`/bots/${given as number}`, { bot_owner_id: ben.id }),
      /at most 50 bots/,
    );
    expectSuccess(await ben.client.delete(`/bots/${bot}`));
    expectSuccess(await add(ben, "one-more"));
  });
});

const realmId = async () => (await server.realms())[0]!.id;
const expectRefused = (answer: ApiResponse, reason: RegExp) =>
  expect(expectError(answer, 400, "BAD_REQUEST")["msg"]).toMatch(reason);
const draft = (content: string) => ({ type: "", to: [], topic: "", content });
