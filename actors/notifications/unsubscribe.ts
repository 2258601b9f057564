/** Links in emails about missed messages, and in digests, that turn them off with one click. They need no log-in. */

import { createHmac, timingSafeEqual } from "node:crypto";
import type { RealmId, UserId } from "../../storage/ids.ts";
import { readInstallation } from "../../storage/realms.ts";
import type { UserRow } from "../../storage/rows.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { JobRealm } from "../realm/served.ts";
import type { RealmState } from "../realm/state/state.ts";

export const unsubscribePath = "/accounts/unsubscribe/missed_messages/";
export const digestUnsubscribePath = "/accounts/unsubscribe/digest/";

/** Every email has such a link. It can only change settings, so it does not expire. */
export function unsubscribeUrl(state: RealmState, userId: UserId, key: Buffer): string {
  return `${state.url}${unsubscribePath}${userId}.${signatureOf(state.id, userId, key)}/`;
}

/** The same of a digest. */
export const digestUnsubscribeUrl = (state: RealmState, userId: UserId, key: Buffer): string =>
  `${state.url}${digestUnsubscribePath}${userId}.${signatureOf(state.id, userId, key)}/`;

const signatureOf = (realmId: RealmId, userId: UserId, key: Buffer): string =>
  createHmac("sha256", key).update(`unsubscribe:${realmId}:${userId}`).digest().subarray(0, 18).toString("base64url");

/** The user that the link belongs to. Undefined when its signature is not from this server. */
export async function findUnsubscriber(realm: RealmReader, token: string): Promise<UserRow | undefined> {
  const [, id, signature] = /^(\d{1,15})\.([A-Za-z0-9_-]{24})$/.exec(token) ?? [];
  if (id === undefined || signature === undefined) return undefined;
  const { key } = await readInstallation(realm.database.sql);
  const right = Buffer.from(signatureOf(realm.id, Number(id), key));
  if (!timingSafeEqual(right, Buffer.from(signature))) return undefined;
  const user = realm.state.users.get(Number(id));
  return user?.is_active ? user : undefined;
}

/** Turns off digests. */
export async function unsubscribeFromDigests(realm: JobRealm, user: UserRow): Promise<void> {
  await realm.execute("updateSettings", { userId: user.id, settings: { enable_digest_emails: false } });
}

/** Turns off every setting that causes an email about missed messages. */
export async function unsubscribe(realm: JobRealm, user: UserRow): Promise<void> {
  await realm.execute("updateSettings", {
    userId: user.id,
    settings: {
      enable_offline_email_notifications: false,
      enable_stream_email_notifications: false,
      enable_followed_topic_email_notifications: false,
    },
  });
  const changes = [...realm.state.subscriptions.of(user.id)]
    .filter((row) => row.is_active && row.email_notifications === true)
    .map((row) => ({ stream_id: row.channel_id, property: "email_notifications", value: false }));
  if (changes.length > 0) await realm.execute("setSubscriptionProperties", { userId: user.id, changes });
}
