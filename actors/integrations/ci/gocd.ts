/** https://docs.gocd.org/current/developer/ */
import type { Integration } from "../notice/integration.ts";
import { code, fields, link, moment, plain, shortHash, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** The commit that caused it. */
function commit(pipeline: Payload): string {
  const cause = pipeline.at("build-cause.0");
  const git = cause.at("material.git-configuration");
  const hash = cause.line("modifications.0.revision");
  if (hash === "") return "";
  const name = link(shortHash(hash), `${git.text("url").replace(/\.git$/, "")}/commit/${hash}`);
  return `${name}${git.has("branch") ? ` on ${code(git.line("branch"))}` : ""}`;
}

/** Names of jobs, by result. */
function jobs(stage: Payload): [string, string][] {
  const byResult = new Map<string, string[]>();
  for (const job of stage.list("jobs")) {
    const result = job.line("result") || "Unknown";
    byResult.set(result, [...(byResult.get(result) ?? []), code(job.line("name"))]);
  }
  return [...byResult].map(([result, names]) => [result, names.join(", ")]);
}

export const gocd: Integration = {
  name: "gocd",
  displayName: "GoCD",
  read({ payload }) {
    // Agents post too.
    if (payload.need("type") !== "stage") return "ignored";
    const pipeline = payload.at("data.pipeline");
    const stage = pipeline.at("stage");
    const topic = `${pipeline.need("name")} / ${stage.need("name")}`;
    const isBuilding = stage.line("state").toLowerCase() === "building";
    const icon = stage.is("result", "Passed") ? ":green_circle: " : ":red_circle: ";
    const told = fields([
      ["Commit", commit(pipeline)],
      ["Started", moment(stage.line("create-time"))],
      ["Finished", isBuilding ? "" : moment(stage.line("last-transition-time"))],
      ...(isBuilding ? [] : jobs(stage)),
    ]);
    return {
      topic,
      content: `${isBuilding ? "" : icon}**${plain(topic)}**: ${spoken(stage.line("state"))}\n\n${told}`,
    };
  },
};
