/** The custom profile fields of an organization. */

import { array, record, string, unknown } from "superstruct";
import { profileFieldId } from "../../../actors/id-shapes.ts";
import type { ProfileFieldChange } from "../../../actors/organization/changes/profile-fields.ts";
import { profileFieldRecords } from "../../../actors/organization/profile-field-record.ts";
import { profileField } from "../../../actors/organization/shapes.ts";
import { described } from "../../../actors/shape.ts";
import type { ProfileFieldId } from "../../../storage/ids.ts";
import { bool, int, json, pathInt, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";

const fieldParams = {
  name: text().optional().describe("The field's name."),
  hint: text().optional(),
  field_data: json(record(string(), unknown())).optional(),
  display_in_profile_summary: bool().optional(),
  required: bool().optional(),
  editable_by_user: bool().optional(),
  use_for_user_matching: bool().optional(),
};

interface FieldParams {
  name: string | undefined;
  hint: string | undefined;
  field_data?: unknown;
  display_in_profile_summary: boolean | undefined;
  required: boolean | undefined;
  editable_by_user: boolean | undefined;
  use_for_user_matching: boolean | undefined;
}

function changeOf(params: FieldParams): ProfileFieldChange {
  return {
    name: params.name,
    hint: params.hint,
    // Clients send an empty object for types that have no data.
    fieldData: params.field_data,
    displayInProfileSummary: params.display_in_profile_summary,
    useForUserMatching: params.use_for_user_matching,
    required: params.required,
    editableByUser: params.editable_by_user,
  };
}

/** https://zulip.com/api/get-custom-profile-fields */
export const getProfileFields = route({
  doc: "https://zulip.com/api/get-custom-profile-fields",
  summary: "Lists the custom profile fields.",
  auth: anyAccount,
  params: {},
  returns: { custom_fields: described(array(profileField), "The fields, in their order.") },
  handle: ({ realm }) => ({ custom_fields: profileFieldRecords(realm.state.profileFields.values()) }),
});

/** https://zulip.com/api/create-custom-profile-field */
export const addProfileField = route({
  doc: "https://zulip.com/api/create-custom-profile-field",
  summary:
    "Adds a custom profile field. There can be 100; the `field_data` of all may have 500,000 characters together.",
  auth: anyAccount,
  permission: "administrator",
  params: {
    field_type: int().describe(
      "The kind of field: 1 short and 2 long text, 3 options, 4 date, 5 link, 6 people, 7 account elsewhere, 8 pronouns.",
    ),
    ...fieldParams,
  },
  returns: { id: described(profileFieldId(), "The field's id.") },
  handle: ({ realm, user, params }) =>
    realm.execute("addProfileField", { userId: user.id, type: params.field_type, change: changeOf(params) }),
});

/** https://zulip.com/api/reorder-custom-profile-fields */
export const orderProfileFields = route({
  doc: "https://zulip.com/api/reorder-custom-profile-fields",
  summary: "Puts the custom profile fields into another order.",
  auth: anyAccount,
  permission: "administrator",
  params: { order: json(array(profileFieldId())).describe("Ids of all fields, in their new order.") },
  returns: {},
  handle: ({ realm, user, params }) => realm.execute("orderProfileFields", { userId: user.id, order: params.order }),
});

/** Changes one field. */
export const updateProfileField = route({
  doc: "https://zulip.com/help/custom-profile-fields",
  summary: "Changes a custom profile field.",
  auth: anyAccount,
  permission: "administrator",
  params: { field_id: pathInt<ProfileFieldId>(), ...fieldParams },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("updateProfileField", { userId: user.id, fieldId: params.field_id, change: changeOf(params) }),
});

/** Removes one field and everybody's values of it. */
export const removeProfileField = route({
  doc: "https://zulip.com/help/custom-profile-fields",
  summary: "Removes a custom profile field.",
  auth: anyAccount,
  permission: "administrator",
  params: { field_id: pathInt<ProfileFieldId>() },
  returns: {},
  handle: ({ realm, user, params }) =>
    realm.execute("removeProfileField", { userId: user.id, fieldId: params.field_id }),
});
