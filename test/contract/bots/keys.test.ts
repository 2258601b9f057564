/** What the key of a bot opens, who gets it, and when it ends. */

import { describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { routes } from "../../../http/api/routes.ts";
import { ApiClient, cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "streams"] });
const { owner } = server;
const [admin, mallory, alice] = server.people(["Adam Admin", 200], "Mallory", "Alice");
const secret = server.channel("alice's secret", [alice], { invite_only: true });

describe("a bot that is given to somebody else", () => {
  it("is pushed onto nobody by a member", async () => {
    const bot = await server.addBot(mallory, "pushed");
    const refusal = expectError(await give(mallory, bot, alice), 400, "BAD_REQUEST");
    expect(refusal["msg"]).toBe("Only organization administrators can give a bot to somebody else.");
    expect(await ownersChannels(bot.client)).not.toContain(secret.id);
    expectSuccess(await give(mallory, bot, mallory));
    expectSuccess(await bot.client.get("/users/me"));
  });

  it("has a new key, and its queues, waiting polls and log-ins end on every node", async () => {
    for (const url of server.urls) {
      const bot = await server.addBot(mallory, `given${server.urls.indexOf(url)}`);
      const { cursor, answer } = await waiting(bot.client, url, basic(bot.email, bot.apiKey));
      await assertConverges({
        observers: [owner.client, admin.client, mallory.client, alice.client],
        act: async () => expectSuccess(await give(admin, bot, alice)),
      });
      expect(await answer).toMatchObject({ status: 200, body: { events: [] } });
      expectError(await bot.client.get("/users/me"), 401, "INVALID_API_KEY");
      const { api_key } = expectSuccess(await keyOf(alice, bot));
      const gone = await as(bot.email, api_key).get("/events", { queue_id: cursor.queueId, last_event_id: -1 });
      expectError(gone, 400, "BAD_EVENT_QUEUE_ID");
      expectError(await keyOf(mallory, bot), 400, "BAD_REQUEST");
    }
  });

  it("does nothing through an owner who did not take it, and what its owner may after they did", async () => {
    const bot = await server.addBot(admin, "gift");
    expectSuccess(await give(admin, bot, alice));
    const { api_key: given } = expectSuccess(await keyOf(admin, bot));
    expect(await ownersChannels(as(bot.email, given))).not.toContain(secret.id);
    expectError(await post(as(bot.email, given)), 400, "STREAM_DOES_NOT_EXIST");
    // Making a new key is one way to take it,
    const { api_key: taken } = expectSuccess(await newKey(alice, bot));
    expect(await ownersChannels(as(bot.email, taken))).toContain(secret.id);
    expectSuccess(await post(as(bot.email, taken)));
    // saying so the other.
    expectSuccess(await give(admin, bot, mallory));
    expectSuccess(await give(admin, bot, alice));
    const { api_key: again } = expectSuccess(await keyOf(alice, bot));
    expect(await ownersChannels(as(bot.email, again))).not.toContain(secret.id);
    expectSuccess(await give(alice, bot, alice));
    expect(await ownersChannels(as(bot.email, again))).toContain(secret.id);
  });

  it("whose owner left belongs to who brings it back, with a new key", async () => {
    const leaver = await server.addUser("Lea Leaver");
    const bot = await server.addBot(leaver, "left");
    const channel = await server.addChannel("lea's", [leaver], { invite_only: true });
    expectSuccess(await owner.client.delete(`/users/${leaver.id}`));
    expectError(await bot.client.get("/users/me"), 401);
    await assertConverges({
      observers: [owner.client, admin.client, alice.client],
      act: async () => expectSuccess(await admin.client.post(`/users/${bot.id}/reactivate`)),
    });
    expectError(await bot.client.get("/users/me"), 401);
    const { api_key } = expectSuccess(await keyOf(admin, bot));
    expect(await ownersChannels(as(bot.email, api_key))).not.toContain(channel);
    const me = expectSuccess(await as(bot.email, api_key).get("/users/me"));
    expect(me["bot_owner_id"]).toBe(admin.id);
  });
});

