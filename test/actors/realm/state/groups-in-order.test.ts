/** Groups are told in the order of their ids, in whatever order PostgreSQL or the log brought them. */
import { expect, it } from "vitest";
import { Groups } from "../../../../actors/realm/state/group-index.ts";
import { type UserGroupRow, userGroupSettings } from "../../../../storage/rows.ts";

it("a group that was changed keeps its place, and one that was read first has none before others", () => {
  const groups = new Groups(() => true);
  for (const id of [7, 3, 12, 5]) groups.put(group(id, `g${id}`));
  groups.put(group(3, "renamed"));
  expect(groups.inOrder().map(({ id, name }) => `${id} ${name}`)).toEqual(["3 renamed", "5 g5", "7 g7", "12 g12"]);
});

function group(id: number, name: string): UserGroupRow {
  const permissions = Object.fromEntries(userGroupSettings.map((setting) => [setting, 1]));
  return {
    id,
    realm_id: 1,
    name,
    description: "",
    creator_id: null,
    date_created: null,
    is_system_group: false,
    deactivated: false,
    ...permissions,
  } as UserGroupRow;
}
