/** A change of role and its consequences: system groups, and which channels, people and addresses the account sees. */

import { defined } from "../../../storage/failures.ts";
import { type Role, roles, type UserRow } from "../../../storage/rows.ts";
import { defaultGroupsFor, tellDefaultGroups } from "../../channels/changes/default-groups.ts";
import { findRoleSightChanges, tellSightChanges } from "../../channels/changes/visibility-by-person.ts";
import { badRequest, errors } from "../../errors.ts";
import type { MembersChange, PersonChange } from "../../events/people.ts";
import { systemGroupOf } from "../../groups/record.ts";
import { canSeeEmail, isAdmin, isGuest, isModerator, isOwner } from "../../realm/access.ts";
import type { Audience } from "../../realm/entry.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { knownByChannels } from "../known-people.ts";
import { avatarFields, personRecord } from "../record.ts";
import { changeKey, endPolls } from "./key-change.ts";

/** @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export function checkRoleChange(state: RealmState, actor: UserRow, user: UserRow, role: Role): void {
  if (user.role === role) return;
  if ((role === roles.owner || isOwner(user)) && !isOwner(actor))
    throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
  if (isGuest(user) && role <= roles.administrator)
    throw badRequest("Guests cannot be made organization administrators");
  if (isOwner(user) && isOnlyOwner(state, user))
    throw badRequest("The owner permission cannot be removed from the only organization owner.");
}

/** Whether no other active person owns the organization. Bots do not count. */
export function isOnlyOwner(state: RealmState, user: UserRow): boolean {
  if (!isOwner(user) || !user.is_active || user.is_bot) return false;
  for (const other of state.users.values())
    if (other.id !== user.id && isOwner(other) && other.is_active && !other.is_bot) return false;
  return true;
}

/** Gives a role that has passed `checkRoleChange`. Returns the row as it will be. */
export function changeRole(tx: Tx, user: UserRow, role: Role): UserRow {
  if (user.role === role) return user;
  // People who know a bot's old key must not get its new role.
  const isRaisedBot = user.is_bot && role < user.role;
  const next = isRaisedBot ? changeKey(tx, { ...user, role }).user : endPolls(tx, { ...user, role });
  // Nor may the old keys of somebody's bots keep a role that their owner has lost.
  for (const bot of tx.state.users.values()) if (bot.bot_owner_id === user.id && bot.role < role) changeKey(tx, bot);
  tx.event(
    { type: "realm_user", op: "update", person: { user_id: user.id, role } },
    { to: "userViewers", userId: user.id },
  );
  if (!user.is_active) return next;
  changeSystemGroups(tx, user, next);
  tellSightChanges(tx, findRoleSightChanges(tx.state, user, next));
  if (isGuest(user) !== isGuest(next)) tellDefaultChannels(tx, next);
  changeVisiblePeople(tx, user, next);
  changeVisibleAddresses(tx, user, next);
  return next;
}

/**
 * Tells which system groups somebody left and joined. One of the rows is undefined for an account that begins or ends.
 */
export function changeSystemGroups(tx: Tx, before: UserRow | undefined, after: UserRow | undefined): void {
  const { state } = tx;
  const old = before ? systemGroupOf(state, before) : [];
  const now = after ? systemGroupOf(state, after) : [];
  const userId = defined(before ?? after, "account").id;
  const tell = (op: MembersChange["op"], name: (typeof old)[number]) =>
    tx.event({ type: "user_group", op, group_id: state.systemGroup(name), user_ids: [userId] }, { to: "realm" });
  for (const name of old) if (!now.includes(name)) tell("remove_members", name);
  for (const name of now) if (!old.includes(name)) tell("add_members", name);
}

/** Guests get no default channels, so they are not told of them. */
function tellDefaultChannels(tx: Tx, user: UserRow): void {
  const default_streams = isGuest(user) ? [] : [...tx.state.defaultChannels];
  tx.event({ type: "default_streams", default_streams }, { to: "users", ids: [user.id] });
  tellDefaultGroups(tx, defaultGroupsFor(tx.state, user), { to: "users", ids: [user.id] });
}

/** Where guests know only the people in their channels, the role decides whether somebody knows the others. */
function changeVisiblePeople(tx: Tx, before: UserRow, after: UserRow): void {
  const { state } = tx;
  const sawAll = state.may(before, "can_access_all_users_group");
  const seesAll = state.may(after, "can_access_all_users_group");
  if (sawAll === seesAll) return;
  const known = knownByChannels(state, after);
  const mine: Audience = { to: "users", ids: [after.id] };
  for (const person of state.users.values()) {
    if (known.has(person.id) || person.is_bot) continue;
    if (seesAll) tx.event({ type: "realm_user", op: "add", person: personRecord(state, person) }, mine);
    else {
      tx.event({ type: "realm_user", op: "remove", person: { user_id: person.id, full_name: person.full_name } }, mine);
    }
  }
}

/** Tells somebody the real addresses that they begin, or cease, to see. */
function changeVisibleAddresses(tx: Tx, before: UserRow, after: UserRow): void {
  if (
    isGuest(before) === isGuest(after) &&
    isAdmin(before) === isAdmin(after) &&
    isModerator(before) === isModerator(after)
  )
    return;
  for (const person of tx.state.users.values()) {
    if (person.id === after.id || person.settings["email_address_visibility"] === undefined) continue;
    const sees = canSeeEmail(person, after);
    if (canSeeEmail(person, before) === sees) continue;
    const tell = (change: PersonChange) =>
      tx.event(
        { type: "realm_user", op: "update", person: { user_id: person.id, ...change } },
        { to: "users", ids: [after.id] },
      );
    tell({ delivery_email: sees ? person.delivery_email : null });
    // Those who do not see the address get another address of the picture.
    if (person.avatar_source === "G") tell(avatarFields(tx.state, person));
  }
}
