/** The way of a notification from Parley over `parley push-relay` to Apple and Google, as their services see it. */
import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { registerServer } from "../../../http/process/push/register.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { StorePhone } from "../../support/push/phone.ts";
import { TestStores } from "../../support/push/stores.ts";
import { until } from "../../support/time/until.ts";

const stores = new TestStores();
const { apple, google, server } = stores;
const [ada] = server.people("Ada");
beforeEach(() => {
  apple.answer = () => undefined;
  google.answer = () => undefined;
});
afterEach(() => expect([...apple.faults, ...google.faults]).toEqual([]));

describe("parley push-relay", () => {
  it("takes servers of its hosts, each by its own key, and no others", async () => {
    await registerServer({ database: server.database }, config(), { email: "ops@example.org", agree: true });
    const form = { zulip_org_id: randomUUID(), zulip_org_key: "k".repeat(64), contact_email: "a@example.org" };
    expect(await stores.ask("server/register", { ...form, hostname: "elsewhere.example.com" })).toMatchObject({
      status: 400,
    });
    expect(
      await stores.ask("server/register", { ...form, hostname: new URL(config().externalUrl).host }),
    ).toMatchObject({
      body: { code: "HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR" },
    });
    const own = { ...form, hostname: "one.chat.test" };
    expect(await stores.ask("server/register", own)).toMatchObject({ status: 200, body: { created: true } });
    const [id, key] = [form.zulip_org_id, form.zulip_org_key];
    const other = { ...own, zulip_org_key: "x".repeat(64) };
    expect(await stores.ask("server/register", other)).toMatchObject({ body: { code: "INVALID_ZULIP_SERVER" } });
    const all = { user_uuid: randomUUID() };
    expect(await stores.ask("push/unregister/all", all, `${id}:${"x".repeat(64)}`)).toMatchObject({ status: 401 });
    expect(await stores.ask("push/unregister/all", all)).toMatchObject({ status: 401 });
    expect(await stores.ask("push/unregister/all", all, `${id}:${key}`)).toMatchObject({ status: 200 });
    const wrong = { user_uuid: "nobody", token: "a", token_kind: "2" };
    expect(await stores.ask("push/register", wrong, `${id}:${key}`)).toMatchObject({
      status: 400,
      body: { code: "BAD_REQUEST" },
    });
  });

  it("has older apps notified by both services, which see what servers say, and takes it away again", async () => {
    const bob = await someone();
    const [iphone, android] = [randomBytes(32).toString("hex"), randomBytes(16).toString("hex")];
    expectSuccess(await bob.client.post("/users/me/apns_device_token", { token: iphone, appid: "org.example.Chat" }));
    expectSuccess(await bob.client.post("/users/me/android_gcm_reg_id", { token: android }));
    await registrationsDone(bob);
    const id = await send(bob, "**hi**");
    const [shown] = await atApple(iphone, 1);
    expect(shown!.headers).toMatchObject({
      "apns-topic": "org.example.Chat",
      "apns-push-type": "alert",
      "apns-priority": "10",
    });
    expect(shown!.payload).toMatchObject({
      aps: { alert: { title: "Ada", body: "hi" }, badge: 1, sound: "default" },
      zulip: { message_ids: [id], sender_id: ada.id, user_id: bob.id },
    });
    const [message] = await atGoogle(android, 1);
    expect(message).toMatchObject({
      android: { priority: "HIGH" },
      data: { event: "message", zulip_message_id: String(id), content: "hi", content_truncated: "false" },
    });
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    expect((await atApple(iphone, 2))[1]!.payload).toMatchObject({ aps: { badge: 0 }, zulip: { event: "remove" } });
    expect((await atGoogle(android, 2))[1]).toMatchObject({
      android: { priority: "NORMAL" },
      data: { event: "remove" },
    });
    expectSuccess(await bob.client.post("/mobile_push/test_notification"));
    expect((await atApple(iphone, 3))[2]!.payload).toMatchObject({ aps: { alert: { title: "Test notification" } } });
    expect((await atGoogle(android, 3))[2]).toMatchObject({ data: { event: "test", realm_name: "Parley" } });
    expect(apple.sessions).toBe(1);
    expect(google.access.size).toBe(1);
    google.gone.add(android);
    apple.gone.add(iphone);
    await send(bob, "nobody there");
    await until("the tokens to be forgotten", async () => {
      const rows = await server.database.sql`select from push_tokens where user_id = ${bob.id}`;
      return rows.length === 0;
    });
    expectSuccess(await bob.client.post("/mobile_push/test_notification"));
  });

  it("passes on what is sealed for a device, and tries again while Apple or Google is away", async () => {
    const bob = await someone();
    const phones = [await StorePhone.of(stores, bob, "apns"), await StorePhone.of(stores, bob, "fcm")];
    for (const phone of phones) await registered(bob, phone);
    google.access.clear();
    let failures = 0;
    apple.answer = () => (failures++ < 2 ? { status: 503, reason: "ServiceUnavailable" } : undefined);
    await send(bob, "for your eyes");
    const [shown] = await atApple(phones[0]!.token, 1);
    const { encrypted_data, ...rest } = shown!.payload;
    expect(rest).toEqual({
      push_key_id: phones[0]!.id,
      aps: { "mutable-content": 1, alert: { title: "New notification" } },
    });
    expect(phones[0]!.unseal(encrypted_data as string)).toMatchObject({ content: "for your eyes", user_id: bob.id });
    expect(shown!.headers).toMatchObject({ "apns-topic": "org.zulip.Zulip", "apns-priority": "10" });
    const [message] = await atGoogle(phones[1]!.token, 1);
    const { data } = message as { data: JsonObject };
    expect(data).toMatchObject({ push_key_id: String(phones[1]!.id) });
    expect(phones[1]!.unseal(data["encrypted_data"] as string)).toMatchObject({ content: "for your eyes" });
    for (const phone of phones) {
      apple.gone.add(phone.token);
      google.gone.add(phone.token);
    }
    expectError(await bob.client.post("/mobile_push/e2ee/test_notification"), 400, "NO_ACTIVE_PUSH_DEVICE");
  });

  it("that cannot reach Apple has the server ask again, so nothing is lost", async () => {
    const bob = await someone();
    const phone = await StorePhone.of(stores, bob, "apns");
    await registered(bob, phone);
    apple.answer = () => ({ status: 503, reason: "ServiceUnavailable" });
    expectError(await bob.client.post("/mobile_push/e2ee/test_notification"), 502, "INTERNAL_SERVER_ERROR_ON_BOUNCER");
    await send(bob, "later");
    await until("it to have failed", async () => {
      const rows = await server.database.sql`
        select from push_notifications where user_id = ${bob.id} and attempts > 0`;
      return rows.length > 0;
    });
    apple.answer = () => undefined;
    const [shown] = await atApple(phone.token, 1);
    expect(phone.unseal(shown!.payload["encrypted_data"] as string)).toMatchObject({ content: "later" });
  });
});

let people = 0;
const someone = () => server.addUser(`Person ${++people}`);
const config = () => server.server.app.config as Parameters<typeof registerServer>[1];
const send = async ({ id }: Person, content: string) =>
  expectSuccess(await ada.client.post("/messages", { type: "direct", to: [id], content }))["id"] as number;

async function registrationsDone({ id }: Person): Promise<void> {
  await until("the relay to be told", async () => {
    const rows = await server.database.sql`select from push_registrations where user_id = ${id}`;
    return rows.length === 0;
  });
}

async function registered({ client }: Person, phone: StorePhone): Promise<void> {
  expectSuccess(await phone.register());
  await until("the relay to take it", async () => {
    const { devices } = await client.register({ fetch_event_types: ["device"] });
    return (devices as Record<number, JsonObject>)[phone.id]!["push_token_id"] === phone.tokenId;
  });
}

async function atApple(token: string, count: number) {
  const got = () => apple.delivered.filter((each) => each.token === token);
  await until(`${count} at Apple`, () => got().length >= count);
  return got();
}

async function atGoogle(token: string, count: number) {
  const got = () => google.delivered.filter((each) => each["token"] === token);
  await until(`${count} at Google`, () => got().length >= count);
  return got();
}
