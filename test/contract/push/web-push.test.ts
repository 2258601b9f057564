/** Notifications of browsers while no page is open, as the browser would read them (RFC 8291, RFC 8292). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
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
    expectSuccess(await person.client.patch("/settings", { pm_content_in_desktop_notifications: false }));
    const second = await send({ type: "direct", to: [person.id], content: "a secret" });
    await sent();
    const told = browser.got().find(({ tag }) => tag === `message-${second}`)!;
    expect(told).toMatchObject({ title: "Ada", body: "New direct message" });
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

it("what is no subscription is refused, and an address inside the server's network is not asked", async () => {
  const { person, log } = await someone();
  const good = service.newBrowser().subscription;
  const { client } = person;
  expect((await client.post("/web_push", good)).status).toBe(401);
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
    expect((await log("POST", { ...good, ...wrong }, "/web_push", 400))["code"], JSON.stringify(wrong)).toBe(
      "BAD_REQUEST",
    );
  await log("POST", { ...good, endpoint: service.origin.replace("127.0.0.1", "127.0.0.2") });
  await send({ type: "direct", to: [person.id], content: "hello" });
  await sent();
  expect((await log("GET"))["is_subscribed"]).toBe(false);
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
