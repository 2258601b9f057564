/** Custom profile fields of people: checking values, storing them, and their events. */
import type { ProfileFieldId, UserId } from "../../../storage/ids.ts";
import type { CustomProfileFieldRow, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { checkProfileValue } from "../../organization/profile-field-values.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { isRenderedFieldType, renderValue } from "../profile-data.ts";

/** A value from a client. Null, an empty text and an empty list mean no value. */
export interface ProfileChange {
  id: ProfileFieldId;
  value: string | UserId[] | null;
}

export interface CheckedProfileChange {
  field: CustomProfileFieldRow;
  /** As stored; null removes it. */
  value: string | null;
}

/**
 * @param own whether people change their own profile: then only fields that they may edit
 * @throws BAD_REQUEST
 */
export function checkProfileChanges(
  state: RealmState,
  changes: readonly ProfileChange[],
  own: boolean,
): CheckedProfileChange[] {
  return changes.map(({ id, value }) => {
    const field = state.profileFields.get(id);
    if (!field) throw badRequest(`Field id ${id} not found.`);
    if (own && !field.editable_by_user)
      throw badRequest("You are not allowed to change this field. Contact an administrator to update it.");
    if (value === null || value.length === 0) return { field, value: null };
    const checked = checkProfileValue(
      { name: field.name, field_type: field.type, field_data: field.field_data },
      value,
      {
        mayName: (userId) => {
          const named = state.users.get(userId);
          return named?.is_active === true && !named.is_bot;
        },
      },
    );
    if (typeof checked === "string") throw badRequest(checked);
    return { field, value: checked.value };
  });
}

/** Writes checked values, one event each. Returns the row as it will be. */
export function changeProfileData(tx: Tx, user: UserRow, changes: readonly CheckedProfileChange[]): UserRow {
  const changed = changes.filter(({ field, value }) => (user.profile_data[field.id] ?? null) !== value);
  if (changed.length === 0) return user;
  const profile_data = { ...user.profile_data };
  for (const { field, value } of changed) {
    if (value === null) delete profile_data[field.id];
    else profile_data[field.id] = value;
  }
  const next = { ...user, profile_data };
  tx.put("users", next);
  for (const { field, value } of changed) {
    const isRendered = value !== null && isRenderedFieldType(field.type);
    const custom_profile_field = {
      id: field.id,
      value,
      ...(isRendered && { rendered_value: renderValue(tx.state, value) }),
    };
    tx.event(
      { type: "realm_user", op: "update", person: { user_id: user.id, custom_profile_field } },
      { to: "userViewers", userId: user.id },
    );
  }
  return next;
}
