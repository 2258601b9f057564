import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import sodium from "libsodium-wrappers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ApiClient, cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

beforeAll(startRelay);
const server = testServer({ environment: () => ({ PARLEY_PUSH_RELAY_URL: addressOf(relay) }) });
const bare = testServer();
beforeEach(resetRelay);
afterAll(() => relay.close());

describe("POST /mobile_push/e2ee/test_notification", () => {
  it("reaches the relay sealed, so that only the device can read it", async () => {
    const person = await someone();
    const { id, key } = await activeDevice(person);
    expectSuccess(await test(person));
    expect(received).toHaveLength(1);
    const [sealed] = received[0]!["devices"] as Sealed[];
    expect(sealed).toMatchObject({ device_id: id, encrypted_push_registration: `sealed token ${id}` });
    expect(JSON.stringify(received)).not.toContain('"test"');
    expect(unseal(sealed!, key)).toEqual({
      type: "test",
      realm_name: "Parley",
      realm_url: expect.stringMatching(/^http/),
      time: expect.any(Number),
      user_id: person.id,
    });
    expect(() => unseal(sealed!, newKey())).toThrow();
  });

  it("device_id names one device; left out, all of them are meant", async () => {
    const person = await someone();
    const devices = [await activeDevice(person), await activeDevice(person)];
    await newDevice(person);
    expectSuccess(await test(person, { device_id: devices[1]!.id }));
    expectSuccess(await test(person));
    const ids = received.map((body) => (body["devices"] as Sealed[]).map((sealed) => sealed.device_id));
    expect(ids).toEqual([[devices[1]!.id], devices.map(({ id }) => id)]);
    const payloads = (received[1]!["devices"] as Sealed[]).map((sealed, index) => unseal(sealed, devices[index]!.key));
    expect(payloads[0]).toEqual(payloads[1]);
  });

  it("NO_ACTIVE_PUSH_DEVICE: no device, none with key and token, or one that is not the caller's", async () => {
    const [person, other] = [await someone(), await someone()];
    expectError(await test(person), 400, "NO_ACTIVE_PUSH_DEVICE");
    const id = await newDevice(person);
    expectError(await test(person), 400, "NO_ACTIVE_PUSH_DEVICE");
    expectError(await test(person, { device_id: id }), 400, "NO_ACTIVE_PUSH_DEVICE");
    const { id: theirs } = await activeDevice(other);
    expectError(await test(person, { device_id: theirs }), 400, "NO_ACTIVE_PUSH_DEVICE");
    expect(received).toEqual([]);
  });

  it("ADMIN_ACTION_REQUIRED: the relay refuses this server", async () => {
    const person = await someone();
    await activeDevice(person);
    for (const status of [401, 403, 404, 402]) {
      answer = { status, body: '{"msg":"secret words of the relay"}' };
      const error = expectError(await test(person), 403, "ADMIN_ACTION_REQUIRED");
      expect(error["msg"]).not.toContain("secret");
    }
  });

  it("INTERNAL_SERVER_ERROR_ON_BOUNCER: the relay answers 5xx", async () => {
    const person = await someone();
    await activeDevice(person);
    for (const status of [500, 503]) {
      answer = { status, body: "no JSON" };
      expectError(await test(person), 502, "INTERNAL_SERVER_ERROR_ON_BOUNCER");
    }
  });

  it("FAILED_TO_CONNECT_BOUNCER: the relay cannot be reached", async () => {
    const configs = server.nodes.map(({ app }) => app.config);
    const { pushRelayUrl } = configs[0]!;
    const setRelay = (url: string | undefined) => {
      for (const config of configs) config.pushRelayUrl = url;
    };
    const person = await someone();
    await activeDevice(person);
    setRelay(await closedAddress());
    try {
      expectError(await test(person), 502, "FAILED_TO_CONNECT_BOUNCER");
      setRelay(undefined);
      expectError(await test(person), 403, "ADMIN_ACTION_REQUIRED");
    } finally {
      setRelay(pushRelayUrl);
    }
    expectSuccess(await test(person));
  });
});

