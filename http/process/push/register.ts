/** `parley push …`: this server's registration at the push notification service, by its operator's agreement. */
import { randomBytes, randomUUID } from "node:crypto";
import { askService, type ServiceQuestion } from "../../../actors/push/service/ask-service.ts";
import { insertAllRegistrations } from "../../../storage/notifications/push-registrations.ts";
import { scheduleReport } from "../../../storage/notifications/push-reports.ts";
import {
  confirmPushService,
  deletePushService,
  findPushService,
  findPushServiceAccount,
  type PushServiceAccount,
  type PushServiceRow,
  putPushService,
} from "../../../storage/notifications/push-service.ts";
import { type AdminResult, addressIn, type Values } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";

type Storage = Pick<RunningStorage, "database">;

/** What the services of `zulip.com` are governed by. */
const zulipTerms = "https://zulip.com/policies/terms";
/** Characters of a key: services take no others. */
const keyLength = 64;

/**
 * Registers this server, or tells the service of changes. The key is stored before the service is asked: a process that
 * ends in between loses nothing.
 *
 * @throws Error without `--agree`, or with the service's own words
 */
export async function registerServer({ database }: Storage, config: Config, values: Values): Promise<AdminResult> {
  const url = serviceUrl(config);
  const hostname = new URL(config.externalUrl).host;
  const { sql } = database;
  const known = await findPushService(sql);
  const email = values["email"] === undefined && known ? known.contact_email : addressIn(values, "email");
  if (!values["agree"]) throw new Error(`${shared(url, hostname, email)}\n\nTo agree, add --agree.`);
  const now = Math.floor(Date.now() / 1000);
  const account = await accountFor({ database }, config, url);
  const row = { url, org_id: account.orgId, hostname, contact_email: email, agreed_at: now };
  await putPushService(sql, row, account.orgKey);
  const newKey = values["new-key"] ? newOrgKey() : undefined;
  const { created } = await ask(account, {
    endpoint: "server/register",
    form: {
      zulip_org_id: account.orgId,
      zulip_org_key: account.orgKey,
      hostname,
      contact_email: email,
      new_org_key: newKey,
    },
  });
  if (newKey !== undefined) await putPushService(sql, row, newKey);
  await confirmPushService(sql, now);
  await scheduleReport(sql, 0);
  const phones = await insertAllRegistrations(sql, now);
  const done = created === true ? "registered" : "up to date";
  return {
    text: `${hostname} is ${done} at ${url} as ${account.orgId}. It is told of ${phones} phones.`,
    data: { url, org_id: account.orgId, hostname, contact_email: email, created: created === true, phones },
  };
}

/** What the server's registration is. */
export async function showRegistration({ database }: Storage, config: Config): Promise<AdminResult> {
  const row = await findPushService(database.sql);
  const isUsed = row !== undefined && row.url === config.pushService.url && row.registered_at !== null;
  return { text: row ? describe(row, isUsed) : "This server is not registered anywhere.", data: { ...row, isUsed } };
}

function describe({ url, org_id, hostname, contact_email, agreed_at, registered_at }: PushServiceRow, isUsed: boolean) {
  const day = (seconds: number) => new Date(seconds * 1000).toISOString();
  const confirmed = registered_at === null ? "not confirmed by the service" : `confirmed ${day(registered_at)}`;
  const use = isUsed ? "" : "\nIt is not used: PARLEY_PUSH_SERVICE_URL names another service, or none.";
  return `${hostname} is ${org_id} at ${url}, by ${contact_email}, agreed ${day(agreed_at)}, ${confirmed}.${use}`;
}

/** Ends the registration, at the service as well. @throws Error when the service does not take it */
export async function endRegistration({ database }: Storage, config: Config): Promise<AdminResult> {
  const url = serviceUrl(config);
  const account = await findPushServiceAccount(database.sql, url);
  if (!account) throw new Error("This server is not registered there.");
  await ask(account, { endpoint: "server/deactivate", json: {} }, true);
  await deletePushService(database.sql);
  return { text: `The registration at ${url} has ended.`, data: { url, org_id: account.orgId } };
}

function serviceUrl({ pushService: { url } }: Config): string {
  if (url === undefined) throw new Error("PARLEY_PUSH_SERVICE_URL is missing: it says where the service is.");
  return url;
}

/** What whoever agrees should know. */
const shared = (url: string, hostname: string, email: string): string => `\
The push notification service ${url} will be told:
* the host of this server, ${hostname}, and the address ${email}
* of each organization its name, address, type, ways to log in, and how many accounts have which role
* of each phone its token, an ID of its owner, and each notification, sealed where the app can open it
Its use is subject to ${new URL(url).hostname.endsWith("zulipchat.com") ? zulipTerms : "its operator's terms"}.`;

async function accountFor({ database }: Storage, { pushService }: Config, url: string): Promise<PushServiceAccount> {
  const { id, key } = pushService;
  if (id !== undefined && key !== undefined) return { url, orgId: id, orgKey: key };
  const known = await findPushServiceAccount(database.sql, url, false);
  return known ?? { url, orgId: randomUUID(), orgKey: newOrgKey() };
}

const newOrgKey = (): string => randomBytes((keyLength * 3) / 4).toString("base64url");

/** @param isOwn whether the request is authenticated @throws Error with the service's words */
async function ask(account: PushServiceAccount, question: ServiceQuestion, isOwn = false) {
  const result = await askService(isOwn ? account : { url: account.url }, question);
  if (result.ok) return result.answer;
  const hint =
    result.code === "HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR"
      ? " Set PARLEY_PUSH_SERVICE_ID and PARLEY_PUSH_SERVICE_KEY to what that server has."
      : "";
  throw new Error(`The push notification service did not take it (${result.reason}).${hint}`);
}
