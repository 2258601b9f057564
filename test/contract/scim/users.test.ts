/** Accounts as directories provision them: made, found, changed, ended. */

import { beforeAll, describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { type Directory, directoryOf, expectRefusal } from "../../support/client/scim.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada, bob] = server.people("Ada", ["Olga Owner", 100]);
const everybody = server.channel("everybody", [ada]);
let directory: Directory;
beforeAll(async () => {
  directory = await directoryOf(server);
  expectSuccess(await server.owner.client.post("/default_streams", { stream_id: everybody.id }));
});

describe("an account that a directory makes", () => {
  it("is a member in the default channels, without a password, and told to everybody", async () => {
    const { result: made } = await assertConverges({
      observers: [ada.client],
      act: () =>
        directory.resource("POST", "/Users", {
          schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
          userName: "Grace@Example.com",
          externalId: "00u1",
          name: { givenName: "Grace", familyName: "Hopper" },
          emails: [{ value: "Grace@Example.com", type: "work", primary: true }],
          title: "Rear admiral",
          password: "a password of the directory's",
          active: true,
        }),
    });
    expect(made).toEqual({
      schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
      id: expect.stringMatching(/^\d+$/),
      externalId: "00u1",
      userName: "Grace@Example.com",
      name: { givenName: "Grace", familyName: "Hopper" },
      displayName: "Grace Hopper",
      emails: [{ value: "Grace@Example.com", type: "work", primary: true }],
      active: true,
      meta: {
        resourceType: "User",
        created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        location: expect.stringMatching(new RegExp(`/scim/v2/Users/${made.id}$`)),
        version: expect.stringMatching(/^W\/"[\w-]{22}"$/),
      },
    });
    const { user } = expectSuccess(await server.owner.client.get(`/users/${made.id}`)) as { user: JsonObject };
    expect(user).toMatchObject({ full_name: "Grace Hopper", delivery_email: "Grace@Example.com", role: 400 });
    const { subscribers } = expectSuccess(await ada.client.get(`/streams/${everybody.id}/members`));
    expect(subscribers).toContain(Number(made.id));
    const [row] = await server.database.sql`select password_hash from credentials where user_id = ${Number(made.id)}`;
    expect(row).toEqual({ password_hash: null });
    const logIn = { username: "grace@example.com", password: "a password of the directory's" };
    expectError(await new ApiClient({ url: server.urls }).post("/fetch_api_key", logIn), 401, "AUTHENTICATION_FAILED");
  });

  it("has a name that people can be mentioned by, and the directory the one that it gave", async () => {
    const names: [given: JsonObject, shown: string][] = [
      [{ displayName: 'Robert "Bob" Smith' }, "Robert Bob Smith"],
      [{ displayName: "x" }, "x."],
      [{ displayName: "\u200b" }, "Somebody"],
      [{ name: { formatted: "Dr. Jane Doe", givenName: "Jane" } }, "Dr. Jane Doe"],
      [{}, "name4"],
      [{ displayName: "y".repeat(200) }, "y".repeat(100)],
    ];
    for (const [index, [given, shown]] of names.entries()) {
      const made = await directory.resource("POST", "/Users", { userName: `name${index}@example.com`, ...given });
      expect(await nameOf(made.id)).toBe(shown);
      expect(made["displayName"]).toBe(given["displayName"] ?? shown);
    }
  });

  it("may have a userName that is no address, and is refused without any address", async () => {
    const made = await directory.createUser("jdoe", { emails: [{ value: "jdoe@example.com" }] });
    expect(made).toMatchObject({ userName: "jdoe", emails: [{ value: "jdoe@example.com" }] });
    expect(await directory.find("Users", 'userName eq "JDOE"')).toEqual({ ids: [made.id], total: 1 });
    expect(await directory.find("Users", 'userName eq "jdoe@example.com"')).toEqual({ ids: [], total: 0 });
    for (const body of [
      { userName: "nobody" },
      { userName: "x@y@z" },
      { emails: [{ value: "lone@example.com" }] },
      { userName: "" },
      { userName: { a: 1 } },
      { userName: "u@example.com", active: "perhaps" },
      { userName: "u@example.com", emails: Array.from({ length: 21 }, (_, n) => ({ value: `${n}@example.com` })) },
      { userName: "x".repeat(1001), emails: [{ value: "u@example.com" }] },
    ])
      expectRefusal(await directory.ask("POST", "/Users", body), 400, "invalidValue");
  });

  it("is the only one of its userName and of its address", async () => {
    const made = await directory.createUser("only@example.com");
    for (const body of [
      { userName: "ONLY@example.com" },
      { userName: "other", emails: [{ value: "only@example.com" }] },
      { userName: ada.email },
      { userName: ada.email, emails: [{ value: "unused@example.com" }] },
    ])
      expectRefusal(await directory.ask("POST", "/Users", body), 409, "uniqueness");
    const other = await directory.createUser("another@example.com");
    const take = (value: JsonObject) => directory.patch(`/Users/${other.id}`, { op: "replace", value });
    expectRefusal(await take({ userName: "only@example.com" }), 409, "uniqueness");
    expectRefusal(await take({ emails: [{ value: ada.email }] }), 409, "uniqueness");
    expect((await directory.resource("GET", `/Users/${made.id}`))["userName"]).toBe("only@example.com");
  });

  it("may be one that is not active yet", async () => {
    const { result } = await assertConverges({
      observers: [ada.client],
      act: () => directory.createUser("later@example.com", { active: false }),
    });
    expect(result["active"]).toBe(false);
    expect(await isActive(result.id)).toBe(false);
    await assertConverges({
      observers: [ada.client],
      act: () => directory.patch(`/Users/${result.id}`, { op: "replace", value: { active: true } }),
    });
    const { subscribers } = expectSuccess(await ada.client.get(`/streams/${everybody.id}/members`));
    expect(subscribers).toContain(Number(result.id));
  });

  it("has an address of a domain that the organization lets in", async () => {
    expectSuccess(await server.owner.client.post("/realm/domains", { domain: "example.com", allow_subdomains: false }));
    await server.owner.setRealm({ emails_restricted_to_domains: true });
    try {
      expectRefusal(await directory.ask("POST", "/Users", { userName: "a@elsewhere.org" }), 400, "invalidValue");
      await directory.createUser("inside@example.com");
    } finally {
      await server.owner.setRealm({ emails_restricted_to_domains: false });
    }
  });
});

describe("a change", () => {
  it("renames, gives another address, and keeps what is not named", async () => {
    const made = await directory.createUser("change@example.com", { externalId: "x-1", name: { givenName: "Cher" } });
    const { result } = await assertConverges({
      observers: [ada.client, server.owner.client],
      act: () =>
        directory.patch(
          `/Users/${made.id}`,
          { op: "Replace", path: "displayName", value: "Changed Person" },
          { op: "Add", path: 'emails[type eq "work"].value', value: "changed@example.com" },
          { op: "replace", path: "name.familyName", value: "Ange" },
          {
            op: "replace",
            path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department",
            value: "R&D",
          },
        ),
    });
    expect(result.status).toBe(200);
    expect(result.body).toMatchObject({
      userName: "change@example.com",
      externalId: "x-1",
      displayName: "Changed Person",
      name: { givenName: "Cher", familyName: "Ange" },
      emails: [{ value: "changed@example.com", type: "work" }],
    });
    expect(await nameOf(made.id)).toBe("Changed Person");
    expect((await userOf(made.id))["delivery_email"]).toBe("changed@example.com");
    const removed = await directory.patch(
      `/Users/${made.id}`,
      { op: "remove", path: "externalId" },
      { op: "remove", path: "name" },
    );
    expect(removed.body).not.toHaveProperty("externalId");
    expect(removed.body).not.toHaveProperty("name");
    expect(await nameOf(made.id)).toBe("Changed Person");
  });

  it("of the whole replaces it", async () => {
    const made = await directory.createUser("whole@example.com", { externalId: "w-1" });
    const { body, status } = await directory.ask("PUT", `/Users/${made.id}`, {
      userName: "whole@example.com",
      name: { formatted: "Wholly New" },
      active: "True",
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({ displayName: "Wholly New", active: true });
    expect(body).not.toHaveProperty("externalId");
    expect((await directory.ask("PUT", `/Users/${made.id}`, { userName: "moved@example.com" })).body).toMatchObject({
      displayName: "Wholly New",
      emails: [{ value: "moved@example.com" }],
    });
  });

  it("made here is what the directory sees", async () => {
    const made = await directory.createUser("here@example.com", { displayName: "From There" });
    expectSuccess(await server.owner.client.patch(`/users/${made.id}`, { full_name: "From Here" }));
    expect((await directory.resource("GET", `/Users/${made.id}`))["displayName"]).toBe("From Here");
    const { body } = await directory.patch(`/Users/${made.id}`, { op: "add", path: "externalId", value: "h-1" });
    expect(body).toMatchObject({ displayName: "From Here", externalId: "h-1" });
    expect(await nameOf(made.id)).toBe("From Here");
  });

  it("is for the version that it names", async () => {
    const made = await directory.createUser("version@example.com");
    const rename = (ifMatch: string, displayName: string) =>
      directory.ask(
        "PUT",
        `/Users/${made.id}`,
        { userName: "version@example.com", displayName },
        { "If-Match": ifMatch },
      );
    const { version } = made.meta;
    expectRefusal(await rename('W/"other"', "Nobody"), 412);
    const first = await rename(version, "First");
    expect(first.status).toBe(200);
    const next = first.headers.get("etag")!;
    expect(next).not.toBe(version);
    expect(first.body).toMatchObject({ meta: { version: next } });
    expectRefusal(await rename(version, "Second"), 412);
    expectRefusal(await directory.ask("DELETE", `/Users/${made.id}`, undefined, { "If-Match": version }), 412);
    const had = await directory.ask("GET", `/Users/${made.id}`, undefined, { "If-None-Match": next });
    expect(had.status).toBe(304);
    expect((await rename("*", "Third")).status).toBe(200);
    expect((await directory.ask("GET", `/Users/${made.id}`, undefined, { "If-None-Match": next })).status).toBe(200);
  });
});

describe("who is no longer active", () => {
  it.each([
    [
      "a PATCH of Entra's",
      (id: string) => directory.patch(`/Users/${id}`, { op: "Replace", path: "active", value: "False" }),
    ],
    ["a PATCH of Okta's", (id: string) => directory.patch(`/Users/${id}`, { op: "replace", value: { active: false } })],
    ["a DELETE", (id: string) => directory.ask("DELETE", `/Users/${id}`)],
  ])("by %s is logged out at once: keys, log-ins, queues, waiting polls and streams end", async (what, end) => {
    const person = await server.addUser(`Gone by ${what}`);
    const bot = await server.addBot(person, `bot-${person.id}`);
    const key = { name: "Script", password: "a fine password" };
    const { api_key } = expectSuccess(await person.client.post("/users/me/api_keys", key));
    const script = new ApiClient({ url: server.urls, email: person.email, apiKey: api_key as string });
    const cookie = await logIn(person);
    const open: Promise<Response>[] = [];
    for (const url of server.urls) {
      open.push(poll(url, person, await person.queue(), "application/json"));
      open.push(poll(url, person, await person.queue(), "text/event-stream"));
    }
    await until("all wait", async () => (await parked()) === open.length);
    await assertConverges({ observers: [ada.client], act: () => end(String(person.id)) });
    for (const answer of open) await (await answer).text();
    expect(await parked()).toBe(0);
    for (const _ of server.urls)
      for (const client of [person.client, script, bot.client])
        expect((await client.get("/users/me")).status).toBe(401);
    for (const url of server.urls)
      expect((await fetch(`${url}/json/users/me`, { headers: { Cookie: cookie } })).status).toBe(401);
    expect(await server.database.sql`select from event_queues where user_id = ${person.id}`).toHaveLength(0);
    expect(await isActive(String(person.id))).toBe(false);
    const again = await end(String(person.id));
    expect(again.status).toBe(what === "a DELETE" ? 404 : 200);
  });

  it("comes back when the directory says so", async () => {
    const made = await directory.createUser("back@example.com");
    const path = `/Users/${made.id}`;
    await directory.patch(path, { op: "replace", path: "active", value: false });
    expect(await directory.find("Users", 'userName eq "back@example.com"')).toMatchObject({ ids: [made.id] });
    await assertConverges({
      observers: [ada.client],
      act: () => directory.patch(path, { op: "replace", path: "active", value: "true" }),
    });
    expect(await isActive(made.id)).toBe(true);
  });

  it("and was deleted is nowhere for directories, until one makes the account again or an administrator does", async () => {
    const made = await directory.createUser("deleted@example.com", { externalId: "d-1" });
    const path = `/Users/${made.id}`;
    expect((await directory.ask("DELETE", path)).status).toBe(204);
    for (const method of ["GET", "DELETE"]) expectRefusal(await directory.ask(method, path), 404);
    expectRefusal(await directory.patch(path, { op: "replace", value: { active: true } }), 404);
    for (const filter of [
      'userName eq "deleted@example.com"',
      'externalId eq "d-1"',
      "active eq false",
      `id eq "${made.id}"`,
    ])
      expect((await directory.find("Users", filter)).ids).not.toContain(made.id);
    const again = await directory.createUser("deleted@example.com", { displayName: "Back Again" });
    expect(again).toMatchObject({ id: made.id, active: true, displayName: "Back Again" });
    expect(again).not.toHaveProperty("externalId");
    await directory.ask("DELETE", path);
    expectSuccess(await server.owner.client.post(`/users/${made.id}/reactivate`));
    expect((await directory.resource("GET", path))["active"]).toBe(true);
  });

  it("is never the last owner", async () => {
    const last = `/Users/${server.owner.id}`;
    expect((await directory.ask("DELETE", `/Users/${bob.id}`)).status).toBe(204);
    const refused = expectRefusal(await directory.patch(last, { op: "replace", path: "active", value: false }), 403);
    expect(refused).toContain("owner");
    expectRefusal(await directory.ask("DELETE", last), 403);
    expectRefusal(await directory.ask("PUT", last, { userName: server.owner.email, active: false }), 403);
    expectSuccess(await server.owner.client.get("/users/me"));
  });

  it("is no bot, and nobody of another kind: there is no such user", async () => {
    const bot = await server.addBot(ada, "helper");
    const welcome = [...(await server.state()).users.values()].find(({ is_system_bot }) => is_system_bot)!;
    for (const id of [bot.id, welcome.id, 999_999, "x", "-1", "1.5", "9".repeat(30), "%2e%2e"]) {
      expectRefusal(await directory.ask("GET", `/Users/${id}`), 404);
      expectRefusal(await directory.ask("DELETE", `/Users/${id}`), 404);
    }
    expect((await directory.find("Users", 'displayName eq "helper"')).ids).toEqual([]);
  });
});

async function userOf(id: string): Promise<JsonObject> {
  return expectSuccess(await server.owner.client.get(`/users/${id}`))["user"] as JsonObject;
}
const nameOf = async (id: string) => (await userOf(id))["full_name"];
const isActive = async (id: string) => (await userOf(id))["is_active"];

/** The cookie of a browser in which somebody has logged in. */
async function logIn({ email }: { email: string }): Promise<string> {
  const body = new URLSearchParams({ username: email, password: "a fine password" });
  const reply = await fetch(`${server.url}/login/`, { method: "POST", body, redirect: "manual" });
  const cookie = reply.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  expect((await fetch(`${server.url}/json/users/me`, { headers: { Cookie: cookie } })).status).toBe(200);
  return cookie;
}

/** A request that waits for the queue's next event. */
function poll(
  url: string,
  { email, apiKey }: { email: string; apiKey: string },
  { queueId, lastEventId }: { queueId: string; lastEventId: number },
  accept: string,
): Promise<Response> {
  const query = new URLSearchParams({ queue_id: queueId, last_event_id: String(lastEventId) });
  const authorization = `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
  return fetch(`${url}/api/v1/events?${query}`, { headers: { Authorization: authorization, Accept: accept } });
}

/** Polls and streams that wait, on all nodes. */
async function parked(): Promise<number> {
  const realms = await server.realms();
  return realms.reduce((sum, realm) => sum + memoryOf(realm, eventQueues).census().parked, 0);
}
