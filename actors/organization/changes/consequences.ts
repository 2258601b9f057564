/** Effects of organization settings on people: who is a full member, and whom guests may see. */

import { defined, firstOf } from "../../../storage/failures.ts";
import type { GroupId } from "../../../storage/ids.ts";
import { type GroupSetting, roles, type UserRow } from "../../../storage/rows.ts";
import { type SightChange, tellSightChanges } from "../../channels/changes/visibility-by-person.ts";
import type { MembersChange, RealmUserEvent } from "../../events/people.ts";
import { seesUnsubscribed, sightSettings } from "../../realm/access.ts";
import type { Tx } from "../../realm/transaction.ts";
import { knownByChannels } from "../../users/known-people.ts";
import { personRecord } from "../../users/record.ts";

const secondsPerDay = 86_400;
/** With more changed people than this, no events are sent: reloading costs clients less. */
const maxPeopleTold = 2000;

/**
 * Tells who becomes a full member, or is one no longer, under a new waiting period. Tells these people of the channels
 * that they come to see or see no longer.
 */
export function tellFullMembers(tx: Tx, thresholdDays: number): void {
  const { state } = tx;
  const willBeFull = (user: UserRow) => tx.now - user.date_joined >= thresholdDays * secondsPerDay;
  const joined: UserRow[] = [];
  const left: UserRow[] = [];
  for (const id of state.roles.members(roles.member)) {
    const user = state.knownUser(id);
    if (willBeFull(user) !== state.isFullMember(user)) (willBeFull(user) ? joined : left).push(user);
  }
  const group_id = state.systemGroup("role:fullmembers");
  const tell = (op: MembersChange["op"], users: readonly UserRow[]) => {
    if (users.length === 0) return;
    tx.event({ type: "user_group", op, group_id, user_ids: users.map(({ id }) => id) }, { to: "realm" });
  };
  tell("add_members", joined);
  tell("remove_members", left);
  tellSightChanges(tx, findSightChanges(tx, group_id, [...joined, ...left], willBeFull));
}

/** Private channels that full members may see by a permission. */
function findSightChanges(
  tx: Tx,
  groupId: GroupId,
  moved: readonly UserRow[],
  willBeFull: (user: UserRow) => boolean,
): SightChange[] {
  const { state } = tx;
  const channels = [...state.channels.values()].filter(
    (channel) => channel.invite_only && sightSettings.some((name) => state.groups.dependsOn(channel[name], groupId)),
  );
  if (channels.length === 0 || moved.length === 0) return [];
  const next = state.groups.with([], willBeFull);
  const found: SightChange[] = [];
  for (const channel of channels) {
    const change: SightChange = { channel, gained: [], lost: [] };
    for (const user of moved) {
      if (state.subscriptions.has(user.id, channel.id)) continue;
      const saw = seesUnsubscribed(channel, user, state.groups);
      if (saw !== seesUnsubscribed(channel, user, next)) (saw ? change.lost : change.gained).push(user.id);
    }
    if (change.gained.length + change.lost.length > 0) found.push(change);
  }
  return found;
}

/** Tells guests which people they come to see, or see no longer, under a new `can_access_all_users_group`. */
export function tellChangedAccess(tx: Tx, setting: GroupSetting): void {
  const { state } = tx;
  const guests = state.roles
    .members(roles.guest)
    .map((id) => state.knownUser(id))
    .filter((guest) => state.may(guest, "can_access_all_users_group") !== state.groups.holds(setting, guest));
  if (guests.length === 0) return;
  if (state.users.size > maxPeopleTold) {
    const ids = guests.map(({ id }) => id);
    tx.event({ type: "web_reload_client", immediate: false }, { to: "users", ids });
    return;
  }
  const known = new Map(guests.map((guest) => [guest.id, knownByChannels(state, guest)]));
  const seesAll = state.groups.holds(setting, firstOf(guests));
  for (const person of state.users.values()) {
    if (person.is_bot) continue;
    const ids = guests
      .filter((guest) => !defined(known.get(guest.id), "list for them").has(person.id))
      .map(({ id }) => id);
    if (ids.length === 0) continue;
    const event: RealmUserEvent = seesAll
      ? { type: "realm_user", op: "add", person: personRecord(state, person) }
      : { type: "realm_user", op: "remove", person: { user_id: person.id, full_name: person.full_name } };
    tx.event(event, { to: "users", ids });
  }
}
