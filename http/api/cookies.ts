/**
 * Cookies of browsers. Where people come by https their names begin with `__Host-`. Browsers take such cookies from
 * this very host alone, over https, and no other host of the domain can put its own in their place.
 * Source: RFC 6265bis, section 4.1.3.2.
 */

const hostPrefix = "__Host-";
/** Begins the tokens that were set under such a name: they are good under no other. */
const boundMark = "h.";
const sessionCookie = "sessionid";
const csrfCookie = "csrftoken";

export function parseCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header.split(";")) {
    const equals = part.indexOf("=");
    if (equals > 0) cookies.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
  }
  return cookies;
}

/** The tokens of a browser's log-in. One from before the server was reached by https is good until it ends. */
export function loginTokens(header: string): { session: string | undefined; csrf: string | undefined } {
  const cookies = parseCookies(header);
  const bound = cookies.get(hostPrefix + sessionCookie);
  if (bound) return { session: bound, csrf: cookies.get(hostPrefix + csrfCookie) };
  const plain = cookies.get(sessionCookie);
  return { session: plain?.startsWith(boundMark) ? undefined : plain, csrf: cookies.get(csrfCookie) };
}

/** A cookie of ours, by the name that it has by https, or else by the plain one. */
export function ownCookie(header: string, name: string): string | undefined {
  const cookies = parseCookies(header);
  return cookies.get(hostPrefix + name) ?? cookies.get(name);
}

/** Where an organization is, which decides how cookies are set. */
const isSecure = (url: string): boolean => url.startsWith("https:");

/** A token as it is set for an organization with this address. */
export const tokenFor = (url: string, random: string): string => (isSecure(url) ? boundMark + random : random);

/** A `Set-Cookie` line for an organization with this address. Scripts see it only if `isForScripts`. */
export function setCookie(
  url: string,
  cookie: { name: string; value: string; maxAgeSecs: number; path?: string; isForScripts?: boolean },
): [name: string, value: string] {
  const { name, value, maxAgeSecs, path = "/", isForScripts = false } = cookie;
  const where = isSecure(url) ? "Path=/; Secure" : `Path=${path}`;
  const who = isForScripts ? "" : "HttpOnly; ";
  const shown = `${isSecure(url) ? hostPrefix : ""}${name}`;
  return ["Set-Cookie", `${shown}=${value}; ${where}; ${who}SameSite=Lax; Max-Age=${maxAgeSecs}`];
}

/** Sets the cookies of a log-in. By https, those that the browser had under the plain names go. */
export function loginCookies(
  url: string,
  tokens: { session: string; csrf: string },
  maxAgeSecs: number,
): [name: string, value: string][] {
  return [
    setCookie(url, { name: sessionCookie, value: tokens.session, maxAgeSecs }),
    setCookie(url, { name: csrfCookie, value: tokens.csrf, maxAgeSecs, isForScripts: true }),
    ...(isSecure(url) ? removed("") : []),
  ];
}

/** Removes the cookies of a log-in, under all their names. */
export const noLoginCookies = (url: string): [name: string, value: string][] => [
  ...removed(""),
  ...(isSecure(url) ? removed(hostPrefix) : []),
];

const removed = (prefix: string): [name: string, value: string][] =>
  [sessionCookie, csrfCookie].map((name) => [
    "Set-Cookie",
    `${prefix}${name}=; Path=/; SameSite=Lax; Max-Age=0${prefix === "" ? "" : "; Secure"}`,
  ]);
