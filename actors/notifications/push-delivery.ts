import { deleteBrowser, findBrowser } from "../../storage/notifications/browsers.ts";
import { ApiError } from "../errors.ts";
import { serverKeysOf } from "../push/browsers.ts";
import { findActiveDevices, findPushTokensOf } from "../push/changes/devices.ts";
import { mobileClient } from "../push/changes/tell-device.ts";
import { relayEncrypted, relayPlain } from "../push/notify.ts";
import type { RelayResult } from "../push/relay.ts";
import { usesService } from "../push/service/service.ts";
import { sendWebPush } from "../push/web-push.ts";
import type { JobRealm } from "../realm/served.ts";
import { fieldOf, numbersIn, textsIn } from "./answer-fields.ts";
import { type Delivery, legacyPayloads, type Outcome } from "./delivery.ts";
import { browserMessage, sealedMessage, sealedRemoval } from "./push-payload.ts";
import { deliverByService } from "./service-delivery.ts";

/** Seconds that a push service keeps a notification for a browser that is not running. */
const browserKeptSecs = 86_400;

/** @throws StorageUnavailable */
export async function deliver(realm: JobRealm, delivery: Delivery, badge: number): Promise<Outcome> {
  if (delivery.target === "browser") return toBrowser(realm, delivery);
  if (usesService(realm.state)) return deliverByService(realm, delivery, badge);
  const { relay } = realm.environment;
  if (!relay) return "nobody";
  const sender = { relayUrl: relay.url, realmUrl: realm.state.url, tracer: realm.environment.tracer };
  return delivery.target === "devices"
    ? toDevices(realm, sender, delivery, badge)
    : toTokens(realm, sender, delivery, badge);
}

interface To {
  relayUrl: string;
  realmUrl: string;
}

async function toDevices(realm: JobRealm, sender: To, delivery: Delivery, badge: number): Promise<Outcome> {
  const { user, id } = delivery;
  const devices = await findActiveDevices(realm, user);
  if (devices.length === 0) return "nobody";
  const [payload, priority] =
    "pushed" in delivery
      ? ([sealedMessage(delivery.pushed), "high"] as const)
      : ([sealedRemoval(realm.state, user, delivery.removed), "normal"] as const);
  const result = await relayEncrypted(sender, devices, payload, { id, priority, badge });
  if (!result.ok) return failed(result);
  const gone = new Set(numbersIn(fieldOf(result.answer, "delete_device_ids")));
  for (const device of devices.filter((device) => gone.has(device.id)))
    await unlessRefused(realm.execute("removeDevice", { actorId: user.id, client: mobileClient, deviceId: device.id }));
  return "sent";
}

async function toTokens(realm: JobRealm, sender: To, delivery: Delivery, badge: number): Promise<Outcome> {
  const { user, id } = delivery;
  const tokens = await findPushTokensOf(realm, user);
  if (tokens.length === 0) return "nobody";
  const result = await relayPlain(sender, tokens, { id, ...legacyPayloads(realm, delivery, badge) });
  if (!result.ok) return failed(result);
  const deleted = fieldOf(result.answer, "deleted_devices");
  const gone = {
    fcm: new Set(textsIn(fieldOf(deleted, "android_devices"))),
    apns: new Set(textsIn(fieldOf(deleted, "apple_devices"))),
  };
  for (const { kind, token } of tokens.filter(({ kind, token }) => gone[kind].has(token)))
    await unlessRefused(realm.execute("removePushToken", { actorId: user.id, kind, token }));
  return "sent";
}

async function toBrowser(realm: JobRealm, delivery: Delivery): Promise<Outcome> {
  const { environment, database, state } = realm;
  const { user, browserId } = delivery;
  const browser = await findBrowser(database.sql, user.id, browserId!, environment.clock());
  if (!browser || !("pushed" in delivery)) return "nobody";
  const outcome = await sendWebPush({
    subscription: browser,
    keys: await serverKeysOf(realm),
    payload: browserMessage(delivery.pushed),
    realmUrl: state.url,
    keptSecs: browserKeptSecs,
    isAllowed: environment.mayAsk,
  });
  if (outcome === "sent") return outcome;
  if (outcome === "ended") await deleteBrowser(database.sql, browser.id);
  return typeof outcome === "string" ? "nobody" : { ...outcome, isAway: false };
}

const failed = ({ code, reason }: Extract<RelayResult, { ok: false }>): Outcome => ({
  reason: `${code} ${reason}`,
  isAway: code !== "ADMIN_ACTION_REQUIRED",
});

/** Somebody else may have been faster. */
async function unlessRefused(command: Promise<unknown>): Promise<void> {
  await command.catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status >= 500) throw error;
  });
}
