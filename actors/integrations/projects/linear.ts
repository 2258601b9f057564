/** https://linear.app/developers/webhooks */
import { byEvent, type Notice, type Teller } from "../notice/integration.ts";
import { link, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const left = "left out";
const verbs: Readonly<Record<string, string>> = { create: "created", update: "updated", remove: "removed" };
const did = (payload: Payload): string => verbs[payload.line("action")] ?? "changed";
const named = (parts: readonly (readonly [string, string])[]): string =>
  parts
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}: ${value}`)
    .join(", ");

/** What an update of a project changed; each value stands under its name, and the one before under `updatedFrom`. */
const projectChanges = (payload: Payload): string =>
  named(
    (
      [
        ["name", "Name", "name"],
        ["statusId", "Status", "status.name"],
        ["leadId", "Lead", "lead.name"],
        ["priority", "Priority", "priorityLabel"],
        ["startDate", "Start", "startDate"],
        ["targetDate", "Target", "targetDate"],
      ] as const
    ).map(([changed, name, path]) => [
      name,
      payload.has("updatedFrom") && payload.at("updatedFrom").knows(changed) ? payload.at("data").line(path) : "",
    ]),
  );

function eventOf({ payload }: Notice): string {
  switch (payload.need("type")) {
    case "Issue":
      return payload.has("data.parentId") ? "sub_issue" : "issue";
    case "Comment":
      return "comment";
    case "Project":
      // One comes beside each status update. An update that changed nothing that is told is no news.
      return payload.is("action", "update") &&
        (payload.at("updatedFrom").knows("lastUpdateId") ||
          (projectChanges(payload) === "" && !payload.at("updatedFrom").knows("content")))
        ? left
        : "project";
    case "ProjectUpdate":
      return "project_update";
    default:
      return payload.line("type");
  }
}

const issue =
  (kind: string): Teller =>
  (payload) => {
    const at = payload.at("data");
    const number = at.line("identifier") || `#${at.line("number")}`;
    const name = link(`${kind} ${number} ${at.line("title")}`, payload.text("url"));
    const by = payload.line("actor.name");
    const head = `${name} was ${did(payload)} in the team ${at.line("team.name")}${by === "" ? "" : ` by ${by}`}`;
    if (payload.is("action", "remove")) return `${head}.`;
    const priority = at.line("priorityLabel");
    const state = named([
      ["Priority", priority === "No priority" ? "" : priority],
      ["Assignee", at.line("assignee.name")],
      ["Status", at.line("state.name")],
      ["Labels", at.lines("labels", "name").join(", ")],
    ]);
    const text = quote(at.text("description"));
    return `${head}.${text}${state === "" ? "" : `${text === "" ? " " : "\n"}${state}.`}`;
  };

const commented: Teller = (payload) => {
  const at = payload.at("data");
  const [who, title] = [at.person("user.name"), at.line("issue.title")];
  if (payload.is("action", "remove")) return `${who} removed a comment${title === "" ? "" : ` on **${title}**`}.`;
  const action = payload.is("action", "create") ? "commented" : "edited a comment";
  return `${who} ${link(action, payload.text("url"))} on **${title}**:${quote(at.text("body"))}`;
};

const project: Teller = (payload) => {
  const at = payload.at("data");
  const head = `${payload.person("actor.name")} ${did(payload)} the project ${link(at.line("name"), payload.text("url"))}`;
  if (payload.is("action", "remove")) return `${head}.`;
  if (payload.is("action", "update")) return `${head}. ${projectChanges(payload) || "Its description changed"}.`;
  const state = named([
    ["Status", at.line("status.name")],
    ["Lead", at.line("lead.name")],
    ["Start", at.line("startDate")],
    ["Target", at.line("targetDate")],
    ["Milestones", at.lines("milestones", "name").join(", ")],
  ]);
  return `${head}.${quote(at.text("description"))}${state === "" ? "" : `\n${state}.`}`;
};

const healths: Readonly<Record<string, string>> = { onTrack: "on track", atRisk: "at risk", offTrack: "off track" };

const projectUpdated: Teller = (payload) => {
  const at = payload.at("data");
  const health = at.line("health");
  const action = payload.is("action", "create") ? "posted" : payload.is("action", "remove") ? "removed" : "edited";
  const head = `${at.person("user.name")} ${link(action, payload.text("url"))} an update of **${at.line("project.name")}**`;
  if (action === "removed") return `${head}.`;
  return `${head}${health === "" ? "" : ` (${healths[health] ?? health})`}:${quote(at.text("body"))}`;
};

export const linear = byEvent({
  name: "linear",
  displayName: "Linear",
  event: eventOf,
  topic: (payload, event) => {
    const at = payload.at("data");
    if (event === "comment") return `Issue: ${at.raw("issue.title")}`;
    if (event === "project") return `Project: ${at.raw("name")}`;
    if (event === "project_update") return `Project: ${at.raw("project.name")}`;
    return `${event === "issue" ? "Issue" : "Sub-Issue"}: ${at.raw("title")}`;
  },
  ignores: [left, "IssueLabel", "Cycle", "Reaction"],
  tells: {
    issue: issue("Issue"),
    sub_issue: issue("Sub-issue"),
    comment: commented,
    project,
    project_update: projectUpdated,
  },
});
