/** https://docs.rundeck.com/docs/manual/notifications/webhooks.html */
import type { Integration } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const states: Readonly<Record<string, string>> = {
  failed: ":cross_mark: failed",
  succeeded: ":check: succeeded",
  scheduled: ":time_ticking: is scheduled",
  aborted: ":cross_mark: was aborted",
};

function stateOf(payload: Payload): string {
  const status = payload.line("execution.status");
  if (status === "running")
    return payload.is("trigger", "avgduration") ? ":time_ticking: takes longer than usual" : ":running: has begun";
  return states[status] ?? `is now ${status}`;
}

export const rundeck: Integration = {
  name: "rundeck",
  displayName: "Rundeck",
  read({ payload }) {
    const at = payload.at("execution");
    const topic = at.need("job.name");
    const execution = link(`#${at.line("id")}`, at.text("href"));
    const [by, project] = [at.line("user"), at.line("project")];
    const content = `${link(topic, at.text("job.permalink"))} ${execution} of ${project} ${stateOf(payload)}${by === "" ? "." : `; ${by} ran it.`}`;
    return { topic, content };
  },
};
