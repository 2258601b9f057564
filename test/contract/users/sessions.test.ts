/** The browsers in which a person is logged in: listed, and ended one by one, with what was opened through them. */

import { describe, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import type { Registration } from "../../../actors/events/registration.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes", "native build"] });
const [ada, mallory] = server.people("Ada", "Mallory");
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

describe("the list", () => {
  it("has each browser of the caller's, the one that asks is marked, and no token is told", async () => {
    const person = await server.addUser("Lis Listed");
    const before = Math.floor(Date.now() / 1000);
    const one = await logIn(person, firefox);
    const two = await logIn(person, `Hostile/1 <script>alert(1)</script>${"x".repeat(2000)}`);
    await logIn(mallory, firefox);
    const sessions = await one.sessions();
    expect(sessions).toHaveLength(2);
    const own = sessions.find(({ is_current }) => is_current)!;
    expect(own).toEqual({
      id: expect.any(Number),
      client: "Firefox on Linux",
      program: "Firefox",
      system: "Linux",
      user_agent: firefox,
      ip_address: expect.stringMatching(/127\.0\.0\.1$/),
      date_created: expect.any(Number),
      last_seen: own.date_created,
      expires_at: own.date_created + 14 * 86_400,
      is_current: true,
    });
    expect(own.date_created).toBeGreaterThanOrEqual(before);
    const [other] = sessions.filter(({ is_current }) => !is_current);
    expect(other).toMatchObject({ client: "Hostile", program: "Hostile", system: "" });
    expect(other!.user_agent).toMatch(/^Hostile\/1 <script>alert\(1\)<\/script>x+$/);
    expect(other!.user_agent).toHaveLength(300);
    expect(await two.currentId()).toBe(other!.id);
    const text = JSON.stringify(sessions);
    const rows = await server.database.sql<{ token_hash: Buffer; csrf_token: string }[]>`
      select token_hash, csrf_token from sessions where user_id = ${person.id}`;
    for (const { token_hash, csrf_token } of rows)
      for (const secret of [csrf_token, token_hash.toString("hex"), token_hash.toString("base64")])
        expect(text).not.toContain(secret);
    for (const { cookie } of [one, two]) expect(text).not.toContain(/sessionid=([^;]+)/.exec(cookie)![1]!);
  });

  it("is the same for who asks with a key, which is none of them", async () => {
    const person = await server.addUser("Kay Key");
    const browser = await logIn(person);
    const { sessions } = expectSuccess(await person.client.get("/users/me/sessions"));
    expect(sessions).toEqual((await browser.sessions()).map((session) => ({ ...session, is_current: false })));
    expect((await mallory.client.get("/users/me/sessions")).text).not.toContain("Kay");
    expect((await fetch(`${server.url}/api/v1/users/me/sessions`)).status).toBe(401);
  });

  it("says when each was seen last, to the hour, and from where with what", async () => {
    const person = await server.addUser("Sue Seen");
    const browser = await logIn(person, firefox);
    const now = Math.floor(Date.now() / 1000);
    const was = async (secondsAgo: number) =>
      server.database.sql`update sessions set last_seen = ${now - secondsAgo} where user_id = ${person.id}`;
    await was(3000);
    await browser.ask("GET", "/users/me", undefined, { "User-Agent": "Opera/1" });
    await was(4000);
    await browser.ask("GET", "/users/me", undefined, { "User-Agent": "Lynx/2" });
    // Asked by the browser itself, it would be noted of that request as well.
    await until("it is noted", async () => {
      const [row] = await server.database.sql`select last_seen from sessions where user_id = ${person.id}`;
      return row!["last_seen"] >= now;
    });
    expect((await browser.sessions())[0]!.user_agent).toBe("Lynx/2");
  });
});

