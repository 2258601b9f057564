/** Administrators changing settings of other accounts: `PATCH /settings` with `target_users`. */
import { defined } from "../../../storage/failures.ts";
import type { GroupId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { accessGroup, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import {
  checkUserSetting,
  editedSettings,
  type UserSettingValue,
  userSettingNames,
  withEdited,
  withSetting,
} from "../settings/setting-values.ts";
import { type UserSettingName, userSetting } from "../settings/settings.ts";
import { type SettingValues, tellAway, tellSetting } from "./settings.ts";
import { accessAccount } from "./update.ts";

/** The most people whose settings one request may change. */
const maxPeople = 10_000;
/** People whose settings one commit changes: a tenth of a second, in which nobody else writes. */
const peoplePerTurn = 500;

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

/** It is refused as a whole, before any of it is done. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const updateSettingsOf = command((tx: Tx, args: UpdateSettingsOfArgs) => {
  const { state } = tx;
  requireAdmin(tx.user(args.actorId));
  const values = userSettingNames.flatMap((name) => {
    const value = args.settings[name];
    if (value === undefined) return [];
    if (ownChoices.includes(name)) throw badRequest(`${name} is each person's own to choose.`);
    return [[name, checkUserSetting(name, value)] as const];
  });
  const ids = [...findPeople(state, args)].map(({ id }) => id);
  change(tx, ids.slice(0, peoplePerTurn), values, args.skipsEdited);
  for (let first = peoplePerTurn; first < ids.length; first += peoplePerTurn) {
    const turn = ids.slice(first, first + peoplePerTurn);
    tx.later((next) => change(next, turn, values, args.skipsEdited));
  }
  return {};
});

type Values = readonly (readonly [UserSettingName, UserSettingValue])[];

/** Changes the settings of people who are still there, and tells them. */
function change(tx: Tx, userIds: readonly UserId[], values: Values, skipsEdited: boolean): void {
  const { state } = tx;
  const changedOf = new Map(values.map(([name]): [typeof name, UserId[]] => [name, []]));
  const rows: UserRow[] = [];
  for (const userId of userIds) {
    const user = state.users.get(userId);
    if (!user?.is_active) continue;
    const edited = editedSettings(state, user);
    const changes = values.filter(
      ([name, value]) => userSetting(user, name) !== value && !(skipsEdited && edited.includes(name)),
    );
    if (changes.length === 0) continue;
    let settings = withEdited(user.settings, edited);
    for (const [name, value] of changes) {
      settings = withSetting(settings, name, value);
      defined(changedOf.get(name), "list for that setting").push(user.id);
    }
    rows.push({ ...user, settings });
  }
  tx.put("users", ...rows);
  for (const [name, value] of values) {
    const ids = defined(changedOf.get(name), "list for that setting");
    if (ids.length > 0) tellSetting(tx, ids, name, value);
    if (name === "presence_enabled") for (const id of ids) tellAway(tx, id, !value);
  }
}

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
