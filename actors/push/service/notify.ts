/**
 * Notifications by the push notification service: for tokens of the older kind, which it can read, and for devices with
 * a key, which it cannot. Source: https://zulip.com/api/mobile-notifications, "Data sent to Zulip's push notifications
 * service" (feature level 468).
 */
import type { UserId } from "../../../storage/ids.ts";
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import type { PushTokenRow } from "../../../storage/users/devices.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { encryptNotification, parsePushKey } from "../encrypt.ts";
import type { ActiveDevice } from "../notify.ts";
import { askService, type ServiceAnswer } from "./ask-service.ts";
import { namesOf, tokenKinds } from "./service.ts";

/** The same for both platforms, as `legacyMessage` makes them. */
interface Payloads {
  gcm_payload: object;
  apns_payload: object;
  gcm_options: object;
}

/**
 * Sends a notification to a person's tokens, in one request. The answer has `deleted_devices`, tokens that the service
 * does not know or not any more: `{"android_devices": […], "apple_devices": […]}`.
 */
export function notifyTokens(
  { state, environment }: RealmReader,
  account: PushServiceAccount,
  userId: UserId,
  tokens: readonly PushTokenRow[],
  payloads: Payloads,
): Promise<ServiceAnswer> {
  const of = (wanted: PushTokenRow["kind"]) => tokens.filter(({ kind }) => kind === wanted).map(({ token }) => token);
  const [android, apple] = [of("fcm"), of("apns")];
  const json = {
    ...namesOf(state, userId),
    gcm_payload: android.length > 0 ? payloads.gcm_payload : {},
    gcm_options: android.length > 0 ? payloads.gcm_options : {},
    apns_payload: apple.length > 0 ? payloads.apns_payload : {},
    android_devices: android,
    apple_devices: apple,
  };
  return askService(account, { endpoint: "push/notify", json }, environment.tracer);
}

/** Has the service send a test, whose words are its own. */
export function testToken(
  { state, environment }: RealmReader,
  account: PushServiceAccount,
  userId: UserId,
  { kind, token }: PushTokenRow,
  basePayload: object,
): Promise<ServiceAnswer> {
  const json = { ...namesOf(state, userId), token, token_kind: tokenKinds[kind], base_payload: basePayload };
  return askService(account, { endpoint: "push/test_notification", json }, environment.tracer);
}

/**
 * Seals a notification for each device, and sends all of them in one request. The answer has `delete_token_ids`: tokens
 * that the service does not know, or not any more.
 *
 * @param isQuiet whether it shows nothing: it takes away what is shown
 */
export async function notifyDevices(
  { state, environment }: RealmReader,
  account: PushServiceAccount,
  devices: readonly ActiveDevice[],
  payload: object,
  isQuiet = false,
): Promise<ServiceAnswer> {
  const requests = await Promise.all(
    devices.map(async (device) => {
      const encrypted = await encryptNotification(payload, parsePushKey(device.push_key));
      const sealed = { push_key_id: device.push_key_id, encrypted_data: encrypted };
      return device.push_token_kind === "apns"
        ? {
            token_id: device.push_token_id,
            http_headers: isQuiet
              ? { apns_priority: 5, apns_push_type: "background" }
              : { apns_priority: 10, apns_push_type: "alert" },
            payload: { ...sealed, aps: { "mutable-content": 1, alert: { title: "New notification" } } },
          }
        : { token_id: device.push_token_id, fcm_priority: isQuiet ? "normal" : "high", payload: sealed };
    }),
  );
  const json = { realm_uuid: state.row.uuid, push_requests: requests };
  return askService(account, { endpoint: "push/e2ee/notify", json }, environment.tracer);
}
