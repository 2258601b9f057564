/** What the command line does besides serving. It works on the database, with or without a server running. */

import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { commandLineCoordination, writerByLease, writerByMail } from "../../actors/cluster/read-only-member.ts";
import { ApiError } from "../../actors/errors.ts";
import { invitationLink } from "../../actors/invitations/invitations.ts";
import { nouns } from "../../actors/nouns.ts";
import { createRealm } from "../../actors/organization/changes/create.ts";
import type { Origin } from "../../actors/realm/commit/audit.ts";
import type { Coordination } from "../../actors/realm/coordination.ts";
import { Realm } from "../../actors/realm/realm.ts";
import { RequestRealm, type ServedRealm } from "../../actors/realm/served.ts";
import { checkEmail } from "../../actors/users/changes/address.ts";
import { checkNewPassword, type PasswordRules } from "../../actors/users/passwords/new-password.ts";
import { redisBus } from "../../storage/cluster/bus-redis.ts";
import { CoordinationUnavailable } from "../../storage/cluster/lease.ts";
import { redisLeases } from "../../storage/cluster/lease-redis.ts";
import { mailAlone } from "../../storage/cluster/mail.ts";
import { connectRedis, redisReady } from "../../storage/cluster/redis.ts";
import { firstDatabase } from "../../storage/directory/database-list.ts";
import { makeElsewhere } from "../../storage/directory/directory.ts";
import { defined } from "../../storage/failures.ts";
import type { RealmId } from "../../storage/ids.ts";
import { findOpenInvitations } from "../../storage/invitations.ts";
import { type Sql, UniqueViolation } from "../../storage/postgres.ts";
import { findRealms, findUnfinished, hasRealms, readInstallation } from "../../storage/realms.ts";
import { roles } from "../../storage/rows.ts";
import { analyzeSeeded, type SeedCounts, seedRealm } from "../../storage/seed.ts";
import { findApiKey } from "../../storage/users/credentials.ts";
import { hashPassword } from "../../storage/users/passwords.ts";
import type { Config } from "./config.ts";
import { createFirstRealm } from "./first-start.ts";
import { openNamed } from "./homes/command-storage.ts";
import type { RunningStorage } from "./main.ts";
import { HttpMetrics } from "./metrics/metrics.ts";
import { choicesOf } from "./node-parts.ts";

export type Values = Partial<Record<string, string | boolean>>;

/** `text` for a person, `data` for a program. */
export interface AdminResult {
  text: string;
  data: object;
}

/** Who runs the command line. In a container the account may have no name. */
function operator(): string {
  try {
    return `parley (${userInfo().username}@${hostname()})`;
  } catch {
    return `parley (${process.getuid?.() ?? "?"}@${hostname()})`;
  }
}

/** For the audit log. */
const commandLine = (): Origin => ({ via: "command_line", userAgent: operator() });

const now = () => Math.floor(Date.now() / 1000);

export function required(values: Values, name: string): string {
  const value = values[name];
  if (typeof value !== "string" || value.trim() === "") throw new Error(`--${name} is missing.`);
  return value.trim();
}

/** @throws Error unless an account can have this address: nobody could log in with another. */
export function addressIn(values: Values, name: string): string {
  const value = required(values, name);
  try {
    return checkEmail(value);
  } catch {
    throw new Error(`--${name} must be an email address, not "${value}".`);
  }
}

/** The password given, if people could have chosen it themselves, or a random one. */
export function passwordIn(values: Values, name: string, rules: Partial<PasswordRules>): string {
  const value = values[name];
  if (typeof value !== "string") return randomBytes(12).toString("base64url");
  try {
    return checkNewPassword(value, rules);
  } catch (error) {
    throw error instanceof ApiError ? new Error(`--${name}: ${error.message}`) : error;
  }
}

/** A name or an address, with or without a port: no request ever asks for anything else. */
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9]([a-z0-9._-]*[a-z0-9])?)(:\d{1,5})?$/;

/** The host of a new organization; null when none is given. @throws Error for what no request says */
export function hostIn(values: Values): string | null {
  const host = typeof values["host"] === "string" ? values["host"].toLowerCase() : null;
  if (host !== null && !hostPattern.test(host))
    throw new Error(`--host must be what requests say in their Host header, like chat.example.com, not "${host}".`);
  return host;
}

