/** Further API keys of a person: what each may do, that only a hash is stored, and how they end. */

import { describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { housekeep } from "../../../actors/housekeeping.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada] = server.people("Ada");
const books = server.channel("books", [ada]);
const password = "a fine password";

describe("a further key", () => {
  it("is made with the password alone, and told once; the database has its hash", async () => {
    for (const given of [{}, { password: "" }, { password: "wrong password" }])
      expectError(await make(ada, { name: "Script", ...given }, false), 400);
    const { id, api_key } = expectSuccess(await make(ada, { name: " Script " }));
    expect(api_key).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(await list(ada)).toContainEqual({
      id,
      name: "Script",
      scope: "all",
      date_created: expect.any(Number),
      last_used: null,
      expires_at: null,
    });
    const rows = await server.database.sql<{ text: string }[]>`
      select (select json_agg(s)::text from sessions s) || (select json_agg(c)::text from credentials c) as text`;
    expect(rows[0]!.text).not.toContain(api_key as string);
    expect(JSON.stringify(await list(ada))).not.toContain(api_key as string);
    expectSuccess(await make(ada, { name: "Nightly" }));
    const { sessions } = expectSuccess(await ada.client.get("/users/me/sessions"));
    expect(JSON.stringify(sessions)).not.toContain("Nightly");
  });

  it("is one of 25 at most, with a name, of a person and no bot", async () => {
    const person = await server.addUser("Collector");
    for (const name of ["", " ", "x".repeat(61)]) expectError(await make(person, { name }), 400);
    expectError(await make(person, { name: "n", scope: "owner" }), 400);
    expectError(await make(person, { name: "n", expires_in_days: 0 }), 400);
    for (let count = 0; count < 25; count++) expectSuccess(await make(person, { name: `Key ${count}` }));
    expect(expectError(await make(person, { name: "One more" }), 400)["msg"]).toContain("25");
  });

  it("says when it was used, and ends by itself", async () => {
    const person = await server.addUser("Timely");
    const { client, id } = await keyOf(person, { name: "Short", expires_in_days: 1 });
    const before = Math.floor(Date.now() / 1000);
    expectSuccess(await client.get("/users/me"));
    await until("the use to be noted", async () => (await list(person))[0]!.last_used !== null);
    const [key] = await list(person);
    expect(key!.last_used).toBeGreaterThanOrEqual(before);
    expect(key!.expires_at).toBe(key!.date_created + 86_400);
    const environments = server.nodes.map(({ app }) => app.system.environment);
    const clocks = environments.map(({ clock }) => clock);
    for (const [index, environment] of environments.entries()) environment.clock = () => clocks[index]!() + 86_400;
    try {
      for (let times = 0; times < 3; times++) expectError(await client.get("/users/me"), 401, "INVALID_API_KEY");
      expect(await list(person)).toEqual([]);
      await housekeep(environments[0]!);
      expect(await server.database.sql`select from sessions where id = ${id}`).toHaveLength(0);
    } finally {
      for (const [index, environment] of environments.entries()) environment.clock = clocks[index]!;
    }
  });

  it("is good with its person's address only, and as no cookie", async () => {
    const { apiKey } = await keyOf(ada, { name: "Bound" });
    const other = new ApiClient({ url: server.urls, email: server.owner.email, apiKey });
    expectError(await other.get("/users/me"), 401, "INVALID_API_KEY");
    const reply = await fetch(`${server.url}/json/users/me`, { headers: { Cookie: `sessionid=${apiKey}` } });
    expect(reply.status).toBe(401);
  });

  it("gives away neither the account nor a key that lasts: these want the password as well", async () => {
    const person = await server.addUser("Careful");
    const { client } = await keyOf(person, { name: "All" });
    expectError(await client.post("/users/me/api_key/regenerate"), 400);
    expectError(await client.post("/users/me/api_keys", { name: "Another" }), 400);
    expectError(await client.patch("/settings", { email: "stolen@example.org" }), 400);
    expectError(await client.patch("/settings", { new_password: "a new fine password" }), 400);
  });
});

describe("a scope lets through what it says", () => {
  const deeds: [what: string, needs: string, deed: (client: ApiClient) => ReturnType<ApiClient["get"]>][] = [
    ["reads messages", "read", (client) => client.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 })],
    ["registers", "read", (client) => client.post("/register", { event_types: ["message"] })],
    ["marks as read", "read", (client) => client.post("/mark_all_as_read")],
    [
      "sends",
      "send",
      (client) => client.post("/messages", { type: "channel", to: books.id, topic: "t", content: "hi" }),
    ],
    ["types", "send", (client) => client.post("/typing", { op: "start", to: [server.owner.id] })],
    ["changes a setting", "all", (client) => client.patch("/settings", { twenty_four_hour_time: true })],
    ["makes a channel", "all", (client) => client.post("/users/me/subscriptions", { subscriptions: [{ name: "x" }] })],
    ["lists its bots, with their keys", "all", (client) => client.get("/bots")],
    ["lists log-ins", "all", (client) => client.get("/users/me/sessions")],
    ["ends a key", "all", (client) => client.delete("/users/me/api_keys/1")],
  ];
  const ranks = ["read", "send", "all"];

  it.each(ranks)("%s", async (scope) => {
    const { client } = await keyOf(await server.addUser(`Scope ${scope}`), { name: scope, scope });
    for (const [what, needs, deed] of deeds) {
      // The first time a key is looked up, and then it is known.
      for (let times = 0; times < 2; times++) {
        const reply = await deed(client);
        if (ranks.indexOf(scope) >= ranks.indexOf(needs)) expect(reply.status, what).not.toBe(401);
        else expect(expectError(reply, 401, "UNAUTHORIZED")["msg"], what).toContain(needs);
      }
    }
  });
});

