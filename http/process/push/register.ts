/** `parley push …`: this server's registration at the push notification service, by its operator's agreement. */
import { randomBytes, randomUUID } from "node:crypto";
import { askService, type ServiceAnswer } from "../../../actors/push/service/ask-service.ts";
import { insertAllRegistrations } from "../../../storage/notifications/push-registrations.ts";
import { scheduleReport } from "../../../storage/notifications/push-reports.ts";
import {
  confirmPushService,
  deletePushService,
  findNewPushServiceKey,
  findPushService,
  findPushServiceAccount,
  type PushServiceAccount,
  type PushServiceRow,
  putNewPushServiceKey,
  putPushService,
} from "../../../storage/notifications/push-service.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { type AdminResult, addressIn, type Values } from "../admin.ts";
import type { Config } from "../config.ts";
import type { RunningStorage } from "../main.ts";

type Storage = Pick<RunningStorage, "database">;

/** What the services of `zulip.com` are governed by. */
const zulipTerms = "https://zulip.com/policies/terms";
/** Characters of a key: services take no others. */
const keyLength = 64;

/**
 * Registers this server, or tells the service of changes. Keys are stored before the service is told them: a process
 * that ends in between loses nothing, and the next one finds out which key the service knows.
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
  const { answer, orgKey } = await tellService(sql, account, { hostname, contact_email: email }, !!values["new-key"]);
  await confirmPushService(sql, orgKey, now);
  await scheduleReport(sql, 0);
  const phones = await insertAllRegistrations(sql, now);
  const created = answer["created"] === true;
  const done = created ? "registered" : "up to date";
  return {
    text: `${hostname} is ${done} at ${url} as ${account.orgId}. It is told of ${phones} phones.`,
    data: { url, org_id: account.orgId, hostname, contact_email: email, created, phones },
  };
}

/** Returns the answer, and the key by which the service knows this server. @throws Error with the service's words */
async function tellService(sql: Sql, account: PushServiceAccount, about: object, wantsNewKey: boolean) {
  const told = await findNewPushServiceKey(sql);
  const newKey = wantsNewKey ? (told ?? newOrgKey()) : undefined;
  if (newKey !== undefined && told === undefined) await putNewPushServiceKey(sql, newKey);
  const register = (zulip_org_key: string, new_org_key?: string) =>
    askService(
      { url: account.url },
      {
        endpoint: "server/register",
        form: { zulip_org_id: account.orgId, zulip_org_key, ...about, new_org_key },
      },
    );
  const result = await register(account.orgKey, newKey);
  // The service took the new key when it was told before, and its answer was lost.
  if (!result.ok && result.kind === "credentials" && told !== undefined)
    return { answer: answerIn(await register(told)), orgKey: told };
  return { answer: answerIn(result), orgKey: newKey ?? account.orgKey };
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
  answerIn(await askService(account, { endpoint: "server/deactivate", json: {} }));
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
* The host of this server, ${hostname}, and the address ${email}.
* Of each organization: its name, address, type, ways to log in, and its number of accounts by role.
* Of each phone: its token, an ID of its owner, and each notification. It is sealed where the app can open it.
Its use is subject to ${new URL(url).hostname.endsWith("zulipchat.com") ? zulipTerms : "its operator's terms"}.`;

async function accountFor({ database }: Storage, { pushService }: Config, url: string): Promise<PushServiceAccount> {
  const { id, key } = pushService;
  if (id !== undefined && key !== undefined) return { url, orgId: id, orgKey: key };
  const known = await findPushServiceAccount(database.sql, url, false);
  return known ?? { url, orgId: randomUUID(), orgKey: newOrgKey() };
}

const newOrgKey = (): string => randomBytes((keyLength * 3) / 4).toString("base64url");

/** @throws Error with the service's words */
function answerIn(result: ServiceAnswer): Record<string, unknown> {
  if (result.ok) return result.answer;
  const hint =
    result.code === "HOSTNAME_ALREADY_IN_USE_BOUNCER_ERROR"
      ? " Set PARLEY_PUSH_SERVICE_ID and PARLEY_PUSH_SERVICE_KEY to what that server has."
      : "";
  throw new Error(`The push notification service did not take it (${result.reason}).${hint}`);
}
