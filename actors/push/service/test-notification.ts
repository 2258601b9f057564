/** Tests that people ask for, by the push notification service. Its failures become errors of the API. */
import type { UserId } from "../../../storage/ids.ts";
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import type { PushTokenRow } from "../../../storage/users/devices.ts";
import { errors } from "../../errors.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { ServiceFailure } from "./ask-service.ts";
import { testToken } from "./notify.ts";
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

/** @throws ADMIN_ACTION_REQUIRED */
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
