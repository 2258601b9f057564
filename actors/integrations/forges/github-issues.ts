/** Issues, discussions and their comments at GitHub. */
import type { Teller } from "../notice/integration.ts";
import { link, quote, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { commentDeed, deed } from "./git.ts";
import { actionOf, who } from "./github-words.ts";

/** Zulip's name for what was done to an issue. */
export function issueEvent(payload: Payload, action: string): string {
  if (action === "labeled" || action === "unlabeled") return "issue_labeled_or_unlabeled";
  if (action === "milestoned" || action === "demilestoned") return "issue_milestoned_or_demilestoned";
  if (action === "transferred") return "issues_transferred";
  return action === "opened" && payload.has("changes.old_issue") ? "issues_opened_via_transfer" : "issues";
}

const issue = (payload: Payload, did: string, more: Partial<Parameters<typeof deed>[0]> = {}): string =>
  deed({
    who: who(payload),
    did,
    kind: payload.has("issue.pull_request") ? "PR" : "issue",
    number: payload.line("issue.number"),
    title: payload.line("issue.title"),
    url: payload.text("issue.html_url"),
    ...more,
  });

const changed: Teller = (payload) => {
  const action = actionOf(payload);
  const person = payload.line("assignee.login");
  if (action === "assigned") return issue(payload, "assigned", { detail: `to ${person}` });
  if (action === "unassigned") return issue(payload, "unassigned", { detail: `from ${person}` });
  const hasText = action === "opened" || payload.has("changes.body");
  const before = payload.line("changes.title.from");
  return issue(payload, action, {
    ...(before === "" ? {} : { detail: `(before: ${before})` }),
    assignees: action === "opened" ? payload.lines("issue.assignees", "login") : [],
    text: hasText ? payload.text("issue.body") : "",
  });
};

const labeled: Teller = (payload) => {
  const isAdded = actionOf(payload) === "labeled";
  const label = payload.line("label.name");
  return issue(payload, `${isAdded ? "added" : "removed"} the label **${label}** ${isAdded ? "to" : "from"}`);
};

const milestoned: Teller = (payload) => {
  const isAdded = actionOf(payload) === "milestoned";
  const milestone = link(payload.line("milestone.title"), payload.text("milestone.html_url"));
  return issue(payload, `${isAdded ? "added" : "removed"} the milestone ${milestone} ${isAdded ? "to" : "from"}`);
};

const transferred: Teller = (payload) => {
  const repository = payload.line("changes.new_repository.full_name");
  const address = payload.text("changes.new_issue.html_url");
  return issue(payload, "transferred", {
    detail: `to ${link(`${repository}#${payload.line("changes.new_issue.number")}`, address)}`,
  });
};

const openedByTransfer: Teller = (payload) => {
  const repository = payload.line("changes.old_repository.full_name");
  const before = `${repository}#${payload.line("changes.old_issue.number")}`;
  return issue(payload, "transferred", { detail: `from ${link(before, payload.text("changes.old_issue.html_url"))}` });
};

const commented: Teller = (payload) =>
  issue(payload, commentDeed(payload.line("action"), payload.text("comment.html_url")), {
    text: payload.text("comment.body"),
  });

const discussion = (payload: Payload): string =>
  link(`discussion #${payload.line("discussion.number")}`, payload.text("discussion.html_url"));

/** What was done to a discussion, with what belongs to it. */
const discussed: Teller = (payload) => {
  const action = payload.line("action");
  const title = payload.line("discussion.title");
  const category = payload.line("discussion.category.name");
  const about = `${discussion(payload)}: ${title}`;
  switch (action) {
    case "created":
      return `${who(payload)} created ${discussion(payload)} in ${category}: ${title}${quote(payload.text("discussion.body"))}`;
    case "labeled":
    case "unlabeled":
      return `${who(payload)} ${action} (**${payload.line("label.name")}**) ${about}`;
    case "category_changed":
      return `${who(payload)} moved from ${payload.line("changes.category.from.name")} to ${category} ${about}`;
    case "answered":
      return `${who(payload)} marked an ${link("answer", payload.text("answer.html_url"))} of ${about}${quote(payload.text("answer.body"))}`;
    case "transferred": {
      const to = payload.line("changes.new_repository.full_name");
      return `${who(payload)} transferred to ${link(to, payload.text("changes.new_discussion.html_url"))} ${about}`;
    }
    default: {
      const before = payload.line("changes.title.from");
      const text = payload.has("changes.body") ? quote(payload.text("discussion.body")) : "";
      return `${who(payload)} ${spoken(action) || "changed"} ${about}${before === "" ? "" : ` (before: ${before})`}${text}`;
    }
  }
};

const discussionCommented: Teller = (payload) => {
  const did = commentDeed(payload.line("action"), payload.text("comment.html_url"));
  const title = payload.line("discussion.title");
  return `${who(payload)} ${did} ${discussion(payload)}: ${title}${quote(payload.text("comment.body"))}`;
};

export const issueTells = {
  issues: changed,
  issue_comment: commented,
  issue_labeled_or_unlabeled: labeled,
  issue_milestoned_or_demilestoned: milestoned,
  issues_transferred: transferred,
  issues_opened_via_transfer: openedByTransfer,
  discussion: discussed,
  discussion_comment: discussionCommented,
} satisfies Record<string, Teller>;