/** With `--database` in one of `PARLEY_DATABASES`. */
export async function createOrganization(
  storage: RunningStorage,
  config: Config,
  values: Values,
): Promise<AdminResult> {
  const { database } = storage;
  const place = typeof values["database"] === "string" ? values["database"] : firstDatabase;
  const name = required(values, "name");
  const email = addressIn(values, "owner-email");
  const host = hostIn(values);
  if (host === null && (place !== firstDatabase || (await hasRealms(database.sql))))
    throw new Error("--host is missing: several organizations are told apart by their host.");
  const password = passwordIn(values, "owner-password", { about: [email, name] });
  const passwordHash = await hashPassword(password);
  try {
    const fullName = typeof values["owner-name"] === "string" ? values["owner-name"] : "Owner";
    const make = (sql: Sql) =>
      createRealm(sql, {
        host,
        name,
        now: now(),
        hasFirstMessages: config.welcomes,
        from: commandLine(),
        owner: { email, fullName, passwordHash },
      });
    const created =
      place === firstDatabase || host === null
        ? await database.transaction(make)
        : await createElsewhere(storage, config, { host, name: place }, make);
    return {
      text: `Organization ${name}${host ? ` (${host})` : ""}: owner ${email}, password ${password}, API key ${created.ownerApiKey}`,
      data: {
        realm_id: created.realmId,
        host,
        ...(config.databases && { database: place }),
        owner_id: created.ownerId,
        email,
        password,
        api_key: created.ownerApiKey,
      },
    };
  } catch (error) {
    if (error instanceof UniqueViolation) throw new Error(`There is an organization under ${host} already.`);
    throw error;
  }
}

async function createElsewhere<T extends { realmId: RealmId }>(
  first: RunningStorage,
  config: Config,
  { host, name }: { host: string; name: string },
  make: (sql: Sql) => Promise<T>,
): Promise<T> {
  const other = await openNamed(first, config, name);
  try {
    return await makeElsewhere(first.database, { host, database: name, other: other.database }, make);
  } finally {
    await other.close();
  }
}

export async function createUserAccount(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const email = required(values, "email");
  const fullName = required(values, "name");
  const roleName = values["role"] ?? "member";
  const role = Object.entries(roles).find(([name]) => name === roleName)?.[1];
  if (role === undefined) throw new Error(`--role must be one of ${Object.keys(roles).join(", ")}.`);
  const password = passwordIn(values, "password", { about: [email, fullName] });
  const passwordHash = await hashPassword(password);
  return withRealm(storage, config, values, async (realm) => {
    const { user_id: userId } = await realm.execute("createUser", {
      actorId: undefined,
      email,
      fullName,
      passwordHash,
      role,
    });
    const apiKey = defined(await findApiKey(storage.database.sql, userId), "API key");
    return {
      text: `Account ${userId}: ${email}, password ${password}, API key ${apiKey}`,
      data: { user_id: userId, email, password, api_key: apiKey },
    };
  });
}

/** Lets an administrator create accounts, or an owner change other people's addresses. */
export async function permitUser(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const email = required(values, "email");
  const flag = (name: string): boolean | undefined => {
    const value = values[name];
    if (value !== undefined && value !== "on" && value !== "off") throw new Error(`--${name} must be on or off.`);
    return value === undefined ? undefined : value === "on";
  };
  const canCreateUsers = flag("can-create-users");
  const canChangeUserEmails = flag("can-change-user-emails");
  return withRealm(storage, config, values, async (realm) => {
    const user = realm.state.userByEmail(email);
    if (!user) throw new Error(`There is no account under ${email}.`);
    await realm.execute("permitUser", {
      userId: user.id,
      canCreateUsers,
      canChangeUserEmails,
    });
    const { can_create_users, can_change_user_emails } = realm.state.knownUser(user.id);
    const word = (isOn: boolean) => (isOn ? "on" : "off");
    return {
      text: `${email}: can-create-users ${word(can_create_users)}, can-change-user-emails ${word(can_change_user_emails)}`,
      data: { user_id: user.id, can_create_users, can_change_user_emails },
    };
  });
}

export async function showApiKey(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  const email = required(values, "email");
  return withRealm(storage, config, values, async (realm) => {
    const user = realm.state.userByEmail(email);
    if (!user) throw new Error(`There is no account under ${email}.`);
    const apiKey = defined(await findApiKey(storage.database.sql, user.id), "API key");
    await realm.execute("recordAudit", { fact: { type: "user_api_key_shown", userIds: [user.id] } });
    return { text: apiKey, data: { user_id: user.id, email: user.delivery_email, api_key: apiKey } };
  });
}

/** Links of open invitations: nothing secret is in the log. */
export async function listInvitations(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  return withRealm(storage, config, values, async (realm) => {
    const rows = await findOpenInvitations(storage.database.sql, realm.id, now(), undefined);
    const invitations = rows.map(({ id, email, key }) => ({ id, email, link: invitationLink(realm.state, key) }));
    return {
      text:
        invitations.map(({ email, link }) => `${email ?? "(anybody)"} ${link}`).join("\n") || "No invitation is open.",
      data: { invitations },
    };
  });
}

