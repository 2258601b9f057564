/**
 * Who may look at a node from inside: `/metrics` tells how many people there are and what they do. Whoever asks on
 * `PARLEY_ADMIN_ADDRESS`, or with `Authorization: Bearer` and `PARLEY_ADMIN_TOKEN`. Where neither is set, programs on
 * this machine: by a loopback address, under a loopback name, and not through a proxy.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { errors } from "../../actors/errors.ts";
import type { App } from "../process/app.ts";
import type { Exchange } from "../server/exchange.ts";
import { hostNameOf, isLoopbackName } from "./addresses.ts";

/** @throws UNAUTHORIZED. No page of another site reads the answer, whatever it is. */
export function checkOperator({ config }: Pick<App, "config">, exchange: Exchange): void {
  exchange.isForOtherSites = false;
  const { adminAddress, adminToken } = config;
  if (exchange.isAtAdminAddress) return;
  if (adminToken !== undefined && isSame(exchange.authorization, `Bearer ${adminToken}`)) return;
  if (adminAddress === undefined && adminToken === undefined && isFromHere(exchange)) return;
  throw errors.UNAUTHORIZED("This is for whoever runs the server: see PARLEY_ADMIN_ADDRESS and PARLEY_ADMIN_TOKEN.");
}

function isFromHere(exchange: Exchange): boolean {
  const name = hostNameOf(exchange.host);
  return (
    !exchange.isForwarded && name !== undefined && isLoopbackName(name) && isLoopbackName(exchange.remoteAddress(0))
  );
}

/** Takes as long for any two texts. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