describe("devices", () => {
  it("register_client_device gives a new id each time, remove_client_device forgets it", async () => {
    const [person, other] = [await someone(), await someone()];
    const ids = [await newDevice(person), await newDevice(person)];
    expect(new Set(ids).size).toBe(2);
    expectError(await other.client.post("/remove_client_device", { device_id: ids[0] }), 400, "BAD_REQUEST");
    expectSuccess(await person.client.post("/remove_client_device", { device_id: ids[0] }));
    expectError(await person.client.post("/remove_client_device", { device_id: ids[0] }), 400, "BAD_REQUEST");
    const state = await person.client.register({ fetch_event_types: ["device"] });
    expect(state["devices"]).toEqual({
      [ids[1]!]: {
        push_key_id: null,
        push_token_id: null,
        pending_push_token_id: null,
        push_token_last_updated_timestamp: null,
        push_registration_error_code: null,
      },
    });
  });

  it("mobile_push/register: PUSH_SERVICE_NOT_CONFIGURED without a relay", async () => {
    const { client } = bare.owner;
    const { device_id } = expectSuccess(await client.post("/register_client_device"));
    expectError(
      await client.post("/mobile_push/register", {
        device_id,
        push_key_id: 1,
        push_key: pushKeyOf(newKey()),
        ...tokenOf("a"),
      }),
      400,
      "PUSH_SERVICE_NOT_CONFIGURED",
    );
    expectError(await client.post("/mobile_push/e2ee/test_notification"), 400, "NO_ACTIVE_PUSH_DEVICE");
  });

  it("mobile_push/register: first key and token together, then either alone; half of one is refused", async () => {
    const [person, other] = [await someone(), await someone()];
    const device_id = await newDevice(person);
    const register = (params: JsonObject) => person.client.post("/mobile_push/register", { device_id, ...params });
    const key = { push_key_id: 7, push_key: pushKeyOf(newKey()) };
    for (const part of [key, tokenOf("a"), {}, { push_key_id: 7 }, { ...key, token_kind: "fcm", token_id: "a" }])
      expectError(await register(part), 400, "BAD_REQUEST");
    for (const wrong of [
      { push_key: "?" },
      { push_key: "MTIz" },
      { push_key_id: 2 ** 32 },
      { push_key_id: -1 },
      { token_kind: "sms" },
      { token_id: "" },
    ])
      expectError(await register({ ...key, ...tokenOf("a"), ...wrong }), 400, "BAD_REQUEST");
    expectError(
      await other.client.post("/mobile_push/register", { device_id, ...key, ...tokenOf("a") }),
      400,
      "BAD_REQUEST",
    );
    expectSuccess(await register({ ...key, ...tokenOf("a") }));
    const rotated = newKey();
    expectSuccess(await register({ push_key_id: 8, push_key: pushKeyOf(rotated) }));
    expectSuccess(await register(tokenOf("b")));
    const state = await person.client.register({ fetch_event_types: ["device"] });
    expect((state["devices"] as Record<string, unknown>)[device_id]).toMatchObject({
      push_key_id: 8,
      push_token_id: "b",
      pending_push_token_id: null,
      push_registration_error_code: null,
    });
    expectSuccess(await test(person));
    const [sealed] = received[0]!["devices"] as Sealed[];
    expect(unseal(sealed!, rotated)["user_id"]).toBe(person.id);
    expect(sealed!.encrypted_push_registration).toBe("sealed b");
  });

  it("each change converges", async () => {
    const person = await someone();
    const observers = [{ client: person.client, profiles: [MODERN] }];
    const added = await assertConverges({ observers, act: () => newDevice(person) });
    const device_id = added.result;
    await assertConverges({
      observers,
      act: async () =>
        expectSuccess(
          await person.client.post("/mobile_push/register", {
            device_id,
            push_key_id: 1,
            push_key: pushKeyOf(newKey()),
            ...tokenOf("a"),
          }),
        ),
    });
    await assertConverges({ observers, act: () => person.client.post("/remove_client_device", { device_id }) });
  });

  it("a new API key forgets devices and tokens; those of others and of bots' owners stay", async () => {
    const [person, other] = [await someone(), await someone()];
    const bot = await server.addBot(person, `bot-of-${person.id}`);
    const token = { token: "of a phone" };
    for (const { client } of [person, other]) expectSuccess(await client.post("/users/me/android_gcm_reg_id", token));
    const { id } = await activeDevice(person);
    await activeDevice(other);
    expectSuccess(await person.client.post(`/bots/${bot.id}/api_key/regenerate`));
    expectSuccess(await test(person));
    const queue = await person.queue({ event_types: ["device"] });
    const { api_key } = expectSuccess(await person.client.post("/users/me/api_key/regenerate"));
    const renewed = new ApiClient({ url: server.url, email: person.email, apiKey: api_key as string });
    expect(await renewed.drain(queue)).toEqual([
      { type: "device", op: "remove", device_id: id, id: expect.any(Number) },
    ]);
    expect((await renewed.register({ fetch_event_types: ["device"] }))["devices"]).toEqual({});
    expectError(await renewed.post("/mobile_push/e2ee/test_notification"), 400, "NO_ACTIVE_PUSH_DEVICE");
    expectError(await renewed.delete("/users/me/android_gcm_reg_id", token), 400, "BAD_REQUEST");
    expectSuccess(await test(other));
    expectSuccess(await other.client.delete("/users/me/android_gcm_reg_id", token));
  });

  it("device events go to queues that named them and to those of the client that has the device, and to nobody else", async () => {
    const [person, other] = [await someone(), await someone()];
    const as = (userAgent: string) =>
      new ApiClient({ url: server.url, email: person.email, apiKey: person.apiKey, userAgent });
    const mobile = as("ZulipFlutter/1.0");
    const strict = as("go-zulip/1.0");
    const queues = {
      mobile: cursorOf(await mobile.register()),
      strict: cursorOf(await strict.register()),
      named: cursorOf(await strict.register({ event_types: ["device"] })),
      other: await other.queue({ event_types: ["device"] }),
    };
    const { device_id } = expectSuccess(await mobile.post("/register_client_device"));
    const expected = { type: "device", op: "add", device_id, id: expect.any(Number) };
    expect(await mobile.drain(queues.mobile)).toEqual([expected]);
    expect(await strict.drain(queues.named)).toEqual([expected]);
    expect(await strict.drain(queues.strict)).toEqual([]);
    expect(await other.drain(queues.other)).toEqual([]);
  });
});

