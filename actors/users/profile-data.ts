/** Custom profile data as clients see it: field id → value, with HTML where the type may hold Markdown. */
import type { StateTable, UserRow } from "../../storage/rows.ts";
import { renderPlain } from "../organization/markdown-context.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";

/** Tables whose rows profile data is rendered with. */
export const profileTables = [
  "linkifiers",
  "channel_folders",
  "playgrounds",
  "realm_domains",
  "custom_profile_fields",
  "realm_emoji",
] as const satisfies StateTable[];

/** By row, until something changes that it is rendered with. */
const renderedProfiles = defineDerived({
  make: () => new WeakMap<UserRow, Record<string, { value: string; rendered_value?: string }>>(),
  tables: profileTables,
});

/** Words only: no Markdown, no link, and nothing that a linkifier could match. */
const plainWords = /^[A-Za-z]+(?: [A-Za-z]+)*$/;

const shortText = 1;
const longText = 2;
export const isRenderedFieldType = (type: number): boolean => type === shortText || type === longText;

export function profileDataRecord(
  state: RealmState,
  user: UserRow,
): Record<string, { value: string; rendered_value?: string }> {
  const profiles = state.derived(renderedProfiles);
  const kept = profiles.get(user);
  if (kept) return kept;
  const record: Record<string, { value: string; rendered_value?: string }> = {};
  for (const [id, value] of Object.entries(user.profile_data)) {
    const field = state.profileFields.get(Number(id));
    if (!field) continue;
    record[id] = isRenderedFieldType(field.type) ? { value, rendered_value: renderValue(state, value) } : { value };
  }
  profiles.set(user, record);
  return record;
}

/** HTML of a value. The first register needs everybody's at once, and most values are a word or two. */
export function renderValue(state: RealmState, value: string): string {
  return state.linkifiers.size === 0 && plainWords.test(value) ? `<p>${value}</p>` : renderPlain(state, value);
}
