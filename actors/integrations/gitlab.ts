/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
import type { Integration, Notice, Said, Unsaid } from "./integration.ts";
import { firstLine, link, listed, type Payload, quote } from "./payload.ts";

const project = (payload: Payload): string => payload.text("project.name", payload.text("repository.name", "project"));
const who = (payload: Payload): string => payload.text("user.name", payload.text("user_name", "Somebody"));
const shortRef = (ref: string): string => ref.replace(/^refs\/(?:heads|tags)\//, "");
const did: Record<string, string> = {
  open: "opened",
  close: "closed",
  reopen: "reopened",
  update: "updated",
  merge: "merged",
  approved: "approved",
};

function push(payload: Payload, event: string): Said {
  const branch = shortRef(payload.text("ref"));
  const topic = `${project(payload)} / ${branch}`;
  const kind = event === "tag_push" ? "tag" : "branch";
  if (/^0+$/.test(payload.text("after")))
    return { event, topic, content: `${who(payload)} deleted the ${kind} ${branch}.` };
  const commits = payload
    .list("commits")
    .map((one) => `${firstLine(one.text("message"))} (${link(one.text("id").slice(0, 11), one.text("url"))})`);
  const count = Number(payload.text("total_commits_count", String(commits.length)));
  if (event === "tag_push" || commits.length === 0)
    return { event, topic, content: `${who(payload)} pushed the ${kind} ${branch}.` };
  const content = `${who(payload)} pushed ${count} commit${count === 1 ? "" : "s"} to ${branch}.\n\n${listed(commits)}`;
  return { event, topic, content };
}

function thing(payload: Payload, event: string, name: string, mark: string): Said {
  const at = payload.at("object_attributes");
  const action = did[at.text("action")] ?? at.text("action", "changed");
  const [title, number] = [at.text("title"), `${mark}${at.text("iid")}`];
  const body = action === "opened" ? quote(at.text("description")) : "";
  return {
    event,
    topic: `${project(payload)} / ${name} ${number} ${title}`,
    content: `${who(payload)} ${action} ${link(`${name} ${number}`, at.text("url"))}: ${title}${body}`,
  };
}

function note(payload: Payload): Said {
  const at = payload.at("object_attributes");
  const [on, mark] = payload.has("merge_request") ? ["merge_request", "MR !"] : ["issue", "issue #"];
  const place = payload.has(on) ? `${mark}${payload.text(`${on}.iid`)} ${payload.text(`${on}.title`)}` : "a commit";
  const content = `${who(payload)} ${link("commented", at.text("url"))} on ${place}:${quote(at.text("note"))}`;
  return { event: "note", topic: `${project(payload)} / ${place}`, content };
}

export const gitlab: Integration = {
  name: "gitlab",
  displayName: "GitLab",
  events: ["push", "tag_push", "issue", "merge_request", "note", "pipeline", "release"],
  read({ payload }: Notice): Said | Unsaid {
    const event = payload.text("object_kind");
    const at = payload.at("object_attributes");
    switch (event) {
      case "push":
      case "tag_push":
        return push(payload, event);
      case "issue":
        return thing(payload, event, "issue", "#");
      case "merge_request":
        return thing(payload, event, "MR", "!");
      case "note":
        return note(payload);
      case "pipeline": {
        const run = link(`Pipeline ${at.text("id")}`, at.text("url"));
        return { event, topic: `${project(payload)} / ${at.text("ref")}`, content: `${run}: ${at.text("status")}.` };
      }
      case "release": {
        const name = link(payload.text("name", payload.text("tag")), payload.text("url"));
        return { event, topic: project(payload), content: `Release ${name}: ${payload.text("action", "changed")}d.` };
      }
      default:
        return "unknown";
    }
  },
};
