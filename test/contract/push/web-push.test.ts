/** Notifications of browsers and programs by Web Push, as they would read them (RFC 8291, RFC 8292). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { TestPushService } from "../../support/server/push-service.ts";
import { testServer } from "../../support/server/server.ts";
import { allAreTold } from "../../support/server/told.ts";
import { until } from "../../support/time/until.ts";

const service = new TestPushService();
beforeAll(() => service.start());
const server = testServer({ environment: () => ({ PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" }), nodeCount: 2 });
const [ada] = server.people("Ada");
beforeEach(() => void (service.status = () => 201));
afterAll(() => service.stop());

describe("a browser that is subscribed", () => {
  it("gets what its person's settings say, so that only it can read it, signed by the server", async () => {
    const { person, log } = await someone();
    const browser = service.newBrowser();
    const { public_key, is_subscribed } = await log("GET");
    expect(is_subscribed).toBe(false);
    await log("POST", browser.subscription);
    expect((await log("GET"))["is_subscribed"]).toBe(true);
    const room = await server.addChannel("plans & more", [ada, person]);
    await send({ type: "channel", to: room, topic: "x y", content: "nothing for them" });
    const first = await send({
      type: "channel",
      to: room,
      topic: "x y",
      content: `@**${person.name}** **look** & see`,
    });
    // Word of the new channel may come before.
    const ofFirst = () => browser.got().filter(({ tag }) => tag === `message-${first}`);
    await until("the notification", () => ofFirst().length > 0, 120_000);
    expect(ofFirst()).toEqual([
      {
        title: "Ada (#plans & more › x y)",
        body: `@${person.name} look & see`,
        path: `/#narrow/channel/${room}-plans-.26-more/topic/x.20y/near/${first}`,
        tag: `message-${first}`,
      },
    ]);
    const signed = await browser.checkSignature(public_key as string);
    expect(signed["sub"]).toMatch(/^(mailto:|https:)/);
    expect(signed["headers"]).toMatchObject({ "content-encoding": "aes128gcm", ttl: "86400", urgency: "high" });
    const quietly = { pm_content_in_desktop_notifications: false, default_language: "ja" };
    expectSuccess(await person.client.patch("/settings", quietly));
    const second = await send({ type: "direct", to: [person.id], content: "a secret" });
    await sent();
    const told = browser.got().find(({ tag }) => tag === `message-${second}`)!;
    expect(told).toMatchObject({ title: "Ada", body: "新しいダイレクトメッセージ" });
    expect(told["path"]).toBe(`/#narrow/dm/${[ada.id, person.id].sort((a, b) => a - b).join(",")}/near/${second}`);
    expectSuccess(await person.client.patch("/settings", { enable_offline_push_notifications: false }));
    const count = browser.got().length;
    await send({ type: "direct", to: [person.id], content: "not wanted" });
    await sent();
    expect(browser.got()).toHaveLength(count);
  });

  it("is told once more when its push service failed, and no more when that says that it is gone", async () => {
    const { person, log } = await someone();
    const [failing, gone] = [service.newBrowser(), service.newBrowser()];
    const other = await logIn(person);
    await log("POST", failing.subscription);
    await other("POST", gone.subscription);
    let failures = 0;
    service.status = (path) => (path === gone.path ? 410 : ++failures === 1 ? 503 : 201);
    await send({ type: "direct", to: [person.id], content: "hello" });
    expect((await failing.get(2)).map(({ body }) => body)).toEqual(["hello", "hello"]);
    await sent();
    expect(failing.got()).toHaveLength(2);
    expect((await log("GET"))["is_subscribed"]).toBe(true);
    expect((await other("GET"))["is_subscribed"]).toBe(false);
    await send({ type: "direct", to: [person.id], content: "again" });
    await failing.get(3);
    expect(gone.got()).toHaveLength(1);
  });

  it("is told nothing after DELETE, after its log-in has ended, and when somebody else uses that browser", async () => {
    const { person, log } = await someone();
    const [first, second, third] = [service.newBrowser(), service.newBrowser(), service.newBrowser()];
    await log("POST", first.subscription);
    await log("POST", first.subscription);
    await log("DELETE");
    const other = await logIn(person);
    await other("POST", second.subscription);
    await other("POST", undefined, "/sessions/end");
    const shared = await logIn(person);
    await shared("POST", third.subscription);
    const { person: next, log: nextLog } = await someone();
    await nextLog("POST", third.subscription);
    expect((await shared("GET"))["is_subscribed"]).toBe(false);
    await send({ type: "direct", to: [person.id], content: "for nobody" });
    await send({ type: "direct", to: [next.id], content: "for the next" });
    await third.get(1);
    await sent();
    expect([first.got(), second.got(), third.got().map(({ body }) => body)]).toEqual([[], [], ["for the next"]]);
  });
});

describe("a program with an API key is told", () => {
  it("by each endpoint of the account's own key, until DELETE or a new key", async () => {
    const { person } = await someone();
    const { client } = person;
    const [first, second] = [service.newBrowser(), service.newBrowser()];
    const { public_key } = expectSuccess(await client.get("/web_push"));
    expect(await isTold(client)).toBe(false);
    for (const { subscription } of [first, second]) expectSuccess(await client.post("/web_push", subscription));
    await send({ type: "direct", to: [person.id], content: "to both" });
    for (const program of [first, second]) {
      expect((await program.get(1)).map(({ title, body }) => [title, body])).toEqual([["Ada", "to both"]]);
      await program.checkSignature(public_key as string);
    }
    const { endpoint } = first.subscription;
    expectSuccess(await client.delete("/web_push", { endpoint }));
    expect([await isTold(client, endpoint), await isTold(client)]).toEqual([false, true]);
    await send({ type: "direct", to: [person.id], content: "to one" });
    await second.get(2);
    const { api_key } = expectSuccess(await client.post("/users/me/api_key/regenerate"));
    const renewed = new ApiClient({ url: server.urls, email: person.email, apiKey: api_key as string });
    expect(await isTold(renewed)).toBe(false);
    await send({ type: "direct", to: [person.id], content: "to nobody" });
    await sent();
    expect([first.got(), second.got()].map((each) => each.length)).toEqual([1, 2]);
    expect(await registrations(person)).toBe(0);
  });

  it("by one endpoint of a further key that reads, until that key ends", async () => {
    const { person } = await someone();
    const [kept, ended] = [await furtherKey(person), await furtherKey(person)];
    const [first, second, other] = [service.newBrowser(), service.newBrowser(), service.newBrowser()];
    for (const { subscription } of [first, second]) expectSuccess(await kept.client.post("/web_push", subscription));
    expectSuccess(await ended.client.post("/web_push", other.subscription));
    expect([await isTold(kept.client), await isTold(ended.client), await isTold(person.client)]).toEqual([
      true,
      true,
      false,
    ]);
    expectSuccess(await person.client.delete(`/users/me/api_keys/${ended.id}`));
    expectSuccess(await person.client.post("/users/me/api_key/regenerate"));
    await send({ type: "direct", to: [person.id], content: "hello" });
    await second.get(1);
    await sent();
    expect([first.got(), other.got()]).toEqual([[], []]);
    expectSuccess(await kept.client.delete("/web_push"));
    expect(await registrations(person)).toBe(0);
  });

  it("no more when its account is deactivated, or somebody else registers its endpoint; 25 share an own key", async () => {
    const { person } = await someone();
    const { person: next } = await someone();
    const further = await furtherKey(person);
    expectSuccess(await further.client.post("/web_push", service.newBrowser().subscription));
    const programs = Array.from({ length: 26 }, () => service.newBrowser().subscription);
    for (const program of programs) expectSuccess(await person.client.post("/web_push", program));
    expect(await isTold(person.client, programs[0]!.endpoint)).toBe(false);
    expect(await registrations(person)).toBe(26);
    expectSuccess(await next.client.post("/web_push", programs[9]!));
    expect([await registrations(person), await registrations(next)]).toEqual([25, 1]);
    expectSuccess(await server.owner.client.delete(`/users/${person.id}`));
    expect(await registrations(person)).toBe(0);
  });
});

it("what is no subscription is refused, and an address inside the server's network is not asked", async () => {
  const { person, log } = await someone();
  const good = service.newBrowser().subscription;
  const { client } = person;
  const stranger = new ApiClient({ url: server.urls, email: person.email, apiKey: "x".repeat(32) });
  expectError(await stranger.post("/web_push", good), 401, "INVALID_API_KEY");
  const bot = await server.addBot(person, "robot");
  expectError(await bot.client.post("/web_push", good), 400);
  for (const wrong of [
    { endpoint: "no address" },
    { endpoint: "file:///etc/passwd" },
    { endpoint: `https://push.example.org/${"x".repeat(2000)}` },
    { p256dh: "AAAA" },
    { p256dh: Buffer.alloc(65, 4).toString("base64url") },
    { p256dh: "not base64!" },
    { auth: "AAAA" },
    { auth: "" },
  ])
    for (const answer of [
      await log("POST", { ...good, ...wrong }, "/web_push", 400),
      expectError(await client.post("/web_push", { ...good, ...wrong }), 400),
    ])
      expect(answer["code"], JSON.stringify(wrong)).toBe("BAD_REQUEST");
  await log("POST", { ...good, endpoint: service.origin.replace("127.0.0.1", "127.0.0.2") });
  expectSuccess(await client.post("/web_push", { ...good, endpoint: "http://127.0.0.3/" }));
  await send({ type: "direct", to: [person.id], content: "hello" });
  await sent();
  expect((await log("GET"))["is_subscribed"]).toBe(false);
  expect(await isTold(client)).toBe(false);
});

let people = 0;
type Browser = (method: string, params?: JsonObject, path?: string, status?: number) => Promise<JsonObject>;

/** Somebody who is logged in with a browser. */
async function someone(): Promise<{ person: Person; log: Browser }> {
  const person = await server.addUser(`Person ${++people}`);
  return { person, log: await logIn(person) };
}

