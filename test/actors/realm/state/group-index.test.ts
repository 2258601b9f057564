import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Groups, type SystemGroupName, systemGroupNames } from "../../../../actors/realm/state/group-index.ts";
import { RoleIndex } from "../../../../actors/realm/state/role-index.ts";
import type { Change, UserGroupRow, UserRow } from "../../../../storage/rows.ts";

const userCount = 12;
const groupCount = 8;
/** Ids of the system groups are 1 to 8, of the others from 11. */
const firstGroup = 11;
const user = (id: number, role = 400, rest: Partial<UserRow> = {}) =>
  ({ id, role, is_active: true, is_system_bot: false, ...rest }) as UserRow;
const group = (id: number, rest: Partial<UserGroupRow> = {}) =>
  ({ id, name: `group ${id}`, is_system_group: false, deactivated: false, ...rest }) as UserGroupRow;

function emptyGroups(): Groups {
  const groups = new Groups(({ id }) => id % 2 === 0);
  for (const [index, name] of systemGroupNames.entries()) groups.put(group(index + 1, { name, is_system_group: true }));
  for (let id = firstGroup; id < firstGroup + groupCount; id++) groups.put(group(id));
  return groups;
}

interface Model {
  members: [number, number][];
  subgroups: [number, number][];
  deactivated: number[];
}

const anyGroup = fc.integer({ min: firstGroup, max: firstGroup + groupCount - 1 });
const models: fc.Arbitrary<Model> = fc.record({
  members: fc.array(fc.tuple(anyGroup, fc.integer({ min: 1, max: userCount })), { maxLength: 30 }),
  subgroups: fc.array(fc.tuple(anyGroup, fc.oneof(anyGroup, fc.integer({ min: 1, max: 8 }))), { maxLength: 20 }),
  deactivated: fc.uniqueArray(anyGroup, { maxLength: 3 }),
});
const roles = [100, 200, 300, 400, 600];
const people = Array.from({ length: userCount }, (_, index) => user(index + 1, roles[index % roles.length]!));

function build({ members, subgroups, deactivated }: Model): Groups {
  const groups = emptyGroups();
  for (const [groupId, userId] of members) groups.addMember(groupId, userId);
  for (const [groupId, subgroupId] of subgroups) groups.addSubgroup(groupId, subgroupId);
  for (const id of deactivated) groups.put(group(id, { deactivated: true }));
  return groups;
}

/** What the spec says, the slow way: a member directly, or through any chain of groups in use. */
function isIn(model: Model, groupId: number, person: UserRow, path: number[] = []): boolean {
  if (path.includes(groupId) || model.deactivated.includes(groupId)) return false;
  if (groupId < firstGroup) return isInSystem(systemGroupNames[groupId - 1]!, person);
  if (model.members.some(([id, userId]) => id === groupId && userId === person.id)) return true;
  return model.subgroups.some(([id, inner]) => id === groupId && isIn(model, inner, person, [...path, groupId]));
}

function isInSystem(name: SystemGroupName, { id, role }: UserRow): boolean {
  const inside: Record<SystemGroupName, boolean> = {
    "role:owners": role === 100,
    "role:administrators": role <= 200,
    "role:moderators": role <= 300,
    "role:fullmembers": role <= 300 || (role === 400 && id % 2 === 0),
    "role:members": role <= 400,
    "role:everyone": true,
    "role:internet": true,
    "role:nobody": false,
  };
  return inside[name];
}

