/** Forms and bodies of requests to the relay. Fields of a form are texts. */
import {
  array,
  assert,
  create,
  defaulted,
  enums,
  type Infer,
  integer,
  optional,
  pattern,
  record,
  type Struct,
  StructError,
  size,
  string,
  type,
  unknown,
} from "superstruct";
import { badRequest } from "./refusal.ts";

const uuid = pattern(string(), /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const key = size(string(), 64, 64);
const token = size(string(), 1, 4096);
const appid = pattern(string(), /^[.a-zA-Z0-9-]{1,255}$/);
const anything = record(string(), unknown());
/** Tokens and devices in one request. */
const most = 200;

export const serverForm = type({
  zulip_org_id: uuid,
  zulip_org_key: key,
  hostname: size(string(), 1, 128),
  contact_email: pattern(string(), /^[^@\s]+@[^@\s]+$/),
  new_org_key: optional(key),
});
export const userForm = type({ user_uuid: uuid });
export const tokenForm = type({
  user_uuid: uuid,
  token,
  token_kind: enums(["1", "2"]),
  ios_app_id: optional(appid),
});
export const reportForm = type({ realms: string(), realmauditlog_rows: optional(string()) });
export const deviceForm = type({
  realm_uuid: uuid,
  token_id: pattern(string(), /^[A-Za-z0-9+/]{11}=$/),
  encrypted_push_registration: size(string(), 1, 10_000),
  bouncer_public_key: size(string(), 1, 100),
});
export const reportedRealms = size(array(type({ uuid })), 0, 10_000);
export const reportedRows = size(array(type({ id: integer() })), 0, 10_000);
/** What a device seals for the relay. */
export const registration = type({
  token,
  token_kind: enums(["apns", "fcm"]),
  ios_app_id: optional(unknown()),
  timestamp: integer(),
});

export const notifyBody = type({
  user_uuid: uuid,
  gcm_payload: defaulted(anything, {}),
  gcm_options: defaulted(type({ priority: optional(enums(["high", "normal"])) }), {}),
  apns_payload: defaulted(anything, {}),
  android_devices: defaulted(size(array(token), 0, most), []),
  apple_devices: defaulted(size(array(token), 0, most), []),
});
export const testBody = type({ user_uuid: uuid, token, token_kind: enums([1, 2]), base_payload: anything });
const sealed = { push_key_id: integer(), encrypted_data: string() };
const pushRequest = type({
  token_id: string(),
  fcm_priority: optional(enums(["high", "normal"])),
  http_headers: optional(type({ apns_priority: enums([10, 5, 1]), apns_push_type: enums(["alert", "background"]) })),
  payload: type({ ...sealed, aps: optional(anything) }),
});
export const sealedBody = type({ realm_uuid: uuid, push_requests: size(array(pushRequest), 1, most) });
export type PushRequest = Infer<typeof pushRequest>;

/** @throws RelayRefusal that names the field */
export function read<T, S>(value: unknown, shape: Struct<T, S>): T {
  try {
    return create(value, shape);
  } catch (error) {
    const path = error instanceof StructError ? error.path.join(".") : "";
    throw badRequest(`Invalid ${path || "request"}`);
  }
}

/** @throws RelayRefusal */
export function readJson<T, S>(text: string, shape: Struct<T, S>): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("Invalid JSON");
  }
  return read(value, shape);
}

/** @throws RelayRefusal for an id that Apple would not take */
export function checkToken(kind: "apns" | "fcm", text: string, app: unknown): string | null {
  if (kind === "fcm") return null;
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) throw badRequest("Invalid APNS token");
  if (app === undefined || app === null) throw badRequest("Missing ios_app_id");
  try {
    assert(app, appid);
  } catch {
    throw badRequest("Invalid ios_app_id");
  }
  return app;
}
