/** https://learn.microsoft.com/en-us/azure/devops/service-hooks/events */
import { byEvent, type Integration, type Notice, type Teller } from "../notice/integration.ts";
import { link, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { branchesOption, branchTopic, deed, isBranchTold, push, shortRef, thingTopic } from "./git.ts";

const left = "left out";
const repository = (payload: Payload): string =>
  payload.line("resource.repository.name", "resource.pullRequest.repository.name");
const branch = (payload: Payload): string => shortRef(payload.raw("resource.refUpdates.0.name"));

function eventOf({ payload, options }: Notice): string {
  const event = payload.need("eventType");
  if (event === "git.push" && !isBranchTold(branch(payload), options)) return left;
  // A merge is also tried when a pull request comes or changes.
  const isMerged = payload.is("resource.status", "completed") && payload.is("resource.mergeStatus", "succeeded");
  return event === "git.pullrequest.merged" && !isMerged ? left : event;
}

const pushed: Teller = (payload) => {
  const home = payload.text("resource.repository.remoteUrl");
  const [before, after] = ["old", "new"].map((when) => payload.line(`resource.refUpdates.0.${when}ObjectId`));
  return push({
    who: payload.person("resource.pushedBy.displayName"),
    branch: branch(payload),
    url: `${home}/branchCompare?baseVersion=GC${before}&targetVersion=GC${after}&_a=files`,
    commits: payload.list("resource.commits").map((commit) => ({
      hash: commit.line("commitId"),
      message: commit.text("comment"),
      url: `${home}/commit/${commit.line("commitId")}`,
      author: commit.line("author.name"),
    })),
    isDeleted: /^0+$/.test(after ?? ""),
  });
};

interface Part {
  hasBranches?: boolean;
  text?: string;
  /** Where the pull request and the person are, if elsewhere. */
  at?: Payload;
  who?: string;
}

const pull = (payload: Payload, did: string, part: Part = {}): string => {
  const at = part.at ?? payload.at("resource");
  return deed({
    who: part.who ?? at.person("createdBy.displayName"),
    did,
    kind: "PR",
    number: at.line("pullRequestId"),
    title: at.line("title"),
    url: at.text("_links.web.href") || `${at.text("repository.remoteUrl")}/pullrequest/${at.line("pullRequestId")}`,
    from: part.hasBranches ? shortRef(at.raw("sourceRefName")) : "",
    to: part.hasBranches ? shortRef(at.raw("targetRefName")) : "",
    text: part.text ?? "",
  });
};

/** The pull request that a comment is on. */
const commentedOn = (payload: Payload): Payload => payload.at("resource.pullRequest");

function topicOf(payload: Payload, event: string): string {
  if (event === "git.push") return branchTopic(repository(payload), branch(payload));
  if (event === "build.complete") return payload.raw("resource.definition.name") || "Azure Pipelines";
  const at = payload.has("resource.pullRequest") ? commentedOn(payload) : payload.at("resource");
  return thingTopic(repository(payload), "PR", at.raw("pullRequestId"), at.raw("title"));
}

export const azuredevops: Integration = byEvent({
  name: "azuredevops",
  displayName: "Azure DevOps",
  urlOptions: [branchesOption],
  event: eventOf,
  topic: topicOf,
  ignores: [left],
  tells: {
    "git.push": pushed,
    "git.pullrequest.created": (payload) =>
      pull(payload, "created", { hasBranches: true, text: payload.text("resource.description") }),
    "git.pullrequest.updated": (payload) =>
      pull(payload, "updated", { text: payload.text("detailedMessage.markdown", "message.markdown") }),
    "git.pullrequest.merged": (payload) => pull(payload, "merged", { hasBranches: true }),
    "ms.vss-code.git-pullrequest-comment-event": (payload) =>
      pull(payload, "commented on", {
        at: commentedOn(payload),
        who: payload.person("resource.comment.author.displayName"),
        text: payload.text("resource.comment.content"),
      }),
    "build.complete": (payload) => {
      const at = payload.at("resource");
      const build = link(`Build ${at.line("buildNumber", "id")}`, at.text("_links.web.href"));
      const by = at.line("requestedFor.displayName", "requests.0.requestedFor.displayName");
      return `${build}${by === "" ? "" : ` of ${by}`}: ${spoken(at.line("result", "status"))}.`;
    },
  },
});