describe("who is in a group", () => {
  it("a member directly or through any chain of subgroups, cycles or not", () => {
    fc.assert(
      fc.property(models, (model) => {
        const groups = build(model);
        for (let id = 1; id < firstGroup + groupCount; id++) {
          if (id > 8 && id < firstGroup) continue;
          for (const person of people) expect(groups.isMember(id, person)).toBe(isIn(model, id, person));
        }
      }),
      { numRuns: 200 },
    );
  });

  it("a kept answer never outlives a change", () => {
    const changes = fc.array(
      fc.tuple(fc.constantFrom("addMember", "removeMember", "addSubgroup", "removeSubgroup"), anyGroup, anyGroup),
      { maxLength: 15 },
    );
    fc.assert(
      fc.property(models, changes, (model, steps) => {
        const groups = build(model);
        const now: Model = { ...model, members: [...model.members], subgroups: [...model.subgroups] };
        for (const [step, groupId, other] of steps) {
          for (const person of people) groups.isMember(groupId, person);
          const inner = step.endsWith("Member") ? (other % userCount) + 1 : other;
          groups[step](groupId, inner);
          const key = step.endsWith("Member") ? "members" : "subgroups";
          now[key] = now[key].filter(([id, one]) => id !== groupId || one !== inner);
          if (step.startsWith("add")) now[key].push([groupId, inner]);
          for (const person of people) expect(groups.isMember(groupId, person)).toBe(isIn(now, groupId, person));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("with() answers as the groups would after the changes, and changes nothing itself", () => {
    fc.assert(
      fc.property(models, models, (model, other) => {
        const groups = build(model);
        const changes: Change[] = [
          {
            table: "user_group_members",
            put: other.members.map(([group_id, user_id]) => ({ group_id, user_id, realm_id: 1 })),
            remove: model.members.map(([group_id, user_id]) => ({ group_id, user_id })),
          },
          {
            table: "user_group_subgroups",
            put: other.subgroups.map(([group_id, subgroup_id]) => ({ group_id, subgroup_id, realm_id: 1 })),
            remove: model.subgroups.map(([group_id, subgroup_id]) => ({ group_id, subgroup_id })),
          },
          { table: "user_groups", put: model.deactivated.map((id) => group(id)) },
          { table: "user_groups", put: other.deactivated.map((id) => group(id, { deactivated: true })) },
        ];
        const next = groups.with(changes);
        for (let id = firstGroup; id < firstGroup + groupCount; id++) {
          for (const person of people) {
            expect(next.isMember(id, person)).toBe(isIn(other, id, person));
            expect(groups.isMember(id, person)).toBe(isIn(model, id, person));
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it("holds() asks for named and anonymous groups alike, and never of a deactivated user", () => {
    fc.assert(
      fc.property(
        models,
        fc.array(anyGroup),
        fc.array(fc.integer({ min: 1, max: userCount })),
        (model, ids, direct) => {
          const groups = build(model);
          const setting = { direct_members: direct, direct_subgroups: ids };
          for (const person of people) {
            const expected = direct.includes(person.id) || ids.some((id) => isIn(model, id, person));
            expect(groups.holds(setting, person)).toBe(expected);
            expect(groups.holds(setting, { ...person, is_active: false })).toBe(false);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("a chain of ten thousand subgroups is followed without recursion", () => {
    const groups = emptyGroups();
    for (let id = firstGroup; id < firstGroup + 10_000; id++) {
      groups.put(group(id));
      groups.addSubgroup(id, id + 1);
    }
    groups.put(group(firstGroup + 10_000));
    groups.addMember(firstGroup + 10_000, 1);
    expect(groups.isMember(firstGroup, user(1))).toBe(true);
    expect(groups.isMember(firstGroup, user(2))).toBe(false);
    expect(groups.contains(firstGroup, firstGroup + 10_000)).toBe(true);
  });
});

describe("the index of accounts by role", () => {
  it("lists exactly the active accounts of a role, whatever happened before", () => {
    const step = fc.record({
      id: fc.integer({ min: 1, max: 6 }),
      role: fc.constantFrom(...roles),
      is_active: fc.boolean(),
      is_system_bot: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const index = new RoleIndex();
        const now = new Map<number, (typeof steps)[number]>();
        for (const one of steps) {
          index.put(one as UserRow);
          now.set(one.id, one);
          for (const role of roles) {
            const expected = [...now.values()].filter(
              (row) => row.role === role && row.is_active && !row.is_system_bot,
            );
            expect(index.members(role)).toEqual(expected.map(({ id }) => id).sort((a, b) => a - b));
          }
        }
      }),
      { numRuns: 100 },
    );
  });
});