describe("with a key end at once, on every node,", () => {
  it("its queues and the polls that wait; those of other keys go on", async () => {
    const person = await server.addUser("Ending");
    const ended = await keyOf(person, { name: "Ended", scope: "read" });
    const kept = await keyOf(person, { name: "Kept" });
    const [gone, goes] = [await register(ended.client), await register(kept.client)];
    const poll = ended.client.get("/events", gone);
    await until("the poll to wait", async () =>
      (await server.realms()).some((realm) => memoryOf(realm, eventQueues).find(gone.queue_id)),
    );
    expectSuccess(await person.client.delete(`/users/me/api_keys/${ended.id}`));
    // What waits is answered, and authenticated anew when it comes again.
    await poll;
    for (let times = 0; times < 4; times++) {
      expectError(await ended.client.get("/users/me"), 401, "INVALID_API_KEY");
      expectSuccess(await kept.client.get("/users/me"));
    }
    expectError(await person.client.get("/events", { ...gone, dont_block: true }), 400, "BAD_EVENT_QUEUE_ID");
    expectSuccess(await kept.client.get("/events", { ...goes, dont_block: true }));
    expectError(await person.client.delete(`/users/me/api_keys/${ended.id}`), 404);
    expectError(await ada.client.delete(`/users/me/api_keys/${kept.id}`), 404);
  });

  it("it goes on after a new own key and a log-out everywhere, and not after its account was deactivated", async () => {
    const person = await server.addUser("Going On");
    const { client } = await keyOf(person, { name: "Kept" });
    expectSuccess(await person.client.delete("/users/me/sessions"));
    expectSuccess(await person.client.post("/users/me/api_key/regenerate"));
    expectSuccess(await client.get("/users/me"));
    expectSuccess(await server.owner.client.delete(`/users/${person.id}`));
    expectError(await client.get("/users/me"), 401, "USER_DEACTIVATED");
    const actions = { delete_profile: true };
    expectSuccess(await server.owner.client.delete(`/users/${person.id}`, { actions }));
    expect(await server.database.sql`select from sessions where user_id = ${person.id}`).toHaveLength(0);
  });
});

interface Listed {
  id: number;
  name: string;
  scope: string;
  date_created: number;
  last_used: number | null;
  expires_at: number | null;
}

const make = ({ client }: Person, params: JsonObject, isProved = true) =>
  client.post("/users/me/api_keys", { ...(isProved && { password }), ...params });
const list = async ({ client }: Person) =>
  expectSuccess(await client.get("/users/me/api_keys"))["api_keys"] as Listed[];

/** A new key of somebody's, and a client that comes with it. */
async function keyOf(person: Person, params: JsonObject) {
  const { id, api_key } = expectSuccess(await make(person, params)) as { id: number; api_key: string };
  return { id, apiKey: api_key, client: new ApiClient({ url: server.urls, email: person.email, apiKey: api_key }) };
}

async function register(client: ApiClient) {
  const state = expectSuccess(await client.post("/register", { event_types: ["message"], fetch_event_types: [] }));
  return { queue_id: state["queue_id"] as string, last_event_id: state["last_event_id"] as number };
}