describe("a log-in that is ended", () => {
  it("lets nobody in, and takes its queues, waiting polls and streams with it on every node; others go on", async () => {
    const person = await server.addUser("Eve Ended");
    const room = await server.addChannel("ended", [person]);
    const [here, there] = [await logIn(person), await logIn(person)];
    const kept = await here.queue();
    const keyed = await person.queue({ event_types: ["message"] });
    const opened = [];
    for (const url of server.urls) {
      opened.push({ queue: await there.queue(), answer: there.poll(url, await there.queue()) });
      opened.push({ answer: there.poll(url, await there.queue(), "text/event-stream") });
    }
    // A queue of an application's, that this browser polls.
    const borrowed = there.poll(server.urls.at(-1)!, keyed);
    const waits = here.poll(server.url, kept);
    await until("all wait", async () => (await parked()) === opened.length + 2);
    await here.ask("DELETE", `/users/me/sessions/${await there.currentId()}`);
    for (const { answer } of opened) expect(await (await answer).text()).not.toContain('"type":"message"');
    expect(await (await borrowed).json()).toMatchObject({ result: "success", events: [] });
    expect(await parked()).toBe(1);
    expect((await there.raw("GET", "/users/me")).status).toBe(401);
    for (const { queue } of opened)
      if (queue) {
        const gone = { queue_id: queue.queueId, last_event_id: queue.lastEventId, dont_block: true };
        for (const _ of server.urls) expectError(await person.client.get("/events", gone), 400, "BAD_EVENT_QUEUE_ID");
      }
    await ada.say(room, "still heard");
    expect(await (await waits).text()).toContain("still heard");
    expect((await person.next(keyed, "message"))["message"]).toMatchObject({ content: "still heard" });
    expect((await here.sessions()).map(({ is_current }) => is_current)).toEqual([true]);
    const rows = await server.database.sql`select from event_queues where user_id = ${person.id}`;
    expect(rows).toHaveLength(2);
  });

  it("may be all but the one that asks, or by a key all", async () => {
    const person = await server.addUser("Al All");
    const [one, two, three] = [await logIn(person), await logIn(person), await logIn(person)];
    const other = await logIn(mallory);
    expect(await one.ask("DELETE", "/users/me/sessions")).toMatchObject({ ended: 2 });
    expect((await one.raw("GET", "/users/me")).status).toBe(200);
    for (const gone of [two, three]) expect((await gone.raw("GET", "/users/me")).status).toBe(401);
    expect(expectSuccess(await person.client.delete("/users/me/sessions"))["ended"]).toBe(1);
    expect((await one.raw("GET", "/users/me")).status).toBe(401);
    expect((await other.raw("GET", "/users/me")).status).toBe(200);
  });

  it("is one's own, and is named by its number", async () => {
    const person = await server.addUser("Otto Own");
    const browser = await logIn(person);
    const id = await browser.currentId();
    expectError(await mallory.client.delete(`/users/me/sessions/${id}`), 404, "BAD_REQUEST");
    expectError(await server.owner.client.delete(`/users/me/sessions/${id}`), 404, "BAD_REQUEST");
    for (const [garbage, status] of [
      ["0", 404],
      ["99999999999", 404],
      ["x", 400],
      ["1.5", 400],
      ["-1", 400],
      ["9".repeat(40), 400],
      ["%00", 404],
    ] as const)
      expect((await person.client.delete(`/users/me/sessions/${garbage}`)).status, garbage).toBe(status);
    const forged = await browser.raw("DELETE", `/users/me/sessions/${id}`, undefined, { "X-CSRFToken": "guessed" });
    expect(forged.status).toBe(401);
    expect((await browser.sessions()).map((session) => session.id)).toEqual([id]);
    const left = await browser.raw("DELETE", `/users/me/sessions/${id}`);
    expect(left.headers.getSetCookie().join()).toMatch(/sessionid=; .*Max-Age=0/);
    expectError(await person.client.delete(`/users/me/sessions/${id}`), 404, "BAD_REQUEST");
  });

  it("is so by logging out, too", async () => {
    const person = await server.addUser("Lou Out");
    const browser = await logIn(person);
    const answer = browser.poll(server.url, await browser.queue());
    await until("it waits", async () => (await parked()) === 1);
    const out = await browser.raw("POST", "/sessions/end");
    expect(out.headers.getSetCookie().join()).toMatch(/sessionid=; .*Max-Age=0/);
    // It is not the heartbeat that answers it.
    expect(await (await answer).json()).toMatchObject({ result: "success", events: [] });
    expect((await browser.raw("GET", "/users/me")).status).toBe(401);
  });
});

