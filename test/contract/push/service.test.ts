/** Phones of the stores: the push notification service is asked as Zulip's servers ask it. */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { endRegistration, registerServer, showRegistration } from "../../../http/process/push/register.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { refusal, TestBouncer } from "../../support/push/bouncer.ts";
import { testServer } from "../../support/server/server.ts";
import { allAreTold } from "../../support/server/told.ts";
import { until } from "../../support/time/until.ts";

const bouncer = new TestBouncer();
beforeAll(() => bouncer.start());
const server = testServer({
  environment: () => ({ PARLEY_PUSH_SERVICE_URL: bouncer.url, PARLEY_URL: "http://chat.test" }),
});
const [ada] = server.people("Ada");
afterAll(() => bouncer.stop());
beforeEach(() => void (bouncer.answer = () => undefined));
afterEach(() => expect(bouncer.faults).toEqual([]));

describe("parley push register", () => {
  it("says what is shared, and asks nothing without agreement", async () => {
    await expect(register({ email: "ops@example.org" })).rejects.toThrow(/chat\.test[\s\S]*--agree/);
    expect(bouncer.asked).toBe(0);
    expect((await showRegistration(storage(), config())).text).toMatch(/not registered/);
  });

  it("before it phones are kept, and a test says who has to act; after it the service learns of them", async () => {
    const bob = await someone();
    await addTokens(bob);
    expectError(await bob.client.post("/mobile_push/test_notification"), 403, "ADMIN_ACTION_REQUIRED");
    bouncer.answer = ({ endpoint }) => (endpoint === "server/register" ? refusal(503, "BUSY") : undefined);
    await expect(register({ email: "ops@example.org", agree: true })).rejects.toThrow(/BUSY/);
    bouncer.answer = () => undefined;
    const { data } = await register({ agree: true });
    expect(data).toMatchObject({ created: true, hostname: "chat.test", contact_email: "ops@example.org" });
    expect(bouncer.at("server/register")).toEqual([
      {
        zulip_org_id: (data as { org_id: string }).org_id,
        zulip_org_key: expect.stringMatching(/^[\w-]{64}$/),
        hostname: "chat.test",
        contact_email: "ops@example.org",
      },
    ]);
    const told = await bouncer.get(2, "push/register", bob.id);
    expect(told.map(({ token_kind, ios_app_id }) => [token_kind, ios_app_id]).sort()).toEqual([
      ["1", "org.zulip.Zulip"],
      ["2", undefined],
    ]);
  });

  it("again keeps the id, and makes another key with --new-key; the key is nowhere in the database", async () => {
    const [before] = bouncer.keys;
    await register({ agree: true, "new-key": true });
    const [after] = bouncer.keys;
    expect(after![0]).toBe(before![0]);
    expect(after![1]).not.toBe(before![1]);
    await register({ agree: true });
    expect(bouncer.at("server/register").at(-1)).toMatchObject({ zulip_org_key: after![1] });
    const rows = await server.database.sql`select push_service::text as row from push_service`;
    expect(Buffer.from(/\\x([0-9a-f]+)/.exec(rows[0]!["row"] as string)![1]!, "hex").includes(after![1])).toBe(false);
    expect((await showRegistration(storage(), config())).data).toMatchObject({ isUsed: true, hostname: "chat.test" });
  });

  it.each([
    ["again", {}],
    ["again with --new-key", { "new-key": true }],
  ])("goes on with a new key whose answer was lost, when it is run %s", async (_how, values) => {
    const [before] = bouncer.keys.values();
    onTestFinished(() => void (bouncer.losesAnswer = () => false));
    bouncer.losesAnswer = ({ endpoint }) => endpoint === "server/register";
    await expect(register({ agree: true, "new-key": true })).rejects.toThrow(/the answer was lost/);
    const [told] = bouncer.keys.values();
    expect(told).not.toBe(before);
    bouncer.losesAnswer = () => false;
    await register({ agree: true, ...values });
    await register({ agree: true });
    expect([...bouncer.keys.values()]).toEqual([told]);
    expect(bouncer.at("server/register").at(-1)).toMatchObject({ zulip_org_key: told });
  });

  it("keeps the key that the service knows when the new one did not get there", async () => {
    const [before] = bouncer.keys.values();
    bouncer.answer = () => refusal(503, "BUSY");
    await expect(register({ agree: true, "new-key": true })).rejects.toThrow(/BUSY/);
    bouncer.answer = () => undefined;
    await register({ agree: true });
    expect([...bouncer.keys.values()]).toEqual([before]);
    await register({ agree: true, "new-key": true });
    const [after] = bouncer.keys.values();
    expect(after).not.toBe(before);
    await register({ agree: true });
    expect(bouncer.at("server/register").at(-1)).toMatchObject({ zulip_org_key: after });
  });
});

