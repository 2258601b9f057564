/** https://developer.atlassian.com/server/jira/platform/webhooks/ */
import type { Integration } from "./integration.ts";
import { link, type Payload, quote } from "./payload.ts";

/** Where people read the issue: its address in the API tells the host. */
function issueLink(payload: Payload): string {
  const key = payload.text("issue.key");
  const host = /^https?:\/\/[^/\s]+/.exec(payload.text("issue.self"))?.[0] ?? "";
  return link(key, `${host}/browse/${key}`);
}

const changes = (payload: Payload): string =>
  payload
    .list("changelog.items")
    .slice(0, 20)
    .map((one) => `\n* ${one.text("field")}: ${one.text("fromString", "none")} → ${one.text("toString", "none")}`)
    .join("");

export const jira: Integration = {
  name: "jira",
  displayName: "Jira",
  events: [
    "jira:issue_created",
    "jira:issue_updated",
    "jira:issue_deleted",
    "comment_created",
    "comment_updated",
    "comment_deleted",
  ],
  read({ payload }) {
    const event = payload.text("webhookEvent");
    const title = payload.text("issue.fields.summary");
    const by = payload.text("user.displayName", payload.text("comment.author.displayName", "Somebody"));
    const topic = `${payload.text("issue.key")}: ${title}`;
    const [, what, action] = /^(?:jira:)?(issue|comment)_(created|updated|deleted)$/.exec(event) ?? [];
    if (!what || !action) return "unknown";
    const said = payload.text("comment.body");
    if (what === "comment" || (said !== "" && /^issue_comment/.test(payload.text("issue_event_type_name")))) {
      const content = `${by} ${action} a comment on ${issueLink(payload)}:${quote(said)}`;
      return { event, topic, content };
    }
    const assignee = payload.text("issue.fields.assignee.displayName");
    const told =
      action === "created" ? `: ${title}${assignee === "" ? "" : ` (assigned to ${assignee})`}` : changes(payload);
    return { event, topic, content: `${by} ${action} ${issueLink(payload)}${told}` };
  },
};
