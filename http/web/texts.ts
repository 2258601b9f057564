/** The texts of the page in the language that is spoken. They are in `languages/`; English is the base. */
import { page } from "./languages/en/page.ts";
import { table } from "./languages/speaking.ts";

export const { texts: t } = table(page, {
  de: () => import("./languages/de/page.ts").then(({ page: texts }) => texts),
  fr: () => import("./languages/fr/page.ts").then(({ page: texts }) => texts),
  es: () => import("./languages/es/page.ts").then(({ page: texts }) => texts),
  ja: () => import("./languages/ja/page.ts").then(({ page: texts }) => texts),
  "zh-hans": () => import("./languages/zh-hans/page.ts").then(({ page: texts }) => texts),
  ar: () => import("./languages/ar/page.ts").then(({ page: texts }) => texts),
});
