/** Bitbucket Cloud. https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/ */
import { lastOf, upTo } from "../../../storage/failures.ts";
import { byEvent, headerEvent, type Integration, type Notice, type Teller } from "../notice/integration.ts";
import { link, listed, plain, shortHash } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import {
  branchesOption,
  branchTopic,
  commentDeed,
  deed,
  isBranchTold,
  onCommit,
  onTag,
  push,
  thingTopic,
} from "./git.ts";

const header = headerEvent("X-Event-Key");
const who = (payload: Payload): string => payload.person("actor.display_name", "actor.nickname");
const name = (payload: Payload): string => payload.need("repository.name");

/** Zulip's name of the event, most of which the payload's shape tells. */
function eventOf(notice: Notice): string {
  const { payload } = notice;
  if (payload.has("push")) return "push";
  if (payload.has("fork")) return "fork";
  if (payload.has("comment") && payload.has("commit")) return "commit_comment";
  if (payload.has("commit_status")) return "change_commit_status";
  if (payload.has("issue")) {
    if (payload.has("changes")) return "issue_updated";
    return payload.has("comment") ? "issue_commented" : "issue_created";
  }
  const key = header(notice);
  return payload.has("pullrequest") ? key.replace(/^pullrequest:/, "pull_request_") : key;
}

function topicOf(payload: Payload, event: string): string {
  if (event.startsWith("pull_request"))
    return thingTopic(name(payload), "PR", payload.raw("pullrequest.id"), payload.raw("pullrequest.title"));
  if (event.startsWith("issue"))
    return thingTopic(name(payload), "issue", payload.raw("issue.id"), payload.raw("issue.title"));
  return name(payload);
}

/** One message for each branch or tag of a push. */
const pushed: Teller = (payload, { options }) =>
  payload.list("push.changes").flatMap((change) => {
    const ref = change.has("new") ? change.at("new") : change.at("old");
    const isDeleted = !change.has("new");
    const branch = ref.raw("name");
    if (ref.is("type", "tag")) {
      const did = isDeleted ? "removed" : "pushed";
      return [{ topic: name(payload), content: onTag(who(payload), did, branch, ref.text("links.html.href")) }];
    }
    if (!isBranchTold(branch, options)) return [];
    const isForced = change.is("forced", true);
    const content = push({
      who: who(payload),
      branch,
      url: change.text("links.html.href"),
      isForced,
      isDeleted,
      ...(isForced ? { head: ref.line("target.hash") } : {}),
      commits: change.list("commits").map((commit) => ({
        hash: commit.line("hash"),
        message: commit.text("message"),
        url: commit.text("links.html.href"),
        author:
          commit.line("author.user.display_name", "author.user.nickname") || upTo(commit.line("author.raw"), / ?</),
      })),
    });
    const more = change.is("truncated", true) ? "\n* … and more" : "";
    return [{ topic: branchTopic(name(payload), branch), content: content + more }];
  });

const statusChanged: Teller = (payload) => {
  const at = payload.at("commit_status");
  const hash = lastOf(at.text("links.commit.href").split("/"));
  const commit = link(shortHash(hash), `${payload.text("repository.links.html.href")}/commits/${hash}`);
  const description = at.line("description");
  return `The status of ${commit} by ${link(at.line("name", "key"), at.text("url"))} is now ${at.line("state")}${description === "" ? "." : `: ${description}`}`;
};

const issue = (payload: Payload, did: string, isWhole = false): string => {
  const at = payload.at("issue");
  const changes = payload
    .entries("changes")
    .filter(([, change]) => change.has("new") || change.has("old"))
    .map(
      ([field, change]) =>
        `${field}: ${change.line("old", "old.name") || "none"} → ${change.line("new", "new.name") || "none"}`,
    );
  const text = payload.has("comment") ? payload.text("comment.content.raw") : isWhole ? at.text("content.raw") : "";
  const about = deed({
    who: who(payload),
    did,
    kind: "issue",
    number: at.line("id"),
    title: at.line("title"),
    url: at.text("links.html.href"),
    assignees: isWhole ? [at.line("assignee.display_name", "assignee.nickname")].filter(Boolean) : [],
    text,
  });
  return changes.length === 0 ? about : `${about}\n\n${listed(changes)}`;
};

const pull = (
  payload: Payload,
  did: string,
  part: { isWhole?: boolean; hasBranches?: boolean; text?: string } = {},
) => {
  const at = payload.at("pullrequest");
  return deed({
    who: who(payload),
    did,
    kind: "PR",
    number: at.line("id"),
    title: at.line("title"),
    url: at.text("links.html.href"),
    from: part.hasBranches ? at.line("source.branch.name") : "",
    to: part.hasBranches ? at.line("destination.branch.name") : "",
    assignees: part.isWhole ? at.lines("reviewers", "display_name", "nickname") : [],
    text: part.text ?? (part.isWhole ? at.text("description") : ""),
  });
};

const pullCommented =
  (action: string): Teller =>
  (payload) =>
    pull(payload, commentDeed(action, payload.text("comment.links.html.href")), {
      text: payload.text("comment.content.raw"),
    });

const updated: Teller = (payload) => {
  const changes = payload
    .entries("changes")
    .filter(([field, change]) => field !== "links" && change.line("new") !== "")
    .map(([field, change]) => {
      const before = change.line("old");
      return `${field.replaceAll("_", " ")}: ${before === "" ? "" : `${before} → `}${change.line("new")}`;
    });
  return changes.length === 0
    ? ""
    : `${who(payload)} changed the repository ${plain(name(payload))}:\n\n${listed(changes)}`;
};

export const bitbucket2: Integration = byEvent({
  name: "bitbucket2",
  displayName: "Bitbucket",
  eventHeaders: ["x-event-key"],
  urlOptions: [branchesOption],
  escapesTwice: true,
  event: eventOf,
  topic: topicOf,
  tells: {
    push: pushed,
    fork: (payload) =>
      `${who(payload)} forked ${plain(name(payload))} into ${link(payload.line("fork.full_name"), payload.text("fork.links.html.href"))}.`,
    commit_comment: (payload) => {
      const at = payload.at("comment");
      const commit = payload.has("comment.commit") ? at.at("commit") : payload.at("commit");
      const did = link("commented", at.text("links.html.href"));
      return onCommit(who(payload), did, commit.line("hash"), commit.text("links.html.href"), at.text("content.raw"));
    },
    change_commit_status: statusChanged,
    issue_created: (payload) => issue(payload, "created", true),
    issue_updated: (payload) => issue(payload, "updated"),
    issue_commented: (payload) => issue(payload, commentDeed("created", payload.text("comment.links.html.href"))),
    pull_request_created: (payload) => pull(payload, "created", { isWhole: true, hasBranches: true }),
    pull_request_updated: (payload) => pull(payload, "updated", { isWhole: true }),
    pull_request_approved: (payload) => pull(payload, "approved"),
    pull_request_unapproved: (payload) => pull(payload, "withdrew the approval of"),
    pull_request_changes_request_created: (payload) => pull(payload, "asked for changes in"),
    pull_request_changes_request_removed: (payload) => pull(payload, "no longer asks for changes in"),
    pull_request_fulfilled: (payload) => pull(payload, "merged", { hasBranches: true }),
    pull_request_rejected: (payload) => pull(payload, "rejected", { text: payload.text("pullrequest.reason") }),
    pull_request_comment_created: pullCommented("created"),
    pull_request_comment_updated: pullCommented("updated"),
    pull_request_comment_deleted: pullCommented("deleted"),
    "repo:updated": updated,
  },
});