describe("the key of a bot carries its role", () => {
  it("so nobody below that role is shown it, lists it or makes a new one", async () => {
    const bot = await server.addBot(owner, "mighty");
    await setRole(bot.id, 100);
    for (const answer of [await keyOf(admin, bot), await newKey(admin, bot), await give(admin, bot, admin)])
      expectError(answer, 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await admin.client.delete(`/bots/${bot.id}`), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await admin.client.patch(`/bots/${bot.id}`, { role: 400 }), 400, "UNAUTHORIZED_PRINCIPAL");
    const { api_key } = expectSuccess(await keyOf(owner, bot));
    expectSuccess(await as(bot.email, api_key).get("/users/me"));
    const { realm_bots } = await admin.client.register({ fetch_event_types: ["realm_bot"] });
    expect(JSON.stringify(realm_bots)).not.toContain(api_key as string);
  });

  it("so a bot that is raised has a new key, which its owner below that role does not get", async () => {
    const bot = await server.addBot(mallory, "raised");
    await setRole(bot.id, 200);
    expectError(await bot.client.get("/users/me"), 401);
    expectError(await keyOf(mallory, bot), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await newKey(mallory, bot), 400, "UNAUTHORIZED_PRINCIPAL");
    const { bots } = expectSuccess(await mallory.client.get("/bots")) as { bots: JsonObject[] };
    expect(bots.find(({ username }) => username === bot.email)!["api_key"]).toBe("");
    const { api_key } = expectSuccess(await keyOf(admin, bot));
    expectSuccess(await as(bot.email, api_key).get("/users/me"));
  });

  it("so the bots of somebody who loses a role lose their keys with it", async () => {
    const fallen = await server.addUser("Fay Fallen", { role: 200 });
    const bot = await server.addBot(fallen, "fallen");
    await setRole(bot.id, 200);
    const { api_key } = expectSuccess(await keyOf(fallen, bot));
    const small = await server.addBot(fallen, "small");
    await setRole(fallen.id, 400);
    expectError(await as(bot.email, api_key).get("/users/me"), 401);
    expectError(await keyOf(fallen, bot), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await small.client.get("/users/me"));
    await setRole(fallen.id, 600);
    expectError(await small.client.get("/users/me"), 401);
  });

  it("and is told by nothing but its own endpoint", async () => {
    const observers = [owner.client, mallory.client];
    const { result, observations } = await assertConverges({
      observers,
      act: async () => expectSuccess(await mallory.client.post("/bots", { full_name: "Quiet", short_name: "untold" })),
    });
    const bot = { id: result["user_id"] as number };
    const { observations: rekeyed } = await assertConverges({
      observers,
      act: async () => expectSuccess(await newKey(mallory, bot)),
    });
    expect(rekeyed.flatMap(({ events }) => events)).toEqual([]);
    const state = await mallory.client.register({ fetch_event_types: ["realm_bot"] });
    expect(JSON.stringify([observations.map(({ events }) => events), state])).not.toContain('"api_key":');
    const { api_key } = expectSuccess(await keyOf(mallory, bot));
    expect(api_key).toMatch(/^[0-9A-Za-z]{32}$/);
    for (const other of [alice, mallory])
      expectError(await keyOf(other, { id: other === alice ? bot.id : alice.id }), 400, "BAD_REQUEST");
  });
});

describe("the key of an incoming-webhook bot", () => {
  it("sends messages, and nothing else of the whole table of routes", async () => {
    const made = expectSuccess(
      await mallory.client.post("/bots", { full_name: "Hook", short_name: "hook", bot_type: 2 }),
    );
    const { bots } = expectSuccess(await mallory.client.get("/bots")) as { bots: JsonObject[] };
    const bot = as(bots.find(({ full_name }) => full_name === "Hook")!["username"] as string, made["api_key"]);
    expectSuccess(await bot.post("/messages", { type: "stream", to: "general", topic: "t", content: "beep" }));
    const refused: string[] = [];
    for (const { method, path, auth } of routes) {
      if (!auth.includes("apiKey") || (method === "POST" && path === "/messages")) continue;
      const root = path.startsWith("^");
      const target = path
        .replace(/^\^/, "")
        .replace(/:(\w+)\*?/g, (_, name: string) => (name === "queue_id" ? "x" : "1"));
      const answer = await bot.request(method, target, {}, { root });
      const { msg } = expectError(answer, 401, "UNAUTHORIZED");
      expect(msg).toBe("This API is not available to incoming webhook bots.");
      refused.push(path);
    }
    expect(refused.length).toBeGreaterThan(100);
  });

  it("reads no file, polls no queue that it has from before", async () => {
    const bot = await server.addBot(mallory, "was-generic");
    const file = { files: { file: { filename: "a.txt", content: "secret" } } };
    const { url } = expectSuccess(await bot.client.post("/user_uploads", {}, file)) as { url: string };
    const { queueId } = await bot.queue({ event_types: ["message"] });
    // As an older program could have made it: the kind of a bot never changes.
    for (const realm of await server.realms()) {
      const row = realm.state.users.get(bot.id)!;
      realm.state.apply([{ table: "users", put: [{ ...row, bot_type: 2 }] }]);
    }
    const asHook = as(bot.email.toUpperCase(), bot.apiKey);
    for (const node of server.urls) {
      const query = `queue_id=${queueId}&last_event_id=0`;
      const headers = basic(bot.email.toUpperCase(), bot.apiKey);
      for (let polls = 0; polls < 2; polls++)
        expect((await fetch(`${node}/api/v1/events?${query}`, { headers })).status).toBe(401);
    }
    expectError(await asHook.get(url, { api_key: bot.apiKey }, { root: true }), 401);
    expect((await fetch(`${server.url}${url}?api_key=${bot.apiKey}`)).status).toBe(401);
  });
});

