/** Administrators changing settings of other accounts: `PATCH /settings` with `target_users`. */
import type { GroupId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { accessGroup, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { accessAccount } from "../update.ts";
import { checkUserSetting, editedSettings, userSettingNames, withEdited, withSetting } from "./setting-values.ts";
import { type UserSettingName, userSetting } from "./settings.ts";
import { type SettingValues, tellAway, tellSetting } from "./settings-update.ts";

/** The most people whose settings one request may change. It is decided at once, and everybody else waits for it. */
const maxPeople = 10_000;
/** Rows of one statement. */
const rowsPerPut = 1000;

/**
 * Settings that people decide for themselves: who sees their address, who gets their data, and whether drafts are kept.
 */
const ownChoices: readonly UserSettingName[] = [
  "email_address_visibility",
  "allow_private_data_export",
  "enable_drafts_synchronization",
];

export interface UpdateSettingsOfArgs {
  actorId: UserId;
  userIds: UserId[];
  groupIds: GroupId[];
  /** Whether to leave settings alone that people have changed themselves. */
  skipsEdited: boolean;
  settings: SettingValues;
}

/** All of it or nothing. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const updateSettingsOf = command((tx: Tx, args: UpdateSettingsOfArgs) => {
  const { state } = tx;
  requireAdmin(tx.user(args.actorId));
  const values = userSettingNames.flatMap((name) => {
    const value = args.settings[name];
    if (value === undefined) return [];
    if (ownChoices.includes(name)) throw badRequest(`${name} is each person's own to choose.`);
    return [[name, checkUserSetting(name, value)] as const];
  });
  const people = findPeople(state, args);
  const changedOf = new Map(values.map(([name]) => [name, [] as UserId[]]));
  const rows: UserRow[] = [];
  for (const user of people) {
    const edited = editedSettings(state, user);
    const changes = values.filter(
      ([name, value]) => userSetting(user, name) !== value && !(args.skipsEdited && edited.includes(name)),
    );
    if (changes.length === 0) continue;
    let settings = withEdited(user.settings, edited);
    for (const [name, value] of changes) {
      settings = withSetting(settings, name, value);
      changedOf.get(name)!.push(user.id);
    }
    rows.push({ ...user, settings });
  }
  for (let first = 0; first < rows.length; first += rowsPerPut)
    tx.put("users", ...rows.slice(first, first + rowsPerPut));
  for (const [name, value] of values) {
    const ids = changedOf.get(name)!;
    if (ids.length > 0) tellSetting(tx, ids, name, value);
    if (name === "presence_enabled") for (const id of ids) tellAway(tx, id, !value);
  }
  return {};
});

/** @throws BAD_REQUEST for somebody unknown, a bot or a deactivated account, and for too many people */
function findPeople(state: RealmState, { userIds, groupIds }: UpdateSettingsOfArgs): Set<UserRow> {
  const people = new Set<UserRow>();
  for (const id of userIds) {
    const user = accessAccount(state, id);
    if (user.is_bot) throw badRequest("No such user");
    if (!user.is_active) throw badRequest("User is deactivated");
    people.add(user);
  }
  for (const id of groupIds) accessGroup(state, id);
  if (groupIds.length > 0) {
    for (const user of state.users.values()) {
      if (!user.is_active || user.is_bot || user.is_deleted) continue;
      if (groupIds.some((id) => state.groups.isMember(id, user))) people.add(user);
    }
  }
  if (people.size > maxPeople) throw badRequest(`Too many people at once (limit: ${maxPeople}).`);
  return people;
}
