/** https://uptimerobot.com/blog/web-hook-alert-contacts-new-feature/ */
import { byEvent, type Teller } from "../notice/integration.ts";
import { link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

const monitor = (payload: Payload): string => link(payload.line("monitor_friendly_name"), payload.text("monitor_url"));
const why = (payload: Payload): string => {
  const details = payload.line("alert_details");
  return details === "" ? "" : ` (${details})`;
};
const down: Teller = (payload) => `:alert: ${monitor(payload)} is **down**${why(payload)}.`;
const up: Teller = (payload) => {
  const duration = payload.line("alert_friendly_duration");
  return `:check: ${monitor(payload)} is **up** again${why(payload)}.${duration === "" ? "" : ` It was down for ${duration}.`}`;
};

export const uptimerobot = byEvent({
  name: "uptimerobot",
  displayName: "Uptime Robot",
  event: ({ payload }) => payload.need("alert_type_friendly_name").toLowerCase(),
  topic: (payload) => payload.need("monitor_friendly_name"),
  tells: { up, down },
});
