/**
 * Where guests know only the people of their channels (`can_access_all_users_group`), subscribing and unsubscribing
 * changes whom they know. They get `realm_user` add and remove.
 */

import type { ChannelId, UserId } from "../../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import type { RealmUserEvent } from "../../events/people.ts";
import { canSeeUser, everybodyKnowsAll, isGuest } from "../../realm/access.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { personRecord } from "../../users/record.ts";

/** Users who join, or leave, one channel. */
interface Change {
  channel: ChannelRow;
  userIds: readonly UserId[];
}

/** Tells guests whom they begin, or cease, to know when these users have joined or left. */
export function tellGuestsOfPeople(tx: Tx, changes: readonly Change[], what: "join" | "leave"): void {
  const { state } = tx;
  if (everybodyKnowsAll(state)) return;
  const told = new Set<string>();
  const known = (id: UserId) => tx.userNow(id);
  const changed = new Map(changes.map(({ channel, userIds }) => [channel.id, new Set(userIds)]));
  for (const { channel, userIds } of changes) {
    const before = state.subscriptions.subscribers(channel.id);
    const all = new Set<UserId>([...before, ...userIds]);
    const movers = new Set(userIds);
    for (const guestId of all) {
      const guest = known(guestId);
      if (!guest?.is_active || !isGuest(guest) || state.may(guest, "can_access_all_users_group")) continue;
      for (const targetId of movers.has(guestId) ? all : movers) {
        const target = known(targetId);
        if (!target || target.id === guestId || target.is_bot) continue;
        const knew = canSeeUser(state, target, guest);
        if (knew === (what === "join") || told.has(`${guestId}:${targetId}`)) continue;
        if (what === "leave" && shareStill(state, guest, target, changed)) continue;
        told.add(`${guestId}:${targetId}`);
        tell(tx, guest, target, what);
      }
    }
  }
}

/** Whether both still share a channel after the leaving ones have left. */
function shareStill(
  state: RealmState,
  guest: UserRow,
  target: UserRow,
  left: ReadonlyMap<ChannelId, ReadonlySet<UserId>>,
): boolean {
  return state.subscriptions
    .channelsOf(guest.id)
    .some(
      (id) => state.subscriptions.has(target.id, id) && !left.get(id)?.has(guest.id) && !left.get(id)?.has(target.id),
    );
}

function tell(tx: Tx, guest: UserRow, target: UserRow, what: "join" | "leave"): void {
  const event: RealmUserEvent =
    what === "join"
      ? { type: "realm_user", op: "add", person: personRecord(tx.state, target) }
      : { type: "realm_user", op: "remove", person: { user_id: target.id, full_name: target.full_name } };
  tx.event(event, { to: "users", ids: [guest.id] });
}
