/** Sends one notification to the relay, or to a browser. Devices and browsers that no longer exist are deleted. */
import type { BrowserId, MessageId } from "../../storage/ids.ts";
import { deleteBrowser, findBrowser } from "../../storage/notifications/browsers.ts";
import type { PushTarget } from "../../storage/notifications/pushes.ts";
import type { UserRow } from "../../storage/rows.ts";
import { ApiError } from "../errors.ts";
import { serverKeysOf } from "../push/browsers.ts";
import { findActiveDevices, findPushTokensOf, findRegisteredTokensOf } from "../push/changes/devices.ts";
import { relayEncrypted, relayPlain } from "../push/notify.ts";
import type { RelayResult } from "../push/relay.ts";
import type { ServiceFailure } from "../push/service/ask-service.ts";
import { notifyTokens } from "../push/service/notify.ts";
import { accountOf, usesService } from "../push/service/service.ts";
import { sendWebPush } from "../push/web-push.ts";
import type { JobRealm } from "../realm/served.ts";
import {
  browserMessage,
  legacyMessage,
  legacyRemoval,
  type PushedMessage,
  sealedMessage,
  sealedRemoval,
} from "./push-payload.ts";

interface Addressed {
  /** The same with each attempt. */
  id: string;
  target: PushTarget;
  browserId: BrowserId | null;
  user: UserRow;
}
export type Delivery = Addressed & ({ pushed: PushedMessage } | { removed: readonly MessageId[] });

export type Outcome =
  | "sent"
  /** There is nothing to send it to any more. */
  | "nobody"
  | {
      reason: string;
      /** It is about the relay, not about this one. */
      isAway: boolean;
    };

/** Seconds that a push service keeps a notification for a browser that is not running. */
const browserKeptSecs = 86_400;
/** The client that has devices with keys: it is told that it lost one. */
const mobileClient = "ZulipFlutter";

/** @throws StorageUnavailable */
export async function deliver(realm: JobRealm, delivery: Delivery, badge: number): Promise<Outcome> {
  if (delivery.target === "browser") return toBrowser(realm, delivery);
  if (usesService(realm.state)) return toService(realm, delivery, badge);
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

/** Sends by the push notification service of the apps in the stores. */
async function toService(realm: JobRealm, delivery: Delivery, badge: number): Promise<Outcome> {
  const { user } = delivery;
  if ((await findPushTokensOf(realm, user)).length === 0) return "nobody";
  const account = await accountOf(realm);
  if (!account) return { reason: "this server is not registered: parley push register", isAway: true };
  const tokens = await findRegisteredTokensOf(realm, user);
  if (tokens.length === 0) return { reason: "the service does not know the person's phones yet", isAway: false };
  const result = await notifyTokens(realm, account, user.id, tokens, legacyPayloads(realm, delivery, badge));
  if (!result.ok) return refused(realm, result);
  const deleted = fieldOf(result.answer, "deleted_devices");
  const gone = [
    ...textsIn(fieldOf(deleted, "android_devices")).map((token) => ({ kind: "fcm" as const, token })),
    ...textsIn(fieldOf(deleted, "apple_devices")).map((token) => ({ kind: "apns" as const, token })),
  ];
  if (gone.length > 0) await realm.execute("dropPushTokens", { userId: user.id, tokens: gone });
  return "sent";
}

/** A plan that allows nothing, or a request that is wrong, would be refused again. */
function refused({ id, environment }: JobRealm, failure: ServiceFailure): Outcome {
  if (failure.kind !== "disallowed" && failure.kind !== "refused")
    return { reason: `${failure.kind} ${failure.reason}`, isAway: failure.kind !== "unregistered" };
  environment.log.warn({ realm: id, ...failure }, "the push notification service refused a notification");
  return "nobody";
}

const legacyPayloads = ({ state }: JobRealm, delivery: Delivery, badge: number) =>
  "pushed" in delivery
    ? legacyMessage(delivery.pushed, badge)
    : legacyRemoval(state, delivery.user, delivery.removed, badge);

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

/** Of what the relay answered, which may be anything. */
const fieldOf = (answer: unknown, name: string): unknown =>
  typeof answer === "object" && answer !== null ? (answer as Record<string, unknown>)[name] : undefined;
const itemsIn = (list: unknown): unknown[] => (Array.isArray(list) ? list : []);
const numbersIn = (list: unknown): number[] => itemsIn(list).filter((item) => typeof item === "number");
const textsIn = (list: unknown): string[] => itemsIn(list).filter((item) => typeof item === "string");
