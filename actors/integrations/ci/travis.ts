/** https://docs.travis-ci.com/user/notifications/#webhook-notifications */
import { byEvent, type Teller } from "../notice/integration.ts";
import { fields, link, shortHash } from "../notice/markdown.ts";

const good = new Set(["passed", "fixed"]);

const told: Teller = (payload) => {
  const status = payload.line("status_message") || "unknown";
  const icon = good.has(status.toLowerCase()) ? ":check:" : status === "Pending" ? ":time_ticking:" : ":cross_mark:";
  const commit = link(shortHash(payload.line("commit")) || "changes", payload.text("compare_url"));
  const pull = payload.line("pull_request_number");
  const title = payload.line("pull_request_title");
  return `${icon} ${link(`Build #${payload.line("number")}`, payload.text("build_url"))}: **${status}**\n\n${fields([
    ["Pull request", pull === "" ? "" : `#${pull}${title === "" ? "" : ` ${title}`}`],
    ["Branch", payload.line("branch")],
    ["Changes", `${commit}${payload.has("message") ? `: ${payload.line("message")}` : ""}`],
    ["Author", payload.line("author_name")],
  ])}`;
};

export const travis = byEvent({
  name: "travis",
  displayName: "Travis CI",
  event: ({ payload }) => payload.need("type"),
  topic: (payload) => payload.need("repository.name"),
  tells: { push: told, pull_request: told, cron: told, api: told },
});
