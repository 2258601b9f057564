/**
 * Who knows of whom. Everybody knows of everybody, unless `can_access_all_users_group` limits guests to the people of
 * their channels. Then these functions answer without looking at each pair.
 */
import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { canSeeUser } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";

/** Everybody `viewer` may know of, themselves included. */
export function* visibleUsers(state: RealmState, viewer: UserRow): Generator<UserRow> {
  if (state.may(viewer, "can_access_all_users_group")) {
    yield* state.users.values();
    return;
  }
  const known = knownByChannels(state, viewer);
  for (const user of state.users.values()) if (user.is_bot || known.has(user.id)) yield user;
}

/** Ids of the people who share a channel with `viewer`, and of `viewer`. */
export function knownByChannels(state: RealmState, viewer: UserRow): Set<UserId> {
  const known = new Set<UserId>([viewer.id]);
  for (const channelId of state.subscriptions.channelsOf(viewer.id))
    for (const id of state.subscriptions.subscribers(channelId)) known.add(id);
  return known;
}

/** Ids of the active people who may not know of `user`. */
export function hiddenFrom(state: RealmState, user: UserRow): UserId[] {
  if (state.groupSetting("can_access_all_users_group") === state.systemGroup("role:everyone")) return [];
  const ids: UserId[] = [];
  for (const viewer of state.users.values())
    if (viewer.is_active && !canSeeUser(state, user, viewer)) ids.push(viewer.id);
  return ids;
}
