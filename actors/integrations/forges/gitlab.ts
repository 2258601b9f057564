/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
import { byEvent, type Integration, type Notice, type Teller } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { branchesOption, branchTopic, isBranchTold, isNoHash, onTag, push, shortRef, thingTopic } from "./git.ts";
import { noteTells, noteTopic, reactionTopic } from "./gitlab-notes.ts";
import { projectTells } from "./gitlab-projects.ts";
import { thingKind, thingTells } from "./gitlab-things.ts";

const left = "left out";

/** `merge_request` as the header names it: `Merge Request Hook`. */
const hookName = (kind: string): string =>
  `${kind
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ")} Hook`;

/** Zulip's name of the event: the header's, and what was done or commented on. */
function eventOf({ payload, event, options }: Notice): string {
  const isNamed = event !== "" && event !== "System Hook";
  const named = isNamed ? event : hookName(payload.line("object_kind", "event_name") || "unknown");
  if (/^(?:(?:Confidential )?Issue|Merge Request|Wiki Page|Work Item) Hook$/.test(named))
    return `${named.replace("Work Item", "Issue")} ${payload.line("object_attributes.action") || "open"}`;
  if (/^(?:Confidential )?Note Hook$/.test(named)) return `${named} ${payload.line("object_attributes.noteable_type")}`;
  if (named === "Push Hook" && !isBranchTold(shortRef(payload.raw("ref")), options)) return left;
  return named === "Access Token Hook" ? "Resource Access Token Hook" : named;
}

/** Epics are of a group, which their address names. */
const project = (payload: Payload): string =>
  payload.raw("project.name", "repository.name", "group.group_name") ||
  (/\/groups\/(?:[^/]+\/)*([^/]+)\/-\//.exec(payload.raw("object_attributes.url"))?.[1] ?? "GitLab");

function topicOf(payload: Payload, event: string, { options }: Notice): string {
  const title = (path: string): string => (options.hasMergeRequestTitles === false ? "" : payload.raw(path));
  const at = payload.at("object_attributes");
  if (event.includes("Note Hook")) return noteTopic(project(payload), payload, event, title("merge_request.title"));
  if (event.startsWith("Merge Request Hook"))
    return thingTopic(project(payload), "MR", at.raw("iid"), title("object_attributes.title"));
  if (event.includes("Issue Hook"))
    return thingTopic(project(payload), thingKind(payload), at.raw("iid"), at.raw("title"));
  switch (event) {
    case "Push Hook":
      return branchTopic(project(payload), shortRef(payload.raw("ref")));
    case "Job Hook":
    case "Build Hook":
      return branchTopic(payload.raw("repository.name", "project.name"), shortRef(payload.raw("ref")));
    case "Pipeline Hook":
      return branchTopic(project(payload), shortRef(at.raw("ref")));
    case "Deployment Hook":
      return branchTopic(project(payload), payload.raw("environment"));
    case "Emoji Hook":
      return reactionTopic(project(payload), payload, title("merge_request.title"));
    case "Resource Access Token Hook":
      return payload.raw("group.group_name") || project(payload);
    default:
      return project(payload);
  }
}

const pushed: Teller = (payload) => {
  const [before, after] = [payload.line("before"), payload.line("after")];
  const home = payload.text("project.web_url", "repository.homepage");
  return push({
    who: payload.person("user_name", "user_username"),
    branch: shortRef(payload.raw("ref")),
    url: isNoHash(after) ? "" : `${home}/compare/${before}...${after}`,
    commits: payload.list("commits").map((one) => ({
      hash: one.line("id"),
      message: one.text("message"),
      url: one.text("url"),
      author: one.line("author.name"),
    })),
    total: payload.number("total_commits_count") ?? 0,
    isDeleted: isNoHash(after),
  });
};

export const gitlab: Integration = byEvent({
  name: "gitlab",
  displayName: "GitLab",
  eventHeaders: ["x-gitlab-event"],
  urlOptions: [branchesOption],
  event: eventOf,
  topic: topicOf,
  // The usual topic names the project.
  prefix: (payload, { topic }) =>
    topic === undefined ? "" : `${link(project(payload), payload.text("project.web_url", "repository.homepage"))}: `,
  ignores: [left],
  tells: {
    "Push Hook": pushed,
    "Tag Push Hook": (payload) => {
      const isGone = isNoHash(payload.line("after")) || !payload.has("checkout_sha");
      return onTag(payload.person("user_name"), isGone ? "removed" : "pushed", shortRef(payload.raw("ref")));
    },
    ...thingTells,
    ...noteTells,
    ...projectTells,
  },
});
