/** The rules of all tables of an archive. They know what they have seen, so each archive has its own. */
import { channelRules } from "./channel-rules.ts";
import type { Rules } from "./check.ts";
import type { Row } from "./columns.ts";
import { organizationRules, rulesOfMany } from "./organization-rules.ts";
import { peopleRules } from "./people-rules.ts";

/** @param tables of the organization, as they are read */
export function rulesOfRealm(tables: Readonly<Record<string, readonly Row[]>>): Rules {
  const deleted = new Set(
    (tables["parley_userprofile"] ?? []).flatMap((row) => (row["is_deleted"] === true ? [row["id"]] : [])),
  );
  return { ...organizationRules(), ...peopleRules((id) => deleted.has(id)), ...channelRules(), ...rulesOfMany };
}
