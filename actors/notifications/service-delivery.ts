/** Sends one notification by the push notification service of the stores' apps. Tokens that it names are forgotten. */
import { noteWorking, scheduleReport, storeStatus } from "../../storage/notifications/push-reports.ts";
import type { PushServiceAccount } from "../../storage/notifications/push-service.ts";
import { findActiveDevices, findPushTokensOf, findRegisteredTokensOf } from "../push/changes/devices.ts";
import type { ServiceFailure } from "../push/service/ask-service.ts";
import { notifyDevices, notifyTokens } from "../push/service/notify.ts";
import { statusIn } from "../push/service/report-job.ts";
import { accountOf } from "../push/service/service.ts";
import type { JobRealm } from "../realm/served.ts";
import { fieldOf, textsIn } from "./answer-fields.ts";
import { type Delivery, legacyPayloads, type Outcome } from "./delivery.ts";
import { sealedMessage, sealedRemoval } from "./push-payload.ts";

/** @throws StorageUnavailable */
export async function deliverByService(realm: JobRealm, delivery: Delivery, badge: number): Promise<Outcome> {
  const { user, target } = delivery;
  const hasPhones =
    target === "devices"
      ? (await findActiveDevices(realm, user)).length > 0
      : (await findPushTokensOf(realm, user)).length > 0;
  if (!hasPhones) return "nobody";
  const account = await accountOf(realm);
  if (!account) return { reason: "this server is not registered: parley push register", isAway: true };
  return target === "devices" ? toDevices(realm, account, delivery) : toTokens(realm, account, delivery, badge);
}

async function toDevices(realm: JobRealm, account: PushServiceAccount, delivery: Delivery): Promise<Outcome> {
  const { user } = delivery;
  const devices = await findActiveDevices(realm, user);
  const isRemoval = "removed" in delivery;
  const payload = isRemoval ? sealedRemoval(realm.state, user, delivery.removed) : sealedMessage(delivery.pushed);
  const result = await notifyDevices(realm, account, devices, payload, isRemoval);
  if (!result.ok) return refused(realm, result);
  await noteStatus(realm, result.answer["realm_push_status"]);
  const tokenIds = textsIn(result.answer["delete_token_ids"]);
  if (tokenIds.length > 0) await realm.execute("dropDeviceTokens", { userId: user.id, tokenIds });
  return "sent";
}

async function toTokens(
  realm: JobRealm,
  account: PushServiceAccount,
  delivery: Delivery,
  badge: number,
): Promise<Outcome> {
  const { user } = delivery;
  const tokens = await findRegisteredTokensOf(realm, user);
  if (tokens.length === 0) return { reason: "the service does not know the person's phones yet", isAway: false };
  const result = await notifyTokens(realm, account, user.id, tokens, legacyPayloads(realm, delivery, badge));
  if (!result.ok) return refused(realm, result);
  await noteStatus(realm, result.answer["realm"]);
  const deleted = result.answer["deleted_devices"];
  const gone = [
    ...textsIn(fieldOf(deleted, "android_devices")).map((token) => ({ kind: "fcm" as const, token })),
    ...textsIn(fieldOf(deleted, "apple_devices")).map((token) => ({ kind: "apns" as const, token })),
  ];
  if (gone.length > 0) await realm.execute("dropPushTokens", { userId: user.id, tokens: gone });
  return "sent";
}

/** With each notification the service says whether it goes on to send some. */
async function noteStatus({ id, database, environment }: JobRealm, said: unknown): Promise<void> {
  const status = statusIn(said);
  if (!status) return;
  await storeStatus(database.sql, id, status);
  if (status.can_push) await noteWorking(database.sql, environment.clock());
}

/** A plan that allows nothing, or a request that is wrong, would be refused again. */
async function refused({ id, database, environment }: JobRealm, failure: ServiceFailure): Promise<Outcome> {
  if (failure.kind === "disallowed" || failure.kind === "unregistered")
    await storeStatus(database.sql, id, { can_push: false, end_timestamp: null });
  if (failure.kind === "unregistered") await scheduleReport(database.sql, 0);
  if (failure.kind !== "disallowed" && failure.kind !== "refused")
    return { reason: `${failure.kind} ${failure.reason}`, isAway: failure.kind !== "unregistered" };
  environment.log.warn({ realm: id, ...failure }, "the push notification service refused a notification");
  return "nobody";
}
