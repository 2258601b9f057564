/** The texts of the settings in the language that is spoken. They are loaded together with the settings. */
import { settings } from "../languages/en/settings.ts";
import { table } from "../languages/speaking.ts";

export const { texts: s, ready: settingTextsReady } = table(settings, {
  de: () => import("../languages/de/settings.ts").then(({ settings: texts }) => texts),
  fr: () => import("../languages/fr/settings.ts").then(({ settings: texts }) => texts),
  es: () => import("../languages/es/settings.ts").then(({ settings: texts }) => texts),
  ja: () => import("../languages/ja/settings.ts").then(({ settings: texts }) => texts),
  "zh-hans": () => import("../languages/zh-hans/settings.ts").then(({ settings: texts }) => texts),
  ar: () => import("../languages/ar/settings.ts").then(({ settings: texts }) => texts),
});
