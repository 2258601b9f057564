/** Pipelines, wikis, releases, deployments and the rest of a project at GitLab. */
import { lastOf } from "../../../storage/failures.ts";
import type { Teller } from "../notice/integration.ts";
import { code, link, listed, quote, shortHash, spoken } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const who = (payload: Payload): string => payload.person("user.name", "user.username");
const home = (payload: Payload): string => payload.text("project.web_url", "repository.homepage");

const states: Readonly<Record<string, string>> = {
  created: "was created",
  pending: "is waiting",
  running: "has begun",
};
const stateOf = (status: string): string =>
  (Object.hasOwn(states, status) ? states[status] : undefined) ?? `is now ${spoken(status)}`;

const wikiPage =
  (did: string): Teller =>
  (payload) => {
    const at = payload.at("object_attributes");
    const message = at.line("message");
    return `${who(payload)} ${did} the wiki page ${link(at.line("title"), at.text("url"))}${message === "" ? "." : `: ${message}`}`;
  };

const job: Teller = (payload) => {
  const id = payload.line("build_id");
  const name = link(payload.line("build_name"), id === "" ? "" : `${home(payload)}/-/jobs/${id}`);
  const stage = payload.line("build_stage");
  const reason = payload.line("build_failure_reason");
  const why =
    !payload.is("build_status", "failed") || reason === "" || reason === "unknown_failure"
      ? ""
      : ` (${spoken(reason)})`;
  return `The job ${name} of the stage ${stage} ${stateOf(payload.line("build_status"))}${why}.`;
};

const pipeline: Teller = (payload) => {
  const at = payload.at("object_attributes");
  const id = at.line("id");
  const jobs = payload.list("builds").map((one) => {
    const url = `${home(payload)}/-/jobs/${one.line("id")}`;
    const artifact = one.line("artifacts_file.filename");
    const made = artifact === "" ? "" : `, which made ${link(artifact, `${url}/artifacts/browse`)}`;
    return `${link(one.line("name"), url)}: ${spoken(one.line("status"))}${made}`;
  });
  const name = link(`Pipeline ${id}`, at.text("url") || `${home(payload)}/-/pipelines/${id}`);
  return `${name} ${stateOf(at.line("status"))}${jobs.length === 0 ? "." : `:\n\n${listed(jobs)}`}`;
};

const release: Teller = (payload) => {
  const action = payload.line("action") || "update";
  const name = link(payload.line("name", "tag"), action === "delete" ? "" : payload.text("url"));
  const text = action === "delete" ? "" : quote(payload.text("description"));
  return `The release ${name} of the tag ${payload.line("tag")} was ${action}d.${text}`;
};

const featureFlag: Teller = (payload) => {
  const at = payload.at("object_attributes");
  const flag = link(at.line("name"), `${home(payload)}/-/feature_flags`);
  return `${who(payload)} ${at.is("active", true) ? "activated" : "deactivated"} the feature flag ${flag}.`;
};

const accessToken: Teller = (payload) => {
  const at = payload.at("object_attributes");
  const group = payload.line("group.group_path");
  const url = group === "" ? home(payload) : `https://gitlab.com/groups/${group}`;
  return `The access token ${link(at.line("name"), `${url}/-/settings/access_tokens`)} ends on ${at.line("expires_at")}.`;
};

const deployment: Teller = (payload) => {
  const [status, url] = [payload.line("status"), payload.text("commit_url")];
  const name = link("deployment", payload.text("deployable_url"));
  if (status !== "running") return `The ${name} ${status === "success" ? "succeeded" : `is now ${spoken(status)}`}.`;
  const commit = link(shortHash(payload.line("short_sha") || lastOf(url.split("/"))), url);
  return `${link(who(payload), payload.text("user_url"))} began a ${name} of ${commit}: ${payload.line("commit_title")}`;
};

const reaction: Teller = (payload) => {
  const at = payload.at("object_attributes");
  const isTaken = at.is("action", "revoke") || payload.is("event_type", "revoke");
  const on = link(spoken(at.line("awardable_type").replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")), at.text("awarded_on_url"));
  return `${who(payload)} ${isTaken ? "took back" : "gave"} ${code(at.line("name"))} ${isTaken ? "from" : "to"} ${on}.`;
};

export const projectTells = {
  "Wiki Page Hook create": wikiPage("created"),
  "Wiki Page Hook update": wikiPage("updated"),
  "Wiki Page Hook delete": wikiPage("deleted"),
  "Job Hook": job,
  "Build Hook": job,
  "Pipeline Hook": pipeline,
  "Release Hook": release,
  "Feature Flag Hook": featureFlag,
  "Resource Access Token Hook": accessToken,
  "Deployment Hook": deployment,
  "Emoji Hook": reaction,
  "Test Hook": (payload) => `The webhook of ${link(payload.line("project.name"), home(payload))} works.`,
} satisfies Record<string, Teller>;
