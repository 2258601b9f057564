/** The domains of email addresses that may join while `emails_restricted_to_domains` is on. Owners choose them. */
import type { DomainId, UserId } from "../../../storage/ids.ts";
import type { RealmDomainRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { requireOwner } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import type { DomainRecord } from "../shapes.ts";

/** Source: RFC 1035, 2.3.4. */
const maxDomainLength = 253;
/** Every register answer has all of them. */
export const maxDomains = 1000;
const labelPattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

function renderDomain({ domain, allow_subdomains }: RealmDomainRow): { domain: string; allow_subdomains: boolean } {
  return { domain, allow_subdomains };
}

/** The allowed domains as clients see them, oldest first. */
export function renderDomains(state: RealmState): DomainRecord[] {
  return [...state.domains.values()].sort((a, b) => a.id - b.id).map(renderDomain);
}

/** Returns the domain in lower case. @throws BAD_REQUEST when it cannot be the domain of an email address */
export function checkDomain(given: string): string {
  const domain = given.trim().toLowerCase();
  if (domain === "") throw badRequest("Domain can't be empty.");
  if (!domain.includes(".")) throw badRequest("Domain must have at least one dot (.)");
  if (domain.length > maxDomainLength) throw badRequest("Domain is too long");
  if (domain.startsWith(".") || domain.endsWith(".")) throw badRequest("Domain cannot start or end with a dot (.)");
  for (const label of domain.split(".")) {
    if (label === "") throw badRequest("Consecutive '.' are not allowed.");
    if (label.startsWith("-") || label.endsWith("-")) throw badRequest("Subdomains cannot start or end with a '-'.");
    if (!labelPattern.test(label)) throw badRequest("Domain can only have letters, numbers, '.' and '-'s.");
  }
  return domain;
}

function findDomain(state: RealmState, domain: string): RealmDomainRow | undefined {
  const wanted = domain.trim().toLowerCase();
  for (const row of state.domains.values()) if (row.domain === wanted) return row;
  return undefined;
}

/** @throws BAD_REQUEST */
function accessDomain(state: RealmState, domain: string): RealmDomainRow {
  const row = findDomain(state, domain);
  if (!row) throw badRequest(`No entry found for domain ${domain.slice(0, maxDomainLength)}.`);
  return row;
}

export interface DomainArgs {
  userId: UserId;
  domain: string;
  allowSubdomains: boolean;
}

/** Allows a domain. */
export const addDomain = command(async (tx: Tx, args: DomainArgs) => {
  requireOwner(tx.user(args.userId));
  const domain = checkDomain(args.domain);
  if (findDomain(tx.state, domain)) throw badRequest(`The domain ${domain} is already a part of your organization.`);
  if (tx.state.domains.size >= maxDomains) throw badRequest(`At most ${maxDomains} domains are allowed.`);
  const row: RealmDomainRow = {
    id: await tx.id("object_ids"),
    realm_id: tx.realmId,
    domain,
    allow_subdomains: args.allowSubdomains,
  };
  tx.put("realm_domains", row);
  tx.event({ type: "realm_domains", op: "add", realm_domain: renderDomain(row) }, { to: "realm" });
  const new_domain: [DomainId, string] = [row.id, domain];
  return { new_domain };
});

/** Changes whether subdomains are allowed too. */
export const updateDomain = command((tx: Tx, args: DomainArgs) => {
  requireOwner(tx.user(args.userId));
  const before = accessDomain(tx.state, args.domain);
  if (before.allow_subdomains === args.allowSubdomains) return {};
  const row = { ...before, allow_subdomains: args.allowSubdomains };
  tx.put("realm_domains", row);
  tx.event({ type: "realm_domains", op: "change", realm_domain: renderDomain(row) }, { to: "realm" });
  return {};
});

/** Removes an allowed domain. Removing the last one also turns the restriction off. */
export const removeDomain = command((tx: Tx, args: { userId: UserId; domain: string }) => {
  const { state } = tx;
  requireOwner(tx.user(args.userId));
  const row = accessDomain(state, args.domain);
  tx.remove("realm_domains", { id: row.id });
  tx.event({ type: "realm_domains", op: "remove", domain: row.domain }, { to: "realm" });
  if (state.domains.size === 1 && state.setting("emails_restricted_to_domains")) {
    const settings = { ...state.row.settings, emails_restricted_to_domains: false };
    tx.put("realms", { ...state.row, settings });
    tx.event({ type: "realm", op: "update", property: "emails_restricted_to_domains", value: false }, { to: "realm" });
  }
  return {};
});
