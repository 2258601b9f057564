/**
 * What the server is told by its environment, read once. A wrong value stops the start with one sentence that names
 * the variable. What may be told is in `settings/settings.ts`; here is what several settings say together.
 */
import { existsSync } from "node:fs";
import type { CallServices } from "../../actors/calls/services.ts";
import { readSender, readSmtpUrl, type SmtpSettings } from "../../actors/email/smtp.ts";
import type { GifSettings } from "../../actors/gifs/gifs.ts";
import { type AddressRule, parseAllowedAddresses } from "../../actors/outbound/allowed-addresses.mjs";
import type { LanguageModel } from "../../actors/summaries/summaries.ts";
import { passwordFault } from "../../actors/users/passwords/new-password.ts";
import type { S3Settings } from "../../storage/files/s3-connection.ts";
import type { RatesByHost } from "../api/realm-rates.ts";
import { type MailInSettings, readMailListen } from "../mail-in/mail-in-settings.ts";
import { isLoopbackName } from "../server/addresses.ts";
import { readCallServices } from "./settings/call-services.ts";
import { readRatesByHost } from "./settings/own-rates.ts";
import { readFileSettings } from "./settings/read-file-settings.ts";
import { allSettings, type Environment, readSettings, type Settings } from "./settings/read-settings.ts";
import { ConfigError, mib } from "./settings/setting.ts";
import { defaultAdminPort } from "./settings/settings.ts";

export { ConfigError };

export interface Config
  extends Omit<
    Settings,
    "chosenHost" | "chosenUrl" | "ownRates" | "ai" | "calls" | "files" | "gifs" | "mailFrom" | "mailIn" | "smtpUrl"
  > {
  host: string;
  /** Where clients reach the server, without a trailing slash; the default follows `port`. */
  externalUrl: string;
  /** Somebody said so; else the address by which a lone organization is asked is as good. */
  isUrlChosen: boolean;
  /** Somebody said where operators are answered; else that is a port of this machine's own. */
  isAdminAddressChosen: boolean;
  /** Limits of organizations that have their own. */
  ratesByHost: RatesByHost;
  /** The mail server; undefined: no emails are sent. */
  smtp: SmtpSettings | undefined;
  /** How mail comes in; undefined: none does. */
  mailIn: MailInSettings | undefined;
  /** Which addresses are asked on somebody's behalf: those of the open internet, and those that the setting names. */
  mayAsk: AddressRule;
  /** What makes summaries; undefined: nothing. */
  languageModel: LanguageModel | undefined;
  /** Who finds GIFs; undefined: nobody. */
  gifs: GifSettings | undefined;
  /** Where new files go. */
  filesGoTo: "folder" | "s3";
  /** The object store; undefined: there is none. */
  s3: S3Settings | undefined;
  /** Where people hold video calls. */
  callServices: CallServices;
  /** Variables that look like settings and are none. */
  unknownVariables: string[];
}

/** @throws ConfigError */
export function readConfig(environment: Environment): Config {
  const { ai, chosenHost, chosenUrl, ownRates, calls, files, gifs, smtpUrl, mailFrom, mailIn, ...settings } =
    readSettings(environment);
  const { ownerPassword, ownerEmail, realmName } = settings;
  const fault =
    ownerPassword === undefined ? undefined : passwordFault(ownerPassword, { about: [ownerEmail, realmName] });
  if (fault !== undefined) throw new ConfigError(`PARLEY_OWNER_PASSWORD ${fault}`);
  checkPush(settings);
  const known = new Set(allSettings().map(({ variable }) => variable));
  return {
    ...settings,
    ...readFileSettings(files),
    host: hostOf(chosenHost, settings),
    externalUrl: chosenUrl ?? `http://localhost:${settings.port}`,
    isUrlChosen: chosenUrl !== undefined,
    adminAddress: settings.adminAddress ?? defaultAdminAddress(settings),
    isAdminAddressChosen: settings.adminAddress !== undefined,
    ratesByHost: readRatesByHost(ownRates, settings.rates),
    smtp: smtpOf(smtpUrl, mailFrom),
    mailIn: mailInOf(mailIn),
    mayAsk: parseAllowedAddresses(settings.alsoAllowed),
    languageModel: languageModelOf(ai),
    gifs: gifsOf(gifs, settings),
    callServices: readCallServices(calls),
    unknownVariables: Object.keys(environment)
      .filter((name) => name.startsWith("PARLEY_") && !known.has(name))
      .sort(),
  };
}

/** @throws ConfigError */
function hostOf(chosen: string | undefined, settings: Pick<Settings, "isDevelopment" | "isDevelopmentOpen">): string {
  const isLocal = settings.isDevelopment && !settings.isDevelopmentOpen;
  const host = chosen ?? (isLocal ? "127.0.0.1" : "0.0.0.0");
  if (isLocal && !isLoopbackName(host))
    throw new ConfigError(
      `HOST must be a loopback address, not "${host}", while PARLEY_DEV lets anybody log in as anybody; PARLEY_DEV_OPEN=on lets other machines do so.`,
    );
  return host;
}

