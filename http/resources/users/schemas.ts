/** Accounts as answers carry them. https://zulip.com/api/get-user */
import { boolean, enums, integer, literal, nullable, object, optional, record, string } from "superstruct";

/** Values of custom profile fields by the field's id. */
const profileData = record(string(), object({ value: string(), rendered_value: optional(string()) }));

export const userFields = {
  user_id: integer(),
  email: string(),
  delivery_email: nullable(string()),
  full_name: string(),
  date_joined: string(),
  is_active: boolean(),
  is_owner: boolean(),
  is_admin: boolean(),
  is_guest: boolean(),
  role: integer(),
  is_bot: boolean(),
  bot_type: nullable(integer()),
  bot_owner_id: nullable(integer()),
  timezone: string(),
  /** null: the client computes it from the address. */
  avatar_url: nullable(string()),
  avatar_version: integer(),
  is_imported_stub: boolean(),
  is_system_bot: optional(literal(true)),
  is_deleted: optional(literal(true)),
  profile_data: optional(profileData),
};
export const userRecord = object(userFields);

/** A status has only what was set. */
export const userStatus = object({
  status_text: optional(string()),
  emoji_name: optional(string()),
  emoji_code: optional(string()),
  reaction_type: optional(enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"])),
  away: optional(literal(true)),
});
