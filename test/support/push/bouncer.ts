/**
 * A look-alike of Zulip's push notification service on loopback. It knows servers, tokens and users as that one does.
 * It takes no field that the real one does not know, and none less. Source: zulip/zulip zilencer/views.py.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import sodium from "libsodium-wrappers";
import type { JsonObject } from "../client/api.ts";
import { until } from "../time/until.ts";

type Fields = Readonly<Record<string, RegExp | "any">>;
type Check = (value: unknown) => boolean;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const number = /^\d+$/;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** Eight bytes. */
const tokenId = /^[A-Za-z0-9+/]{11}=$/;
const user = { user_id: number, user_uuid: uuid, realm_uuid: uuid };
const token = { token: /^.{1,4096}$/, token_kind: /^[12]$/ };

/** Fields of the forms, by endpoint. Those after a question mark may be left out. */
const forms: Readonly<Record<string, Fields>> = {
  "server/register": {
    zulip_org_id: uuid,
    zulip_org_key: /^.{64}$/,
    hostname: /^[^/]{1,128}$/,
    contact_email: /^[^@]+@[^@]+$/,
    "?new_org_key": /^.{64}$/,
  },
  "server/analytics/status": {},
  "server/analytics": {
    realm_counts: /^\[\]$/,
    installation_counts: /^\[\]$/,
    realmauditlog_rows: "any",
    realms: "any",
    version: /^"[^"]+"$/,
    merge_base: /^"[^"]+"$/,
    api_feature_level: number,
  },
  "push/register": { server_uuid: uuid, ...user, ...token, "?ios_app_id": /^[.a-zA-Z0-9-]+$/ },
  "push/unregister": { server_uuid: uuid, ...user, ...token },
  "push/unregister/all": { server_uuid: uuid, ...user },
  "push/e2ee/register": {
    realm_uuid: uuid,
    token_id: tokenId,
    encrypted_push_registration: base64,
    bouncer_public_key: base64,
  },
};

const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** Only these fields, each of its form. */
const isExactly = (value: unknown, fields: Readonly<Record<string, Check>>): boolean =>
  isObject(value) &&
  Object.keys(value as object)
    .sort()
    .join() === Object.keys(fields).sort().join() &&
  Object.entries(fields).every(([name, check]) => check((value as JsonObject)[name]));
const sealed = { push_key_id: Number.isInteger, encrypted_data: (value: unknown) => base64.test(value as string) };
const isTokenId: Check = (value) => tokenId.test(value as string);
const shownAps = JSON.stringify({ "mutable-content": 1, alert: { title: "New notification" } });
const isText: Check = (value) => typeof value === "string" && value !== "";
const isBoolean: Check = (value) => typeof value === "boolean";
const realmFields: Readonly<Record<string, Check>> = {
  id: Number.isInteger,
  host: isText,
  url: (value) => URL.canParse(value as string),
  name: isText,
  org_type: (value) => [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 110, 1000].includes(value as number),
  date_created: Number.isFinite,
  deactivated: isBoolean,
  is_system_bot_realm: isBoolean,
  authentication_methods: isObject,
  uuid: (value) => uuid.test(value as string),
  uuid_owner_secret: (value) => /^zuliprealm_\w{32}$/.test(value as string),
};
const auditFields: Readonly<Record<string, Check>> = {
  id: Number.isInteger,
  realm: Number.isInteger,
  event_time: Number.isFinite,
  backfilled: isBoolean,
  extra_data: (value) =>
    isExactly(value, {
      "10": (counts) =>
        isExactly(counts, {
          "11": (humans) =>
            isExactly(humans, Object.fromEntries([100, 200, 300, 400, 600].map((role) => [role, Number.isInteger]))),
          "12": Number.isInteger,
        }),
    }),
  event_type: (value) => value === 105,
};
const isPushRequest: Check = (value) =>
  isExactly(value, {
    token_id: isTokenId,
    fcm_priority: (priority) => priority === "high" || priority === "normal",
    payload: (payload) => isExactly(payload, sealed),
  }) ||
  isExactly(value, {
    token_id: isTokenId,
    http_headers: (headers) =>
      [
        { apns_priority: 10, apns_push_type: "alert" },
        { apns_priority: 5, apns_push_type: "background" },
      ].some((each) => JSON.stringify(each) === JSON.stringify(headers)),
    payload: (payload) => isExactly(payload, { ...sealed, aps: (aps) => JSON.stringify(aps) === shownAps }),
  });
