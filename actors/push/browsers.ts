/** The browsers of a person that receive notifications while no page is open. */
import {
  deleteBrowserOf,
  hasBrowser,
  putBrowser,
  readServerKeys,
  type ServerKeys,
} from "../../storage/notifications/browsers.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { RealmReader } from "../realm/reader.ts";
import { makeServerKeys, type Subscription, subscriptionFault } from "./web-push.ts";

/** The server's key pair, the same for all organizations. It is made when it is first needed. */
export const serverKeysOf = ({ database }: RealmReader): Promise<ServerKeys> =>
  readServerKeys(database.sql, makeServerKeys);

/** Stores the subscription of the browser with this log-in. @throws BAD_REQUEST */
export async function addBrowser(
  { database, id, environment }: RealmReader,
  user: UserRow,
  sessionHash: Buffer,
  subscription: Subscription,
): Promise<void> {
  const fault = subscriptionFault(subscription);
  if (fault !== undefined) throw badRequest(fault);
  await putBrowser(database.sql, {
    ...subscription,
    realm_id: id,
    user_id: user.id,
    session_hash: sessionHash,
    date_created: environment.clock(),
  });
}

export const removeBrowser = ({ database }: RealmReader, sessionHash: Buffer): Promise<void> =>
  deleteBrowserOf(database.sql, sessionHash);

export const isSubscribed = ({ database }: RealmReader, sessionHash: Buffer): Promise<boolean> =>
  hasBrowser(database.sql, sessionHash);
