/** The browsers and programs of a person that receive notifications by Web Push. */
import {
  deleteBrowserOf,
  type Holder,
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

/** Programs with one account's own key: more than anybody has. Log-ins and further keys have one subscription each. */
const maxOfOwnKey = 25;

/** Stores the subscription of the browser or program with this log-in or key. @throws BAD_REQUEST */
export async function addBrowser(
  { database, id, environment }: RealmReader,
  user: UserRow,
  holder: Holder,
  subscription: Subscription,
): Promise<void> {
  if (user.is_bot) throw badRequest("Bots get no notifications.");
  const fault = subscriptionFault(subscription);
  if (fault !== undefined) throw badRequest(fault);
  const row = { ...subscription, realm_id: id, user_id: user.id, date_created: environment.clock() };
  await putBrowser(database.sql, row, holder, maxOfOwnKey);
}

/** @param endpoint undefined: all of the holder's */
export const removeBrowser = (
  { database }: RealmReader,
  user: UserRow,
  holder: Holder,
  endpoint?: string,
): Promise<void> => deleteBrowserOf(database.sql, user.id, holder, endpoint);

/** @param endpoint undefined: any of the holder's */
export const isSubscribed = (
  { database }: RealmReader,
  user: UserRow,
  holder: Holder,
  endpoint?: string,
): Promise<boolean> => hasBrowser(database.sql, user.id, holder, endpoint);
