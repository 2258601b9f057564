/**
 * Accounts as directories look for them. Before everything they do they ask by userName, address, externalId, name or
 * id, and indexes answer that. Any other filter is tried on every account, some at a time: others have their turns
 * between.
 */
import type { UserId } from "../../storage/ids.ts";
import {
  findRemovedScimUserIds,
  findScimUserByName,
  findScimUserIdsByExternalId,
  findScimUsers,
} from "../../storage/scim.ts";
import type { RealmReader } from "../realm/reader.ts";
import { userAttributes } from "./attributes.ts";
import { type Filter, fits } from "./filter.ts";
import { checkKnown, type Page, type Paging } from "./paging.ts";
import { idIn, isProvisioned, nameLike, type Provisioned, userDocument } from "./user-document.ts";

/** Accounts that are looked at between two turns of others: some milliseconds. */
const accountsAtOnce = 1000;

/** An account of this id. Undefined: directories know of none. */
export async function findScimUser(realm: RealmReader, id: string): Promise<Provisioned | undefined> {
  const userId = idIn(id);
  return userId === undefined ? undefined : (await provisioned(realm, [userId]))[0];
}

/** @throws a 400 with `invalidFilter` for a filter by what is not kept */
export async function findScimUsersBy(
  realm: RealmReader,
  filter: Filter | undefined,
  { startIndex, count }: Paging,
): Promise<Page<Provisioned>> {
  if (!filter) {
    const ids = await allIds(realm);
    const items = await provisioned(realm, ids.slice(startIndex - 1, startIndex - 1 + count));
    return { total: ids.length, items };
  }
  checkKnown(userAttributes, filter);
  const ids = (await candidates(realm, filter)) ?? (await allIds(realm));
  let total = 0;
  const items: Provisioned[] = [];
  for (let from = 0; from < ids.length; from += accountsAtOnce) {
    for (const found of await provisioned(realm, ids.slice(from, from + accountsAtOnce))) {
      if (!fits(filter, { id: String(found.user.id), ...userDocument(found.user, found.row) })) continue;
      total++;
      if (total >= startIndex && items.length < count) items.push(found);
    }
  }
  return { total, items };
}

/** Those of these accounts of which directories know, in that order. */
async function provisioned({ state, database }: RealmReader, ids: readonly UserId[]): Promise<Provisioned[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await findScimUsers(database.sql, ids)).map((row) => [row.user_id, row]));
  return ids.flatMap((id) => {
    const user = state.users.get(id);
    const row = rows.get(id);
    return isProvisioned(user, row) ? [{ user, row }] : [];
  });
}

/** The ids of all accounts of which directories know, ascending. */
async function allIds({ id, state, database }: RealmReader): Promise<UserId[]> {
  const removed = new Set(await findRemovedScimUserIds(database.sql, id));
  const ids: UserId[] = [];
  for (const user of state.users.values())
    if (isProvisioned(user, undefined) && (user.is_active || !removed.has(user.id))) ids.push(user.id);
  return ids.sort((a, b) => a - b);
}

/** The accounts among which are all that fit, ascending. Undefined: no index knows. */
async function candidates(realm: RealmReader, filter: Filter, within = ""): Promise<UserId[] | undefined> {
  if (filter.kind === "item") return candidates(realm, filter.filter, `${within}${filter.path}.`);
  if (filter.kind === "all") {
    for (const one of filter.filters) {
      const found = await candidates(realm, one, within);
      if (found) return found;
    }
    return undefined;
  }
  if (filter.kind === "any") {
    const all = new Set<UserId>();
    for (const one of filter.filters) {
      const found = await candidates(realm, one, within);
      if (!found) return undefined;
      for (const id of found) all.add(id);
    }
    return [...all].sort((a, b) => a - b);
  }
  if (filter.kind !== "compare" || filter.operator !== "eq" || typeof filter.value !== "string") return undefined;
  return byIndex(realm, within + filter.path, filter.value);
}

/** Accounts that have this value there, and perhaps others. Undefined: there is no index. */
async function byIndex(realm: RealmReader, path: string, value: string): Promise<UserId[] | undefined> {
  const { id, state, database } = realm;
  const byAddress = state.userByEmail(value.trim())?.id;
  const ids = (...found: (UserId | undefined)[]) => [...new Set(found.filter((one) => one !== undefined))];
  switch (path) {
    case "id":
      return ids(idIn(value));
    case "username":
      return ids((await findScimUserByName(database.sql, id, value.toLowerCase()))?.user_id, byAddress);
    case "emails":
    case "emails.value":
      // Other addresses than an account's own are kept for their directory alone.
      return ids(byAddress);
    case "externalid":
      return ids(...(await findScimUserIdsByExternalId(database.sql, id, value)));
    case "displayname":
      return ids(...state.usersByName(nameLike(value)).map((user) => user.id));
    default:
      return undefined;
  }
}
