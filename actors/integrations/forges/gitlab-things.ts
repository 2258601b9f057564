/** Issues and merge requests at GitLab. */
import type { Teller } from "../notice/integration.ts";
import { spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { deed } from "./git.ts";

/** "issue", or the kind of work item: "task", "epic". */
export const thingKind = (payload: Payload): string => {
  const isWorkItem = payload.is("object_kind", "work_item");
  return (isWorkItem && spoken(payload.line("object_attributes.type"))) || "issue";
};

/** A text without the comments that nobody is shown. */
const shown = (text: string): string => text.replaceAll(/<!--[\s\S]*?-->/g, "").trim();

const assignees = (payload: Payload): string[] => {
  const several = payload.lines("assignees", "name");
  const one = payload.line("assignee.name");
  return several.length > 0 || one === "" ? several : [one];
};

/** Labels that came and went. */
function labels(payload: Payload): string {
  const labelsOf = (when: string) => new Set(payload.lines(`changes.labels.${when}`, "title"));
  const [before, now] = [labelsOf("previous"), labelsOf("current")];
  const without = (some: Set<string>, others: Set<string>) => [...some].filter((name) => !others.has(name)).join(", ");
  const [added, removed] = [without(now, before), without(before, now)];
  return [added && `labels added: ${added}`, removed && `labels removed: ${removed}`].filter(Boolean).join("; ");
}

/** What an update changed, as far as it is told in a few words. */
function changes(payload: Payload): string {
  const before = payload.line("changes.title.previous");
  const parts = [
    labels(payload),
    before && `before: ${before}`,
    payload.has("changes.assignees") ? assigned(payload) : "",
  ];
  const said = parts.filter(Boolean).join("; ");
  return said === "" ? "" : `(${said})`;
}

const assigned = (payload: Payload): string => `now assigned to ${assignees(payload).join(", ") || "nobody"}`;

interface Thing {
  did: string;
  kind: string;
  /** Whether its text, its assignees, and its branches are told. */
  isWhole?: boolean;
  hasBranches?: boolean;
}

function thing(payload: Payload, { did, kind, isWhole = false, hasBranches = false }: Thing): string {
  const at = payload.at("object_attributes");
  const hasText = isWhole || payload.has("changes.description");
  return deed({
    who: payload.person("user.name", "user.username", "user_name"),
    did,
    kind,
    number: at.line("iid"),
    title: at.line("title"),
    url: at.text("url"),
    from: hasBranches ? at.line("source_branch") : "",
    to: hasBranches ? at.line("target_branch") : "",
    assignees: isWhole ? assignees(payload) : [],
    detail: changes(payload),
    text: hasText ? shown(at.text("description")) : "",
  });
}

const issue =
  (did: string, isWhole = false): Teller =>
  (payload) =>
    thing(payload, { did, kind: thingKind(payload), isWhole });

const mergeRequest =
  (did: string, more: Partial<Thing> = {}): Teller =>
  (payload) =>
    thing(payload, { did, kind: "MR", ...more });

export const thingTells = {
  "Issue Hook open": issue("created", true),
  "Issue Hook close": issue("closed"),
  "Issue Hook reopen": issue("reopened"),
  "Issue Hook update": issue("updated"),
  "Confidential Issue Hook open": issue("created", true),
  "Confidential Issue Hook close": issue("closed"),
  "Confidential Issue Hook reopen": issue("reopened"),
  "Confidential Issue Hook update": issue("updated"),
  "Merge Request Hook open": mergeRequest("created", { isWhole: true, hasBranches: true }),
  "Merge Request Hook update": (payload) =>
    thing(payload, { did: payload.has("object_attributes.oldrev") ? "added commits to" : "updated", kind: "MR" }),
  "Merge Request Hook merge": mergeRequest("merged", { hasBranches: true }),
  "Merge Request Hook close": mergeRequest("closed"),
  "Merge Request Hook reopen": mergeRequest("reopened"),
  "Merge Request Hook approved": mergeRequest("approved"),
  "Merge Request Hook unapproved": mergeRequest("withdrew the approval of"),
  "Merge Request Hook approval": mergeRequest("added an approval to"),
  "Merge Request Hook unapproval": mergeRequest("withdrew an approval of"),
} satisfies Record<string, Teller>;
