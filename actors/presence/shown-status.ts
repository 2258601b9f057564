/** A status as clients see it. https://zulip.com/api/get-user-status */

import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { defineDerived } from "../realm/state/state.ts";
import { userSetting } from "../users/settings/settings.ts";

/** Older clients call a person away who has turned off sharing their presence. */
export const isAway = (user: UserRow): boolean => !userSetting(user, "presence_enabled");

export const hasStatus = (user: UserRow): boolean => Object.keys(user.status).length > 0 || isAway(user);

export const shownStatus = (user: UserRow): UserRow["status"] & { away?: true } =>
  isAway(user) ? { ...user.status, away: true } : user.status;

/** Users who have a status, or had one. */
export const statusUsers = defineDerived<Set<UserId>>({
  make: ({ users }) => new Set([...users.values()].filter(hasStatus).map(({ id }) => id)),
  tables: [],
  userChanged: (ids, user) => {
    if (hasStatus(user)) ids.add(user.id);
  },
});
