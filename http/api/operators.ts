/**
 * Who may look at a node from inside: `/metrics` tells how many people there are and what they do. Whoever asks on
 * `PARLEY_ADMIN_ADDRESS`, or with `Authorization: Bearer` and `PARLEY_ADMIN_TOKEN`. Where neither is set, the address
 * is a loopback port of its own. On the port of clients a request from this machine may be anybody's that a proxy
 * passed on.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { errors } from "../../actors/errors.ts";
import type { Exchange } from "../server/exchange.ts";
import type { App } from "./app.ts";

/** @throws UNAUTHORIZED. No page of another site reads the answer, whatever it is. */
export function checkOperator(app: Pick<App, "config">, exchange: Exchange): void {
  if (!isOperator(app, exchange))
    throw errors.UNAUTHORIZED("This is for whoever runs the server: see PARLEY_ADMIN_ADDRESS and PARLEY_ADMIN_TOKEN.");
}

/** Whether whoever runs the server asks. No page of another site reads the answer, whatever it is. */
export function isOperator({ config }: Pick<App, "config">, exchange: Exchange): boolean {
  exchange.isForOtherSites = false;
  const { adminToken } = config;
  return (
    exchange.isAtAdminAddress || (adminToken !== undefined && isSame(exchange.authorization, `Bearer ${adminToken}`))
  );
}

/** Takes as long for any two texts. */
function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
