/** The custom profile fields of an organization. */
import { defined } from "../../../storage/failures.ts";
import type { ProfileFieldId, UserId } from "../../../storage/ids.ts";
import type { CustomProfileFieldRow, UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { changeProfileData, checkProfileChanges, type ProfileChange } from "../../users/changes/profile.ts";
import { profileFieldRecords } from "../profile-field-record.ts";
import { checkProfileField, choicesOf, customProfileFieldTypes as types } from "../profile-field-values.ts";

/** Fields that fit the card that clients open from a name. */
export const maxInSummary = 2;
/** More would not fit a profile, and everybody is sent all of them. */
export const maxFields = 100;
/** Characters of the `field_data` of all fields. A change of one field sends all of them to everybody. */
const maxDataLength = 500_000;

/** The changes of a field. What is left out stays as it is. */
export interface ProfileFieldChange {
  name?: string | undefined;
  hint?: string | undefined;
  /** Parsed JSON. */
  fieldData?: unknown;
  required?: boolean | undefined;
  editableByUser?: boolean | undefined;
  displayInProfileSummary?: boolean | undefined;
  useForUserMatching?: boolean | undefined;
}

/** Adds a field. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const addProfileField = command(
  async (tx: Tx, { userId, type, change }: { userId: UserId; type: number; change: ProfileFieldChange }) => {
    const { state } = tx;
    requireAdmin(tx.user(userId));
    if (state.profileFields.size >= maxFields) throw badRequest(`There can be at most ${maxFields} profile fields.`);
    const order = Math.max(0, ...[...state.profileFields.values()].map((field) => field.order)) + 1;
    const row = checkField(state, change, {
      id: 0,
      realm_id: tx.realmId,
      type,
      name: "",
      hint: "",
      field_data: "",
      order,
      required: false,
      editable_by_user: true,
      display_in_profile_summary: false,
      use_for_user_matching: false,
    });
    row.id = await tx.id("profile_field_ids");
    tx.put("custom_profile_fields", row);
    tellFields(tx, [row], []);
    return { id: row.id };
  },
);

/** Changes a field. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const updateProfileField = command(
  (tx: Tx, { userId, fieldId, change }: { userId: UserId; fieldId: ProfileFieldId; change: ProfileFieldChange }) => {
    requireAdmin(tx.user(userId));
    const field = accessField(tx.state, fieldId);
    const row = checkField(tx.state, change, field);
    tx.put("custom_profile_fields", row);
    tellFields(tx, [row], []);
    if (row.type === types.SELECT.id && row.field_data !== field.field_data) dropLostChoices(tx, row);
    return {};
  },
);

/** Removes a field and everybody's values of it. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const removeProfileField = command(
  (tx: Tx, { userId, fieldId }: { userId: UserId; fieldId: ProfileFieldId }) => {
    requireAdmin(tx.user(userId));
    const field = accessField(tx.state, fieldId);
    const emptied: UserRow[] = [];
    for (const user of usersWith(tx.state, fieldId)) {
      const { [fieldId]: _, ...profile_data } = user.profile_data;
      emptied.push({ ...user, profile_data });
    }
    tx.put("users", ...emptied);
    tx.remove("custom_profile_fields", { id: field.id });
    tellFields(tx, [], [field.id]);
    return {};
  },
);

/** Orders the fields. `order` names each of them once. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const orderProfileFields = command((tx: Tx, { userId, order }: { userId: UserId; order: ProfileFieldId[] }) => {
  requireAdmin(tx.user(userId));
  const { profileFields } = tx.state;
  if (new Set(order).size !== order.length || order.length !== profileFields.size)
    throw badRequest("Invalid order mapping.");
  const rows = order.map((id, index) => ({ ...accessField(tx.state, id), order: index + 1 }));
  tx.put("custom_profile_fields", ...rows);
  tellFields(tx, rows, []);
  return {};
});

/** Changes values of the caller's own profile. @throws BAD_REQUEST */
export const updateOwnProfile = command((tx: Tx, { userId, data }: { userId: UserId; data: ProfileChange[] }) => {
  const user = tx.user(userId);
  changeProfileData(tx, user, checkProfileChanges(tx.state, data, true));
  return {};
});

function accessField(state: RealmState, fieldId: ProfileFieldId): CustomProfileFieldRow {
  const field = state.profileFields.get(fieldId);
  if (!field) throw badRequest(`Field id ${fieldId} not found.`);
  return field;
}

/** The row after `change`. @throws BAD_REQUEST */
function checkField(
  state: RealmState,
  change: ProfileFieldChange,
  before: CustomProfileFieldRow,
): CustomProfileFieldRow {
  const data = change.fieldData ?? (before.field_data === "" ? undefined : choicesOf(before.field_data));
  const checked = checkProfileField({
    field_type: before.type,
    name: change.name ?? before.name,
    hint: change.hint ?? before.hint,
    field_data: data,
  });
  if (typeof checked === "string") throw badRequest(checked);
  const row: CustomProfileFieldRow = {
    ...before,
    name: checked.name,
    hint: checked.hint,
    field_data: checked.field_data,
    required: change.required ?? before.required,
    editable_by_user: change.editableByUser ?? before.editable_by_user,
    display_in_profile_summary: change.displayInProfileSummary ?? before.display_in_profile_summary,
    use_for_user_matching: change.useForUserMatching ?? before.use_for_user_matching,
  };
  const others = [...state.profileFields.values()].filter((field) => field.id !== before.id);
  const dataLength = others.reduce((sum, field) => sum + field.field_data.length, row.field_data.length);
  if (dataLength > maxDataLength && row.field_data.length > before.field_data.length)
    throw badRequest(`The options of all profile fields may have ${maxDataLength} characters together.`);
  if (others.some((field) => field.name.toLowerCase() === row.name.toLowerCase()))
    throw badRequest("A field with that label already exists.");
  if (row.display_in_profile_summary) checkSummary(row, others);
  return row;
}

/** Checks how many fields are shown in the summary. @throws BAD_REQUEST */
function checkSummary(row: CustomProfileFieldRow, others: readonly CustomProfileFieldRow[]): void {
  if (row.type === types.USER.id) throw badRequest("Field type not supported for display in profile summary.");
  if (others.filter((field) => field.display_in_profile_summary).length >= maxInSummary)
    throw badRequest(`Only ${maxInSummary} custom profile fields can be displayed in the profile summary.`);
}

function* usersWith(state: RealmState, fieldId: ProfileFieldId): Generator<UserRow> {
  for (const user of state.users.values()) if (user.profile_data[fieldId] !== undefined) yield user;
}

/** Removes values that are no longer options of the field. */
function dropLostChoices(tx: Tx, field: CustomProfileFieldRow): void {
  const choices = choicesOf(field.field_data);
  for (const user of usersWith(tx.state, field.id))
    if (!Object.hasOwn(choices, defined(user.profile_data[field.id], "value")))
      changeProfileData(tx, user, [{ field, value: null }]);
}

/** Sends the whole list, as it will be. */
function tellFields(tx: Tx, put: readonly CustomProfileFieldRow[], removed: readonly ProfileFieldId[]): void {
  const rows = new Map(tx.state.profileFields);
  for (const row of put) rows.set(row.id, row);
  for (const id of removed) rows.delete(id);
  tx.event({ type: "custom_profile_fields", fields: profileFieldRecords(rows.values()) }, { to: "realm" });
}