describe("with a key or log-in ends what came with it, on every node", () => {
  /** A waiting poll of a person on each node; the answers once `end` was done. */
  async function endsPolls(person: Person, end: () => Promise<unknown>, headers?: Record<string, string>) {
    const polls = [];
    for (const url of server.urls)
      polls.push(await waiting(person.client, url, headers ?? basic(person.email, person.apiKey)));
    await expect.poll(census).toBe(server.urls.length);
    await end();
    for (const { answer } of polls) expect((await answer).status).toBe(200);
    return polls.map(({ cursor }) => cursor);
  }

  it("a new key: polls are answered, the old key polls no more, the new one goes on with the queue", async () => {
    const person = await server.addUser("Kay Key");
    let apiKey: unknown;
    const [cursor] = await endsPolls(person, async () => {
      ({ api_key: apiKey } = expectSuccess(await person.client.post("/users/me/api_key/regenerate")));
    });
    const poll = { queue_id: cursor!.queueId, last_event_id: cursor!.lastEventId, dont_block: true };
    for (const _ of server.urls) expectError(await person.client.get("/events", poll), 401, "INVALID_API_KEY");
    expectSuccess(await as(person.email, apiKey).get("/events", poll));
  });

  it("a new password, and a new key: log-ins and their polls", async () => {
    for (const change of ["password", "key"] as const) {
      const person = await server.addUser(`Pat ${change}`);
      const login = await fetch(`${server.url}/login/`, {
        method: "POST",
        body: new URLSearchParams({ username: person.email, password: "a fine password" }),
        redirect: "manual",
      });
      const cookie = login.headers
        .getSetCookie()
        .map((text) => text.split(";")[0])
        .join("; ");
      expect(cookie).toContain("sessionid=");
      const ownUser = () => fetch(`${server.url}/json/users/me`, { headers: { cookie } });
      expect((await ownUser()).status).toBe(200);
      await endsPolls(
        person,
        async () =>
          expectSuccess(
            change === "key"
              ? await person.client.post("/users/me/api_key/regenerate")
              : await person.client.patch("/settings", {
                  old_password: "a fine password",
                  new_password: "an even finer one",
                }),
          ),
        { cookie },
      );
      expect((await ownUser()).status).toBe(401);
    }
  });

  it("another role, or being deactivated", async () => {
    const person = await server.addUser("Rolf Role", { role: 200 });
    await endsPolls(person, () => setRole(person.id, 600));
    const [cursor] = await endsPolls(person, async () =>
      expectSuccess(await owner.client.delete(`/users/${person.id}`)),
    );
    expectError(await person.client.get("/events", { queue_id: cursor!.queueId, last_event_id: -1 }), 401);
  });

  it("a poll that was only being prepared is refused", async () => {
    const person = await server.addUser("Polly Poll");
    const { queueId, lastEventId } = await person.queue({ event_types: ["message"] });
    const realm = (await server.realms())[0]!;
    const before = realm.state.users.get(person.id)!.api_key_version;
    expectSuccess(await person.client.post("/users/me/api_key/regenerate"));
    await realm.current();
    const poll = { queueId, userId: person.id, lastEventId, dontBlock: false, keyVersion: before };
    await expect(memoryOf(realm, eventQueues).poll(poll, { isStream: false, answer: () => {} })).rejects.toMatchObject({
      code: "INVALID_API_KEY",
    });
  });
});

const as = (email: string, apiKey: unknown) => new ApiClient({ url: server.urls, email, apiKey: apiKey as string });
const give = (by: Person, bot: Person, to: Person) => by.client.patch(`/bots/${bot.id}`, { bot_owner_id: to.id });
const keyOf = (by: Person, bot: { id: number }) => by.client.get(`/bots/${bot.id}/api_key`);
const newKey = (by: Person, bot: { id: number }) => by.client.post(`/bots/${bot.id}/api_key/regenerate`);
const setRole = async (id: number, role: number) => expectSuccess(await owner.client.patch(`/users/${id}`, { role }));

/** The channels of a bot's owner, as the bot lists them. */
async function ownersChannels(bot: ApiClient): Promise<number[]> {
  const params = { include_owner_subscribed: true, include_public: false, include_subscribed: false };
  const { streams } = expectSuccess(await bot.get("/streams", params)) as { streams: { stream_id: number }[] };
  return streams.map(({ stream_id }) => stream_id);
}
const post = (bot: ApiClient) => bot.post("/messages", { type: "stream", to: secret.id, topic: "t", content: "beep" });

/** A poll that waits, on the node that the client reaches next; resolves when it is answered. */
async function waiting(client: ApiClient, url: string, headers: Record<string, string> = {}) {
  const cursor = cursorOf(await client.register({ event_types: ["message", "realm_user"] }));
  const query = `queue_id=${cursor.queueId}&last_event_id=${cursor.lastEventId}`;
  const answer = fetch(`${url}/api/v1/events?${query}`, { headers });
  await expect.poll(async () => (await census()) > 0).toBe(true);
  return {
    cursor,
    answer: answer.then(async (response) => ({ status: response.status, body: await response.json() })),
  };
}
const census = async () =>
  (await server.realms()).reduce((sum, realm) => sum + memoryOf(realm, eventQueues).census().parked, 0);
const basic = (email: string, apiKey: unknown) => ({
  authorization: `Basic ${Buffer.from(`${email}:${apiKey as string}`).toString("base64")}`,
});
