/** The texts of the page in the language that is spoken. They are in `languages/`; English is the base. */
import { page } from "./languages/en/page.ts";
import { table } from "./languages/speaking.ts";

export const { texts: t } = table(page, {
  de: () => import("./languages/de/page.ts").then((german) => german.page),
});
