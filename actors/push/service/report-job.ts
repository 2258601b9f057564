/**
 * Tells the push notification service of this server's organizations, once an hour and when it does not know one. It
 * answers which of them it sends notifications for. One node does so for all. Each organization's people are told by
 * the node that writes it. The service counts accounts by the newest row of an audit log, so it is given one whenever
 * the counts have changed. Source: zulip/zulip zerver/lib/remote_server.py, `send_server_data_to_push_bouncer`.
 */
import { createHmac } from "node:crypto";
import {
  claimReport,
  findRealmsWithStatus,
  findStatus,
  type PushStatus,
  type ReportedRealm,
  readReportedRealms,
  scheduleReport,
  stopUnlessWorking,
  storeStatus,
} from "../../../storage/notifications/push-reports.ts";
import type { PushServiceAccount } from "../../../storage/notifications/push-service.ts";
import { readContentKey } from "../../../storage/realms.ts";
import { roleNumbers } from "../../../storage/rows.ts";
import type { Job } from "../../realm/job.ts";
import type { JobRealm } from "../../realm/served.ts";
import { hasFields } from "../../text/json-object.ts";
import { featureLevel, mergeBase, version } from "../../version.ts";
import { askService, type ServiceFailure } from "./ask-service.ts";
import { accountOf } from "./service.ts";

const reportEverySecs = 3600;
const retrySecs = 300;
/** Longer than two requests take. */
const leaseSecs = 120;
/** A service that took something so lately is thought to fail for a moment. */
const workingSecs = 3600;
/** In the service's audit log: an account has another role. */
const roleChanged = 105;

export const pushStatusJob: Job = {
  name: "ask the push notification service whose phones it notifies",
  everySecs: 3,
  isOn: ({ pushServiceUrl }) => pushServiceUrl !== undefined,
  async run(realm, now) {
    const { sql } = realm.database;
    const account = await accountOf(realm);
    if (account && (await claimReport(sql, now, leaseSecs))) await report(realm, account, now);
    const status = await findStatus(sql, realm.id);
    if (status) await realm.execute("setPushStatus", status);
  },
  findWaiting: findRealmsWithStatus,
  onlyWaiting: true,
};

async function report({ database: { sql }, environment }: JobRealm, account: PushServiceAccount, now: number) {
  const { tracer, log } = environment;
  const known = await askService(account, { endpoint: "server/analytics/status", method: "GET" }, tracer);
  if (!known.ok) return fail(known);
  const realms = await readReportedRealms(sql);
  const key = await readContentKey(sql);
  const lastRow = Number(known.answer["last_realmauditlog_id"] ?? 0);
  const form = {
    realm_counts: "[]",
    installation_counts: "[]",
    realmauditlog_rows: JSON.stringify(auditRows(realms, lastRow, now)),
    realms: JSON.stringify(realms.map((realm) => described(realm, environment.urlOf(realm.host), key))),
    version: JSON.stringify(version),
    merge_base: JSON.stringify(mergeBase),
    api_feature_level: JSON.stringify(featureLevel),
  };
  const told = await askService(account, { endpoint: "server/analytics", form }, tracer);
  if (!told.ok) return fail(told);
  const answered = told.answer["realms"];
  for (const realm of realms) {
    const status = statusIn(hasFields(answered) ? answered[realm.uuid] : undefined);
    if (status) await storeStatus(sql, realm.id, status, countsOf(realm));
  }
  await scheduleReport(sql, now + reportEverySecs);

  async function fail(failure: ServiceFailure): Promise<void> {
    log.warn(failure, "the push notification service was not told of the organizations");
    await scheduleReport(sql, now + retrySecs);
    if (failure.kind !== "broken") await stopUnlessWorking(sql, now - workingSecs);
  }
}

/** What an answer says of an organization; undefined: nothing that can be understood. */
export function statusIn(said: unknown): PushStatus | undefined {
  if (!hasFields(said)) return undefined;
  const { can_push, expected_end_timestamp: end } = said;
  if (typeof can_push !== "boolean") return undefined;
  return { can_push, end_timestamp: typeof end === "number" && Number.isSafeInteger(end) ? end : null };
}

function described(realm: ReportedRealm, url: string, key: Buffer): object {
  return {
    id: realm.id,
    host: new URL(url).host,
    url,
    name: realm.name,
    org_type: realm.settings["org_type"] ?? 0,
    date_created: realm.date_created,
    deactivated: realm.is_deactivated,
    is_system_bot_realm: false,
    authentication_methods: { Email: true },
    uuid: realm.uuid,
    uuid_owner_secret: `zuliprealm_${createHmac("sha256", key).update(realm.uuid).digest("hex").slice(0, 32)}`,
  };
}

/** Accounts by role ("11"), and bots ("12"). */
const countsOf = ({ humans, bots }: ReportedRealm): string =>
  JSON.stringify({ "11": Object.fromEntries(roleNumbers.map((role) => [role, humans[role] ?? 0])), "12": bots });

const auditRows = (realms: readonly ReportedRealm[], last: number, now: number): object[] =>
  realms
    .filter((realm) => countsOf(realm) !== realm.told_counts)
    .map((realm, index) => ({
      id: last + 1 + index,
      realm: realm.id,
      event_time: now,
      backfilled: false,
      extra_data: { "10": JSON.parse(countsOf(realm)) },
      event_type: roleChanged,
    }));