export async function seed(storage: RunningStorage, config: Config, values: Values): Promise<AdminResult> {
  await createFirstRealm(storage, config);
  const count = (name: string, fallback: number): number => {
    const value = values[name];
    if (value === undefined) return fallback;
    if (typeof value !== "string" || !/^\d{1,9}$/.test(value)) throw new Error(`--${name} must be a whole number.`);
    return Number(value);
  };
  const counts: SeedCounts = {
    users: count("users", 100),
    channels: count("channels", 10),
    messages: count("messages", 1000),
    channelsPerUser: count("subscribe", 10),
  };
  const { id: realmId } = await realmIn(storage, config, values);
  const started = performance.now();
  const seeded = await seedRealm(storage.database, realmId, counts, now());
  await analyzeSeeded(storage.database.sql);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  return {
    text: `Added ${counts.users} people, ${counts.channels} channels and ${counts.messages} messages in ${seconds} s. A running server sees them after a restart.`,
    data: { realm_id: realmId, ...counts, ...seeded, seconds },
  };
}

/** The organization that `--realm` names, or the only one. `host` is null where it answers to any. */
export async function realmIn(
  { database }: Pick<RunningStorage, "database">,
  config: Config,
  values: Values,
): Promise<{ id: RealmId; host: string | null }> {
  const ownHost = ownHostOf(config);
  const realms = (await findRealms(database.sql)).map(({ id, host }) => ({
    id,
    host: host ?? ownHost,
    isAny: host === null,
  }));
  const host = typeof values["realm"] === "string" ? values["realm"].toLowerCase() : undefined;
  if (host === undefined && realms.length > 1)
    throw new Error(`--realm is missing: one of ${realms.map((realm) => realm.host).join(", ")}.`);
  const named = realms.filter((row) => row.host === host);
  const realm = host === undefined ? realms[0] : (named.find((row) => !row.isAny) ?? named[0]);
  if (realm) return { id: realm.id, host: realm.isAny ? null : realm.host };
  if (host === undefined) throw new Error("There is no organization yet: start the server once, or use realm create.");
  const unfinished = await unfinishedUnder(database.sql, config, host);
  throw new Error(
    unfinished
      ? `The import of ${unfinished.name} has not ended: import the same archive again, or delete the organization.`
      : `There is no organization under ${host}.`,
  );
}

/** The organization that answers to any host, usually the first, goes by the one that its own links have. */
const ownHostOf = ({ externalUrl }: Config): string => new URL(externalUrl).hostname;

/** The organization under a host whose import has not ended. */
export async function unfinishedUnder(sql: Sql, config: Config, host: string) {
  const ownHost = ownHostOf(config);
  return (await findUnfinished(sql)).find((row) => (row.host ?? ownHost) === host);
}

/**
 * Has commands done by the node that writes. Where none does, or none can be reached, it takes the realm over for a
 * moment, as a writer like any other. A server that runs notices by the epoch and takes it back.
 *
 * @param open how the node that writes is found
 */
export async function withRealm(
  storage: Pick<RunningStorage, "database">,
  config: Config,
  values: Values,
  body: (realm: ServedRealm) => Promise<AdminResult>,
  open = openCoordination,
): Promise<AdminResult> {
  const { id, host } = await realmIn(storage, config, values);
  const coordination = await open(storage, config);
  const quiet = { info: () => {}, warn: () => {}, error: () => {} };
  const realm = new Realm(
    id,
    host,
    {
      database: storage.database,
      coordination,
      metrics: new HttpMetrics(),
      log: quiet,
      clock: now,
      steady: now,
      steadySince: now,
      limitsPresence: false,
      servesReads: false,
      ...choicesOf(config),
      limits: {
        maxBacklogEvents: 1000,
        maxBacklogBytes: 2 ** 20,
        recent: { entries: 1000, bytes: 2 ** 20 },
        commandDeadlineMs: config.commandDeadlineMs,
        idleAfterSecs: 60,
        realmIdleAfterSecs: config.realmIdleAfterSecs,
        maxQueuesPerUser: 1000,
      },
    },
    nouns,
  );
  try {
    await realm.activate();
    return await body(new RequestRealm(realm, commandLine));
  } catch (error) {
    throw error instanceof ApiError ? new Error(error.message) : error;
  } finally {
    await realm.stop();
    await coordination.close();
  }
}

/** How long a Redis is waited for that may be away. */
const redisPatienceMs = 2000;

/** By Redis if it is there, else by mail. */
async function openCoordination({ database }: Pick<RunningStorage, "database">, config: Config): Promise<Coordination> {
  const installation = await readInstallation(database.sql);
  if (config.redisUrl !== undefined) {
    const connection = connectRedis(config.redisUrl);
    try {
      await redisReady(connection, redisPatienceMs);
      const bus = await redisBus(config.redisUrl, installation);
      const coordination = commandLineCoordination(
        bus,
        writerByLease(redisLeases(connection, installation, bus.nodeId)),
      );
      return { ...coordination, close: () => coordination.close().finally(() => connection.close()) };
    } catch (error) {
      connection.close();
      if (!(error instanceof CoordinationUnavailable)) throw error;
    }
  }
  const bus = mailAlone(database, installation);
  return commandLineCoordination(bus, writerByMail(bus));
}
