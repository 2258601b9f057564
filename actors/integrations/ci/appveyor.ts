/** https://www.appveyor.com/docs/notifications/#webhook-payload-default */
import type { Integration } from "../notice/integration.ts";
import { fields, link, moment, plain, shortHash } from "../notice/markdown.ts";

/** "9/9/2018 7:04 PM", which is in UTC. */
function time(text: string): string {
  const date = new Date(`${text} UTC`);
  return Number.isNaN(date.getTime()) ? text : moment(date.toISOString());
}

export const appveyor: Integration = {
  name: "appveyor",
  displayName: "AppVeyor",
  read({ payload }) {
    const at = payload.at("eventData");
    const topic = at.need("projectName");
    const commit = link(`${shortHash(at.line("commitId"))}: ${at.line("commitMessage")}`, at.text("commitUrl"));
    const author = at.line("committerName", "commitAuthor");
    const told = fields([
      ["Commit", `${commit}${author === "" ? "" : ` by ${author}`}`],
      ["Branch", at.line("branch")],
      ["Started", time(at.line("started"))],
      ["Finished", time(at.line("finished"))],
    ]);
    const build = link(`Build ${at.line("buildVersion")}`, at.text("buildUrl"));
    const event = payload.line("eventName");
    return {
      ...(event === "" ? {} : { event }),
      topic,
      content: `${build} of ${plain(topic)}: **${at.line("status")}**\n\n${told}`,
    };
  },
};
