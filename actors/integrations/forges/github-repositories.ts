/** What happens to repositories, commits, teams and sponsors at GitHub. */
import { upTo } from "../../../storage/failures.ts";
import type { Teller } from "../notice/integration.ts";
import { code, cut, link, listed, quote, shortHash, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";
import { commitsOf, isNoHash, onCommit, onTag, push, shortRef } from "./git.ts";
import { actionOf, repository, who } from "./github-words.ts";

const pushed: Teller = (payload) =>
  push({
    who: payload.person("sender.login", "pusher.name"),
    branch: shortRef(payload.raw("ref")),
    url: payload.text("compare"),
    commits: commitsOf(payload),
    isForced: payload.is("forced", true),
    isDeleted: payload.is("deleted", true) || isNoHash(payload.line("after")),
  });

const createdOrDeleted =
  (did: string): Teller =>
  (payload) =>
    `${who(payload)} ${did} the ${payload.line("ref_type") || "branch"} ${payload.line("ref")}.`;

const commitCommented: Teller = (payload) => {
  const url = payload.text("comment.html_url");
  const did = payload.line("action") === "edited" ? `edited a ${link("comment", url)}` : link("commented", url);
  const hash = payload.line("comment.commit_id");
  return onCommit(who(payload), did, hash, upTo(url, "#"), payload.text("comment.body"));
};

const checked: Teller = (payload) => {
  const run = payload.at("check_run");
  const [name, hash] = [link(run.line("name"), run.text("html_url")), run.line("head_sha")];
  const commit = link(shortHash(hash), `${payload.text("repository.html_url")}/commit/${hash}`);
  return `The check ${name} of ${commit} completed: ${spoken(run.line("conclusion")) || "no conclusion"}.`;
};

const statusChanged: Teller = (payload) => {
  const commit = link(shortHash(payload.line("sha")), payload.text("commit.html_url"));
  const state = link(payload.line("state"), payload.text("target_url"));
  const [context, description] = [payload.line("context"), payload.line("description")];
  const of = context === "" ? "" : ` (${context})`;
  return `The status of ${commit} is now ${state}${of}${description === "" ? "." : `: ${description}`}`;
};

const deployed: Teller = (payload) => {
  const description = payload.line("deployment.description");
  return `${who(payload)} began a deployment of ${code(payload.line("deployment.ref"))}${description === "" ? "." : `: ${description}`}`;
};

const deploymentChanged: Teller = (payload) => {
  const at = payload.at("deployment_status");
  const state = link(at.line("state"), at.text("environment_url", "target_url", "log_url"));
  const description = at.line("description");
  return `The deployment is now ${state}${description === "" ? "." : `: ${description}`}`;
};

const wikiChanged: Teller = (payload) => {
  const pages = payload.list("pages").map((page) => {
    const summary = page.line("summary");
    return `${page.line("action")} ${link(page.line("title"), page.text("html_url"))}${summary === "" ? "" : `: ${summary}`}`;
  });
  return `${who(payload)} changed the wiki:\n\n${listed(pages)}`;
};

const released: Teller = (payload) => {
  const at = payload.at("release");
  const name = link(at.line("name", "tag_name"), at.text("html_url"));
  const text = payload.is("action", "published") ? quote(at.text("body")) : "";
  return `${who(payload)} ${actionOf(payload)} the release ${name} of the tag ${at.line("tag_name")}.${text}`;
};

const pageStates: Record<string, string> = {
  null: "has yet to begin",
  building: "has begun",
  built: "succeeded",
  errored: "failed",
};

const pagesBuilt: Teller = (payload) => {
  const status = payload.line("build.status") || "null";
  const state = Object.hasOwn(pageStates, status) ? pageStates[status] : `is ${status}`;
  const pusher = payload.line("build.pusher.login");
  return `The build of the site that ${pusher} pushed ${state}.${quote(payload.text("build.error.message"))}`;
};

const memberChanged: Teller = (payload) => {
  const member = link(payload.line("member.login"), payload.text("member.html_url"));
  const place = payload.is("action", "removed") ? "from" : "to";
  return `${who(payload)} ${actionOf(payload)} ${member} ${place} ${repository(payload)}.`;
};

const membershipChanged: Teller = (payload) => {
  const member = link(payload.line("member.login"), payload.text("member.html_url"));
  const place = payload.is("action", "removed") ? "from" : "to";
  return `${who(payload)} ${actionOf(payload)} ${member} ${place} the team ${payload.line("team.name")}.`;
};

const teamChanged: Teller = (payload) => {
  const [team, action] = [payload.line("team.name"), payload.line("action")];
  if (action === "added_to_repository" || action === "removed_from_repository")
    return `${who(payload)} ${action.startsWith("added") ? "added" : "removed"} ${repository(payload)} ${action.startsWith("added") ? "to" : "from"} the team ${team}.`;
  if (action !== "edited") return `${who(payload)} ${actionOf(payload)} the team ${team}.`;
  const changes = [
    payload.has("changes.name") ? `its name, from ${payload.line("changes.name.from")} to ${team}` : "",
    payload.has("changes.privacy") ? `who can see it, to ${payload.line("team.privacy")}` : "",
    payload.has("changes.description") ? "its description" : "",
    payload.has("changes.repository") ? "its permissions" : "",
  ].filter(Boolean);
  const text = payload.has("changes.description") ? quote(payload.text("team.description")) : "";
  return `${who(payload)} changed the team ${team}: ${changes.join("; ") || "something"}.${text}`;
};

const ran: Teller = (payload) => {
  const run = payload.at("workflow_run");
  const name = link(run.line("name") || "Workflow", run.text("html_url"));
  return `${name} on ${run.line("head_branch")}: ${spoken(run.line("conclusion")) || "completed"}.`;
};

export const repositoryTells = {
  push_commits: pushed,
  push_tags: (payload) =>
    onTag(
      payload.person("sender.login", "pusher.name"),
      payload.is("deleted", true) ? "removed" : "pushed",
      shortRef(payload.raw("ref")),
    ),
  create: createdOrDeleted("created"),
  delete: createdOrDeleted("deleted"),
  commit_comment: commitCommented,
  check_run: checked,
  status: statusChanged,
  workflow_run: ran,
  deployment: deployed,
  deployment_status: deploymentChanged,
  fork: (payload) =>
    `${who(payload)} forked ${repository(payload)} into ${link(payload.line("forkee.full_name", "forkee.name"), payload.text("forkee.html_url"))}.`,
  gollum: wikiChanged,
  member: memberChanged,
  membership: membershipChanged,
  page_build: pagesBuilt,
  ping: (payload) =>
    `The webhook of ${repository(payload) || payload.line("organization.login") || "GitHub"} works; ${who(payload)} set it up.`,
  public: (payload) => `${who(payload)} made ${repository(payload)} public.`,
  release: released,
  repository: (payload) => `${who(payload)} ${actionOf(payload)} the repository ${repository(payload)}.`,
  star: (payload) =>
    `${link(who(payload), payload.text("sender.html_url"))} ${payload.is("action", "deleted") ? "unstarred" : "starred"} ${repository(payload)}.`,
  watch: (payload) => `${who(payload)} starred ${repository(payload)}.`,
  team: teamChanged,
  team_add: (payload) => `The team ${payload.line("team.name")} was added to ${repository(payload)}.`,
} satisfies Record<string, Teller>;

const tier = (payload: Payload): string => payload.line("sponsorship.tier.name");
const onDate = (payload: Payload): string => cut(payload.line("effective_date"), 10);
const tierBefore = (payload: Payload): string => payload.line("changes.tier.from.name");

/** https://docs.github.com/en/webhooks/webhook-events-and-payloads#sponsorship */
export const sponsorTells = {
  cancelled: (payload) => `${who(payload)} ended a sponsorship (${tier(payload)}).`,
  created: (payload) => `${who(payload)} began a sponsorship: ${tier(payload)}.`,
  edited: (payload) =>
    `${who(payload)} changed who sees their sponsorship, from ${payload.line("changes.privacy_level.from")} to ${payload.line("sponsorship.privacy_level")}.`,
  pending_cancellation: (payload) =>
    `The sponsorship of ${who(payload)} (${tier(payload)}) ends on ${onDate(payload)}.`,
  pending_tier_change: (payload) =>
    `The sponsorship of ${who(payload)} changes from ${tierBefore(payload)} to ${tier(payload)} on ${onDate(payload)}.`,
  tier_changed: (payload) => `${who(payload)} changed a sponsorship from ${tierBefore(payload)} to ${tier(payload)}.`,
} satisfies Record<string, Teller>;
