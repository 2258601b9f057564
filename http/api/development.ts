/**
 * Who may use what `PARLEY_DEV` opens: anybody's API key, without a password. Pages of other sites in a developer's
 * browser can send requests here too, so each request is checked twice. `Origin`, if there is one, must be this
 * server's own. `Host` must be a name that only this machine can have. After DNS rebinding a foreign page has the same
 * origin for the browser, but its own name in `Host`.
 */
import { isIP } from "node:net";
import { errors } from "../../actors/errors.ts";
import { hostNameOf, isLoopbackName } from "../server/addresses.ts";
import type { Exchange } from "../server/exchange.ts";
import type { App } from "./app.ts";

/** @throws BAD_REQUEST for anybody else, and in production. Pages of other sites cannot read the answer. */
export function checkDevelopment({ config }: Pick<App, "config">, exchange: Exchange): void {
  exchange.isForOtherSites = false;
  if (!config.isDevelopment) throw errors.BAD_REQUEST("Endpoint not available in production.");
  const name = hostNameOf(exchange.host);
  if (name === undefined || !isOurName(config, name))
    throw errors.BAD_REQUEST("A development server is asked for keys under a loopback address only.");
  const { origin, host } = exchange;
  if (
    origin !== "" &&
    !["http:", "https:"].some((scheme) => origin.toLowerCase() === `${scheme}//${host.toLowerCase()}`)
  )
    throw errors.BAD_REQUEST("A development server gives no keys to pages of other sites.");
}

function isOurName(config: App["config"], name: string): boolean {
  if (isLoopbackName(name)) return true;
  // No DNS server is asked for an address.
  return config.isDevelopmentOpen && (isIP(name) !== 0 || name === new URL(config.externalUrl).hostname);
}
