/** Devices and their notifications: registering and testing them. */
import { badRequest, errors } from "../../../actors/errors.ts";
import { deviceId } from "../../../actors/id-shapes.ts";
import { legacyRealmFields } from "../../../actors/notifications/push-payload.ts";
import { findActiveDevices, findPushTokensOf } from "../../../actors/push/changes/devices.ts";
import { type Sender, sendEncrypted, sendPlain } from "../../../actors/push/notify.ts";
import { testByService, testSealedByService } from "../../../actors/push/service/test-notification.ts";
import type { ServedRealm } from "../../../actors/realm/served.ts";
import type { DeviceId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import type { App } from "../../api/app.ts";
import { int, oneOf, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

const senderOf = (app: App, realm: ServedRealm): Sender => ({
  relayUrl: app.config.pushRelayUrl,
  realmUrl: realm.state.url,
  log: app.log,
});

/** Whether notifications for phones go anywhere. */
export const hasPhones = ({ pushRelayUrl, pushService }: App["config"]): boolean =>
  pushRelayUrl !== undefined || pushService.url !== undefined;

/** The fields that all test notifications share. */
const aboutTest = (realm: ServedRealm, user: UserRow) => ({
  realm_name: realm.state.row.name,
  realm_url: realm.state.url,
  time: realm.environment.clock(),
  type: "test",
  user_id: user.id,
});

/** Registers a device of a client, and gives it an id. https://zulip.com/api/register-client-device */
export const registerClientDevice = route({
  doc: "https://zulip.com/api/register-client-device",
  summary: "Gives the client's device an ID.",
  auth: anyAccount,
  params: {},
  returns: { device_id: deviceId() },
  handle: ({ realm, user, client }) => realm.execute("addDevice", { actorId: user.id, client }),
});

/** Removes a device. https://zulip.com/api/remove-client-device */
export const removeClientDevice = route({
  doc: "https://zulip.com/api/remove-client-device",
  summary: "Forgets a device and its registration for notifications.",
  auth: anyAccount,
  params: { device_id: int<DeviceId>() },
  returns: {},
  handle: ({ realm, user, client, params }) =>
    realm.execute("removeDevice", { actorId: user.id, client, deviceId: params.device_id }),
});

/**
 * Registers a device for encrypted notifications, or changes its key or token.
 * https://zulip.com/api/register-push-device
 */
export const registerPushDevice = route({
  doc: "https://zulip.com/api/register-push-device",
  summary: "Gives a device the key and the token for its notifications.",
  auth: anyAccount,
  params: {
    device_id: int<DeviceId>(),
    push_key_id: int().optional(),
    push_key: text().optional().describe("Base64 of a byte 0x31 and a 32-byte key."),
    token_kind: oneOf("fcm", "apns").optional().describe("Which service reaches the device: `fcm` or `apns`."),
    token_id: text().optional().describe("A name of the token: Base64 of the first 8 bytes of its SHA-256."),
    bouncer_public_key: text()
      .optional()
      .describe("The public key of the push service for which the registration is encrypted."),
    encrypted_push_registration: text()
      .optional()
      .describe("The registration, encrypted for the push service, in Base64."),
  },
  returns: {},
  handle({ app, realm, user, client, params }) {
    if (!hasPhones(app.config)) throw errors.PUSH_SERVICE_NOT_CONFIGURED();
    const { push_key_id, push_key } = params;
    if ((push_key_id === undefined) !== (push_key === undefined))
      throw badRequest("push_key and push_key_id must be given together.");
    const { token_kind, token_id, bouncer_public_key, encrypted_push_registration } = params;
    const token =
      token_kind !== undefined &&
      token_id !== undefined &&
      bouncer_public_key !== undefined &&
      encrypted_push_registration !== undefined
        ? {
            kind: token_kind,
            id: token_id,
            bouncerPublicKey: bouncer_public_key,
            encryptedRegistration: encrypted_push_registration,
          }
        : undefined;
    const given = [token_kind, token_id, bouncer_public_key, encrypted_push_registration];
    if (!token && given.some((field) => field !== undefined))
      throw badRequest(
        "token_kind, token_id, bouncer_public_key and encrypted_push_registration must be given together.",
      );
    if (!token && push_key === undefined) throw badRequest("Nothing to register.");
    return realm.execute("updateDevice", {
      actorId: user.id,
      client,
      deviceId: params.device_id,
      pushKey: push_key === undefined || push_key_id === undefined ? undefined : { id: push_key_id, key: push_key },
      token,
    });
  },
});

/** Sends an encrypted test notification. https://zulip.com/api/e2ee-test-notify */
export const testEncryptedNotification = route({
  doc: "https://zulip.com/api/e2ee-test-notify",
  summary: "Sends an end-to-end encrypted test notification to one of the caller's devices, or to all.",
  auth: anyAccount,
  params: { device_id: int<DeviceId>().optional().describe("Default: all of the caller's devices.") },
  returns: {},
  async handle({ app, realm, user, params }) {
    const all = await findActiveDevices(realm, user);
    const devices = params.device_id === undefined ? all : all.filter((device) => device.id === params.device_id);
    if (devices.length === 0) throw errors.NO_ACTIVE_PUSH_DEVICE();
    if (app.config.pushService.url === undefined)
      await sendEncrypted(senderOf(app, realm), devices, aboutTest(realm, user));
    else await testSealedByService(realm, user.id, devices, aboutTest(realm, user));
    return {};
  },
});

/** Sends an unencrypted test notification. https://zulip.com/api/test-notify */
export const testNotification = route({
  doc: "https://zulip.com/api/test-notify",
  summary: "Sends a test notification to one of the caller's device tokens, or to all.",
  auth: anyAccount,
  params: { token: text().optional().describe("One of the caller's tokens; all where it is left out.") },
  returns: {},
  async handle({ app, realm, user, params }) {
    const all = await findPushTokensOf(realm, user);
    const tokens = params.token === undefined ? all : all.filter(({ token }) => token === params.token);
    if (params.token !== undefined && tokens.length === 0) throw errors.INVALID_PUSH_DEVICE_TOKEN();
    // Clients that have no device registered ask as well, and expect no error.
    if (tokens.length === 0) return {};
    if (app.config.pushService.url === undefined) await sendPlain(senderOf(app, realm), tokens, aboutTest(realm, user));
    else await testByService(realm, user.id, tokens, legacyRealmFields(realm.state, user));
    return {};
  },
});

const tokenWords = { fcm: "The device's token, from Firebase.", apns: "The device's token, from Apple." } as const;

const addToken = (kind: "fcm" | "apns", doc: string) =>
  route({
    doc,
    summary: `Keeps a device token for notifications (${kind}).`,
    auth: anyAccount,
    params: {
      token: text().describe(tokenWords[kind]),
      ...(kind === "apns" && { appid: text().describe("The application's id at Apple.") }),
    },
    returns: {},
    handle: ({ realm, user, params }) =>
      realm.execute("addPushToken", {
        actorId: user.id,
        kind,
        token: params.token,
        appid: "appid" in params && typeof params.appid === "string" ? params.appid : null,
      }),
  });
const removeToken = (kind: "fcm" | "apns", doc: string) =>
  route({
    doc,
    summary: `Forgets a device token for notifications (${kind}).`,
    auth: anyAccount,
    params: { token: text().describe(tokenWords[kind]) },
    returns: {},
    handle: ({ realm, user, params }) =>
      realm.execute("removePushToken", { actorId: user.id, kind, token: params.token }),
  });

export const addFcmToken = addToken("fcm", "https://zulip.com/api/add-fcm-token");
export const removeFcmToken = removeToken("fcm", "https://zulip.com/api/remove-fcm-token");
export const addApnsToken = addToken("apns", "https://zulip.com/api/add-apns-token");
export const removeApnsToken = removeToken("apns", "https://zulip.com/api/remove-apns-token");
