/** The push notification service that the operator chose, and by what names it knows this server and its people. */
import { createHash } from "node:crypto";
import { defined } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import { findPushServiceAccount, type PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { RealmState } from "../../realm/state/state.ts";

declare module "../../realm/state/state.ts" {
  interface ServerChoices {
    /** Root of the push notification service. Undefined: there is none, or a relay of Parley's own form. */
    pushServiceUrl?: string | undefined;
  }
}

export const usesService = ({ server }: RealmState): boolean => server.pushServiceUrl !== undefined;

/** Undefined: the service has not confirmed that it knows this server. @throws WrongSecretKey */
export const accountOf = ({ database, state }: RealmReader): Promise<PushServiceAccount | undefined> =>
  findPushServiceAccount(database.sql, defined(state.server.pushServiceUrl, "push service"));

/** What the service calls an organization and a person. */
export interface ServiceNames {
  realm_uuid: string;
  user_uuid: string;
  user_id: UserId;
}

export const namesOf = ({ row }: RealmState, userId: UserId): ServiceNames => ({
  realm_uuid: row.uuid,
  user_uuid: uuidOf(`${row.uuid} ${userId}`),
  user_id: userId,
});

/** A UUID that is always the same for the same text, in the form of a random one: services check the form. */
function uuidOf(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = (bytes.readUInt8(6) & 0x0f) | 0x40;
  bytes[8] = (bytes.readUInt8(8) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Kinds of tokens as the service numbers them. */
export const tokenKinds = { apns: 1, fcm: 2 } as const;
