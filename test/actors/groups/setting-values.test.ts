import { beforeAll, describe, expect, it } from "vitest";
import {
  checkGroupSetting,
  checkGroupSettingUpdate,
  type GroupSettingRule,
  normalGroupSetting,
  shownGroupSetting,
} from "../../../actors/groups/setting-values.ts";
import { systemGroupNames } from "../../../actors/realm/state/group-index.ts";
import { RealmState } from "../../../actors/realm/state/state.ts";
import { newUserRow } from "../../../actors/users/new-row.ts";
import type { UserGroupRow } from "../../../storage/rows.ts";

const state = new RealmState(1, "http://localhost", () => 0);
const any: GroupSettingRule = { everyone: true, nobody: true };
const id = (name: (typeof systemGroupNames)[number]) => state.systemGroup(name);
const anonymous = (direct_members: number[], direct_subgroups: number[] = []) => ({ direct_members, direct_subgroups });
/** Users 1 and 2 are active, 3 is deactivated; group 50 is ordinary, 51 deactivated. */
const [anna, bert, gone, team, oldTeam] = [1, 2, 3, 50, 51];

beforeAll(() => {
  state.apply([
    {
      table: "realms",
      put: [
        {
          id: 1,
          host: null,
          name: "r",
          date_created: 0,
          is_deactivated: false,
          uuid: "00000000-0000-4000-8000-000000000000",
          settings: {},
        },
      ],
    },
  ]);
  const group = (groupId: number, name: string, isSystem: boolean, deactivated = false): UserGroupRow => ({
    id: groupId,
    realm_id: 1,
    name,
    description: "",
    creator_id: null,
    date_created: null,
    is_system_group: isSystem,
    deactivated,
    can_add_members_group: 8,
    can_join_group: 8,
    can_leave_group: 8,
    can_manage_group: 8,
    can_mention_group: 8,
    can_remove_members_group: 8,
  });
  const user = (userId: number, isActive: boolean) => ({
    ...newUserRow({
      id: userId,
      realm_id: 1,
      delivery_email: `u${userId}@example.com`,
      full_name: `U${userId}`,
      role: 400,
      date_joined: 0,
    }),
    is_active: isActive,
  });
  state.apply([
    {
      table: "user_groups",
      put: [
        ...systemGroupNames.map((name, index) => group(index + 1, name, true)),
        group(team, "team", false),
        group(oldTeam, "old team", false, true),
      ],
    },
    { table: "users", put: [user(anna, true), user(bert, true), user(gone, false)] },
  ]);
});

describe("values of group settings", () => {
  it("have one form: ids ascending and once, what equals a group as its id, nobody as role:nobody", () => {
    expect(normalGroupSetting(state, anonymous([bert, anna, bert], [team, team]))).toEqual(
      anonymous([anna, bert], [team]),
    );
    expect(normalGroupSetting(state, anonymous([], [team, team]))).toBe(team);
    expect(normalGroupSetting(state, anonymous([]))).toBe(id("role:nobody"));
    expect(normalGroupSetting(state, 12)).toBe(12);
  });

  it("are shown without deactivated users", () => {
    expect(shownGroupSetting(state, anonymous([anna, gone], [team]))).toEqual(anonymous([anna], [team]));
    expect(shownGroupSetting(state, anonymous([gone], [team]))).toBe(team);
    expect(shownGroupSetting(state, anonymous([gone]))).toBe(id("role:nobody"));
  });

  it("name groups that exist and are not deactivated, and active users", () => {
    for (const bad of [
      999,
      oldTeam,
      anonymous([anna], [999]),
      anonymous([anna], [oldTeam]),
      anonymous([gone]),
      anonymous([99]),
    ])
      expect(() => checkGroupSetting(state, "s", bad, any)).toThrow();
    expect(checkGroupSetting(state, "s", anonymous([bert, anna]), any)).toEqual(anonymous([anna, bert]));
    expect(checkGroupSetting(state, "s", team, any)).toBe(team);
  });

  it("hold role:everyone, role:nobody and role:internet only where the setting allows it, alone or in a group", () => {
    const none: GroupSettingRule = { everyone: false, nobody: false };
    for (const name of ["role:everyone", "role:nobody", "role:internet"] as const) {
      expect(() => checkGroupSetting(state, "s", id(name), none)).toThrow(name);
      expect(() => checkGroupSetting(state, "s", anonymous([anna], [id(name)]), none)).toThrow(name);
    }
    expect(() => checkGroupSetting(state, "s", anonymous([]), none)).toThrow("role:nobody");
    expect(() => checkGroupSetting(state, "s", id("role:internet"), any)).toThrow("role:internet");
    expect(checkGroupSetting(state, "s", id("role:internet"), { ...any, internet: true })).toBe(id("role:internet"));
  });

  it("are one of a few system groups where the setting says so", () => {
    const rule: GroupSettingRule = { ...any, only: ["role:owners", "role:nobody"] };
    expect(checkGroupSetting(state, "s", id("role:owners"), rule)).toBe(id("role:owners"));
    expect(checkGroupSetting(state, "s", anonymous([], [id("role:owners")]), rule)).toBe(id("role:owners"));
    for (const bad of [id("role:members"), team, anonymous([anna])])
      expect(() => checkGroupSetting(state, "s", bad, rule)).toThrow();
  });
});

describe("changing a group setting", () => {
  const current = anonymous([anna, gone], [team]);

  it("old is compared by value, whatever the order, with what is shown", () => {
    const change = (old: ReturnType<typeof anonymous> | number) =>
      checkGroupSettingUpdate(state, "s", current, { new: team, old }, any);
    expect(change(anonymous([anna, anna], [team]))).toBe(team);
    for (const stale of [team, anonymous([anna]), anonymous([anna, bert], [team])])
      expect(() => change(stale)).toThrow(expect.objectContaining({ code: "EXPECTATION_MISMATCH" }));
  });

  it("to what it is already changes nothing", () => {
    expect(checkGroupSettingUpdate(state, "s", current, { new: anonymous([anna], [team]) }, any)).toBe(undefined);
    expect(checkGroupSettingUpdate(state, "s", team, { new: anonymous([], [team]) }, any)).toBe(undefined);
  });
});
