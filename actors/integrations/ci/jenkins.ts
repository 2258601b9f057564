/** https://plugins.jenkins.io/notification/ */
import { byEvent, type Teller } from "../notice/integration.ts";
import { fields, link, shortHash, spoken, together } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const build = (payload: Payload): string =>
  link(`Build #${payload.line("build.number")}`, payload.text("build.full_url", "build.url"));

const told = (payload: Payload): string => {
  const scm = payload.at("build.scm");
  const listed = fields([
    ["Branch", scm.line("branch")],
    ["Commit", shortHash(scm.line("commit"))],
    ["Changed by", together(scm.lines("culprits"))],
    ["Notes", payload.line("build.notes")],
    [
      "Artifacts",
      payload
        .entries("build.artifacts")
        .map(([name, at]) => link(name, at.text("archive")))
        .join(", "),
    ],
  ]);
  return listed === "" ? "" : `\n\n${listed}`;
};

const icons: Readonly<Record<string, string>> = { SUCCESS: ":check:", FAILURE: ":cross_mark:", UNSTABLE: ":warning:" };

const completed: Teller = (payload) => {
  const status = payload.line("build.status");
  return `${icons[status] ?? ":info:"} ${build(payload)} of ${payload.line("display_name", "name")}: **${spoken(status) || "completed"}**${told(payload)}`;
};

export const jenkins = byEvent({
  name: "jenkins",
  displayName: "Jenkins",
  event: ({ payload }) => payload.need("build.phase").toLowerCase(),
  topic: (payload) => payload.need("name", "display_name"),
  // It comes behind "completed", with the same status.
  ignores: ["finalized"],
  tells: {
    queued: (payload) => `A build of ${payload.line("display_name", "name")} waits.`,
    started: (payload) => `${build(payload)} of ${payload.line("display_name", "name")} has begun.${told(payload)}`,
    completed,
  },
});
