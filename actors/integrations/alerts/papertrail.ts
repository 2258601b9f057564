/** https://www.papertrail.com/help/web-hooks/ */
import type { Integration } from "../notice/integration.ts";
import { link, moment, quote } from "../notice/markdown.ts";
import { malformed } from "../notice/payload.ts";

const mostShown = 4;

export const papertrail: Integration = {
  name: "papertrail",
  displayName: "Papertrail",
  read({ payload }) {
    if (!payload.has("events")) throw malformed("events is missing");
    const [events, url] = [payload.list("events"), payload.text("saved_search.html_search_url")];
    const search = link(`Search "${payload.line("saved_search.name")}"`, url);
    const lines = events.slice(0, mostShown).map((event) => {
      const program = event.line("program");
      const from = `${event.line("source_name")}${program === "" ? "" : `, ${program}`}`;
      return `${moment(event.line("received_at"))} (${from}):${quote(event.text("message"))}`;
    });
    const more = events.length > mostShown ? [link(`${events.length - mostShown} more`, url)] : [];
    const found = `${search} found **${events.length}** ${events.length === 1 ? "match" : "matches"}:`;
    return { topic: "logs", content: [found, ...lines, ...more].join("\n\n") };
  },
};
