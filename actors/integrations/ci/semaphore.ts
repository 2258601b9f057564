/** https://docs.semaphoreci.com/using-semaphore/webhooks and, of Semaphore Classic, its older page */
import type { Integration, Said } from "../notice/integration.ts";
import { fields, firstLine, link, shortHash } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** Semaphore Classic: a build or a deploy, each with its newest commit alone. */
function readClassic(payload: Payload): Said {
  const event = payload.line("event");
  const topic = `${payload.need("project_name")}/${payload.raw("branch_name")}`;
  const build = link(`Build ${payload.line("build_number")}`, payload.text("build_url", "build_html_url"));
  const what =
    event === "deploy"
      ? `${link(`Deploy ${payload.line("number")}`, payload.text("html_url"))} of ${build} to ${payload.line("server_name")}`
      : build;
  const at = payload.at("commit");
  const commit = `${link(shortHash(at.line("id")), at.text("url"))}: ${firstLine(at.text("message"))}`;
  const author = at.line("author_name", "author_email");
  const told = fields([
    ["Commit", at.has("id") ? commit : ""],
    ["Author", author],
  ]);
  return { event, topic, content: `${what}: **${payload.line("result")}**\n\n${told}` };
}

/** Semaphore 2.0 tells no addresses; GitHub's are known. */
function read(payload: Payload): Said {
  const revision = payload.at("revision");
  const event = revision.line("reference_type") || "unknown";
  const home = payload.text("repository.url");
  const isAtGithub = /^https:\/\/github\.com\//.test(home);
  const at = (path: string) => (isAtGithub ? `${home}/${path}` : "");
  const pull = revision.at("pull_request");
  const branch =
    event === "branch" ? revision.line("branch.name") : event === "pull_request" ? pull.line("branch_name") : "";
  const [hash, author] = [revision.line("commit_sha"), revision.line("sender.login")];
  const commit = `${link(shortHash(hash), at(`commit/${hash}`))}: ${firstLine(revision.text("commit_message"))}`;
  const tag = revision.line("tag.name");
  const told = fields([
    ["Commit", event === "branch" ? commit : ""],
    [
      "Pull request",
      event === "pull_request"
        ? link(`#${pull.line("number")} ${pull.line("name")}`, at(`pull/${pull.line("number")}`))
        : "",
    ],
    ["Branch", branch],
    ["Tag", event === "tag" ? link(tag, at(`tree/${tag}`)) : ""],
    ["Author", link(author, isAtGithub ? `https://github.com/${author}` : "")],
  ]);
  const workflow = `https://${payload.line("organization.name")}.semaphoreci.com/workflows/${payload.line("workflow.id")}`;
  const project = payload.need("project.name");
  return {
    event,
    topic: branch === "" ? project : `${project}/${branch}`,
    content: `${link(payload.line("pipeline.name") || "Pipeline", workflow)}: **${payload.line("pipeline.result")}**\n\n${told}`,
  };
}

export const semaphore: Integration = {
  name: "semaphore",
  displayName: "Semaphore",
  events: ["build", "tag", "unknown", "branch", "deploy", "pull_request"],
  read: ({ payload }) => (payload.has("event") ? readClassic(payload) : read(payload)),
};
