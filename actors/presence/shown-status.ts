/** A status as clients see it. https://zulip.com/api/get-user-status */
import type { UserRow } from "../../storage/rows.ts";
import { userSetting } from "../users/settings/settings.ts";

/** What older clients call away is not being shown as present, a setting of one's own. */
export const isAway = (user: UserRow): boolean => !userSetting(user, "presence_enabled");

export const hasStatus = (user: UserRow): boolean => Object.keys(user.status).length > 0 || isAway(user);

export const shownStatus = (user: UserRow): UserRow["status"] & { away?: true } =>
  isAway(user) ? { ...user.status, away: true } : user.status;
