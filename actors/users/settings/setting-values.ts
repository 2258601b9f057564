/**
 * Values of people's own settings: as shown, as an organization's defaults for new accounts, and which may be chosen.
 */
import type { UserChoices, UserRow } from "../../../storage/rows.ts";
import { keysOf, recordOf } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { type Language, languageOf } from "../../text/languages.ts";
import { emojisets, notificationSounds, type UserSetting, type UserSettingName, userSettings } from "./settings.ts";
import type { ShownUserSettings, UserSettingDefaults } from "./shapes.ts";

export type UserSettingValue = boolean | number | string;
export const userSettingNames = keysOf(userSettings);

export const isSettingValue = (value: unknown): value is UserSettingValue =>
  typeof value === "boolean" || typeof value === "number" || typeof value === "string";

/** The key under which a realm's row keeps its defaults for new accounts that differ from the settings' own. */
export const userDefaultsKey = "user_settings_defaults";

declare module "../../../storage/rows.ts" {
  interface RealmChoices {
    [userDefaultsKey]?: UserChoices;
  }
}

const choices = () => ({ emojiset_choices: [...emojisets], available_notification_sounds: [...notificationSounds] });

const valuesOf = (chosen: Record<string, unknown>): Record<UserSettingName, UserSettingValue> =>
  recordOf(userSettingNames, (name) => (chosen[name] as UserSettingValue | undefined) ?? userSettings[name].default);

/** A person's settings as their clients see them. https://zulip.com/api/update-settings */
export function shownUserSettings(user: UserRow): ShownUserSettings {
  return { ...valuesOf(user.settings), timezone: user.timezone, ...choices() };
}

/** All defaults of this realm for new accounts. */
export function userSettingDefaults(state: RealmState): UserSettingDefaults {
  return { ...valuesOf(chosenDefaults(state)), ...choices() };
}

/** The part of the realm's defaults that differs from the settings' own; a new account's row begins with it. */
export function chosenDefaults(state: RealmState): UserChoices {
  return state.row.settings[userDefaultsKey] ?? {};
}

/**
 * What a person's new account begins with: the organization's defaults, and its language where they name none.
 *
 * @param language the one that the person's browser asks for
 */
export function newcomerSettings(state: RealmState, language?: Language): Record<string, unknown> {
  const chosen = chosenDefaults(state);
  const spoken = language ?? chosen["default_language"] ?? state.setting("default_language");
  return withSetting(chosen, "default_language", String(spoken));
}

/** `chosen` with one value set. A value equal to the setting's own default is not kept. */
export function withSetting(
  chosen: Record<string, unknown>,
  name: UserSettingName,
  value: UserSettingValue,
): Record<string, unknown> {
  const { [name]: _, ...rest } = chosen;
  return value === userSettings[name].default ? rest : { ...rest, [name]: value };
}

/**
 * The key under which an account's row keeps the names of settings that its owner has changed. Absent: none since the
 * key exists.
 */
export const editedKey = "edited_settings";

declare module "../../../storage/rows.ts" {
  interface UserChoices {
    [editedKey]?: UserSettingName[];
  }
}

/**
 * The settings that somebody has changed themselves. If they did so before the names were kept: those that differ from
 * the defaults.
 */
export function editedSettings(state: RealmState, user: UserRow): UserSettingName[] {
  const kept = user.settings[editedKey];
  if (kept !== undefined) return kept;
  const [own, defaults] = [valuesOf(user.settings), valuesOf(chosenDefaults(state))];
  return userSettingNames.filter((name) => own[name] !== defaults[name]);
}

/** `chosen` with the names of settings that its owner has changed. */
export function withEdited(
  chosen: Record<string, unknown>,
  names: readonly UserSettingName[],
): Record<string, unknown> {
  return { ...chosen, [editedKey]: [...new Set(names)] };
}

/** @throws BAD_REQUEST for a value that the setting does not take */
export function checkUserSetting(name: UserSettingName, value: unknown): UserSettingValue {
  const setting: UserSetting = userSettings[name];
  if (!isSettingValue(value) || typeof value !== typeof setting.default) throw badRequest(`Invalid ${name}`);
  if (setting.oneOf?.some((one) => one === value) === false) throw badRequest(`Invalid ${name}`);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = setting;
  if (typeof value === "number" && (value < min || value > max)) throw badRequest(`Invalid ${name}: ${value}`);
  if (name !== "default_language") return value;
  const language = languageOf(String(value));
  if (language === undefined) throw badRequest(`Invalid ${name}`);
  return language;
}

/** A language's name in English, such as `German`. Undefined for an unknown code. */
export function languageName(code: string): string | undefined {
  try {
    return new Intl.DisplayNames(["en"], { type: "language", fallback: "none" }).of(code);
  } catch {
    // It is malformed.
    return undefined;
  }
}
