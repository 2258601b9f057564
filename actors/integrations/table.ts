/**
 * Every integration. A new one is a file in the folder of its family, which turns a payload into topic and text. The
 * family's list has a line for it. Payloads of its documentation go to `test/support/integrations/`.
 */
import { alertIntegrations } from "./alerts/list.ts";
import { ciIntegrations } from "./ci/list.ts";
import { forgeIntegrations } from "./forges/list.ts";
import { messageIntegrations } from "./messages/list.ts";
import type { Integration } from "./notice/integration.ts";
import { projectIntegrations } from "./projects/list.ts";
import { supportIntegrations } from "./support/list.ts";

const all: readonly Integration[] = [
  ...forgeIntegrations,
  ...ciIntegrations,
  ...alertIntegrations,
  ...projectIntegrations,
  ...supportIntegrations,
  ...messageIntegrations,
].sort((a, b) => (a.name < b.name ? -1 : 1));

export const integrations: ReadonlyMap<string, Integration> = new Map(all.map((one) => [one.name, one]));

/** The headers in which services name events, in lower case. */
export const eventHeaders: ReadonlySet<string> = new Set(all.flatMap((one) => one.eventHeaders ?? []));

/** There are none. */
const configOptions: never[] = [];

/** `realm_incoming_webhook_bots`. https://zulip.com/api/register-queue */
export const shownIntegrations = all.map(({ name, displayName, events, urlOptions = [] }) => ({
  name,
  display_name: displayName,
  all_event_types: events ? [...events] : null,
  config_options: configOptions,
  url_options: urlOptions.map((option) => ({ ...option })),
}));
