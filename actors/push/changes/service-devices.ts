/**
 * Devices with a key, where the push notification service registers them. A new token is pending until the service has
 * taken it; meanwhile the token before it is used. What the service refuses, clients are told by its code. Source:
 * https://zulip.com/api/register-push-device and zulip/zulip zerver/views/push_notifications.py.
 */
import type { DeviceId, UserId } from "../../../storage/ids.ts";
import { insertRegistration } from "../../../storage/notifications/push-registrations.ts";
import {
  type DeviceRecord,
  type DeviceRow,
  findDevice,
  findDevices,
  putDevice,
} from "../../../storage/users/devices.ts";
import { badRequest } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { mobileClient, tellDevice } from "./tell-device.ts";

/** What a client registers for a device. */
export interface PushRegistration {
  pushKey: { id: number; key: string } | undefined;
  token: { kind: "fcm" | "apns"; id: string; bouncerPublicKey: string; encryptedRegistration: string } | undefined;
}

/** Bytes of a token's name. */
const tokenIdBytes = 8;

/** Changes a device's key at once, and has the service told of its token. @throws BAD_REQUEST */
export function registerAtService(tx: Tx, row: DeviceRow, args: PushRegistration & { client: string }) {
  const { pushKey, token, client } = args;
  if (!pushKey && !token)
    throw badRequest("Missing parameters: must provide either all push key fields, all token fields, or both.");
  if (row.push_key_id === null && !(pushKey && token))
    throw badRequest(`No push registration exists to rotate ${token ? "token" : "key"} for.`);
  const hasKey = !pushKey || (row.push_key_id === pushKey.id && row.push_key === pushKey.key);
  const hasToken = !token || (row.push_registration_error_code === null && row.push_token_id === token.id);
  if (token) checkTokenId(token.id);
  if (hasKey && hasToken) return {};
  if (token && row.push_registration_error_code === null && row.pending_push_token_id !== null)
    throw badRequest("A registration for the device already in progress.");
  const changes: Partial<DeviceRecord> = {
    ...(pushKey && { push_key_id: pushKey.id }),
    ...(token && {
      pending_push_token_id: token.id,
      push_token_last_updated_timestamp: tx.now,
      push_registration_error_code: null,
    }),
  };
  const secret: Partial<DeviceRow> = {
    ...(pushKey && { push_key: pushKey.key }),
    ...(token && {
      push_token_kind: token.kind,
      bouncer_public_key: token.bouncerPublicKey,
      encrypted_push_registration: token.encryptedRegistration,
    }),
  };
  tx.write((sql) => putDevice(sql, { ...row, ...changes, ...secret }));
  tellDevice(tx, row.user_id, client, { op: "update", device_id: row.id, ...changes });
  const told = { realm_id: tx.realmId, user_id: row.user_id, task: "device" as const, device_id: row.id };
  if (token) tx.write((sql) => insertRegistration(sql, told, tx.now));
  return {};
}

function checkTokenId(id: string): void {
  const bytes = Buffer.from(id, "base64");
  if (bytes.toString("base64") !== id) throw badRequest("`token_id` is not Base64 encoded");
  if (bytes.length !== tokenIdBytes) throw badRequest(`token_id must be ${tokenIdBytes} bytes in Base64.`);
}

interface Settled {
  userId: UserId;
  deviceId: DeviceId;
  /** The pending token that it is about. */
  tokenId: string;
  /** Why the service did not take it; undefined: it did. */
  errorCode?: string | undefined;
}

/** The service has taken a device's pending token, or never will. */
export const settleDevice = command(async (tx: Tx, { userId, deviceId, tokenId, errorCode }: Settled) => {
  const row = await findDevice(tx.sql, userId, deviceId);
  if (row?.pending_push_token_id !== tokenId) return {};
  const changes =
    errorCode === undefined
      ? { push_token_id: tokenId, pending_push_token_id: null }
      : { push_registration_error_code: errorCode };
  tx.write((sql) => putDevice(sql, { ...row, ...changes }));
  tellDevice(tx, userId, mobileClient, { op: "update", device_id: deviceId, ...changes });
  return {};
});

/** The service does not know these tokens any more. Their devices register anew when they hear of it. */
export const dropDeviceTokens = command(
  async (tx: Tx, { userId, tokenIds }: { userId: UserId; tokenIds: string[] }) => {
    for (const row of await findDevices(tx.sql, userId)) {
      if (row.push_token_id === null || !tokenIds.includes(row.push_token_id)) continue;
      const change = { push_token_id: null };
      tx.write((sql) => putDevice(sql, { ...row, ...change }));
      tellDevice(tx, userId, mobileClient, { op: "update", device_id: row.id, ...change });
    }
    return {};
  },
);
