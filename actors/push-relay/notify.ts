/** Notifications by the relay: readable ones for a person's tokens, and sealed ones for devices of an organization. */
import {
  findRelayDevices,
  findRelayPhones,
  isRelayRealm,
  type RelayPhone,
  type RelayServer,
} from "../../storage/push-relay/phones.ts";
import type { ApnsNotification } from "./apns.ts";
import type { RelayParts } from "./parts.ts";
import { RelayRefusal, unknownRealm } from "./refusal.ts";
import { type ForPhone, sendAll } from "./senders.ts";
import type { PushRequest } from "./shapes.ts";

type Fields = Record<string, unknown>;
const status = { can_push: true, expected_end_timestamp: null };

interface Readable {
  user_uuid: string;
  gcm_payload: Fields;
  gcm_options: { priority?: "high" | "normal" | undefined };
  apns_payload: Fields;
  android_devices: string[];
  apple_devices: string[];
}

/** The answer names the tokens that the server believes in and the relay does not know, or not any more. */
export async function notify(relay: RelayParts, server: RelayServer, body: Readable): Promise<object> {
  const phones = await findRelayPhones(relay.sql, server.id, body.user_uuid);
  const priority = body.gcm_options.priority ?? (body.gcm_payload["event"] === "message" ? "high" : "normal");
  const apns = appleForm(body.apns_payload);
  const fcm = { data: body.gcm_payload, priority };
  const { gone } = await sendAll(
    relay,
    phones.map((phone) => ({ phone, ...(phone.kind === "apns" ? { apns } : { fcm }) })),
  );
  const left = phones.filter((phone) => !gone.includes(phone));
  const of = (kind: RelayPhone["kind"], list: RelayPhone[]) => list.filter((phone) => phone.kind === kind);
  const unknown = (kind: RelayPhone["kind"], tokens: string[]) => {
    const known = new Set(of(kind, left).map(({ token }) => token.toLowerCase()));
    return tokens.filter((token) => !known.has(token.toLowerCase()));
  };
  return {
    total_android_devices: of("fcm", phones).length,
    total_apple_devices: of("apns", phones).length,
    deleted_devices: {
      android_devices: unknown("fcm", body.android_devices),
      apple_devices: unknown("apns", body.apple_devices),
    },
    realm: status,
  };
}

/** As servers have it, what is in `custom` stands beside `aps`. */
function appleForm({ custom, ...aps }: Fields): Omit<ApnsNotification, "token" | "topic"> {
  const isShown = aps["alert"] !== undefined;
  return {
    payload: { ...(typeof custom === "object" ? custom : {}), aps },
    priority: isShown ? 10 : 5,
    // Apple counts a badge as shown, too.
    pushType: "alert",
  };
}

/** @throws RelayRefusal for a token that is not known */
export async function sendTest(
  relay: RelayParts,
  server: RelayServer,
  {
    user_uuid,
    token,
    kind,
    base_payload,
  }: Pick<RelayPhone, "token" | "kind"> & { user_uuid: string; base_payload: Fields },
): Promise<object> {
  const phones = await findRelayPhones(relay.sql, server.id, user_uuid);
  const phone = phones.find((each) => each.kind === kind && each.token.toLowerCase() === token.toLowerCase());
  const unknown = new RelayRefusal(
    400,
    "INVALID_REMOTE_PUSH_DEVICE_TOKEN",
    "Device not recognized by the push bouncer",
  );
  if (!phone) throw unknown;
  const payload = { ...base_payload, event: "test" };
  const { realm_name, realm_url } = base_payload;
  const alert = { title: "Test notification", body: `This is a test notification from ${realm_name} (${realm_url}).` };
  const { gone } = await sendAll(relay, [
    {
      phone,
      apns: appleForm({ alert, sound: "default", custom: { zulip: payload } }),
      fcm: { data: { ...payload, time: Math.floor(Date.now() / 1000) }, priority: "high" },
    },
  ]);
  if (gone.length > 0) throw unknown;
  return {};
}

/** @throws RelayRefusal for an organization that the server has not told of */
export async function notifySealed(
  relay: RelayParts,
  server: RelayServer,
  { realm_uuid, push_requests }: { realm_uuid: string; push_requests: PushRequest[] },
): Promise<object> {
  if (!(await isRelayRealm(relay.sql, server.id, realm_uuid))) throw unknownRealm();
  const ids = push_requests.map(({ token_id }) => token_id);
  const devices = await findRelayDevices(relay.sql, server.id, realm_uuid, ids);
  const byId = new Map(devices.map((device) => [device.token_id!, device]));
  const known = push_requests.flatMap((request) => {
    const phone = byId.get(request.token_id);
    return phone ? [sealedFor(phone, request)] : [];
  });
  const { apns, fcm, gone } = await sendAll(relay, known);
  const goneIds = new Set(gone.map(({ token_id }) => token_id));
  return {
    apple_successfully_sent_count: apns,
    android_successfully_sent_count: fcm,
    delete_token_ids: ids.filter((id) => !byId.has(id) || goneIds.has(id)),
    realm_push_status: status,
  };
}

function sealedFor(phone: RelayPhone, { payload, http_headers, fcm_priority }: PushRequest): ForPhone {
  const { push_key_id, encrypted_data } = payload;
  if (phone.kind === "fcm")
    return { phone, fcm: { data: { push_key_id, encrypted_data }, priority: fcm_priority ?? "high" } };
  const { apns_priority = 10, apns_push_type = "alert" } = http_headers ?? {};
  return { phone, apns: { payload, priority: apns_priority, pushType: apns_push_type } };
}
