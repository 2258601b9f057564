/** https://circleci.com/docs/webhooks-reference/ */
import { byEvent } from "../notice/integration.ts";
import { code, link, shortHash } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const outcomes: Readonly<Record<string, string>> = {
  success: "succeeded",
  failed: "failed",
  canceled: "was canceled",
  unauthorized: "was not authorized",
  error: "had an error",
};
const ended = (status: string): string => outcomes[status] ?? `ended: ${status}`;

/** Which commit it ran on, where that is told. */
function commit(payload: Payload): string {
  const pipeline = payload.at("pipeline");
  const gitlab = pipeline.at("trigger_parameters.gitlab");
  const vcs = pipeline.at("vcs");
  const isAtGitlab = pipeline.has("trigger_parameters.gitlab");
  const hash = isAtGitlab ? gitlab.line("checkout_sha") : vcs.line("revision");
  if (hash === "") return "";
  const path = vcs.is("provider_name", "bitbucket") ? "commits" : "commit";
  const url = isAtGitlab
    ? `${gitlab.text("web_url")}/-/commit/${hash}`
    : `${vcs.text("target_repository_url")}/${path}/${hash}`;
  const title = isAtGitlab ? gitlab.line("commit_title") : vcs.line("commit.subject");
  const [branch, tag] = isAtGitlab ? [gitlab.line("branch"), ""] : [vcs.line("branch"), vcs.line("tag")];
  const author = isAtGitlab ? gitlab.line("commit_author_name") : vcs.line("commit.author.name");
  const on = branch === "" ? (tag === "" ? "" : ` (tag ${code(tag)})`) : ` on ${code(branch)}`;
  return `\n\nCommit ${link(shortHash(hash), url)}${title === "" ? "" : `: ${title}`}${on}${author === "" ? "" : ` by ${author}`}`;
}

const within = (payload: Payload): string => `pipeline #${payload.line("pipeline.number")}`;

export const circleci = byEvent({
  name: "circleci",
  displayName: "CircleCI",
  event: ({ payload }) => payload.need("type"),
  topic: (payload, event) => (event === "ping" ? "Test event" : payload.need("project.name")),
  tells: {
    ping: (payload) => `The webhook "${payload.line("webhook.name")}" works.`,
    "job-completed": (payload) => {
      const at = payload.at("job");
      return `The job ${code(at.line("name"))} of ${within(payload)} ${ended(at.line("status"))}.${commit(payload)}`;
    },
    "workflow-completed": (payload) => {
      const at = payload.at("workflow");
      return `The workflow ${link(at.line("name"), at.text("url"))} of ${within(payload)} ${ended(at.line("status"))}.${commit(payload)}`;
    },
  },
});
