/** Notifications for tokens of the older kind, which the service can read. */
import type { UserId } from "../../../storage/ids.ts";
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import type { PushTokenRow } from "../../../storage/users/devices.ts";
import type { RealmReader } from "../../realm/reader.ts";
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
