/**
 * Every integration. A new one is a file that turns a payload into topic and text, a line here, and a payload of its
 * documentation in `test/contract/bots/incoming-webhooks.test.ts`.
 */
import { alertmanager } from "./alertmanager.ts";
import { forgejo } from "./forgejo.ts";
import { gitea } from "./gitea.ts";
import { github } from "./github.ts";
import { gitlab } from "./gitlab.ts";
import { grafana } from "./grafana.ts";
import { ifttt } from "./ifttt.ts";
import type { Integration } from "./integration.ts";
import { jira } from "./jira.ts";
import { json } from "./json.ts";
import { pagerduty } from "./pagerduty.ts";
import { sentry } from "./sentry.ts";
import { slackIncoming } from "./slack-incoming.ts";
import { statuspage } from "./statuspage.ts";
import { uptimekuma } from "./uptimekuma.ts";
import { zapier } from "./zapier.ts";

const all: readonly Integration[] = [
  alertmanager,
  forgejo,
  gitea,
  github,
  gitlab,
  grafana,
  ifttt,
  jira,
  json,
  pagerduty,
  sentry,
  slackIncoming,
  statuspage,
  uptimekuma,
  zapier,
];
export const integrations: ReadonlyMap<string, Integration> = new Map(all.map((one) => [one.name, one]));

/** `realm_incoming_webhook_bots`. https://zulip.com/api/register-queue */
export const shownIntegrations = all.map(({ name, displayName, events }) => ({
  name,
  display_name: displayName,
  all_event_types: events ? [...events] : null,
  config_options: [] as never[],
  url_options: [] as never[],
}));
