/** People's own settings as answers carry them. https://zulip.com/api/update-settings */
import { array, boolean, enums, type Infer, integer, object, type Struct, string } from "superstruct";
import { keysOf, recordOf } from "../../../storage/rows.ts";
import { either } from "../../either.ts";
import { described } from "../../shape.ts";
import { type UserSetting, userSettings } from "./settings.ts";

type Value = boolean | number | string;

function shapeOf({ default: value, words }: UserSetting): Struct<Value, null> {
  const shape = typeof value === "boolean" ? boolean() : typeof value === "number" ? integer() : string();
  return described(shape as Struct<Value, null>, words);
}

export const userSettingFields = {
  ...recordOf(keysOf(userSettings), (name) => shapeOf(userSettings[name])),
  emojiset_choices: described(
    array(
      object({
        key: described(string(), "The value of `emojiset`."),
        text: described(string(), "Its name for people."),
      }),
    ),
    "The ways in which emoji may look.",
  ),
  available_notification_sounds: described(array(string()), "The sounds there are."),
};

/** Defaults of new accounts. */
export const userSettingDefaultsShape = object(userSettingFields);
export type UserSettingDefaults = Infer<typeof userSettingDefaultsShape>;

/** A person's settings. */
export const userSettingsShape = object({ ...userSettingFields, timezone: string() });
export type ShownUserSettings = Infer<typeof userSettingsShape>;

/** What `user_settings` events name with nothing else beside the value. */
const settingNames = ["timezone" as const, ...keysOf(userSettings)].filter((name) => name !== "default_language");
export const plainSettingName = enums(settingNames);
export const userSettingName = enums(keysOf(userSettings));
export const userSettingValue = either(boolean(), integer(), string());
