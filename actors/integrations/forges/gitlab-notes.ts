/** Comments and reactions at GitLab. */
import { lastOf } from "../../../storage/failures.ts";
import type { Teller } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { commentDeed, deed, onCommit, thingTopic } from "./git.ts";

const who = (payload: Payload): string => payload.person("user.name", "user.username");

/** The name of the picture that a design is. */
const designOf = (payload: Payload): string => lastOf(payload.raw("object_attributes.position.new_path").split("/"));

/** The topic of a comment is that of what it is about. */
export function noteTopic(project: string, payload: Payload, event: string, mergeRequestTitle: string): string {
  if (event.endsWith("MergeRequest"))
    return thingTopic(project, "MR", payload.raw("merge_request.iid"), mergeRequestTitle);
  if (event.endsWith("Issue"))
    return thingTopic(project, "issue", payload.raw("issue.iid"), payload.raw("issue.title"));
  if (event.endsWith("Snippet"))
    return thingTopic(project, "snippet", payload.raw("snippet.id"), payload.raw("snippet.title"));
  return event.endsWith("Design") ? `${project} / design ${designOf(payload)}` : project;
}

/** The topic of a reaction is that of what it is on, be it on a comment there. */
export function reactionTopic(project: string, payload: Payload, mergeRequestTitle: string): string {
  const kinds = { merge_request: "MergeRequest", issue: "Issue", snippet: "Snippet" };
  const [, kind] = Object.entries(kinds).find(([path]) => payload.has(path)) ?? [];
  return kind === undefined ? project : noteTopic(project, payload, kind, mergeRequestTitle);
}

/** What an editor does is `update`; comments from before GitLab 16 tell no action. */
const action = (payload: Payload): string => (payload.is("object_attributes.action", "update") ? "edited" : "created");

const onThing =
  (path: string, kind: string, number = "iid"): Teller =>
  (payload) => {
    const note = payload.at("object_attributes");
    const at = payload.at(path);
    const place = { merge_request: "merge_requests", issue: "issues", snippet: "snippets" }[path];
    return deed({
      who: who(payload),
      did: commentDeed(action(payload), note.text("url")),
      kind,
      number: at.line(number),
      title: at.line("title"),
      url: at.text("url") || `${payload.text("project.web_url")}/-/${place}/${at.line(number)}`,
      text: note.text("note"),
    });
  };

const onIssue = onThing("issue", "issue");

const onDesign: Teller = (payload) => {
  const note = payload.at("object_attributes");
  return deed({
    who: who(payload),
    did: `${commentDeed(action(payload), note.text("url"))} the design ${designOf(payload)} of`,
    kind: "issue",
    number: payload.line("issue.iid"),
    title: payload.line("issue.title"),
    url: payload.text("issue.url"),
    text: note.text("note"),
  });
};

export const noteTells = {
  "Note Hook Commit": (payload) => {
    const note = payload.at("object_attributes");
    const [hash, url] = [payload.line("commit.id"), payload.text("commit.url")];
    return onCommit(who(payload), link("commented", note.text("url")), hash, url, note.text("note"));
  },
  "Note Hook MergeRequest": onThing("merge_request", "MR"),
  "Note Hook Issue": onIssue,
  "Confidential Note Hook Issue": onIssue,
  "Note Hook DesignManagement::Design": onDesign,
  "Confidential Note Hook DesignManagement::Design": onDesign,
  "Note Hook Snippet": onThing("snippet", "snippet", "id"),
} satisfies Record<string, Teller>;