it("a new password ends the others; the browser that set it has another token, and goes on with its queue", async () => {
  const person = await server.addUser("Pat Password");
  const [here, there] = [await logIn(person), await logIn(person)];
  const [mine, theirs] = [await here.queue(), await there.queue()];
  const id = await here.currentId();
  const changed = await here.raw("PATCH", "/settings", {
    old_password: "a fine password",
    new_password: "an even finer one",
  });
  expect(changed.status).toBe(200);
  const now = browserOf(changed.headers.getSetCookie(), person);
  expect((await here.raw("GET", "/users/me")).status).toBe(401);
  expect((await there.raw("GET", "/users/me")).status).toBe(401);
  expect(await now.sessions()).toMatchObject([{ id, is_current: true }]);
  for (const [queue, status] of [
    [mine, 200],
    [theirs, 400],
  ] as const) {
    const path = `/events?queue_id=${queue.queueId}&last_event_id=${queue.lastEventId}&dont_block=true`;
    for (const url of server.urls) expect((await now.raw("GET", path, undefined, {}, url)).status).toBe(status);
  }
});

it("a poll or a registration that was only being prepared is refused", async () => {
  const person = await server.addUser("Polly Poll");
  const browser = await logIn(person);
  const id = await browser.currentId();
  const { queueId, lastEventId } = await person.queue({ event_types: ["message"] });
  const [row] = await server.database.sql<{ token_hash: Buffer }[]>`select token_hash from sessions where id = ${id}`;
  const realms = await server.realms();
  const session = { id, userId: person.id, tokenHash: row!.token_hash, checkedAt: realms[0]!.position };
  await browser.ask("POST", "/sessions/end");
  for (const realm of realms) {
    await realm.current();
    const poll = { queueId, userId: person.id, lastEventId, dontBlock: false, session };
    await expect(memoryOf(realm, eventQueues).poll(poll, { isStream: false, answer: () => {} })).rejects.toMatchObject({
      code: "UNAUTHENTICATED_USER",
    });
    const { position } = realm;
    await expect(
      memoryOf(realm, eventQueues).register(person.id, registration, 600, position, position, session),
    ).rejects.toMatchObject({
      code: "UNAUTHENTICATED_USER",
    });
  }
});

const registration: Registration = {
  event_types: ["message"],
  narrow: [],
  apply_markdown: false,
  client_gravatar: true,
  slim_presence: false,
  all_public_streams: false,
  include_subscribers: false,
  capabilities: [],
  client: "Test",
};

interface Listed {
  id: number;
  client: string;
  program: string;
  system: string;
  user_agent: string;
  ip_address: string;
  date_created: number;
  last_seen: number;
  expires_at: number;
  is_current: boolean;
}

const parked = async () =>
  (await server.realms()).reduce((sum, realm) => sum + memoryOf(realm, eventQueues).census().parked, 0);

/** Logs somebody in with a browser of their own. */
async function logIn(person: Person, userAgent = "Test/1") {
  const form = new URLSearchParams({ username: person.email, password: "a fine password" });
  const headers = { "User-Agent": userAgent };
  const reply = await fetch(`${server.url}/login/`, { method: "POST", body: form, headers, redirect: "manual" });
  return browserOf(reply.headers.getSetCookie(), person);
}

/** A browser that was given these cookies. */
function browserOf(given: readonly string[], { name }: Person) {
  const pairs = given.map((text) => text.split(";")[0]!);
  const csrf = pairs.find((pair) => pair.startsWith("csrftoken="))!.slice("csrftoken=".length);
  const cookie = pairs.join("; ");
  const raw = (
    method: string,
    path: string,
    params: Record<string, string> = {},
    headers: Record<string, string> = {},
    url = server.url,
  ) =>
    fetch(`${url}/json${path}`, {
      method,
      headers: { cookie, "X-CSRFToken": csrf, ...headers },
      ...(method !== "GET" && { body: new URLSearchParams(params) }),
    });
  const ask = async (...args: Parameters<typeof raw>): Promise<JsonObject> => {
    const answer = await raw(...args);
    expect(answer.status, `${name}: ${args.slice(0, 2).join(" ")}`).toBe(200);
    return (await answer.json()) as JsonObject;
  };
  const sessions = async () => (await ask("GET", "/users/me/sessions"))["sessions"] as Listed[];
  return {
    cookie,
    raw,
    ask,
    sessions,
    currentId: async () => (await sessions()).find(({ is_current }) => is_current)!.id,
    async queue() {
      const state = await ask("POST", "/register", { event_types: '["message"]', fetch_event_types: "[]" });
      return { queueId: state["queue_id"] as string, lastEventId: state["last_event_id"] as number };
    },
    poll: (url: string, queue: { queueId: string; lastEventId: number }, accept = "application/json") =>
      raw("GET", `/events?queue_id=${queue.queueId}&last_event_id=${queue.lastEventId}`, undefined, { accept }, url),
  };
}
