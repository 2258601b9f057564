/** How Stripe's objects are called, and what they cost. https://docs.stripe.com/api */
import { upTo } from "../../../storage/failures.ts";
import { link } from "../notice/markdown.ts";
import type { Payload } from "../notice/payload.ts";

/** By the first part of an id: the name, and the part of the dashboard's address. */
const kinds: Readonly<Record<string, readonly [name: string, place?: string]>> = {
  ch: ["Charge", "charges"],
  cus: ["Customer", "customers"],
  dp: ["Dispute", "disputes"],
  du: ["Dispute", "disputes"],
  file: ["File", "files"],
  link: ["File link", "file_links"],
  pi: ["Payment intent", "payment_intents"],
  po: ["Payout", "payouts"],
  prod: ["Product", "products"],
  re: ["Refund", "refunds"],
  pyr: ["Refund", "refunds"],
  tok: ["Token", "tokens"],
  ba: ["Bank account"],
  card: ["Card"],
  src: ["Source"],
  in: ["Invoice", "invoices"],
  ii: ["Invoice item", "invoiceitems"],
  sub: ["Subscription", "subscriptions"],
  si: ["Subscription item", "subscription_items"],
  mbur: ["Usage record"],
  py: ["Payment", "payments"],
};

/** An object's kind, linked to its page in the dashboard. */
export function resource(id: string): string {
  const prefix = upTo(id, "_");
  const [name, place] = (Object.hasOwn(kinds, prefix) && kinds[prefix]) || ["Object"];
  return place === undefined ? name : link(name, `https://dashboard.stripe.com/${place}/${id}`);
}

/** Currencies without hundredths. https://docs.stripe.com/currencies#zero-decimal */
const whole = new Set("bif clp djf gnf jpy kmf krw mga pyg rwf ugx vnd vuv xaf xof xpf".split(" "));

/** An amount in its currency. */
export function amount(at: Payload, path: string): string {
  const [units, currency] = [at.number(path) ?? 0, at.line("currency").toLowerCase()];
  const text = whole.has(currency) ? String(units) : (units / 100).toFixed(2);
  return currency === "usd" ? `$${text}` : `${text} ${currency.toUpperCase()}`;
}
