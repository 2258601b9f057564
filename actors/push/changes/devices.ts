/**
 * The devices that clients register, and the keys and tokens of their notifications. A device event goes to queues of
 * its owner: to those that named the type, and to those of the client that has the device. The field `client` is not
 * part of the event.
 */

import type { DeviceId, UserId } from "../../../storage/ids.ts";
import { insertRegistration, type RegistrationTask } from "../../../storage/notifications/push-registrations.ts";
import type { UserRow } from "../../../storage/rows.ts";
import {
  type DeviceRecord,
  type DeviceRow,
  deleteDevice,
  deletePhones,
  deletePushToken,
  deletePushTokens,
  findDevice,
  findDevices,
  findPushTokens,
  findRegisteredTokens,
  hasPushToken,
  type PushTokenRow,
  putDevice,
  putPushToken,
} from "../../../storage/users/devices.ts";
import { badRequest } from "../../errors.ts";
import { checkRoom } from "../../personal/changes/list-limits.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isPushKeyId, PushKeyError, parsePushKey } from "../encrypt.ts";
import { type ActiveDevice, isActive } from "../notify.ts";
import { usesService } from "../service/service.ts";
import { type PushRegistration, registerAtService } from "./service-devices.ts";
import { tellDevice } from "./tell-device.ts";

/** Code points of a field that a client chooses. The longest is a sealed registration of a few hundred bytes. */
const maxFieldLength = 10_000;

interface Caller {
  actorId: UserId;
  /** Name of the client, from its User-Agent. */
  client: string;
}

/** The five fields of a device that clients see. */
export const renderDevice = (row: DeviceRow): DeviceRecord => ({
  push_key_id: row.push_key_id,
  push_token_id: row.push_token_id,
  pending_push_token_id: row.pending_push_token_id,
  push_token_last_updated_timestamp: row.push_token_last_updated_timestamp,
  push_registration_error_code: row.push_registration_error_code,
});

/** A person's devices that can receive notifications. */
export async function findActiveDevices({ database }: RealmReader, user: Pick<UserRow, "id">): Promise<ActiveDevice[]> {
  return (await findDevices(database.sql, user.id)).filter(isActive);
}

/** A person's tokens for unencrypted notifications. */
export function findPushTokensOf({ database }: RealmReader, user: UserRow): Promise<PushTokenRow[]> {
  return findPushTokens(database.sql, user.id);
}

/** Of them, those that the push notification service knows. */
export function findRegisteredTokensOf({ database }: RealmReader, user: UserRow): Promise<PushTokenRow[]> {
  return findRegisteredTokens(database.sql, user.id);
}

export const addDevice = command(async (tx: Tx, { actorId, client }: Caller) => {
  const user = tx.user(actorId);
  await checkRoom(tx, "devices", user.id, []);
  const row: DeviceRow = {
    id: await tx.id("object_ids"),
    realm_id: tx.realmId,
    user_id: user.id,
    date_created: tx.now,
    push_key_id: null,
    push_key: null,
    push_token_id: null,
    pending_push_token_id: null,
    push_token_kind: null,
    push_token_last_updated_timestamp: null,
    push_registration_error_code: null,
    bouncer_public_key: null,
    encrypted_push_registration: null,
  };
  tx.write((sql) => putDevice(sql, row));
  tellDevice(tx, user.id, client, { op: "add", device_id: row.id });
  return { device_id: row.id };
});

/** Removes a device. @throws BAD_REQUEST */
export const removeDevice = command(async (tx: Tx, args: Caller & { deviceId: DeviceId }) => {
  const row = await accessDevice(tx, args.actorId, args.deviceId);
  tx.write((sql) => deleteDevice(sql, row.user_id, row.id));
  tellDevice(tx, row.user_id, args.client, { op: "remove", device_id: row.id });
  return {};
});

/**
 * Sets the key of a device, its token, or both; the first time both are needed. The device seals its token for the
 * relay. Every notification carries the sealed token, so the relay needs no registration and the token is valid at
 * once.
 *
 * @throws BAD_REQUEST
 */
