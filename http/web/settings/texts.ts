/** The texts of the settings in the language that is spoken. They are loaded together with the settings. */
import { settings } from "../languages/en/settings.ts";
import { table } from "../languages/speaking.ts";

export const { texts: s, ready: settingTextsReady } = table(settings, {
  de: () => import("../languages/de/settings.ts").then((german) => german.settings),
});
