/** https://github.com/errbit/errbit */
import type { Integration } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";

export const errbit: Integration = {
  name: "errbit",
  displayName: "Errbit",
  read({ payload }) {
    const at = payload.at("problem");
    const count = at.line("notices_count");
    const often = count === "" || count === "1" ? "" : ` (${count} times)`;
    const where = at.line("where");
    return {
      topic: `${at.need("app_name")} / ${at.raw("environment")}`,
      content: `${link(at.line("error_class") || "Error", at.text("url"))}: "${at.line("message")}" occurred${where === "" ? "" : ` in ${where}`}${often}.`,
    };
  },
};
