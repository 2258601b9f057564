/** https://docs.sentry.io/organization/integrations/integration-platform/webhooks/ */
import { type Integration, type Said, unsupported } from "../notice/integration.ts";
import { block, fields, link, moment, quote } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const displayName = "Sentry";

/** What Sentry calls a platform, as highlighters call the language. */
const languages: Readonly<Record<string, string>> = {
  go: "go",
  java: "java",
  javascript: "javascript",
  node: "javascript",
  python: "python",
  ruby: "ruby",
  php: "php",
};

/** The lines around the one that failed, in the innermost frame of the person's own code. */
function trace(event: Payload): string {
  const file = event.line("metadata.filename");
  const frames = event.list("exception.values").flatMap((value) => value.list("stacktrace.frames"));
  const frame = frames.findLast((one) => one.line("filename") === file && one.has("context_line"));
  if (!frame) return "";
  const around = (path: string) => frame.list(path).map((line) => `     ${line.own(true)}`);
  const lines = [...around("pre_context"), `---> ${frame.at("context_line").own(true)}`, ...around("post_context")];
  return `\n${block(lines.join("\n"), languages[event.line("platform")] ?? "")}`;
}

function readEvent(event: Payload, name: string): Said {
  const title = event.need("title");
  const level = event.line("level");
  const isException = event.has("exception");
  const told = fields([
    ["Level", level],
    ["Time", moment(event.line("datetime", "timestamp", "received"))],
    ["File", event.line("metadata.filename")],
    ["Culprit", event.line("culprit")],
  ]);
  const head = `**${isException ? "New exception" : "New event"}**: ${link(title, event.text("web_url"))}`;
  return { event: name, topic: title, content: `${head}\n\n${told}${trace(event)}` };
}

const deeds: Readonly<Record<string, string>> = {
  resolved: "resolved",
  ignored: "ignored",
  archived: "archived",
  unresolved: "marked as unresolved",
};

function readIssue(payload: Payload): Said {
  const issue = payload.at("data.issue");
  const [action, title] = [payload.line("action"), issue.need("title")];
  const by = payload.line("actor.name");
  const person = issue.line("assignedTo.name", "assignedTo.email");
  const assignee = issue.is("assignedTo.type", "team") ? `team ${person}` : person || "no one";
  const name = link(title, issue.text("web_url", "permalink"));
  const who = by === "" ? "" : ` by ${by}`;
  const say = (content: string): Said => ({ event: "issue", topic: title, content });
  if (action === "created") {
    const told = fields([
      ["Level", issue.line("level")],
      ["Time", moment(issue.line("lastSeen", "firstSeen"))],
      ["Project", issue.line("project.name")],
      ["Culprit", issue.line("culprit")],
      ["Assignee", assignee],
    ]);
    return say(`**New issue**: ${name}\n\n${told}`);
  }
  if (action === "assigned") return say(`${name} was assigned to **${assignee}**${who}.`);
  if (!Object.hasOwn(deeds, action)) throw unsupported(displayName, `issue.${action}`);
  return say(`${name} was ${deeds[action]}${who}.`);
}

/** What came by the older plugin: one with the event in it, or a few fields. */
function readOld(payload: Payload): Said {
  const [level, url] = [payload.line("level", "event.level") || "error", payload.text("url")];
  if (payload.has("event.event_id") && payload.has("event.title")) return readEvent(payload.at("event"), "event_alert");
  const topic = payload.need("project_name");
  return {
    event: "event_alert",
    topic,
    content: `New ${link("issue", url)} (${level}):${quote(payload.text("message", "culprit"))}`,
  };
}

export const sentry: Integration = {
  name: "sentry",
  displayName,
  eventHeaders: ["sentry-hook-resource"],
  events: ["issue", "event_alert", "error"],
  read({ payload, event }) {
    if (payload.has("data.issue")) return readIssue(payload);
    if (payload.has("data.event")) return readEvent(payload.at("data.event"), "event_alert");
    if (payload.has("data.error")) return readEvent(payload.at("data.error"), "error");
    if (event === "installation") return "ignored";
    if (payload.has("data")) throw unsupported(displayName, event || "unknown");
    return readOld(payload);
  },
};
