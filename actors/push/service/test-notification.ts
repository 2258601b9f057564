/** Tests that people ask for, by the push notification service. Its failures become errors of the API. */
import type { UserId } from "../../../storage/ids.ts";
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import type { PushTokenRow } from "../../../storage/users/devices.ts";
import { errors } from "../../errors.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { ServedRealm } from "../../realm/served.ts";
import type { ActiveDevice } from "../notify.ts";
import type { ServiceFailure } from "./ask-service.ts";
import { notifyDevices, testToken } from "./notify.ts";
import { accountOf } from "./service.ts";

/**
 * Sends an unencrypted test to each token.
 *
 * @param basePayload what notifications of the older kind begin with
 * @throws ADMIN_ACTION_REQUIRED, FAILED_TO_CONNECT_BOUNCER, INTERNAL_SERVER_ERROR_ON_BOUNCER,
 * INVALID_REMOTE_PUSH_DEVICE_TOKEN
 */
export async function testByService(
  realm: RealmReader,
  userId: UserId,
  tokens: readonly PushTokenRow[],
  basePayload: object,
): Promise<void> {
  const account = await accessAccount(realm);
  for (const token of tokens) {
    const result = await testToken(realm, account, userId, token, basePayload);
    if (!result.ok) throw errorOf(realm, result);
  }
}

/**
 * Sends an encrypted test to devices.
 *
 * @throws ADMIN_ACTION_REQUIRED, FAILED_TO_CONNECT_BOUNCER, INTERNAL_SERVER_ERROR_ON_BOUNCER, NO_ACTIVE_PUSH_DEVICE
 */
export async function testSealedByService(
  realm: ServedRealm,
  userId: UserId,
  devices: readonly ActiveDevice[],
  payload: object,
): Promise<void> {
  const result = await notifyDevices(realm, await accessAccount(realm), devices, payload);
  if (!result.ok) throw errorOf(realm, result);
  const given: unknown = result.answer["delete_token_ids"];
  const tokenIds = Array.isArray(given) ? given.filter((id): id is string => typeof id === "string") : [];
  if (tokenIds.length === 0) return;
  await realm.execute("dropDeviceTokens", { userId, tokenIds });
  if (devices.every(({ push_token_id }) => tokenIds.includes(push_token_id))) throw errors.NO_ACTIVE_PUSH_DEVICE();
}

async function accessAccount(realm: RealmReader): Promise<PushServiceAccount> {
  const account = await accountOf(realm);
  if (!account)
    throw errors.ADMIN_ACTION_REQUIRED(
      "This server is not registered at its push notification service. Contact the server's administrators.",
    );
  return account;
}

function errorOf({ id, environment }: RealmReader, failure: ServiceFailure): Error {
  environment.log.warn({ realm: id, ...failure }, "the push notification service did not take a test");
  if (failure.code === "INVALID_REMOTE_PUSH_DEVICE_TOKEN") return errors.INVALID_REMOTE_PUSH_DEVICE_TOKEN();
  if (failure.kind === "unreachable") return errors.FAILED_TO_CONNECT_BOUNCER();
  if (failure.kind === "broken") return errors.INTERNAL_SERVER_ERROR_ON_BOUNCER();
  return errors.ADMIN_ACTION_REQUIRED(
    "The push notification service refused this server. Contact the server's administrators.",
  );
}