/**
 * On this machine alone, and apart from the port that a proxy passes strangers on to. Where `PORT` is any, this one is
 * as well.
 */
function defaultAdminAddress({ adminToken, port }: Pick<Settings, "adminToken" | "port">): Settings["adminAddress"] {
  return adminToken === undefined ? { host: "127.0.0.1", port: port === 0 ? 0 : defaultAdminPort } : undefined;
}

/** @throws ConfigError */
function smtpOf(url: string | undefined, from: string | undefined): SmtpSettings | undefined {
  if (url === undefined) return undefined;
  if (from === undefined)
    throw new ConfigError("PARLEY_MAIL_FROM is missing: emails have to be from somebody, like chat@example.com.");
  return { ...readSmtpUrl(url), from: readSender(from) };
}

/** @throws ConfigError */
function mailInOf({ pattern, listen, authserv, maxMib }: Settings["mailIn"]): MailInSettings | undefined {
  if (pattern !== undefined)
    return {
      pattern,
      listen: listen === undefined ? undefined : readMailListen(listen),
      authserv,
      maxBytes: maxMib * mib,
    };
  if (listen !== undefined)
    throw new ConfigError(
      "PARLEY_MAIL_IN_ADDRESS is missing: mail has to be for an address, like %s@chat.example.com.",
    );
  return undefined;
}

/** @throws ConfigError */
function checkPush({
  pushRelayUrl,
  pushService,
  pushRelay,
}: Pick<Settings, "pushRelayUrl" | "pushService" | "pushRelay">): void {
  const apple = [pushRelay.apnsKeyFile, pushRelay.apnsKeyId, pushRelay.apnsTeamId].filter((each) => each !== undefined);
  if (apple.length > 0 && apple.length < 3)
    throw new ConfigError("PARLEY_APNS_KEY_FILE, PARLEY_APNS_KEY_ID and PARLEY_APNS_TEAM_ID belong together.");
  const { url, id, key } = pushService;
  if (pushRelayUrl !== undefined && url !== undefined)
    throw new ConfigError("PARLEY_PUSH_RELAY_URL and PARLEY_PUSH_SERVICE_URL are two ways to phones: set one of them.");
  if ((id === undefined) !== (key === undefined))
    throw new ConfigError("PARLEY_PUSH_SERVICE_ID and PARLEY_PUSH_SERVICE_KEY belong together: set both, or none.");
}

/** @throws ConfigError */
function languageModelOf({ url, model, key, timeoutMs }: Settings["ai"]): LanguageModel | undefined {
  if (url !== undefined && model !== undefined) return { url, model, key, timeoutMs };
  if (url !== undefined || model !== undefined || key !== undefined)
    throw url === undefined
      ? new ConfigError(
          `PARLEY_AI_URL is missing: PARLEY_AI_${key === undefined ? "MODEL" : "KEY"} alone sets nothing up.`,
        )
      : new ConfigError("PARLEY_AI_MODEL is missing: PARLEY_AI_URL alone sets nothing up.");
  return undefined;
}

/** @throws ConfigError */
function gifsOf(
  { provider, key, url }: Settings["gifs"],
  { showsExternalContent }: Pick<Settings, "showsExternalContent">,
): GifSettings | undefined {
  if (provider === undefined && key === undefined && url === undefined) return undefined;
  if (provider === undefined)
    throw new ConfigError(
      `PARLEY_GIF_PROVIDER is missing: PARLEY_GIF_${key === undefined ? "URL" : "KEY"} alone sets nothing up.`,
    );
  if (key === undefined) throw new ConfigError("PARLEY_GIF_KEY is missing: PARLEY_GIF_PROVIDER alone sets nothing up.");
  if (!showsExternalContent)
    throw new ConfigError("PARLEY_EXTERNAL_CONTENT must be on with PARLEY_GIF_PROVIDER: it is what shows GIFs.");
  return { provider, key, url };
}

/** What whoever starts the server should know each time, a sentence each. */
export function warningsOf(config: Config): string[] {
  const warnings: string[] = [];
  if (config.unknownVariables.length > 0)
    warnings.push(`There are no such settings, so they have no effect: ${config.unknownVariables.join(", ")}.`);
  if (config.isDevelopment) {
    const who = config.isDevelopmentOpen ? "anybody who reaches this server" : "every program on this machine";
    warnings.push(`PARLEY_DEV is on: ${who} gets anybody's API key. Never use it where people chat.`);
  }
  if (config.jwtKeys.size > 0 && config.jwtMaxAgeSecs === 0)
    warnings.push("PARLEY_JWT_MAX_AGE_SECS is not set: a token in which the signer put no exp is good for ever.");
  return warnings;
}

/** Whether a `.env`-like mistake is likely: a data folder that is a file. @throws ConfigError */
export function checkDataDir(dataDir: string, isDirectory: (path: string) => boolean): void {
  if (existsSync(dataDir) && !isDirectory(dataDir))
    throw new ConfigError(`PARLEY_DATA_DIR must be a folder, but ${dataDir} is a file.`);
}
