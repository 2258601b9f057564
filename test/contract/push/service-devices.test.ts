/** Devices with a key at the push notification service. https://zulip.com/api/register-push-device */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { registerServer } from "../../../http/process/push/register.ts";
import { ApiClient, cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { refusal, TestBouncer } from "../../support/push/bouncer.ts";
import { StorePhone } from "../../support/push/phone.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const bouncer = new TestBouncer();
beforeAll(() => bouncer.start());
const server = testServer({ environment: () => ({ PARLEY_PUSH_SERVICE_URL: bouncer.url }) });
const [ada] = server.people("Ada");
beforeAll(() =>
  registerServer({ database: server.database }, server.server.app.config as Parameters<typeof registerServer>[1], {
    email: "ops@example.org",
    agree: true,
  }),
);
afterAll(() => bouncer.stop());
beforeEach(() => void (bouncer.answer = () => undefined));
afterEach(() => expect(bouncer.faults).toEqual([]));

describe("POST /mobile_push/register", () => {
  it("has a token pending until the service has taken it; both are events", async () => {
    const bob = await someone();
    const { email, apiKey } = bob;
    const mobile = new ApiClient({ url: server.url, email, apiKey, userAgent: "ZulipFlutter/1.0" });
    const phone = await StorePhone.of(bouncer, { client: mobile }, "apns");
    const queue = cursorOf(await mobile.register());
    expectSuccess(await phone.register());
    const about = { type: "device", op: "update", device_id: phone.id, id: expect.any(Number) };
    expect(await eventsOf(mobile, queue, 2)).toEqual([
      {
        ...about,
        push_key_id: phone.id,
        pending_push_token_id: phone.tokenId,
        push_token_last_updated_timestamp: expect.any(Number),
        push_registration_error_code: null,
      },
      { ...about, push_token_id: phone.tokenId, pending_push_token_id: null },
    ]);
    const asked = bouncer.at("push/e2ee/register").length;
    expectSuccess(await phone.register());
    expect(bouncer.devices.get(phone.tokenId)).toMatchObject({ token: phone.token, ios_app_id: "org.zulip.Zulip" });
    const before = phone.tokenId;
    phone.changeToken();
    const { push_key, push_key_id, ...token } = phone.parameters();
    bouncer.answer = () => refusal(503, "BUSY");
    expectSuccess(await bob.client.post("/mobile_push/register", token));
    expect(await deviceOf(bob, phone)).toMatchObject({ push_token_id: before, pending_push_token_id: phone.tokenId });
    expectError(await bob.client.post("/mobile_push/register", token), 400, "BAD_REQUEST");
    bouncer.answer = () => undefined;
    await until(
      "the other token to be taken",
      async () => (await deviceOf(bob, phone))["push_token_id"] === phone.tokenId,
    );
    expect(bouncer.at("push/e2ee/register")).toHaveLength(asked + 1);
  });

  it("tells why the service refuses a token, and takes another", async () => {
    const bob = await someone();
    const phone = await StorePhone.of(bouncer, bob, "fcm");
    const late = phone.parameters(Math.floor(Date.now() / 1000) - 2 * 86_400);
    for (const [changes, code] of [
      [{ bouncer_public_key: Buffer.alloc(32).toString("base64") }, "INVALID_BOUNCER_PUBLIC_KEY"],
      [{ encrypted_push_registration: Buffer.alloc(80).toString("base64") }, "BAD_REQUEST"],
      [late, "REQUEST_EXPIRED"],
    ] as [JsonObject, string][]) {
      expectSuccess(await phone.register(changes));
      await until(code, async () => (await deviceOf(bob, phone))["push_registration_error_code"] === code);
      expect((await deviceOf(bob, phone))["push_token_id"]).toBeNull();
    }
    await registered(bob, phone);
    expect((await deviceOf(bob, phone))["push_registration_error_code"]).toBeNull();
  });

  it("refuses half of a registration, and names of tokens that are none", async () => {
    const bob = await someone();
    const phone = await StorePhone.of(bouncer, bob, "fcm");
    const { push_key, push_key_id, ...token } = phone.parameters();
    const device_id = phone.id;
    for (const wrong of [
      token,
      { device_id, push_key, push_key_id },
      { ...phone.parameters(), token_id: "a token" },
      { ...phone.parameters(), token_id: "AAAA" },
    ])
      expectError(await bob.client.post("/mobile_push/register", wrong), 400, "BAD_REQUEST");
    expect(await deviceOf(bob, phone)).toMatchObject({ push_key_id: null, pending_push_token_id: null });
  });
});

describe("a notification", () => {
  it("is sealed for each device, and taken away quietly when it is read", async () => {
    const bob = await someone();
    const phones = [await StorePhone.of(bouncer, bob, "apns"), await StorePhone.of(bouncer, bob, "fcm")];
    for (const phone of phones) await registered(bob, phone);
    const id = await send(bob, "for your eyes");
    await until("both to have it", () => phones.every((phone) => phone.got().length === 1));
    const [apple, android] = phones.map((phone) => phone.got()[0]!);
    expect(apple!.says).toEqual({
      type: "message",
      recipient_type: "direct",
      recipient_user_ids: [ada.id, bob.id].sort((a, b) => a - b),
      message_id: id,
      content: "for your eyes",
      time: expect.any(Number),
      sender_id: ada.id,
      sender_full_name: "Ada",
      sender_avatar_url: expect.stringMatching(/^https?:\/\//),
      realm_name: "Parley",
      realm_url: expect.stringMatching(/^http/),
      user_id: bob.id,
    });
    expect(android!.says).toEqual(apple!.says);
    expect(apple!.sees).toMatchObject({ http_headers: { apns_priority: 10 }, payload: { push_key_id: phones[0]!.id } });
    expect(android!.sees).toMatchObject({ fcm_priority: "high", payload: { push_key_id: phones[1]!.id } });
    expect(JSON.stringify(bouncer.taken)).not.toContain("for your eyes");
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    await until("both to lose it", () => phones.every((phone) => phone.got().length === 2));
    expect(phones[1]!.got()[1]).toMatchObject({ sees: { fcm_priority: "normal" }, says: { message_ids: [id] } });
    expect(phones[0]!.got()[1]!.sees).toMatchObject({ http_headers: { apns_push_type: "background" } });
  });

  it("to a token that is dead has it forgotten, which the client is told; a test says so", async () => {
    const bob = await someone();
    const phone = await StorePhone.of(bouncer, bob, "fcm");
    await registered(bob, phone);
    expectSuccess(await bob.client.post("/mobile_push/e2ee/test_notification"));
    expect(phone.got()[0]!.says).toMatchObject({ type: "test", user_id: bob.id });
    const queue = await bob.queue({ event_types: ["device"] });
    bouncer.gone.add(phone.tokenId);
    await send(bob, "nobody there");
    expect(await eventsOf(bob.client, queue, 1)).toEqual([
      { type: "device", op: "update", device_id: phone.id, push_token_id: null, id: expect.any(Number) },
    ]);
    expectError(await bob.client.post("/mobile_push/e2ee/test_notification"), 400, "NO_ACTIVE_PUSH_DEVICE");
    phone.changeToken();
    await registered(bob, phone);
    bouncer.gone.add(phone.tokenId);
    expectError(await bob.client.post("/mobile_push/e2ee/test_notification"), 400, "NO_ACTIVE_PUSH_DEVICE");
    bouncer.answer = () => refusal(403, "MISSING_REMOTE_REALM");
    phone.changeToken();
    expectSuccess(await phone.register());
    expect((await deviceOf(bob, phone))["push_token_id"]).toBeNull();
  });
});

let people = 0;
const someone = () => server.addUser(`Person ${++people}`);
const send = async ({ id }: Person, content: string) =>
  expectSuccess(await ada.client.post("/messages", { type: "direct", to: [id], content }))["id"] as number;

async function deviceOf({ client }: Person, { id }: StorePhone): Promise<JsonObject> {
  const { devices } = await client.register({ fetch_event_types: ["device"] });
  return (devices as Record<number, JsonObject>)[id]!;
}

async function registered(person: Person, phone: StorePhone): Promise<void> {
  expectSuccess(await phone.register());
  await until("the service to take it", async () => (await deviceOf(person, phone))["push_token_id"] === phone.tokenId);
}

async function eventsOf(client: ApiClient, cursor: Awaited<ReturnType<Person["queue"]>>, count: number) {
  const events: JsonObject[] = [];
  await until(`${count} events`, async () => {
    events.push(...(await client.drain(cursor)).filter(({ type }) => type === "device"));
    return events.length >= count;
  });
  return events;
}
