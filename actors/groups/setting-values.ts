/**
 * Values of group settings: their rules, their normal form, and changes with an expected old value. Every permission of
 * an organization, a channel or a group is set through `checkGroupSetting` or `checkGroupSettingUpdate`.
 */
import { firstOf } from "../../storage/failures.ts";
import type { GroupId } from "../../storage/ids.ts";
import type { GroupSetting } from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import { accessGroup, sameGroupSetting } from "../realm/access.ts";
import { type SystemGroupName, systemNameOf } from "../realm/state/group-index.ts";
import type { RealmState } from "../realm/state/state.ts";

/** The values that one setting takes. `RealmGroupSetting` has this shape. */
export interface GroupSettingRule {
  /** `role:everyone`, which includes guests, may be chosen. */
  everyone: boolean;
  /** `role:nobody` may be chosen. */
  nobody: boolean;
  /** `role:internet` may be chosen. The default is no. */
  internet?: boolean;
  /** Only these system groups may be chosen: no named group and no anonymous one. */
  only?: readonly SystemGroupName[] | undefined;
}

/** A change as clients send it: the new value and, optionally, the value that they believe to be in force. */
export interface GroupSettingUpdate {
  new: GroupSetting;
  old?: GroupSetting | null | undefined;
}

const ascending = <Id extends number>(ids: readonly Id[]): Id[] => [...new Set(ids)].sort((a, b) => a - b);

/**
 * The normal form of a value. Ids are distinct and ascending. An anonymous group that equals one group becomes that
 * group's id. An empty one becomes `role:nobody`.
 */
export function normalGroupSetting(state: RealmState, value: GroupSetting): GroupSetting {
  if (typeof value === "number") return value;
  const direct_members = ascending(value.direct_members);
  const direct_subgroups = ascending(value.direct_subgroups);
  if (direct_members.length === 0 && direct_subgroups.length === 0) return state.systemGroup("role:nobody");
  if (direct_members.length === 0 && direct_subgroups.length === 1) return firstOf(direct_subgroups);
  return { direct_members, direct_subgroups };
}

/** A stored value as it is shown and compared: without deactivated members. */
export function shownGroupSetting(state: RealmState, value: GroupSetting): GroupSetting {
  if (typeof value === "number") return value;
  return normalGroupSetting(state, {
    direct_members: value.direct_members.filter((id) => state.users.get(id)?.is_active),
    direct_subgroups: value.direct_subgroups,
  });
}

/**
 * Checks a value for the setting `name`, and returns its normal form. Groups must exist and not be deactivated, members
 * must be active, and the setting must allow the value.
 *
 * @throws BAD_REQUEST
 */
export function checkGroupSetting(
  state: RealmState,
  name: string,
  value: GroupSetting,
  rule: GroupSettingRule,
): GroupSetting {
  const setting = normalGroupSetting(state, value);
  const groups = typeof setting === "number" ? [setting] : setting.direct_subgroups;
  for (const id of groups) {
    const group = accessGroup(state, id);
    if (group.deactivated) throw badRequest(`'${name}' setting cannot be set to a deactivated user group.`);
    const isRefused =
      (group.name === "role:internet" && group.is_system_group && !rule.internet) ||
      (group.name === "role:everyone" && group.is_system_group && !rule.everyone) ||
      (group.name === "role:nobody" && group.is_system_group && !rule.nobody);
    if (isRefused) throw badRequest(`'${name}' setting cannot be set to '${group.name}' group.`);
  }
  if (rule.only && (typeof setting !== "number" || !isOneOf(state, setting, rule.only))) {
    throw badRequest(`'${name}' setting can only be set to one of: ${rule.only.join(", ")}.`);
  }
  if (typeof setting !== "number") {
    for (const id of setting.direct_members) {
      if (!state.users.get(id)?.is_active) throw badRequest(`Invalid user ID: ${id}`);
    }
  }
  return setting;
}

/**
 * The value after a change, or undefined when it changes nothing.
 *
 * @param current the value as stored
 * @throws EXPECTATION_MISMATCH when `old` is not the value in force (compared by value); BAD_REQUEST
 */
export function checkGroupSettingUpdate(
  state: RealmState,
  name: string,
  current: GroupSetting,
  update: GroupSettingUpdate,
  rule: GroupSettingRule,
): GroupSetting | undefined {
  const shown = shownGroupSetting(state, current);
  const old = update.old ?? undefined;
  if (old !== undefined && !sameGroupSetting(normalGroupSetting(state, old), shown))
    throw errors.EXPECTATION_MISMATCH(`'${name}'`);
  if (sameGroupSetting(normalGroupSetting(state, update.new), shown)) return undefined;
  return checkGroupSetting(state, name, update.new, rule);
}

function isOneOf(state: RealmState, id: GroupId, names: readonly SystemGroupName[]): boolean {
  const name = systemNameOf(state.groups.byId.get(id));
  return name !== undefined && names.includes(name);
}
