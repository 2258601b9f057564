/**
 * What the forges that speak like GitHub have in common.
 * https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
import type { Notice, Said, Unsaid } from "./integration.ts";
import { firstLine, link, listed, type Payload, quote } from "./payload.ts";

export const forgeEvents = [
  "push",
  "create",
  "delete",
  "fork",
  "issues",
  "issue_comment",
  "pull_request",
  "pull_request_review",
  "release",
] as const;

const who = (payload: Payload): string => payload.text("sender.login", payload.text("sender.username", "Somebody"));
const repositoryOf = (payload: Payload): string =>
  payload.text("repository.name", payload.text("repository.full_name", "repository"));
const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "");
const plainAction = (payload: Payload): string => payload.text("action", "changed").replaceAll("_", " ");

function push(payload: Payload): Said | Unsaid {
  const ref = payload.text("ref");
  const branch = shortRef(ref);
  const pusher = payload.text("pusher.name", payload.text("pusher.login", who(payload)));
  const topic = `${repositoryOf(payload)} / ${branch}`;
  const kind = ref.startsWith("refs/tags/") ? "tag" : "branch";
  if (payload.is("deleted", true) || /^0+$/.test(payload.text("after")))
    return { event: "push", topic, content: `${pusher} deleted the ${kind} ${branch}.` };
  const commits = payload
    .list("commits")
    .map((one) => `${firstLine(one.text("message"))} (${link(one.text("id").slice(0, 11), one.text("url"))})`);
  if (commits.length === 0) return { event: "push", topic, content: `${pusher} pushed the ${kind} ${branch}.` };
  const compare = payload.text("compare", payload.text("compare_url"));
  const forced = payload.is("forced", true) ? "force-" : "";
  const head = `${pusher} ${link(`${forced}pushed`, compare)} ${commits.length} commit${commits.length === 1 ? "" : "s"} to ${branch}.`;
  return { event: "push", topic, content: `${head}\n\n${listed(commits)}` };
}

/** An issue or pull request: who did what, and its text when it is new. */
function thing(payload: Payload, event: string, place: "issue" | "pull_request", name: string): Said {
  const [title, number] = [payload.text(`${place}.title`), payload.text(`${place}.number`)];
  const isMerged =
    place === "pull_request" && payload.is("action", "closed") && payload.is("pull_request.merged", true);
  const action = isMerged ? "merged" : plainAction(payload);
  const body = action === "opened" ? quote(payload.text(`${place}.body`)) : "";
  const content = `${who(payload)} ${action} ${link(`${name} #${number}`, payload.text(`${place}.html_url`))}: ${title}${body}`;
  return { event, topic: `${repositoryOf(payload)} / ${name} #${number} ${title}`, content };
}

function comment(payload: Payload): Said {
  const [title, number] = [payload.text("issue.title"), payload.text("issue.number")];
  const name = payload.has("issue.pull_request") ? "PR" : "issue";
  const did = payload.is("action", "created") ? "commented" : `${plainAction(payload)} a comment`;
  const content = `${who(payload)} ${link(did, payload.text("comment.html_url"))} on ${name} #${number}:${quote(payload.text("comment.body"))}`;
  return { event: "issue_comment", topic: `${repositoryOf(payload)} / ${name} #${number} ${title}`, content };
}

function review(payload: Payload): Said {
  const [title, number] = [payload.text("pull_request.title"), payload.text("pull_request.number")];
  const state = payload
    .text("review.state", payload.text("review.type", "reviewed"))
    .toLowerCase()
    .replaceAll("_", " ");
  const content = `${who(payload)} submitted a ${link("review", payload.text("review.html_url"))} of PR #${number}: ${state}.${quote(payload.text("review.body", payload.text("review.content")))}`;
  return { event: "pull_request_review", topic: `${repositoryOf(payload)} / PR #${number} ${title}`, content };
}

/** What came from a forge. */
export function readForge({ payload, event }: Notice): Said | Unsaid {
  const topic = repositoryOf(payload);
  const [ref, kind] = [payload.text("ref"), payload.text("ref_type", "branch")];
  switch (event) {
    case "ping":
      return { topic, content: `The webhook of ${repositoryOf(payload)} works.` };
    case "push":
      return push(payload);
    case "create":
    case "delete":
      return { event, topic: `${topic} / ${ref}`, content: `${who(payload)} ${event}d the ${kind} ${ref}.` };
    case "fork":
      return { event, topic, content: `${who(payload)} forked ${link(topic, payload.text("forkee.html_url"))}.` };
    case "issues":
      return thing(payload, event, "issue", "issue");
    case "pull_request":
      return thing(payload, event, "pull_request", "PR");
    case "issue_comment":
      return comment(payload);
    case "pull_request_review":
    case "pull_request_approved":
    case "pull_request_rejected":
    case "pull_request_comment":
      return review(payload);
    case "release": {
      const name = payload.text("release.name", payload.text("release.tag_name"));
      const content = `${who(payload)} ${plainAction(payload)} the release ${link(name, payload.text("release.html_url"))}.`;
      return { event, topic, content };
    }
    default:
      return "unknown";
  }
}
