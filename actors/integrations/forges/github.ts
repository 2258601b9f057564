/** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
import { byEvent, headerEvent, type Integration, type Notice } from "../notice/integration.ts";
import type { Payload } from "../notice/payload.ts";
import { branchesOption, branchTopic, isBranchTold, shortRef, thingTopic } from "./git.ts";
import { issueEvent, issueTells } from "./github-issues.ts";
import { pullRequestEvent, pullRequestTells } from "./github-pull-requests.ts";
import { repositoryTells, sponsorTells } from "./github-repositories.ts";
import { repository } from "./github-words.ts";

const header = headerEvent("X-GitHub-Event");
const left = "left out";

/** The event as Zulip calls it, which is a header and, for some, what was done. */
function eventOf(notice: Notice): string {
  const { payload, options } = notice;
  const named = header(notice).toLowerCase();
  const action = payload.line("action");
  if (options.isForPublicRepositories && payload.is("repository.private", true)) return left;
  const isUnchanged =
    payload.has("changes.body.from") && payload.text("changes.body.from") === payload.text("comment.body");
  if (action === "edited" && named.endsWith("comment") && isUnchanged) return left;
  switch (named) {
    case "pull_request":
      return pullRequestEvent(action);
    case "issues":
      return issueEvent(payload, action);
    // GitHub sends one such event beside each review, in which nothing was changed.
    case "pull_request_review":
      return action === "edited" && payload.entries("changes").length === 0 ? left : named;
    case "push": {
      const ref = payload.line("ref");
      if (!ref.startsWith("refs/heads/")) return "push_tags";
      if (ref.startsWith("refs/heads/gh-readonly-queue/")) return left;
      return isBranchTold(shortRef(ref), options) ? "push_commits" : left;
    }
    case "check_run":
      return payload.is("check_run.status", "completed") ? named : left;
    case "workflow_run":
      return action === "completed" ? named : left;
    case "sponsorship":
      return action;
    default:
      return named;
  }
}

function topicOf(payload: Payload, event: string): string {
  const name = payload.raw("repository.name", "repository.full_name");
  if (Object.hasOwn(sponsorTells, event)) return "sponsors";
  if (event.includes("pull_request"))
    return thingTopic(name, "PR", payload.raw("pull_request.number"), payload.raw("pull_request.title"));
  if (event.startsWith("issue")) {
    const kind = payload.has("issue.pull_request") ? "PR" : "issue";
    return thingTopic(name, kind, payload.raw("issue.number"), payload.raw("issue.title"));
  }
  if (event.startsWith("deployment")) return `${name} / Deployment on ${payload.raw("deployment.environment")}`;
  if (event.startsWith("discussion"))
    return `${name} discussion #${payload.raw("discussion.number")}: ${payload.raw("discussion.title")}`;
  switch (event) {
    case "membership":
      return `${payload.raw("organization.login")} organization`;
    case "team":
      return `team ${payload.raw("team.name")}`;
    case "push_commits":
      return branchTopic(name, shortRef(payload.raw("ref")));
    case "gollum":
      return branchTopic(name, "wiki pages");
    case "check_run":
      return branchTopic(name, "checks");
    default:
      return name || payload.raw("organization.login") || "GitHub";
  }
}

export const github: Integration = byEvent({
  name: "github",
  displayName: "GitHub",
  eventHeaders: ["x-github-event"],
  urlOptions: [
    branchesOption,
    { key: "ignore_private_repositories", label: "Leave out private repositories", input_type: "bool" },
    { key: "include_repository_name", label: "Name the repository in each message", input_type: "bool" },
  ],
  event: eventOf,
  topic: topicOf,
  prefix: (payload, { hasRepositoryNames }) =>
    hasRepositoryNames && payload.has("repository") ? `${repository(payload)}: ` : "",
  tells: { ...repositoryTells, ...issueTells, ...pullRequestTells, ...sponsorTells },
  ignores: [
    left,
    "check_suite",
    "label",
    "meta",
    "milestone",
    "organization",
    "project_card",
    "repository_vulnerability_alert",
    "workflow_job",
  ],
});
