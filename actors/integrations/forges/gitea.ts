/**
 * Gitea, and what it came from and what came from it.
 * https://docs.gitea.com/usage/webhooks, https://forgejo.org/docs/latest/user/webhooks/ and
 * https://gogs.io/docs/features/webhook
 */
import { firstOf } from "../../../storage/failures.ts";
import { byEvent, headerEvent, type Integration, type Notice, type Teller } from "../notice/integration.ts";
import { link, listed, quote, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import {
  branchesOption,
  branchTopic,
  commentDeed,
  commitsOf,
  deed,
  isBranchTold,
  isNoHash,
  onTag,
  push,
  shortRef,
  thingTopic,
} from "./git.ts";

const left = "left out";
const who = (payload: Payload): string => payload.person("sender.login", "sender.username");
const actionOf = (payload: Payload): string => spoken(payload.line("action")) || "changed";
const repository = (payload: Payload): string =>
  link(payload.line("repository.full_name", "repository.name"), payload.text("repository.html_url"));

const pushed: Teller = (payload) =>
  payload.line("ref").startsWith("refs/tags/")
    ? onTag(who(payload), isNoHash(payload.line("after")) ? "removed" : "pushed", shortRef(payload.raw("ref")))
    : push({
        who: payload.person("sender.username", "sender.login", "pusher.username"),
        branch: shortRef(payload.raw("ref")),
        url: payload.text("compare_url"),
        commits: commitsOf(payload),
        total: payload.number("total_commits") ?? 0,
        isDeleted: isNoHash(payload.line("after")),
      });

const createdOrDeleted =
  (did: string): Teller =>
  (payload) => {
    const ref = shortRef(payload.raw("ref"));
    const url = did === "created" ? `${payload.text("repository.html_url")}/src/${ref}` : "";
    return `${who(payload)} ${did} the ${payload.line("ref_type") || "branch"} ${link(ref, url)}.`;
  };

/** A comment may tell of the pull request as of an issue alone. */
const pullOf = (payload: Payload): Payload => payload.at(payload.has("pull_request") ? "pull_request" : "issue");

const pull = (payload: Payload, did: string, more: Partial<Parameters<typeof deed>[0]> = {}): string => {
  const at = pullOf(payload);
  const [number, title, url] = [at.line("number", "index"), at.line("title"), at.text("html_url")];
  return deed({ who: who(payload), did, kind: "PR", number, title, url, ...more });
};

const pullRequest: Teller = (payload) => {
  const at = payload.at("pull_request");
  const isMerged = at.is("merged", true) && payload.is("action", "closed");
  const action = isMerged ? "merged" : actionOf(payload);
  return pull(payload, action === "synchronized" ? "pushed to" : action, {
    who: isMerged ? at.person("merged_by.username", "merged_by.login") : who(payload),
    from: action === "edited" ? "" : at.line("head_branch", "head.ref"),
    to: action === "edited" ? "" : at.line("base_branch", "base.ref"),
    assignees: at.has("assignees") ? at.lines("assignees", "login") : [at.line("assignee.login")].filter(Boolean),
    text: action === "opened" ? at.text("body") : "",
  });
};

const issue = (payload: Payload, did: string, more: Partial<Parameters<typeof deed>[0]>): string => {
  const number = payload.line("issue.number");
  const place = payload.has("issue.pull_request") ? "pulls" : "issues";
  return deed({
    who: who(payload),
    did,
    kind: place === "pulls" ? "PR" : "issue",
    number,
    title: payload.line("issue.title"),
    url: payload.text("issue.html_url") || `${payload.text("repository.html_url")}/${place}/${number}`,
    ...more,
  });
};

const issueChanged: Teller = (payload) => {
  const labels = payload.is("action", "label_updated") ? payload.lines("issue.labels", "name") : [];
  const milestone = payload.is("action", "milestoned") ? payload.line("issue.milestone.title") : "";
  const more = [labels.length > 0 ? `labels: ${labels.join(", ")}` : "", milestone && `milestone: ${milestone}`];
  return issue(payload, actionOf(payload), {
    assignees: payload.has("issue.assignees")
      ? payload.lines("issue.assignees", "login")
      : [payload.line("issue.assignee.login")].filter(Boolean),
    detail: more.some(Boolean) ? `(${more.filter(Boolean).join("; ")})` : "",
    text: ["opened", "edited"].includes(actionOf(payload)) ? payload.text("issue.body") : "",
  });
};

const commented: Teller = (payload) =>
  issue(payload, commentDeed(payload.line("action"), payload.text("comment.html_url")), {
    text: payload.text("comment.body"),
  });

const reviewed =
  (did: string) =>
  (payload: Payload): string =>
    pull(payload, did, { text: payload.text("review.content", "review.body", "comment.body") });

/** A review's comment, or one beside the review. */
const pullCommented: Teller = (payload) => {
  const url = payload.text("comment.html_url");
  if (url === "") return reviewed("commented on")(payload);
  return pull(payload, commentDeed(payload.line("action"), url), { text: payload.text("comment.body") });
};

const released: Teller = (payload) => {
  const at = payload.at("release");
  const name = link(at.line("name", "tag_name"), at.text("html_url") || payload.text("repository.html_url"));
  const by = at.person("author.username", "author.login");
  return `${by} ${actionOf(payload)} the release ${name} of the tag ${at.line("tag_name")}.${quote(at.text("body", "note"))}`;
};

/** Their pull requests have another number among all of a server, which Zulip's topics show. */
function topicOf(payload: Payload, event: string): string {
  const name = payload.need("repository.name");
  if (event.startsWith("pull_request")) {
    const at = pullOf(payload);
    return thingTopic(name, "PR", at.raw("id", "number"), at.raw("title"));
  }
  if (event.startsWith("issue"))
    return thingTopic(name, "issue", payload.raw("issue.number"), payload.raw("issue.title"));
  if (event === "release") return `${name} / ${payload.raw("release.tag_name")} ${payload.raw("release.name")}`.trim();
  const ref = shortRef(payload.raw("ref"));
  return ref === "" ? name : branchTopic(name, ref);
}

function fork(name: string, displayName: string, headers: readonly string[]): Integration {
  const header = headerEvent(firstOf(headers));
  return byEvent({
    name,
    displayName,
    eventHeaders: headers.map((one) => one.toLowerCase()),
    urlOptions: [branchesOption],
    event(notice: Notice) {
      const event = header(notice);
      return event === "push" && !isBranchTold(shortRef(notice.payload.line("ref")), notice.options) ? left : event;
    },
    topic: topicOf,
    ignores: [left],
    tells: {
      push: pushed,
      create: createdOrDeleted("created"),
      delete: createdOrDeleted("deleted"),
      fork: (payload) =>
        `${who(payload)} forked ${link(payload.line("forkee.full_name"), payload.text("forkee.html_url"))} into ${repository(payload)}.`,
      issues: issueChanged,
      issue_comment: commented,
      pull_request: pullRequest,
      pull_request_comment: pullCommented,
      pull_request_approved: reviewed("approved"),
      pull_request_rejected: reviewed("asked for changes in"),
      release: released,
      repository: (payload) => `${who(payload)} ${actionOf(payload)} the repository ${repository(payload)}.`,
      wiki: (payload) =>
        `${who(payload)} changed the wiki:\n\n${listed([`${actionOf(payload)} ${payload.line("page")}: ${payload.line("comment")}`])}`,
    },
  });
}

export const gitea = fork("gitea", "Gitea", ["X-Gitea-Event"]);
export const forgejo = fork("forgejo", "Forgejo", ["X-Forgejo-Event", "X-Gitea-Event"]);
export const gogs = fork("gogs", "Gogs", ["X-Gogs-Event"]);
