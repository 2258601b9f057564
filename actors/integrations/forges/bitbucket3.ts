/** Bitbucket Server and Data Center. https://confluence.atlassian.com/bitbucketserver/event-payload-938025882.html */
import { byEvent, headerEvent, type Integration, type Notice, type Teller } from "../notice/integration.ts";
import { code, link, plain, shortHash, together } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { branchesOption, branchTopic, deed, isBranchTold, onCommit, onTag, thingTopic } from "./git.ts";

const header = headerEvent("X-Event-Key");
const self = "links.self.0.href";
const person = (at: Payload): string => link(at.person("displayName", "name"), at.text(self));
const who = (payload: Payload): string => person(payload.at("actor"));
const struck = (text: string): string => (text === "" ? "" : `~~${text.replaceAll("~", "")}~~`);

function topicOf(payload: Payload, event: string): string {
  if (event === "diagnostics:ping") return "Bitbucket Server Ping";
  if (event.startsWith("pr:")) {
    const at = payload.at("pullRequest");
    return thingTopic(at.raw("toRef.repository.name"), "PR", at.raw("id"), at.raw("title"));
  }
  if (event === "repo:forked") return payload.raw("repository.origin.name", "repository.name");
  return payload.raw("repository.name", "new.name") || "Bitbucket Server";
}

/** A branch or tag that came, moved or went. */
function refChanged(payload: Payload, change: Payload): { topic: string; content: string } {
  const [ref, repository] = [change.raw("ref.displayId"), payload.raw("repository.name")];
  const type = change.line("type");
  if (change.is("ref.type", "TAG"))
    return { topic: repository, content: onTag(who(payload), type === "DELETE" ? "removed" : "pushed", ref) };
  const topic = branchTopic(repository, ref);
  if (type === "ADD") return { topic, content: `${who(payload)} created the branch ${plain(ref)}.` };
  if (type === "DELETE") return { topic, content: `${who(payload)} deleted the branch ${plain(ref)}.` };
  const head = code(shortHash(change.line("toHash")));
  return { topic, content: `${who(payload)} pushed to the branch ${plain(ref)}. Its head is now ${head}.` };
}

const refsChanged: Teller = (payload, { options }) =>
  payload
    .list("changes")
    .filter((change) => change.is("ref.type", "TAG") || isBranchTold(change.raw("ref.displayId"), options))
    .map((change) => refChanged(payload, change));

const repositoryCommented =
  (did: string, isStruck = false): Teller =>
  (payload) => {
    const hash = payload.line("commit");
    const url = `${payload.text(`repository.${self}`).replace(/browse$/, "")}commits/${hash}`;
    const text = payload.text("comment.text");
    return onCommit(who(payload), did, hash, url, isStruck ? struck(text) : text);
  };

const pull = (
  payload: Payload,
  did: string,
  part: { isWhole?: boolean; text?: string; detail?: string } = {},
): string => {
  const at = payload.at("pullRequest");
  return deed({
    who: who(payload),
    did,
    kind: "PR",
    number: at.line("id"),
    title: at.line("title"),
    url: at.text(self),
    from: part.isWhole ? at.line("fromRef.displayId") : "",
    to: part.isWhole ? at.line("toRef.displayId") : "",
    assignees: part.isWhole ? at.list("reviewers").map((one) => person(one.at("user"))) : [],
    detail: part.detail ?? "",
    text: part.text ?? (part.isWhole ? at.text("description") : ""),
  });
};

const simply =
  (did: string): Teller =>
  (payload) =>
    pull(payload, did);

const reviewersChanged: Teller = (payload) => {
  const reviewers = payload.list("pullRequest.reviewers").map((one) => person(one.at("user")));
  if (reviewers.length === 0) return pull(payload, "removed all reviewers of");
  return pull(payload, "changed the reviewers of", { detail: `to ${together(reviewers)}` });
};

const commented =
  (did: string, isStruck = false): Teller =>
  (payload) => {
    const text = payload.text("comment.text");
    return pull(payload, did, { text: isStruck ? struck(text) : text });
  };

export const bitbucket3: Integration = byEvent({
  name: "bitbucket3",
  displayName: "Bitbucket Server",
  eventHeaders: ["x-event-key"],
  urlOptions: [branchesOption],
  escapesTwice: true,
  event: (notice: Notice) => notice.payload.line("eventKey") || header(notice),
  topic: topicOf,
  tells: {
    "diagnostics:ping": () => "The webhook works.",
    "repo:comment:added": repositoryCommented("commented"),
    "repo:comment:edited": repositoryCommented("edited a comment"),
    "repo:comment:deleted": repositoryCommented("deleted a comment", true),
    "repo:forked": (payload) =>
      `${who(payload)} forked ${payload.line("repository.origin.name")} into ${link(payload.line("repository.name"), payload.text(`repository.${self}`))}.`,
    "repo:modified": (payload) =>
      `${who(payload)} renamed the repository ${payload.line("old.name")} to **${payload.line("new.name")}**.`,
    "repo:refs_changed": refsChanged,
    "pr:comment:added": commented("commented on"),
    "pr:comment:edited": commented("edited a comment on"),
    "pr:comment:deleted": commented("deleted a comment on", true),
    "pr:opened": (payload) => pull(payload, "opened", { isWhole: true }),
    "pr:modified": (payload) => pull(payload, "modified", { isWhole: true }),
    "pr:from_ref_updated": simply("pushed to"),
    "pr:merged": simply("merged"),
    "pr:declined": simply("declined"),
    "pr:deleted": simply("deleted"),
    "pr:reviewer:approved": simply("approved"),
    "pr:reviewer:unapproved": simply("withdrew the approval of"),
    "pr:reviewer:changes_requested": simply("asked for changes in"),
    "pr:reviewer:needs_work": simply("asked for more work on"),
    "pr:reviewer:updated": reviewersChanged,
  },
});
