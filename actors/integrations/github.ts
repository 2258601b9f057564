/** https://docs.github.com/en/webhooks/webhook-events-and-payloads */
import { forgeEvents, readForge } from "./forge.ts";
import type { Integration } from "./integration.ts";
import { link } from "./payload.ts";

export const github: Integration = {
  name: "github",
  displayName: "GitHub",
  events: [...forgeEvents, "star", "workflow_run", "discussion"],
  read(notice) {
    const { payload, event } = notice;
    const [topic, who] = [payload.text("repository.name", "GitHub"), payload.text("sender.login", "Somebody")];
    if (event === "star") {
      if (!payload.is("action", "created")) return "ignored";
      return { event, topic, content: `${who} starred ${link(topic, payload.text("repository.html_url"))}.` };
    }
    if (event === "workflow_run") {
      if (!payload.is("action", "completed")) return "ignored";
      const run = link(payload.text("workflow_run.name", "Workflow"), payload.text("workflow_run.html_url"));
      const ended = payload.text("workflow_run.conclusion", "completed").replaceAll("_", " ");
      return { event, topic, content: `${run} on ${payload.text("workflow_run.head_branch")}: ${ended}.` };
    }
    if (event === "discussion") {
      const discussion = link(payload.text("discussion.title"), payload.text("discussion.html_url"));
      return { event, topic, content: `${who} ${payload.text("action", "changed")} the discussion ${discussion}.` };
    }
    return readForge(notice);
  },
};
