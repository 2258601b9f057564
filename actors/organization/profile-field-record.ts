/** A custom profile field as clients see it. https://zulip.com/api/get-custom-profile-fields */
import type { CustomProfileFieldRow } from "../../storage/rows.ts";
import type { ProfileFieldRecord } from "./shapes.ts";

/** The fields in their order. */
export function profileFieldRecords(rows: Iterable<CustomProfileFieldRow>): ProfileFieldRecord[] {
  return [...rows]
    .sort((a, b) => a.order - b.order || a.id - b.id)
    .map(({ realm_id: _, display_in_profile_summary, ...field }) => ({
      ...field,
      ...(display_in_profile_summary && { display_in_profile_summary }),
    }));
}