describe("a token", () => {
  it("is told to the service when a phone adds or removes it, and all of them with a new key", async () => {
    const bob = await someone();
    const { apple, android } = await addTokens(bob);
    await bouncer.get(2, "push/register", bob.id);
    const [registered] = bouncer.at("push/register", bob.id);
    expectSuccess(await bob.client.delete("/users/me/apns_device_token", { token: apple }));
    expect((await bouncer.get(1, "push/unregister", bob.id))[0]).toEqual({
      server_uuid: registered!["server_uuid"],
      realm_uuid: registered!["realm_uuid"],
      user_uuid: registered!["user_uuid"],
      user_id: String(bob.id),
      token: apple,
      token_kind: "1",
    });
    expectSuccess(await bob.client.post("/users/me/api_key/regenerate"));
    await bouncer.get(1, "push/unregister/all", bob.id);
    expect([...bouncer.phones].filter((phone) => phone.includes(android))).toEqual([]);
  });

  it("that the service refuses is forgotten; while it is away nobody waits, and it is told later", async () => {
    const bob = await someone();
    bouncer.answer = ({ fields }) =>
      Number(fields["user_id"]) === bob.id ? refusal(400, "BAD_REQUEST", "Invalid token") : undefined;
    await addTokens(bob);
    await until("both to be forgotten", async () => (await tokensOf(bob)).length === 0);
    bouncer.answer = () => "nothing";
    const asked = bouncer.asked;
    await addTokens(bob);
    await until("the service to be asked", () => bouncer.asked > asked);
    // A request without an answer is given up after a while, and made again. Who waited for one would see its end.
    await until("a send while the service says nothing", async () => {
      const hung = bouncer.hanging;
      await send({ type: "direct", to: [bob.id], content: "nobody waits" });
      return hung.length > 0 && hung.some((request) => bouncer.hanging.includes(request));
    });
    bouncer.answer = () => undefined;
    bouncer.letGo();
    await bouncer.get(2, "push/register", bob.id);
  });
});

