/**
 * Tells the push notification service of tokens that phones have added and removed. What it could not be told waits in
 * PostgreSQL, so no phone waits for the service and no message does.
 */
import { defined } from "../../../storage/failures.ts";
import {
  claimRegistrations,
  deleteRegistration,
  findRealmsWithRegistrations,
  postponeRegistration,
  postponeRegistrations,
  type RegistrationRow,
} from "../../../storage/notifications/push-registrations.ts";
import { scheduleReport } from "../../../storage/notifications/push-reports.ts";
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import { findDevice } from "../../../storage/users/devices.ts";
import type { Job } from "../../realm/job.ts";
import type { JobRealm } from "../../realm/served.ts";
import { askService, isPassing, type ServiceFailure, type ServiceQuestion } from "./ask-service.ts";
import { accountOf, namesOf, tokenKinds } from "./service.ts";

/** Taken at once, and under way at once. */
const takenAtOnce = 16;
const underWay = 4;
/** What was taken and not settled by then is taken again: longer than the requests of one turn take. */
const leaseSecs = 90;
/** One that was not taken waits so long the first time, and twice as long each time after. */
const firstRetrySecs = 5;
const longestRetrySecs = 900;
/** While the service is away it is left alone. */
const restSecs = 10;
/** The service does not take older registrations of devices with keys. */
const deviceKeptSecs = 86_400;

export const registerPhonesJob: Job = {
  name: "tell the push notification service of phones",
  everySecs: 1,
  isOn: ({ pushServiceUrl }) => pushServiceUrl !== undefined,
  run: tellService,
  findWaiting: findRealmsWithRegistrations,
  onlyWaiting: true,
};

async function tellService(realm: JobRealm): Promise<void> {
  const account = await accountOf(realm);
  if (!account) return;
  for (;;) {
    const claim = { now: realm.environment.clock(), limit: takenAtOnce, leaseSecs };
    const waiting = await claimRegistrations(realm.database.sql, realm.id, claim);
    if (waiting.length === 0) return;
    await Promise.all(
      Array.from({ length: underWay }, async () => {
        for (let row = waiting.shift(); row; row = waiting.shift()) await settle(realm, account, row);
      }),
    );
  }
}

/** Never throws: what could not be settled is taken again. */
async function settle(realm: JobRealm, account: PushServiceAccount, row: RegistrationRow): Promise<void> {
  const about = { realm: realm.id, registration: row.id, task: row.task };
  try {
    await (row.task === "device" ? settleDevice : settleToken)(realm, account, row, about);
  } catch (error) {
    realm.environment.log.warn({ ...about, err: error }, "a phone's registration was not settled");
  }
}

async function settleToken(
  realm: JobRealm,
  account: PushServiceAccount,
  row: RegistrationRow,
  about: object,
): Promise<void> {
  const { database, environment } = realm;
  // A token stays as long as its phone has it. What is to be forgotten the service forgets by itself some day.
  const isLate = row.task !== "add" && row.expires_at <= environment.clock();
  const result = isLate ? undefined : await askService(account, questionOf(realm, account, row), environment.tracer);
  if (!result) environment.log.warn(about, "the push notification service was not told of a phone in time");
  else if (!result.ok) {
    environment.log.warn({ ...about, ...result }, "the push notification service did not take a phone");
    if (result.kind !== "refused") return await postpone(realm, row, result);
    if (row.task === "add") await forget(realm, row);
  }
  await deleteRegistration(database.sql, row.id);
}

/** A device with a key: its owner's clients learn what the service said. */
async function settleDevice(
  realm: JobRealm,
  account: PushServiceAccount,
  row: RegistrationRow,
  about: object,
): Promise<void> {
  const { database, environment, state } = realm;
  const [userId, deviceId] = [row.user_id, defined(row.device_id, "device id")];
  const device = await findDevice(database.sql, userId, deviceId);
  const tokenId = device?.pending_push_token_id ?? undefined;
  if (device && tokenId !== undefined) {
    const isLate = (device.push_token_last_updated_timestamp ?? 0) + deviceKeptSecs <= environment.clock();
    const form = {
      realm_uuid: state.row.uuid,
      token_id: tokenId,
      encrypted_push_registration: defined(device.encrypted_push_registration, "registration"),
      bouncer_public_key: defined(device.bouncer_public_key, "key"),
    };
    const result = isLate
      ? undefined
      : await askService(account, { endpoint: "push/e2ee/register", form }, environment.tracer);
    if (!result?.ok)
      environment.log.warn({ ...about, ...result }, "the push notification service did not take a phone");
    if (result && !result.ok && result.kind !== "refused") return await postpone(realm, row, result);
    const errorCode = result ? (result.ok ? undefined : (result.code ?? "BAD_REQUEST")) : "REQUEST_EXPIRED";
    await realm.execute("settleDevice", { userId, deviceId, tokenId, errorCode });
  }
  await deleteRegistration(database.sql, row.id);
}

async function postpone(realm: JobRealm, row: RegistrationRow, failure: ServiceFailure): Promise<void> {
  const { database, environment } = realm;
  const now = environment.clock();
  if (failure.kind === "unregistered") await scheduleReport(database.sql, 0);
  const wait = Math.min(firstRetrySecs * 2 ** Math.min(row.attempts - 1, 10), longestRetrySecs);
  await postponeRegistration(database.sql, row.id, now + wait);
  if (isPassing(failure)) await postponeRegistrations(database.sql, realm.id, now + restSecs);
}

/** The service will never send to this token, so its phone is not kept. */
async function forget(realm: JobRealm, { user_id, kind, token }: RegistrationRow): Promise<void> {
  await realm.execute("dropPushTokens", {
    userId: user_id,
    tokens: [{ kind: defined(kind, "kind"), token: defined(token, "token") }],
  });
}

function questionOf({ state }: JobRealm, { orgId }: PushServiceAccount, row: RegistrationRow): ServiceQuestion {
  const names = { server_uuid: orgId, ...namesOf(state, row.user_id) };
  if (row.task === "remove_all") return { endpoint: "push/unregister/all", form: names };
  const form = { ...names, token: defined(row.token, "token"), token_kind: tokenKinds[defined(row.kind, "kind")] };
  return row.task === "remove"
    ? { endpoint: "push/unregister", form }
    : { endpoint: "push/register", form: { ...form, ios_app_id: row.appid ?? undefined } };
}
