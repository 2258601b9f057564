/** What settings say of groups that a directory or a provider tells: which user groups and roles they are here. */
import { type Role, roles } from "../../storage/rows.ts";
import type { Fields } from "./setting-fields.ts";

/** Groups that give a role, from the one that may do most. */
export type RolesByGroup = readonly { role: Role; groups: readonly string[] }[];

/** An object of one text each. @param check gives what is kept of one, or throws */
export function readMap(fields: Fields, key: string, check: (value: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields.record(key)).map(([name, values]) => {
      const [value] = values;
      if (value === undefined || values.length !== 1) throw fields.fail(`${key}, ${name}: must be one text.`);
      return [name, check(value)];
    }),
  );
}

/** Undefined: no group gives a role. */
export function readRoles(fields: Fields): RolesByGroup | undefined {
  const given = fields.record("roles");
  const names = Object.keys(given);
  if (names.length === 0) return undefined;
  const unknown = names.find((name) => !Object.hasOwn(roles, name));
  if (unknown !== undefined) throw fields.fail(`roles: there is no ${unknown}.`);
  return Object.entries<Role>(roles)
    .flatMap(([name, role]) => (given[name] ? [{ role, groups: given[name] }] : []))
    .sort((a, b) => a.role - b.role);
}