describe("device tokens of the older kind", () => {
  it("are kept and forgotten, with or without a relay", async () => {
    for (const { client } of [server.owner, bare.owner]) {
      expectSuccess(await client.post("/users/me/android_gcm_reg_id", { token: "an fcm token" }));
      expectSuccess(await client.post("/users/me/android_gcm_reg_id", { token: "an fcm token" }));
      expectSuccess(await client.delete("/users/me/android_gcm_reg_id", { token: "an fcm token" }));
      expectError(await client.delete("/users/me/android_gcm_reg_id", { token: "an fcm token" }), 400, "BAD_REQUEST");
      expectSuccess(await client.post("/users/me/apns_device_token", { token: "c0ffee", appid: "org.zulip.Zulip" }));
      expectSuccess(await client.delete("/users/me/apns_device_token", { token: "c0ffee" }));
      expectError(
        await client.post("/users/me/apns_device_token", { token: "no hex", appid: "x" }),
        400,
        "BAD_REQUEST",
      );
      expectError(await client.post("/users/me/android_gcm_reg_id", { token: "" }), 400, "BAD_REQUEST");
    }
  });

  it("INVALID_PUSH_DEVICE_TOKEN for one that is not known", async () => {
    const person = await someone();
    const path = "/mobile_push/test_notification";
    expectError(await person.client.post(path, { token: "unknown" }), 400, "INVALID_PUSH_DEVICE_TOKEN");
    expectSuccess(await person.client.post(path));
    expect(received).toEqual([]);
    expectSuccess(await person.client.post("/users/me/android_gcm_reg_id", { token: "known" }));
    expectSuccess(await person.client.post(path, { token: "known" }));
    expect(received[0]!["tokens"]).toEqual([{ kind: "fcm", token: "known", appid: null }]);
  });
});

/** A relay that writes down what it gets and answers as it is told. */
const relay = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    received.push(JSON.parse(text) as JsonObject);
    response.writeHead(answer.status, { "content-type": "application/json" }).end(answer.body);
  });
});
let answer: { status: number; body: string };
let received: JsonObject[] = [];
let names = 0;

async function startRelay(): Promise<void> {
  await sodium.ready;
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
}
function resetRelay(): void {
  answer = { status: 200, body: "{}" };
  received = [];
}
const addressOf = (listening: Server) => `http://127.0.0.1:${(listening.address() as AddressInfo).port}/notify`;

const someone = () => server.addUser(`Somebody ${++names}`);
const newKey = () => sodium.crypto_secretbox_keygen();
const pushKeyOf = (key: Uint8Array) => Buffer.concat([Buffer.from([0x31]), key]).toString("base64");
const tokenOf = (name: string) => ({
  token_kind: "fcm",
  token_id: name,
  bouncer_public_key: "relay's key",
  encrypted_push_registration: `sealed ${name}`,
});

async function newDevice(person: Person): Promise<number> {
  return expectSuccess(await person.client.post("/register_client_device"))["device_id"] as number;
}

/** A device that can be notified, and its key. */
async function activeDevice(person: Person): Promise<{ id: number; key: Uint8Array }> {
  const id = await newDevice(person);
  const key = newKey();
  expectSuccess(
    await person.client.post("/mobile_push/register", {
      device_id: id,
      push_key_id: id,
      push_key: pushKeyOf(key),
      ...tokenOf(`token ${id}`),
    }),
  );
  return { id, key };
}

const test = (person: Person, params: JsonObject = {}) =>
  person.client.post("/mobile_push/e2ee/test_notification", params);

/** Where nobody listens any more. */
async function closedAddress(): Promise<string> {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const address = addressOf(closed);
  await new Promise((resolve) => closed.close(resolve));
  return address;
}

interface Sealed {
  device_id: number;
  payload: string;
  encrypted_push_registration: string;
}

/** What a device reads of a notification. */
function unseal({ payload }: Sealed, key: Uint8Array): JsonObject {
  const bytes = Buffer.from(payload, "base64");
  const text = sodium.crypto_secretbox_open_easy(bytes.subarray(24), bytes.subarray(0, 24), key);
  return JSON.parse(Buffer.from(text).toString()) as JsonObject;
}