describe("a notification", () => {
  it("goes to both kinds of tokens in one request, and is taken away when it is read", async () => {
    const bob = await registered();
    const id = await send({ type: "direct", to: [bob.person.id], content: "**hi**" });
    const [body] = await bouncer.get(1, "push/notify", bob.person.id);
    const { realm_uuid, user_uuid } = bouncer.at("push/register", bob.person.id)[0]!;
    const shared = {
      server: "chat.test",
      realm_id: expect.any(Number),
      realm_name: "Parley",
      realm_uri: "http://chat.test",
      realm_url: "http://chat.test",
      user_id: bob.person.id,
      sender_id: ada.id,
      sender_email: expect.stringContaining("@"),
      time: expect.any(Number),
      recipient_type: "private",
    };
    expect(body).toEqual({
      user_id: bob.person.id,
      user_uuid,
      realm_uuid,
      android_devices: [bob.android],
      apple_devices: [bob.apple],
      gcm_options: { priority: "high" },
      gcm_payload: {
        ...shared,
        event: "message",
        zulip_message_id: id,
        content: "hi",
        content_truncated: false,
        sender_full_name: "Ada",
        sender_avatar_url: expect.stringMatching(/^http/),
      },
      apns_payload: {
        alert: { title: "Ada", subtitle: "", body: "hi" },
        sound: "default",
        badge: 1,
        custom: { zulip: { ...shared, message_ids: [id] } },
      },
    });
    expectSuccess(await bob.person.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    const removal = (await bouncer.get(2, "push/notify", bob.person.id))[1]!;
    expect(removal["gcm_payload"]).toMatchObject({
      event: "remove",
      zulip_message_ids: String(id),
      zulip_message_id: id,
    });
    expect(removal["gcm_options"]).toEqual({ priority: "normal" });
    expect(removal["apns_payload"]).toMatchObject({ badge: 0, custom: { zulip: { event: "remove" } } });
  });

  it("is tried again while the service is away; a token that it names as dead is forgotten", async () => {
    const bob = await registered();
    bouncer.answer = ({ endpoint }) => (endpoint === "push/notify" ? { status: 502, body: {} } : undefined);
    const asked = bouncer.asked;
    await send({ type: "direct", to: [bob.person.id], content: "later" });
    await until("the service to be asked", () => bouncer.asked > asked);
    bouncer.gone.add(bob.android);
    bouncer.answer = () => undefined;
    const [body] = await bouncer.get(1, "push/notify", bob.person.id);
    expect(body).toMatchObject({ gcm_payload: { content: "later" } });
    await until("the token to be forgotten", async () => (await tokensOf(bob.person)).length === 1);
    expect(await tokensOf(bob.person)).toEqual([bob.apple]);
    expect(bouncer.at("push/unregister", bob.person.id)).toEqual([]);
  });

  it("that the plan does not allow is given up at once", async () => {
    const bob = await registered();
    bouncer.answer = ({ endpoint }) =>
      endpoint === "push/notify" ? refusal(400, "PUSH_NOTIFICATIONS_DISALLOWED") : undefined;
    await send({ type: "direct", to: [bob.person.id], content: "not allowed" });
    await allAreTold(server.database.sql);
    expect(bouncer.at("push/notify", bob.person.id)).toEqual([]);
    expect(await tokensOf(bob.person)).toHaveLength(2);
  });
});

describe("POST /mobile_push/test_notification", () => {
  it("has the service send its own words to each token, and tells what it says", async () => {
    const bob = await registered();
    expectSuccess(await bob.person.client.post("/mobile_push/test_notification"));
    const tests = bouncer.at("push/test_notification", bob.person.id);
    expect(tests.map(({ token, token_kind }) => [token, token_kind]).sort()).toEqual(
      [
        [bob.apple, 1],
        [bob.android, 2],
      ].sort(),
    );
    expect(tests[0]!["base_payload"]).toEqual({
      server: "chat.test",
      realm_id: expect.any(Number),
      realm_name: "Parley",
      realm_uri: "http://chat.test",
      realm_url: "http://chat.test",
      user_id: bob.person.id,
    });
    const answers: [ReturnType<typeof refusal>, number, string][] = [
      [refusal(400, "INVALID_REMOTE_PUSH_DEVICE_TOKEN"), 400, "INVALID_REMOTE_PUSH_DEVICE_TOKEN"],
      [refusal(401, "INVALID_ZULIP_SERVER"), 403, "ADMIN_ACTION_REQUIRED"],
      [refusal(500, "INTERNAL"), 502, "INTERNAL_SERVER_ERROR_ON_BOUNCER"],
    ];
    for (const [answer, status, code] of answers) {
      bouncer.answer = () => answer;
      expectError(await bob.person.client.post("/mobile_push/test_notification"), status, code);
    }
  });
});

describe("parley push end", () => {
  it("ends the registration at the service too", async () => {
    await endRegistration(storage(), config());
    expect(bouncer.at("server/deactivate")).toEqual([{}]);
    expect((await showRegistration(storage(), config())).text).toMatch(/not registered/);
    await register({ email: "ops@example.org", agree: true });
  });
});

let people = 0;
const someone = () => server.addUser(`Person ${++people}`);
const config = () => server.server.app.config as Parameters<typeof registerServer>[1];
const storage = () => ({ database: server.database });
const register = (values: Parameters<typeof registerServer>[2]) => registerServer(storage(), config(), values);

async function addTokens({ client }: Person): Promise<{ apple: string; android: string }> {
  const [apple, android] = [randomBytes(8).toString("hex"), `fcm ${randomBytes(8).toString("hex")}`];
  expectSuccess(await client.post("/users/me/apns_device_token", { token: apple, appid: "org.zulip.Zulip" }));
  expectSuccess(await client.post("/users/me/android_gcm_reg_id", { token: android }));
  return { apple, android };
}

/** Somebody whose phones the service knows. */
async function registered(): Promise<{ person: Person; apple: string; android: string }> {
  const person = await someone();
  const tokens = await addTokens(person);
  await bouncer.get(2, "push/register", person.id);
  await until("nothing to wait", async () => {
    const waiting = await server.database.sql`select from push_registrations where user_id = ${person.id}`;
    return waiting.length === 0;
  });
  return { person, ...tokens };
}

async function tokensOf({ id }: Person): Promise<string[]> {
  const rows = await server.database.sql<{ token: string }[]>`select token from push_tokens where user_id = ${id}`;
  return rows.map(({ token }) => token);
}

const send = async (params: JsonObject) => expectSuccess(await ada.client.post("/messages", params))["id"] as number;
