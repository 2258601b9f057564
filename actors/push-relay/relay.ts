/**
 * A push notification service for apps of one's own: servers speak to it as to Zulip's, and it speaks to Apple and
 * Google. Servers of known hosts register themselves with a key of their own. A token that Apple or Google calls dead
 * is forgotten, and named to the server. Source: zulip/zulip zilencer/views.py.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import {
  deleteRelayPhone,
  deleteRelayPhonesOf,
  deleteRelayServer,
  findRelayServer,
  putRelayPhone,
  putRelayRealms,
  putRelayServer,
  type RelayServer,
} from "../../storage/push-relay/phones.ts";
import { registerDevice } from "./devices.ts";
import { notify, notifySealed, sendTest } from "./notify.ts";
import type { RelayParts } from "./parts.ts";
import { badRequest, RelayRefusal, unknownServer } from "./refusal.ts";
import {
  checkToken,
  deviceForm,
  notifyBody,
  read,
  readJson,
  reportedRealms,
  reportedRows,
  reportForm,
  sealedBody,
  serverForm,
  testBody,
  tokenForm,
  userForm,
} from "./shapes.ts";

/** Phones of one person. */
const mostPhones = 100;
/** Requests that a server may have answered at once, and each second afterwards. */
const burst = 600;
const perSecond = 50;

export interface RelayRequest {
  /** Below `/api/v1/remotes/`. */
  endpoint: string;
  /** Of `Authorization`. */
  authorization: string | undefined;
  /** Of a form or of a body of JSON. */
  fields: unknown;
}

type Endpoint = (relay: RelayParts, server: RelayServer, fields: unknown) => Promise<object>;

const kindOf = (number: "1" | "2" | 1 | 2) => (String(number) === "1" ? "apns" : "fcm");
const hashOf = (key: string): Buffer => createHash("sha256").update(key).digest();
const now = () => Math.floor(Date.now() / 1000);

const endpoints: Readonly<Record<string, Endpoint>> = {
  "server/deactivate": async ({ sql }, { id }) => deleteRelayServer(sql, id).then(() => ({})),
  "server/analytics/status": async (_relay, { last_audit_row }) => ({
    last_realm_count_id: 0,
    last_installation_count_id: 0,
    last_realmauditlog_id: last_audit_row,
  }),
  "server/analytics": async ({ sql }, { id }, fields) => {
    const { realms, realmauditlog_rows } = read(fields, reportForm);
    const uuids = readJson(realms, reportedRealms).map(({ uuid }) => uuid);
    const rows = readJson(realmauditlog_rows ?? "[]", reportedRows);
    await putRelayRealms(sql, id, uuids, Math.max(0, ...rows.map((row) => row.id)));
    const status = { can_push: true, expected_end_timestamp: null };
    return { realms: Object.fromEntries(uuids.map((uuid) => [uuid, status])) };
  },
  "push/register": async ({ sql }, { id }, fields) => {
    const { user_uuid, token, token_kind, ios_app_id } = read(fields, tokenForm);
    const kind = kindOf(token_kind);
    const appid = checkToken(kind, token, ios_app_id);
    const phone = {
      server_id: id,
      owner: user_uuid,
      kind,
      token,
      appid,
      token_id: null,
      registered_at: now(),
    } as const;
    if (!(await putRelayPhone(sql, phone, mostPhones))) throw badRequest("Too many tokens");
    return {};
  },
  "push/unregister": async ({ sql }, { id }, fields) => {
    const { user_uuid, token, token_kind } = read(fields, tokenForm);
    const phone = { server_id: id, owner: user_uuid, kind: kindOf(token_kind), token } as const;
    if (!(await deleteRelayPhone(sql, phone))) throw badRequest("Token does not exist");
    return {};
  },
  "push/unregister/all": async ({ sql }, { id }, fields) =>
    deleteRelayPhonesOf(sql, id, read(fields, userForm).user_uuid).then(() => ({})),
  "push/notify": (relay, server, fields) => notify(relay, server, read(fields, notifyBody)),
  "push/test_notification": (relay, server, fields) => {
    const { token_kind, ...body } = read(fields, testBody);
    return sendTest(relay, server, { ...body, kind: kindOf(token_kind) });
  },
  "push/e2ee/register": (relay, server, fields) => registerDevice(relay, server, read(fields, deviceForm)),
  "push/e2ee/notify": (relay, server, fields) => notifySealed(relay, server, read(fields, sealedBody)),
};

export class PushRelay {
  /** What each server may still ask, and when that was known: milliseconds of the process. */
  readonly #allowances = new Map<string, { left: number; at: number }>();

  constructor(private readonly parts: RelayParts) {}

  /** @throws RelayRefusal, StorageUnavailable */
  async answer({ endpoint, authorization, fields }: RelayRequest): Promise<object> {
    if (endpoint === "server/register") return this.#register(fields);
    const server = await this.#accessServer(authorization);
    const answer = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined;
    if (!answer) throw new RelayRefusal(404, "BAD_REQUEST", "Not found");
    this.#spend(server.id);
    return answer(this.parts, server, fields);
  }

  async #register(fields: unknown): Promise<object> {
    const { sql, mayRegister } = this.parts;
    const form = read(fields, serverForm);
    if (!mayRegister(form.hostname)) throw badRequest(`${form.hostname} may not use this relay: ask its operator.`);
    const known = await findRelayServer(sql, form.zulip_org_id);
    if (known && !timingSafeEqual(known.key_hash, hashOf(form.zulip_org_key))) throw unknownServer();
    const row = {
      id: form.zulip_org_id,
      key_hash: hashOf(form.new_org_key ?? form.zulip_org_key),
      hostname: form.hostname,
      contact_email: form.contact_email,
      registered_at: now(),
    };
    const done = await putRelayServer(sql, row);
    if (!done)
      throw new RelayRefusal(
        400,
        "HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR",
        `A server with hostname ${form.hostname} already exists`,
      );
    return done;
  }

  async #accessServer(authorization: string | undefined): Promise<RelayServer> {
    const [, encoded] = /^Basic ([A-Za-z0-9+/=]{1,400})$/.exec(authorization ?? "") ?? [];
    const [, id, key] = /^([0-9a-f-]{36}):(.{1,200})$/.exec(Buffer.from(encoded ?? "", "base64").toString()) ?? [];
    if (id === undefined || key === undefined || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))
      throw unknownServer();
    const server = await findRelayServer(this.parts.sql, id);
    if (!server || !timingSafeEqual(server.key_hash, hashOf(key))) throw unknownServer();
    return server;
  }

  /** @throws RelayRefusal */
  #spend(id: string): void {
    const at = performance.now();
    const before = this.#allowances.get(id) ?? { left: burst, at };
    const left = Math.min(burst, before.left + ((at - before.at) / 1000) * perSecond) - 1;
    this.#allowances.set(id, { left: Math.max(left, 0), at });
    if (left < 0) throw new RelayRefusal(429, "RATE_LIMIT_HIT", "Too many requests");
  }
}
