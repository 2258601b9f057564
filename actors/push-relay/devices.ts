/** Devices with a key: they seal their token for the relay, and the server that passes it on cannot read it. */
import { createHash } from "node:crypto";
import sodium from "libsodium-wrappers";
import { isRelayRealm, putRelayPhone, type RelayKeys, type RelayServer } from "../../storage/push-relay/phones.ts";
import type { RelayParts } from "./parts.ts";
import { badRequest, RelayRefusal, unknownRealm } from "./refusal.ts";
import { checkToken, readJson, registration } from "./shapes.ts";

/** A registration that is older is refused: its token may be another's by now. */
const liveSecs = 86_400;
/** Devices of one organization. */
const mostDevices = 100_000;

export async function makeRelayKeys(): Promise<RelayKeys> {
  await sodium.ready;
  const { publicKey, privateKey } = sodium.crypto_box_keypair();
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64");
  return { publicKey: text(publicKey), privateKey: text(privateKey) };
}

interface DeviceForm {
  realm_uuid: string;
  token_id: string;
  encrypted_push_registration: string;
  bouncer_public_key: string;
}

/** @throws RelayRefusal */
export async function registerDevice(
  { sql, keys }: RelayParts,
  server: RelayServer,
  form: DeviceForm,
): Promise<object> {
  if (!(await isRelayRealm(sql, server.id, form.realm_uuid))) throw unknownRealm();
  if (form.bouncer_public_key !== keys.publicKey)
    throw new RelayRefusal(400, "INVALID_BOUNCER_PUBLIC_KEY", "Invalid bouncer_public_key");
  const invalid = badRequest("Invalid encrypted_push_registration");
  const sealed = readJson(await open(keys, form.encrypted_push_registration).catch(() => ""), registration);
  const { token, token_kind: kind, ios_app_id, timestamp } = sealed;
  const now = Math.floor(Date.now() / 1000);
  if (now - timestamp > liveSecs) throw new RelayRefusal(400, "REQUEST_EXPIRED", "Request expired");
  const appid = checkToken(kind, token, ios_app_id);
  const id = createHash("sha256").update(token).digest().subarray(0, 8).toString("base64");
  if (form.token_id !== id) throw invalid;
  const phone = { server_id: server.id, owner: form.realm_uuid, kind, token, appid, token_id: id, registered_at: now };
  if (!(await putRelayPhone(sql, phone, mostDevices))) throw badRequest("Too many devices");
  return {};
}

async function open({ publicKey, privateKey }: RelayKeys, sealed: string): Promise<string> {
  await sodium.ready;
  const bytes = (text: string) => Buffer.from(text, "base64");
  return Buffer.from(sodium.crypto_box_seal_open(bytes(sealed), bytes(publicKey), bytes(privateKey))).toString();
}
