import type { UserRow } from "../../storage/rows.ts";

/** The row of a new account: what is given, and the defaults. */
export function newUserRow(
  row: Pick<UserRow, "id" | "realm_id" | "delivery_email" | "full_name" | "role" | "date_joined"> & Partial<UserRow>,
): UserRow {
  return {
    is_active: true,
    is_deleted: false,
    is_bot: false,
    is_system_bot: false,
    bot_type: null,
    bot_owner_id: null,
    is_imported_stub: false,
    first_login_at: null,
    timezone: "",
    avatar_source: "G",
    avatar_version: 1,
    avatar_path: null,
    api_key_version: 1,
    can_create_users: false,
    can_change_user_emails: false,
    has_unconfirmed_email: false,
    settings: {},
    profile_data: {},
    alert_words: [],
    status: {},
    ...row,
  };
}
