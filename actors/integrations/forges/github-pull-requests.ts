/** Pull requests and their reviews at GitHub. */
import type { Teller } from "../notice/integration.ts";
import { link, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { commentDeed, deed } from "./git.ts";
import { actionOf, who } from "./github-words.ts";

/** Zulip's names for what is done to a pull request; further ones for what Zulip leaves out. */
const events: Readonly<Record<string, string>> = {
  opened: "opened_pull_request",
  reopened: "opened_pull_request",
  synchronize: "updated_pull_request",
  edited: "updated_pull_request",
  assigned: "assigned_or_unassigned_pull_request",
  unassigned: "assigned_or_unassigned_pull_request",
  closed: "closed_pull_request",
  review_requested: "pull_request_review_requested",
  review_request_removed: "pull_request_review_requested",
  ready_for_review: "pull_request_ready_for_review",
  converted_to_draft: "pull_request_ready_for_review",
  locked: "locked_or_unlocked_pull_request",
  unlocked: "locked_or_unlocked_pull_request",
  auto_merge_enabled: "pull_request_auto_merge",
  auto_merge_disabled: "pull_request_auto_merge",
  enqueued: "pull_request_auto_merge",
  dequeued: "pull_request_auto_merge",
  labeled: "labeled_or_unlabeled_pull_request",
  unlabeled: "labeled_or_unlabeled_pull_request",
  milestoned: "milestoned_or_demilestoned_pull_request",
  demilestoned: "milestoned_or_demilestoned_pull_request",
};

export const pullRequestEvent = (action: string): string =>
  (Object.hasOwn(events, action) ? events[action] : undefined) ?? `pull_request:${action}`;

const pull = (payload: Payload, did: string, more: Partial<Parameters<typeof deed>[0]> = {}): string =>
  deed({
    who: who(payload),
    did,
    kind: "PR",
    number: payload.line("pull_request.number", "number"),
    title: payload.line("pull_request.title"),
    url: payload.text("pull_request.html_url"),
    ...more,
  });

const openedOrUpdated: Teller = (payload) => {
  const action = payload.line("action");
  const isOpened = action === "opened";
  const before = payload.line("changes.title.from");
  return pull(payload, action === "synchronize" ? "pushed to" : actionOf(payload), {
    ...(isOpened ? { from: payload.line("pull_request.head.label"), to: payload.line("pull_request.base.label") } : {}),
    ...(before === "" ? {} : { detail: `(before: ${before})` }),
    assignees: payload.lines("pull_request.assignees", "login"),
    text: isOpened || payload.has("changes.body") ? payload.text("pull_request.body") : "",
  });
};

const assigned: Teller = (payload) => {
  const isAdded = payload.is("action", "assigned");
  const person = payload.line("assignee.login", "pull_request.assignee.login");
  return pull(payload, isAdded ? "assigned" : "unassigned", { detail: `${isAdded ? "to" : "from"} ${person}` });
};

const closed: Teller = (payload) => {
  if (!payload.is("pull_request.merged", true)) return pull(payload, "closed without merging");
  const [from, to] = [payload.line("pull_request.head.label"), payload.line("pull_request.base.label")];
  return pull(payload, "merged", { from, to });
};

const reviewRequested: Teller = (payload) => {
  const isAsked = payload.is("action", "review_requested");
  const reviewer = link(
    payload.line("requested_reviewer.login", "requested_team.name"),
    payload.text("requested_reviewer.html_url", "requested_team.html_url"),
  );
  return pull(payload, isAsked ? `asked ${reviewer} to review` : `no longer asks ${reviewer} to review`);
};

const locked: Teller = (payload) => {
  const reason = payload.line("pull_request.active_lock_reason");
  return pull(payload, actionOf(payload), reason === "" ? {} : { detail: `as ${reason}` });
};

const automerge: Record<string, string> = {
  auto_merge_enabled: "enabled automatic merging of",
  auto_merge_disabled: "disabled automatic merging of",
  enqueued: "added to the merge queue",
  dequeued: "removed from the merge queue",
};

const labeled: Teller = (payload) => {
  const isAdded = payload.is("action", "labeled");
  const label = payload.line("label.name");
  return pull(payload, `${isAdded ? "added" : "removed"} the label **${label}** ${isAdded ? "to" : "from"}`);
};

const milestoned: Teller = (payload) => {
  const isAdded = payload.is("action", "milestoned");
  const milestone = link(payload.line("milestone.title"), payload.text("milestone.html_url"));
  return pull(payload, `${isAdded ? "added" : "removed"} the milestone ${milestone} ${isAdded ? "to" : "from"}`);
};

const reviewed: Teller = (payload) => {
  const state = spoken(payload.line("review.state"));
  const did = payload.is("action", "submitted") ? "submitted" : actionOf(payload);
  return pull(
    payload,
    `${did} a ${link("review", payload.text("review.html_url"))}${state === "" ? "" : ` (${state})`} of`,
    {
      text: payload.text("review.body"),
    },
  );
};

const reviewCommented: Teller = (payload) =>
  pull(payload, commentDeed(payload.line("action"), payload.text("comment.html_url")), {
    text: payload.text("comment.body"),
  });

export const pullRequestTells = {
  opened_pull_request: openedOrUpdated,
  updated_pull_request: openedOrUpdated,
  assigned_or_unassigned_pull_request: assigned,
  closed_pull_request: closed,
  pull_request_review_requested: reviewRequested,
  pull_request_ready_for_review: (payload) =>
    pull(payload, payload.is("action", "converted_to_draft") ? "made a draft again of" : "marked as ready for review"),
  locked_or_unlocked_pull_request: locked,
  pull_request_auto_merge: (payload) => pull(payload, automerge[payload.line("action")] ?? ""),
  labeled_or_unlabeled_pull_request: labeled,
  milestoned_or_demilestoned_pull_request: milestoned,
  pull_request_review: reviewed,
  pull_request_review_comment: reviewCommented,
} satisfies Record<string, Teller>;
