/** https://developer.atlassian.com/server/jira/platform/webhooks/ */
import { byEvent, type Notice, type Teller } from "../notice/integration.ts";
import { fields, link, listed, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** An ancient Jira sends comments without their issue, whose number is in an address then. */
const key = (payload: Payload): string =>
  payload.line("issue.key") || (payload.text("comment.self").split("/").at(-3) ?? "");

/** Where people read the issue: its address in the API tells the host, and the path that Jira is under. */
function issueLink(payload: Payload): string {
  const base = /^(https?:\/\/\S+?)\/rest\/api\//.exec(payload.text("issue.self"))?.[1];
  return link(key(payload), base === undefined ? "" : `${base}/browse/${key(payload)}`);
}

const title = (payload: Payload): string => payload.line("issue.fields.summary");
const about = (payload: Payload): string => {
  const said = title(payload);
  return said === "" ? issueLink(payload) : `${issueLink(payload)}: ${said}`;
};
const who = (payload: Payload): string =>
  payload.person("user.displayName", "user.name", "comment.updateAuthor.displayName", "comment.author.displayName");

/** Jira's markup in ours. https://jira.atlassian.com/secure/WikiRendererHelpAction.jspa?section=all */
export function converted(text: string): string {
  return text
    .replace(/\{(?:noformat|code(?::[^}\n]*)?)\}\r?\n?([\s\S]*?)\r?\n?\{(?:noformat|code)\}/g, "\n```\n$1\n```\n")
    .replace(/\{quote\}\r?\n?([\s\S]*?)\r?\n?\{quote\}/g, "\n``` quote\n$1\n```\n")
    .replace(/^bq\. /gm, "> ")
    .replace(/\{\{([^{}\n]+)\}\}/g, "`$1`")
    .replace(/\[~([^[\]\n]+)\]/g, "**$1**")
    .replace(/\[([^[|\]\n]+)\|(https?:[^\]|\s]+)(?:\|[^\]\n]*)?\]/g, (_, label: string, url: string) =>
      link(label, url),
    )
    .replace(/\[(https?:[^[\]|\s]+)\]/g, "$1")
    .replace(/(^|[\s(])\*([^*\s][^*\n]*)\*(?=[\s).,;:!?]|$)/gm, "$1**$2**")
    .replace(/(^|[\s(])_([^_\s][^_\n]*)_(?=[\s).,;:!?]|$)/gm, "$1*$2*")
    .replaceAll("\\!", "!")
    .trim();
}

const commentTexts: Readonly<Record<string, string>> = {
  comment_created: "commented on",
  comment_updated: "edited a comment on",
  comment_deleted: "deleted a comment of",
  issue_commented: "commented on",
  issue_comment_edited: "edited a comment on",
  issue_comment_deleted: "deleted a comment of",
};

const commented = (payload: Payload, kind: string): string => {
  const text = converted(payload.text("comment.body"));
  const by =
    kind === "comment_created" ? payload.person("comment.author.displayName", "user.displayName") : who(payload);
  return `${by} ${commentTexts[kind]} ${about(payload)}${quote(text)}`;
};

/** What an update is about: a comment, a change of status, or changes of fields. */
function kindOf(payload: Payload): string {
  const kind = payload.line("issue_event_type_name");
  if (Object.hasOwn(commentTexts, kind)) return kind;
  return kind === "" && payload.has("comment.body") ? "issue_commented" : kind;
}

/** `toString` is a field of Jira's. */
const changes = (payload: Payload): string[] => {
  const items = payload.list("changelog.items").map((one) => {
    const before = one.line("fromString", "from");
    return `${one.line("field")}: ${before === "" ? "" : `${before} → `}**${one.line("toString", "to") || "none"}**`;
  });
  const [from, to] = [payload.line("transition.from_status"), payload.line("transition.to_status")];
  return items.length === 0 && to !== "" ? [`status: ${from} → **${to}**`] : items;
};

const updated: Teller = (payload) => {
  const kind = kindOf(payload);
  if (Object.hasOwn(commentTexts, kind)) return commented(payload, kind);
  const assignee = payload.line("issue.fields.assignee.displayName");
  const assigned = assignee === "" ? "" : ` (assigned to ${assignee})`;
  const items = changes(payload);
  const text = payload.text("comment.body");
  return `${who(payload)} updated ${about(payload)}${assigned}${items.length === 0 ? "" : `\n\n${listed(items)}`}${quote(converted(text))}`;
};

const created: Teller = (payload) =>
  `${who(payload)} created ${about(payload)}\n\n${fields([
    ["Type", payload.line("issue.fields.issuetype.name")],
    ["Priority", payload.line("issue.fields.priority.name")],
    ["Assignee", payload.line("issue.fields.assignee.displayName") || "no one"],
  ])}`;

function eventOf({ payload }: Notice): string {
  const event = payload.line("webhookEvent");
  return event === "" && payload.has("transition") ? "jira:issue_updated" : event;
}

export const jira = byEvent({
  name: "jira",
  displayName: "Jira",
  escapesTwice: true,
  event: eventOf,
  topic: (payload) => [key(payload), payload.raw("issue.fields.summary")].filter(Boolean).join(": "),
  ignores: [
    "issuelink_created",
    "issuelink_deleted",
    "jira:version_released",
    "jira:worklog_updated",
    "sprint_closed",
    "sprint_started",
    "worklog_created",
    "worklog_updated",
  ],
  tells: {
    "jira:issue_created": created,
    "jira:issue_updated": updated,
    "jira:issue_deleted": (payload) => `${who(payload)} deleted ${about(payload)}`,
    comment_created: (payload) => commented(payload, "comment_created"),
    comment_updated: (payload) => commented(payload, "comment_updated"),
    comment_deleted: (payload) => commented(payload, "comment_deleted"),
    attachment_created: (payload) => {
      const at = payload.at("attachment");
      const file = link(at.line("filename"), at.text("content"));
      return `${at.person("author.displayName", "author.name")} attached ${file} to ${about(payload)}`;
    },
  },
});
