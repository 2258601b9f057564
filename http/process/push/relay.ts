/** `parley push-relay`: starts the relay for apps of one's own. */
import { readFile } from "node:fs/promises";
import { pino } from "pino";
import type { Logger } from "../../../actors/logger.ts";
import { ApnsSender } from "../../../actors/push-relay/apns.ts";
import { makeRelayKeys } from "../../../actors/push-relay/devices.ts";
import { FcmSender, type ServiceAccount } from "../../../actors/push-relay/fcm.ts";
import type { Senders } from "../../../actors/push-relay/parts.ts";
import { PushRelay } from "../../../actors/push-relay/relay.ts";
import { defined } from "../../../storage/failures.ts";
import { readRelayKeys } from "../../../storage/push-relay/phones.ts";
import { recordOf } from "../../../storage/rows.ts";
import type { Config } from "../config.ts";
import { ConfigError } from "../config.ts";
import { openStorage, type RunningStorage } from "../main.ts";
import { listenForServers } from "./relay-server.ts";

export interface RunningRelay {
  port: number;
  /** To which devices seal their tokens: apps are built with it. Base64. */
  publicKey: string;
  stop(): Promise<void>;
}

/**
 * Starts the relay on `HOST` and `PORT`.
 *
 * @param ca certificates to trust besides, for tests
 * @throws ConfigError
 */
export async function startPushRelay(
  { database }: Pick<RunningStorage, "database">,
  config: Pick<Config, "pushRelay" | "host" | "port">,
  log: Pick<Logger, "warn" | "error">,
  ca?: string,
): Promise<RunningRelay> {
  const senders = await openSenders(config.pushRelay, ca);
  const made = await makeRelayKeys();
  const keys = await readRelayKeys(database.sql, () => made);
  const mayRegister = hostRule(config.pushRelay.hosts);
  const relay = new PushRelay({ sql: database.sql, senders, keys, mayRegister, log });
  const listener = await listenForServers(relay, { host: config.host, port: config.port, log });
  const stop = async () => {
    await listener.close();
    senders.apns?.close();
  };
  return { port: listener.port, publicKey: keys.publicKey, stop };
}

/** The same as a process of its own. It is no node. */
export async function servePushRelay(config: Config): Promise<Pick<RunningRelay, "stop">> {
  const log = pino({ level: config.logLevel, base: null });
  const storage = await openStorage(config, (line) => console.log(line));
  try {
    const relay = await startPushRelay(storage, config, log);
    console.log(`The push relay serves on port ${relay.port}. Apps seal their tokens for ${relay.publicKey}`);
    return { stop: () => relay.stop().then(() => storage.close()) };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

async function openSenders(settings: Config["pushRelay"], ca: string | undefined): Promise<Senders> {
  const { apnsKeyFile, apnsKeyId, apnsTeamId, apnsUrl, fcmFile, fcmUrl } = settings;
  if (apnsKeyFile === undefined && fcmFile === undefined)
    throw new ConfigError("PARLEY_APNS_KEY_FILE or PARLEY_FCM_CREDENTIALS_FILE is missing: a relay needs one of them.");
  const url = apnsUrl;
  return {
    apns:
      apnsKeyFile === undefined
        ? undefined
        : new ApnsSender({
            url,
            keyId: defined(apnsKeyId, "PARLEY_APNS_KEY_ID"),
            teamId: defined(apnsTeamId, "PARLEY_APNS_TEAM_ID"),
            key: await readFile(apnsKeyFile, "utf8"),
            ...(ca !== undefined && { ca }),
          }),
    fcm: fcmFile === undefined ? undefined : new FcmSender(fcmUrl, serviceAccountIn(await readFile(fcmFile, "utf8"))),
  };
}

/** @throws ConfigError */
function serviceAccountIn(text: string): ServiceAccount {
  const account: Readonly<Record<string, unknown>> = JSON.parse(text);
  return recordOf(["project_id", "client_email", "private_key", "token_uri"], (name) => {
    const value = account[name];
    if (typeof value !== "string") throw new ConfigError(`PARLEY_FCM_CREDENTIALS_FILE has no ${name}.`);
    return value;
  });
}

/** @throws ConfigError */
function hostRule(hosts: string | undefined): (hostname: string) => boolean {
  if (hosts === undefined)
    throw new ConfigError("PARLEY_PUSH_RELAY_HOSTS is missing: it says which servers may use the relay.");
  const rules = hosts.toLowerCase().split(/\s*,\s*/);
  return (hostname) => {
    const host = hostname.toLowerCase();
    return rules.some(
      (rule) => rule === "*" || rule === host || (rule.startsWith("*.") && host.endsWith(rule.slice(1))),
    );
  };
}