const isTexts: Check = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
const isUser: Readonly<Record<string, Check>> = {
  user_id: Number.isInteger,
  user_uuid: (value) => uuid.test(value as string),
  realm_uuid: (value) => uuid.test(value as string),
};
/** Fields of the bodies of JSON, by endpoint. All are needed. */
const bodies: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  "push/notify": {
    ...isUser,
    gcm_payload: isObject,
    gcm_options: isObject,
    apns_payload: isObject,
    android_devices: isTexts,
    apple_devices: isTexts,
  },
  "push/test_notification": {
    ...isUser,
    token: (value) => typeof value === "string",
    token_kind: (value) => value === 1 || value === 2,
    base_payload: isObject,
  },
  "push/e2ee/notify": {
    realm_uuid: (value) => uuid.test(value as string),
    push_requests: (value) => Array.isArray(value) && value.length > 0 && value.every(isPushRequest),
  },
  "server/deactivate": {},
};

export interface Asked {
  endpoint: string;
  /** The id of the server that asks; undefined: it did not say. */
  by: string | undefined;
  fields: JsonObject;
}

interface Answer {
  status: number;
  body: JsonObject;
}
export const refusal = (status: number, code: string, msg = code): Answer => ({
  status,
  body: { result: "error", code, msg },
});

/** What a device seals for the service. */
interface Registration {
  token: string;
  token_kind: "fcm" | "apns";
  ios_app_id: string | null;
  /** UNIX seconds. */
  timestamp: number;
}

/** A phone as the service knows it: `user_uuid kind token`. */
type Phone = string;