export const updateDevice = command(async (tx: Tx, args: Caller & { deviceId: DeviceId } & PushRegistration) => {
  const { pushKey, token } = args;
  const row = await accessDevice(tx, args.actorId, args.deviceId);
  if (pushKey) checkPushKey(pushKey);
  if (usesService(tx.state)) return registerAtService(tx, row, args);
  if (!pushKey && row.push_key === null) throw badRequest("Missing parameters: push_key, push_key_id.");
  if (!token && row.push_token_id === null)
    throw badRequest("Missing parameters: token_kind, token_id, bouncer_public_key, encrypted_push_registration.");
  const changes: Partial<DeviceRecord> = {};
  const secret: Partial<DeviceRow> = {};
  if (pushKey) {
    changes.push_key_id = pushKey.id;
    secret.push_key = pushKey.key;
  }
  if (token) {
    for (const field of [token.id, token.bouncerPublicKey, token.encryptedRegistration])
      if (field === "" || field.length > maxFieldLength) throw badRequest("Empty or invalid length token");
    changes.push_token_id = token.id;
    changes.pending_push_token_id = null;
    changes.push_token_last_updated_timestamp = tx.now;
    changes.push_registration_error_code = null;
    secret.push_token_kind = token.kind;
    secret.bouncer_public_key = token.bouncerPublicKey;
    secret.encrypted_push_registration = token.encryptedRegistration;
  }
  tx.write((sql) => putDevice(sql, { ...row, ...changes, ...secret }));
  tellDevice(tx, row.user_id, args.client, { op: "update", device_id: row.id, ...changes });
  return {};
});

interface TokenArgs extends PushTokenRow {
  actorId: UserId;
}

/** Stores a token for unencrypted notifications. Adding it again changes nothing. @throws BAD_REQUEST */
export const addPushToken = command(async (tx: Tx, { actorId, kind, token, appid }: TokenArgs) => {
  const user = tx.user(actorId);
  if (token === "" || token.length > maxFieldLength) throw badRequest("Empty or invalid length token");
  if (kind === "apns" && !/^([0-9a-fA-F]{2})+$/.test(token)) throw badRequest("Invalid APNS token");
  if (appid !== null && appid.length > maxFieldLength) throw badRequest("Empty or invalid length appid");
  if (!(await hasPushToken(tx.sql, user.id, kind, token))) await checkRoom(tx, "tokens", user.id, [token]);
  const row = { kind, token, appid, user_id: user.id, realm_id: tx.realmId, date_created: tx.now };
  tx.write((sql) => putPushToken(sql, row));
  tellService(tx, user.id, "add", row);
  return {};
});

/** Removes a token for unencrypted notifications. @throws BAD_REQUEST */
export const removePushToken = command(async (tx: Tx, { actorId, kind, token }: Omit<TokenArgs, "appid">) => {
  if (!(await hasPushToken(tx.sql, actorId, kind, token))) throw badRequest("Token does not exist");
  tx.write((sql) => deletePushToken(sql, actorId, kind, token));
  tellService(tx, actorId, "remove", { kind, token, appid: null });
  return {};
});

/** Forgets tokens of a user's that the push notification service does not know any more. */
export const dropPushTokens = command((tx: Tx, { userId, tokens }: DroppedTokens) => {
  tx.write((sql) => deletePushTokens(sql, userId, tokens));
  return {};
});

interface DroppedTokens {
  userId: UserId;
  tokens: readonly Pick<PushTokenRow, "kind" | "token">[];
}

/**
 * Forgets a user's devices and tokens: whoever has a phone with the old key is told nothing any more.
 * https://zulip.com/api/regenerate-own-api-key
 */
export async function forgetPhones(tx: Tx, userId: UserId): Promise<void> {
  const devices = await findDevices(tx.sql, userId);
  tx.write((sql) => deletePhones(sql, userId));
  tellService(tx, userId, "remove_all");
  // Which client a device was registered by is not known, so only queues that named the type are told.
  for (const { id } of devices) tellDevice(tx, userId, "", { op: "remove", device_id: id });
}

function checkPushKey({ id, key }: { id: number; key: string }): void {
  if (!isPushKeyId(id)) throw badRequest("push_key_id is not an unsigned 32-bit integer.");
  try {
    parsePushKey(key);
  } catch (error) {
    if (error instanceof PushKeyError) throw badRequest(error.message);
    throw error;
  }
}

async function accessDevice(tx: Tx, userId: UserId, id: DeviceId): Promise<DeviceRow> {
  const row = await findDevice(tx.sql, userId, id);
  if (!row) throw badRequest("Invalid device_id");
  return row;
}

/** Has the push notification service told of tokens, if there is one. */
function tellService(tx: Tx, user_id: UserId, task: RegistrationTask, about?: PushTokenRow): void {
  if (!usesService(tx.state)) return;
  const token = about && { kind: about.kind, token: about.token, appid: about.appid };
  const row = { realm_id: tx.realmId, user_id, task, ...token };
  tx.write((sql) => insertRegistration(sql, row, tx.now));
}
