/**
 * Known devices, for emails about new log-ins. A browser is known by a cookie of its own, a program by its name and
 * address.
 */
import { randomBytes } from "node:crypto";
import { isKnownDevice, noteDevice } from "../../../actors/email/known-devices.ts";
import { languageFor, programIn } from "../../../actors/email/words/words.ts";
import { StorageUnavailable, translate } from "../../../storage/postgres.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { ownCookie, setCookie } from "../../api/cookies.ts";
import { clientName } from "../../api/pipeline.ts";
import type { ApiRequest } from "../../api/route.ts";

const deviceCookie = "device";
/** A year. Browsers keep no cookie much longer. */
const cookieSecs = 31_536_000;
const cookiePattern = /^[A-Za-z0-9_-]{32}$/;

type LoginRequest = Pick<ApiRequest, "app" | "realm" | "exchange" | "client">;

/** Notes a log-in with a browser, and gives it a cookie that identifies it. */
export function noteBrowser(request: LoginRequest, user: UserRow): Promise<void> {
  const { realm, exchange } = request;
  const had = ownCookie(exchange.cookie, deviceCookie) ?? "";
  const device = cookiePattern.test(had) ? had : randomBytes(24).toString("base64url");
  const cookie = { name: deviceCookie, value: device, maxAgeSecs: cookieSecs, path: "/login" };
  exchange.headers.push(setCookie(realm.state.url, cookie));
  return note(request, user, browserMark(device));
}

/** What identifies the browser that asks, if this person has logged in with it before. */
export async function knownBrowserOf(
  { realm, exchange }: Pick<LoginRequest, "realm" | "exchange">,
  user: UserRow | undefined,
): Promise<string | undefined> {
  const device = ownCookie(exchange.cookie, deviceCookie) ?? "";
  if (!cookiePattern.test(device)) return undefined;
  const mark = browserMark(device);
  return (await isKnownDevice(realm, user, mark)) ? mark : undefined;
}

const browserMark = (device: string): string => `browser ${device}`;

/** Notes a log-in with a program, which keeps no cookies. */
export function noteProgram(request: LoginRequest, user: UserRow): Promise<void> {
  const { app, exchange, client } = request;
  return note(request, user, `program ${client} ${exchange.remoteAddress(app.config.trustedProxies)}`);
}

/** Failing to store the note must not stop the log-in. */
async function note({ app, realm, exchange, client }: LoginRequest, user: UserRow, mark: string): Promise<void> {
  const address = exchange.remoteAddress(app.config.trustedProxies);
  const at = realm.environment.clock();
  try {
    await noteDevice(realm, user, mark, { ...programAndSystem(exchange.userAgent, client), address, at });
  } catch (error) {
    if (!(translate(error) instanceof StorageUnavailable)) throw error;
    app.log.warn({ realm: realm.id, user: user.id, err: error }, "a device was not noted");
  }
}

const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\b(?:Chrome|HeadlessChrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: readonly [pattern: RegExp, name: string][] = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad|iOS)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\b(?:Mac OS X|macOS|Macintosh)\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

/** The browser and system of a User-Agent, in familiar names. Empty when it has none. */
export function programAndSystem(userAgent: string, client: string): { program: string; system: string } {
  const find = (table: typeof browsers) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
  return { program: find(browsers) ?? client.replace(/[^\w .-]/g, ""), system: find(systems) ?? "" };
}

/** What somebody asks with, in their language. */
export const programOf = ({ realm, exchange }: Pick<ApiRequest, "realm" | "exchange">, user: UserRow): string =>
  programIn(languageFor(realm.state, user), programAndSystem(exchange.userAgent, clientName(exchange.userAgent)));