/** Logs a further browser in. */
async function logIn(person: Person): Promise<Browser> {
  const form = new URLSearchParams({ username: person.email, password: "a fine password" });
  const reply = await fetch(`${server.url}/login/`, { method: "POST", body: form, redirect: "manual" });
  const pairs = reply.headers.getSetCookie().map((text) => text.split(";")[0]!);
  const csrf = pairs.find((pair) => pair.startsWith("csrftoken="))!.slice("csrftoken=".length);
  const headers = { cookie: pairs.join("; "), "X-CSRFToken": csrf };
  return async (method, params, path = "/web_push", status = 200) => {
    const body = method === "GET" ? {} : { body: new URLSearchParams(params as Record<string, string>) };
    const answer = await fetch(`${server.url}/json${path}`, { method, headers, ...body });
    expect(answer.status).toBe(status);
    return (await answer.json()) as JsonObject;
  };
}

const send = async (params: JsonObject) => expectSuccess(await ada.client.post("/messages", params))["id"] as number;

const sent = () => allAreTold(server.database.sql);

async function furtherKey({ client, email }: Person): Promise<{ id: number; client: ApiClient }> {
  const made = await client.post("/users/me/api_keys", { name: "App", scope: "read", password: "a fine password" });
  const { id, api_key } = expectSuccess(made) as { id: number; api_key: string };
  return { id, client: new ApiClient({ url: server.urls, email, apiKey: api_key }) };
}

const isTold = async (client: ApiClient, endpoint?: string) =>
  expectSuccess(await client.get("/web_push", endpoint === undefined ? {} : { endpoint }))["is_subscribed"];

async function registrations({ id }: Person): Promise<number> {
  return (await server.database.sql`select from push_browsers where user_id = ${id}`).length;
}
