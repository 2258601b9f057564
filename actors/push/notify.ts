/** Sends notifications to a person's devices through the relay, and turns its failures into errors of the API. */
import type { DeviceRow, PushTokenRow } from "../../storage/users/devices.ts";
import { errors } from "../errors.ts";
import type { Tracer } from "../tracing.ts";
import { encryptNotification, parsePushKey } from "./encrypt.ts";
import { type RelayResult, sendToRelay } from "./relay.ts";

/** The sender of a notification. The relay may bill and limit by it. */
export interface Sender {
  relayUrl: string | undefined;
  realmUrl: string;
  tracer?: Tracer | undefined;
  /** The relay's own words go to the log, and never to users. */
  log: { warn(fields: object, message: string): void };
}

/** A device with both a key to seal notifications with and a token. */
export type ActiveDevice = DeviceRow & {
  push_key: string;
  push_token_id: string;
  encrypted_push_registration: string;
};

export const isActive = (row: DeviceRow): row is ActiveDevice =>
  row.push_key !== null && row.push_token_id !== null && row.encrypted_push_registration !== null;

/** What the relay sees of an encrypted notification. */
export interface Envelope {
  /** The same with each attempt, so that the relay can drop a repetition. */
  id: string;
  /** High wakes the device. */
  priority: "high" | "normal";
  /** The number on the application's icon: messages that the person's devices show. */
  badge: number;
}

/**
 * Seals `payload` for each device, and sends all of them to the relay in one request:
 *
 *     {"realm_url": …, "id", "priority", "badge", "devices": [{"device_id", "push_key_id", "token_kind", "token_id",
 *      "bouncer_public_key", "encrypted_push_registration", "payload"}]}
 *
 * `payload` is the result of `encryptNotification`. `encrypted_push_registration` is the device's token, which the
 * device sealed for the relay. So this server never sees the token, and the relay never sees the notification. The
 * answer may have `delete_device_ids`: devices that no longer exist. A test has no envelope.
 */
export async function relayEncrypted(
  sender: Pick<Sender, "realmUrl" | "tracer"> & { relayUrl: string },
  devices: readonly ActiveDevice[],
  payload: object,
  envelope?: Envelope,
): Promise<RelayResult> {
  const sealed = await Promise.all(
    devices.map(async (device) => ({
      device_id: device.id,
      push_key_id: device.push_key_id,
      token_kind: device.push_token_kind,
      token_id: device.push_token_id,
      bouncer_public_key: device.bouncer_public_key,
      encrypted_push_registration: device.encrypted_push_registration,
      payload: await encryptNotification(payload, parsePushKey(device.push_key)),
    })),
  );
  return sendToRelay(
    sender.relayUrl,
    { realm_url: sender.realmUrl, ...envelope, devices: sealed },
    { tracer: sender.tracer },
  );
}

/**
 * Sends an unencrypted notification, which the relay can read:
 *
 *     {"realm_url": …, "id", "tokens": [{"kind", "token", "appid"}], "gcm_payload", "gcm_options", "apns_payload"}
 *
 * The answer may have `deleted_devices`, tokens that no longer exist: `{"android_devices": […], "apple_devices":
 * […]}`.
 */
export const relayPlain = (
  sender: Pick<Sender, "realmUrl" | "tracer"> & { relayUrl: string },
  tokens: readonly PushTokenRow[],
  payloads: object,
): Promise<RelayResult> =>
  sendToRelay(sender.relayUrl, { realm_url: sender.realmUrl, tokens, ...payloads }, { tracer: sender.tracer });

/**
 * Sends an encrypted test.
 * @throws ADMIN_ACTION_REQUIRED, FAILED_TO_CONNECT_BOUNCER, INTERNAL_SERVER_ERROR_ON_BOUNCER
 */
export async function sendEncrypted(sender: Sender, devices: readonly ActiveDevice[], payload: object): Promise<void> {
  check(sender, await relayEncrypted(withRelay(sender), devices, payload));
}

/** Sends an unencrypted test. @throws as `sendEncrypted` */
export async function sendPlain(sender: Sender, tokens: readonly PushTokenRow[], payload: object): Promise<void> {
  check(sender, await relayPlain(withRelay(sender), tokens, { payload }));
}

function withRelay({ relayUrl, realmUrl, tracer }: Sender): Omit<Sender, "log"> & { relayUrl: string } {
  if (relayUrl === undefined)
    throw errors.ADMIN_ACTION_REQUIRED("This server has no push notification service. Contact its administrators.");
  return { relayUrl, realmUrl, tracer };
}

function check(sender: Sender, result: RelayResult): void {
  if (!result.ok) throw failureOf(sender, result);
}

function failureOf(sender: Sender, { code, reason }: Extract<RelayResult, { ok: false }>): Error {
  sender.log.warn({ code, reason }, "the push notification relay did not take a notification");
  if (code === "ADMIN_ACTION_REQUIRED")
    return errors.ADMIN_ACTION_REQUIRED(
      "The push notification service refused this server. Contact the server's administrators.",
    );
  return errors[code]();
}
