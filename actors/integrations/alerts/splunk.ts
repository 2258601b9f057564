/** https://docs.splunk.com/Documentation/Splunk/latest/Alert/Webhooks */
import type { Integration } from "../notice/integration.ts";
import { code, fields, link } from "../notice/markdown.ts";
import { malformed } from "../notice/payload.ts";

export const splunk: Integration = {
  name: "splunk",
  displayName: "Splunk",
  read({ payload }) {
    const found = payload.line("search_name");
    if (found === "" && !payload.has("result")) throw malformed("search_name is missing");
    const topic = found || "Missing search_name";
    const told = fields([
      ["Search", link(topic, payload.text("results_link"))],
      ["Host", payload.line("result.host")],
      ["Source", code(payload.line("result.source"))],
      ["Raw", code(payload.line("result._raw"))],
    ]);
    return { topic, content: `A saved search has an alert:\n\n${told}` };
  },
};
