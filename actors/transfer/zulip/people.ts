/** Imports accounts, their settings and their profiles. */
import { defined } from "../../../storage/failures.ts";
import type { UserId } from "../../../storage/ids.ts";
import { roles, type UserRow } from "../../../storage/rows.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { outgoingWebhookBot } from "../../bots/record.ts";
import { ApiError } from "../../errors.ts";
import {
  checkProfileValue,
  customProfileFieldTypes,
  type ProfileFieldOfValue,
} from "../../organization/profile-field-values.ts";
import { newUserRow } from "../../users/new-row.ts";
import { checkUserSetting, editedKey, userSettingNames } from "../../users/settings/setting-values.ts";
import { type UserSettingName, userSettings } from "../../users/settings/settings.ts";
import { settingWord } from "./coded-settings.ts";
import type { ZulipExport } from "./export.ts";
import type { IdMaps } from "./ids.ts";
import { users } from "./survey.ts";
import type { OldUserId, Tables, UserTable } from "./tables.ts";

/** Beginnings of the addresses of the old server's own bots. Its mail gateway has no counterpart here. */
const welcomeBotAddress = "welcome-bot@";

const seconds = (time: number): number => Math.floor(time);

/** The settings that exist here, differ from their defaults, and have an allowed value. */
export function userSettingsOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const name of userSettingNames) {
    const value = settingWord(name, row[name]);
    if (value === undefined || value === userSettings[name].default || !isAcceptedOfUser(name, value)) continue;
    chosen[name] = checkUserSetting(name, value);
  }
  return chosen;
}

