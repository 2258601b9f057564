/** What watches over other things, and tells when they are ill. */
import { alertmanager } from "./alertmanager.ts";
import { errbit } from "./errbit.ts";
import { grafana } from "./grafana.ts";
import { newrelic } from "./newrelic.ts";
import { opsgenie } from "./opsgenie.ts";
import { pagerduty } from "./pagerduty.ts";
import { papertrail } from "./papertrail.ts";
import { pingdom } from "./pingdom.ts";
import { sentry } from "./sentry.ts";
import { splunk } from "./splunk.ts";
import { statuspage } from "./statuspage.ts";
import { uptimekuma } from "./uptimekuma.ts";
import { uptimerobot } from "./uptimerobot.ts";
import { zabbix } from "./zabbix.ts";

export const alertIntegrations = [
  alertmanager,
  errbit,
  grafana,
  newrelic,
  opsgenie,
  pagerduty,
  papertrail,
  pingdom,
  sentry,
  splunk,
  statuspage,
  uptimekuma,
  uptimerobot,
  zabbix,
] as const;