export class TestBouncer {
  /** What was taken, in order. */
  readonly taken: Asked[] = [];
  /** Whether what is asked is done, and the answer is lost. */
  losesAnswer: (asked: Asked) => boolean = () => false;
  /** What no server of Zulip's would have asked. */
  readonly faults: string[] = [];
  /** How many requests there were. */
  asked = 0;
  /** Asked of each request first. Undefined: it is taken. "nothing": it gets no answer. */
  answer: (asked: Asked) => Answer | "nothing" | undefined = () => undefined;
  readonly keys = new Map<string, string>();
  readonly phones = new Set<Phone>();
  /** What devices with a key have registered, by their tokens' ids. */
  readonly devices = new Map<string, Registration>();
  /** To which devices seal their registrations. */
  readonly sealingKeys = sodium.crypto_box_keypair();
  /** Tokens of which Apple or Google have said that they are gone. */
  readonly gone = new Set<string>();
  /** Organizations that it was told of, by their UUIDs. */
  readonly realms = new Map<string, JsonObject>();
  /** Newest row of the audit log of each server. */
  #lastAuditId = 0;
  /** Whether it answers for organizations that it was not told of. */
  knowsAll = true;
  /** What the service says of every organization. */
  status = { can_push: true, expected_end_timestamp: null as number | null };
  readonly #held = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => {
      this.asked++;
      const verdict = this.#take(request, text);
      if (verdict === "nothing") return void this.#held.add(response);
      response.writeHead(verdict.status, { "content-type": "application/json" }).end(JSON.stringify(verdict.body));
    });
  });

  /** For `PARLEY_PUSH_SERVICE_URL`. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** What got no answer so far, and has somebody who waits for it. */
  get hanging(): readonly object[] {
    return [...this.#held].filter(({ closed }) => !closed);
  }

  /** Ends what got no answer so far. */
  letGo(): void {
    for (const response of this.#held) response.destroy();
    this.#held.clear();
  }

  /** What was taken at an endpoint, of a person if one is named. */
  at(endpoint: string, userId?: number): JsonObject[] {
    return this.taken
      .filter((asked) => asked.endpoint === endpoint)
      .map(({ fields }) => fields)
      .filter((fields) => userId === undefined || Number(fields["user_id"]) === userId);
  }

  /** Waits for so many. */
  async get(count: number, endpoint: string, userId?: number): Promise<JsonObject[]> {
    await until(`${count} at ${endpoint}`, () => this.at(endpoint, userId).length >= count, 120_000);
    return this.at(endpoint, userId);
  }

  #take(request: IncomingMessage, text: string): Answer | "nothing" {
    const endpoint = request.url!.replace(/^\/api\/v1\/remotes\//, "");
    const fields = this.#read(endpoint, request, text);
    const asked = { endpoint, by: this.#callerOf(request), fields };
    const given = this.answer(asked);
    if (given) return given;
    const verdict = this.#judge(asked, request);
    if (verdict.status === 200) this.taken.push(asked);
    return this.losesAnswer(asked) ? refusal(502, "BAD_GATEWAY", "the answer was lost") : verdict;
  }

  /** Notes what is too much in a request, missing, or not of its form. */
  #read(endpoint: string, { headers, method }: IncomingMessage, text: string): JsonObject {
    const fault = (words: string) => this.faults.push(`${method} ${endpoint}: ${words}`);
    if (!/^ZulipServer\/\d/.test(headers["user-agent"] ?? "")) fault(`user agent ${headers["user-agent"]}`);
    const isJson = headers["content-type"] === "application/json";
    const fields = isJson
      ? (JSON.parse(text) as JsonObject)
      : (Object.fromEntries(new URLSearchParams(text)) as JsonObject);
    const form = forms[endpoint];
    const body = bodies[endpoint];
    if (!form === !body || isJson !== (body !== undefined)) fault(isJson ? "JSON" : "a form");
    const names = Object.keys(form ?? body ?? {});
    for (const name of Object.keys(fields))
      if (!names.includes(name) && !names.includes(`?${name}`)) fault(`${name} is unknown`);
    for (const name of names) {
      const value = fields[name.replace("?", "")];
      if (value === undefined ? !name.startsWith("?") : !isOf(form?.[name] ?? body![name]!, value))
        fault(`${name} is ${JSON.stringify(value)}`);
    }
    return fields;
  }

  #callerOf({ headers }: IncomingMessage): string | undefined {
    const [, encoded] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
    return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString().split(":")[0];
  }

  #judge(asked: Asked, { headers }: IncomingMessage): Answer {
    const { endpoint, by, fields } = asked;
    if (endpoint === "server/register") return this.#registerServer(fields);
    const expected = `Basic ${Buffer.from(`${by}:${this.keys.get(by ?? "")}`).toString("base64")}`;
    if (by === undefined || !this.keys.has(by) || headers.authorization !== expected)
      return refusal(401, "INVALID_ZULIP_SERVER", "Zulip server auth failure");
    if (fields["server_uuid"] !== undefined && fields["server_uuid"] !== by) this.faults.push("another server_uuid");
    const isE2ee = endpoint.startsWith("push/e2ee/");
    if (isE2ee && !this.knowsAll && !this.realms.has(fields["realm_uuid"] as string))
      return refusal(403, "MISSING_REMOTE_REALM", "Organization not registered");
    return this.#judgeOf(endpoint, fields);
  }

  #judgeOf(endpoint: string, fields: JsonObject): Answer {
    const phone = `${fields["user_uuid"]} ${fields["token_kind"]} ${fields["token"]}`;
    switch (endpoint) {
      case "server/analytics/status":
        return success({
          last_realm_count_id: 0,
          last_installation_count_id: 0,
          last_realmauditlog_id: this.#lastAuditId,
        });
      case "server/analytics":
        return this.#takeReport(fields);
      case "push/register":
        if (fields["token_kind"] === "1" && fields["ios_app_id"] === undefined)
          return refusal(400, "BAD_REQUEST", "Missing ios_app_id");
        this.phones.add(phone);
        return success();
      case "push/unregister":
        return this.phones.delete(phone) ? success() : refusal(400, "BAD_REQUEST", "Token does not exist");
      case "push/unregister/all":
        for (const each of this.phones) if (each.startsWith(`${fields["user_uuid"]} `)) this.phones.delete(each);
        return success();
      case "push/test_notification":
        return this.phones.has(phone) ? success() : refusal(400, "INVALID_REMOTE_PUSH_DEVICE_TOKEN");
      case "push/notify":
        return this.#notify(fields);
      case "push/e2ee/register":
        return this.#registerDevice(fields);
      case "push/e2ee/notify":
        return this.#notifyDevices(fields["push_requests"] as { token_id: string; fcm_priority?: string }[]);
      default:
        return success();
    }
  }

  #registerServer(fields: JsonObject): Answer {
    const [id, key] = [fields["zulip_org_id"] as string, fields["zulip_org_key"] as string];
    const known = this.keys.get(id);
    if (known !== undefined && known !== key) return refusal(401, "INVALID_ZULIP_SERVER", "key does not match");
    this.keys.set(id, (fields["new_org_key"] as string | undefined) ?? key);
    return success({ created: known === undefined });
  }

  #takeReport(fields: JsonObject): Answer {
    const realms = JSON.parse(fields["realms"] as string) as JsonObject[];
    for (const realm of realms) if (!isExactly(realm, realmFields)) this.faults.push(`realm ${JSON.stringify(realm)}`);
    for (const row of JSON.parse(fields["realmauditlog_rows"] as string) as JsonObject[]) {
      if (!isExactly(row, auditFields)) this.faults.push(`audit row ${JSON.stringify(row)}`);
      if ((row["id"] as number) <= this.#lastAuditId) return refusal(400, "BAD_REQUEST", "Data is out of order.");
      this.#lastAuditId = row["id"] as number;
    }
    for (const realm of realms) this.realms.set(realm["uuid"] as string, realm);
    return success({ realms: Object.fromEntries(realms.map(({ uuid: id }) => [id, this.status])) });
  }

  /** For `bouncer_public_key`. */
  get publicKey(): string {
    return Buffer.from(this.sealingKeys.publicKey).toString("base64");
  }

  #registerDevice(fields: JsonObject): Answer {
    if (fields["bouncer_public_key"] !== this.publicKey) return refusal(400, "INVALID_BOUNCER_PUBLIC_KEY");
    const invalid = refusal(400, "BAD_REQUEST", "Invalid encrypted_push_registration");
    try {
      const { publicKey, privateKey } = this.sealingKeys;
      const sealed = Buffer.from(fields["encrypted_push_registration"] as string, "base64");
      const text = Buffer.from(sodium.crypto_box_seal_open(sealed, publicKey, privateKey)).toString();
      const registration = JSON.parse(text) as Registration;
      if (registration.timestamp < Date.now() / 1000 - 86_400) return refusal(400, "REQUEST_EXPIRED");
      if (fields["token_id"] !== tokenIdOf(registration.token)) return invalid;
      this.devices.set(fields["token_id"] as string, registration);
      return success();
    } catch {
      return invalid;
    }
  }

  #notifyDevices(requests: readonly { token_id: string; fcm_priority?: string }[]): Answer {
    const known = requests.filter(({ token_id }) => this.devices.has(token_id) && !this.gone.has(token_id));
    const android = known.filter(({ fcm_priority }) => fcm_priority !== undefined).length;
    return success({
      android_successfully_sent_count: android,
      apple_successfully_sent_count: known.length - android,
      delete_token_ids: requests.filter((each) => !known.includes(each)).map(({ token_id }) => token_id),
      realm_push_status: this.status,
    });
  }

  #notify(fields: JsonObject): Answer {
    const known = (kind: number, name: string) =>
      (fields[name] as string[]).filter((each) => this.phones.has(`${fields["user_uuid"]} ${kind} ${each}`));
    const deleted = (kind: number, name: string) =>
      (fields[name] as string[]).filter((each) => !known(kind, name).includes(each) || this.gone.has(each));
    return success({
      total_android_devices: known(2, "android_devices").length,
      total_apple_devices: known(1, "apple_devices").length,
      deleted_devices: {
        android_devices: deleted(2, "android_devices"),
        apple_devices: deleted(1, "apple_devices"),
      },
      realm: this.status,
    });
  }
}

/** What a device calls a token. */
export const tokenIdOf = (token: string): string =>
  createHash("sha256").update(token).digest().subarray(0, 8).toString("base64");

const isOf = (rule: RegExp | "any" | Check, value: unknown): boolean =>
  rule === "any" || (typeof rule === "function" ? rule(value) : rule.test(String(value)));

const success = (body: JsonObject = {}): Answer => ({ status: 200, body: { result: "success", msg: "", ...body } });