/** Whether the setting allows this value. Another server may have allowed more. */
export function isAcceptedOfUser(name: UserSettingName, value: unknown): boolean {
  try {
    checkUserSetting(name, value);
    return typeof value !== "number" || Number.isInteger(value);
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** The bot of this server for each bot of the old one. */
export function systemBotIds(
  from: ZulipExport,
  [notification, welcome]: readonly [UserId, UserId],
): [OldUserId, UserId][] {
  return from
    .rows("zerver_userprofile_crossrealm")
    .map(({ id, email }) => [id, email.startsWith(welcomeBotAddress) ? welcome : notification]);
}

/** @param avatarPath the stored avatar of an account; undefined when it has no picture of its own */
export function userRows(from: ZulipExport, ids: IdMaps, avatarPath: (id: OldUserId) => string | undefined): UserRow[] {
  const statuses = new Map(from.rows("zerver_userstatus").map((row) => [row.user_profile, row]));
  const alertWords = byUser(from.rows("zerver_alertword"));
  const profiles = profileData(from, ids);
  const ours = new Map(from.rows("parley_userprofile").map((row) => [row.id, row]));
  const services = new Map(from.rows("zerver_service").map((row) => [row.user_profile, row]));
  const stubs = new Set(from.rows("zerver_userprofile_mirrordummy").map(({ id }) => id));
  return users(from).map((row) => {
    const path = row.avatar_source === "U" ? avatarPath(row.id) : undefined;
    const status = statuses.get(row.id);
    return newUserRow({
      id: defined(ids.users.get(row.id), "user"),
      realm_id: ids.realm,
      delivery_email: row.delivery_email,
      full_name: row.full_name,
      role: row.role,
      is_active: row.is_active,
      is_bot: row.is_bot,
      bot_type: row.is_bot ? row.bot_type : null,
      bot_owner_id: row.bot_owner === null ? null : (ids.users.get(row.bot_owner) ?? null),
      is_imported_stub: row.is_mirror_dummy || stubs.has(row.id),
      date_joined: seconds(row.date_joined),
      first_login_at: row.is_bot || !row.last_login ? null : seconds(row.last_login),
      timezone: row.timezone ?? "",
      ...(row.avatar_source === "J" && { avatar_source: "J" as const }),
      ...(path !== undefined && { avatar_source: "U" as const, avatar_path: path }),
      avatar_version: row.avatar_version ?? 1,
      can_create_users: row.can_create_users === true || (isOwner(row) && !from.isOurs),
      can_change_user_emails: from.isOurs ? row["can_change_user_emails"] === true : isOwner(row),
      is_deleted: ours.get(row.id)?.is_deleted ?? false,
      has_unconfirmed_email: ours.get(row.id)?.has_unconfirmed_email ?? false,
      settings: {
        ...userSettingsOf(row),
        ...editedOf(ours.get(row.id)?.edited_settings),
        ...(row.is_bot && botSettings(row, services.get(row.id), ids)),
      },
      profile_data: profiles.get(row.id) ?? {},
      alert_words: wordsOf(alertWords.get(row.id) ?? []),
      status: status ? statusOf(status, ids) : {},
    });
  });
}

const editedOf = (names: readonly string[] | undefined): Record<string, unknown> =>
  names === undefined ? {} : { [editedKey]: names.filter((name) => Object.hasOwn(userSettings, name)) };

/** Where a bot sends and listens, and where it is called, under a secret that nobody else has. */
function botSettings(
  row: UserTable,
  service: NonNullable<Tables["zerver_service"]>[number] | undefined,
  ids: IdMaps,
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of ["default_sending_stream", "default_events_register_stream"]) {
    const channel = typeof row[name] === "number" ? ids.channels.get(row[name]) : undefined;
    if (channel !== undefined) settings[name] = channel;
  }
  if (row["default_all_public_streams"] === true) settings["default_all_public_streams"] = true;
  if (row.bot_type === outgoingWebhookBot && service !== undefined)
    settings["service"] = {
      base_url: service.base_url,
      interface: service.interface,
      token: generateApiKey(),
    };
  return settings;
}

const isOwner = ({ role, is_bot }: UserTable): boolean => role === roles.owner && !is_bot;

const wordsOf = (rows: readonly { word: string }[]): string[] => rows.map(({ word }) => word);

function statusOf(row: NonNullable<Tables["zerver_userstatus"]>[number], ids: IdMaps): UserRow["status"] {
  const { status_text, emoji_name, reaction_type } = row;
  const emoji_code = emojiCode(row, ids);
  return {
    ...(status_text !== "" && { status_text }),
    // The old server names a type even when there is no emoji.
    ...(emoji_name !== "" && emoji_code !== undefined && { emoji_name, emoji_code, reaction_type }),
  };
}

/** The code of a custom emoji is its id. Undefined when the export does not have that emoji. */
export function emojiCode(row: { emoji_code: string; reaction_type: string }, ids: IdMaps): string | undefined {
  return row.reaction_type === "realm_emoji" ? ids.emoji.get(Number(row.emoji_code))?.toString() : row.emoji_code;
}

/** For each person: new field id → value. Values that the API would not take are left out. */
function profileData(from: ZulipExport, ids: IdMaps): Map<OldUserId, Record<string, string>> {
  const fields = new Map(from.rows("zerver_customprofilefield").map((field) => [field.id, field]));
  const data = new Map<OldUserId, Record<string, string>>();
  for (const { user_profile, field: id, value } of from.rows("zerver_customprofilefieldvalue")) {
    const fieldId = ids.profileFields.get(id);
    const field = fields.get(id);
    if (fieldId === undefined || field === undefined) continue;
    const kept = profileValue(field, value, ids);
    if (kept === undefined) continue;
    const own = data.get(user_profile) ?? {};
    own[fieldId] = kept;
    data.set(user_profile, own);
  }
  return data;
}

/** The value of a field as it is stored here; undefined when the API would not take it. */
export function profileValue(
  field: ProfileFieldOfValue,
  value: string,
  ids?: Pick<IdMaps, "users">,
): string | undefined {
  const isPeople = field.field_type === customProfileFieldTypes.USER.id;
  const given = isPeople ? listIn(value)?.flatMap((id) => (ids ? (ids.users.get(id as OldUserId) ?? []) : id)) : value;
  const checked = checkProfileValue(field, given, { mayName: () => true });
  return typeof checked === "string" ? undefined : checked.value;
}

function listIn(json: string): unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function byUser<Row extends { user_profile: OldUserId }>(rows: readonly Row[]): Map<OldUserId, Row[]> {
  const found = new Map<OldUserId, Row[]>();
  for (const row of rows) {
    const own = found.get(row.user_profile);
    if (own) own.push(row);
    else found.set(row.user_profile, [row]);
  }
  return found;
}
