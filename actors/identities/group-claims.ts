/** What a provider says of somebody's groups, read without trust in its form, and what these give them here. */
import { type Role, roles } from "../../storage/rows.ts";
import { isObject } from "../text/json-object.ts";
import type { Provider } from "./providers.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** What somebody is to have here, as their provider says. */
export interface Given {
  /** Undefined: the provider gives no roles. */
  role?: Role | undefined;
  /** User groups that are kept in step. */
  groups: readonly { name: string; isMember: boolean }[];
  /** Names of channels in which a newcomer begins. */
  channels: readonly string[];
  /** Owners named the channels, who may not see every private one. */
  isPublicOnly: boolean;
}

/** Groups of one person that are looked at. */
const maxGroups = 5000;

const usesGroups = ({ groups, roles: byGroup, channels }: Provider): boolean =>
  byGroup !== undefined || Object.keys(groups).length > 0 || Object.keys(channels).length > 0;

/** Whether claims have the groups, or nobody asks for them. */
export const tellsGroups = (provider: Provider, claims: Claims): boolean =>
  !usesGroups(provider) || claimAt(claims, provider.groupsClaim) !== undefined;

/**
 * What the groups of a person give them. Who is told to have no groups has none, so that a group which somebody lost is
 * lost here. Undefined: nobody asks, or there are so many that the provider says where to ask for them.
 */
export function givenIn(provider: Provider, claims: Claims, more: Claims): Given | undefined {
  if (!usesGroups(provider)) return undefined;
  const told = claimAt(claims, provider.groupsClaim) ?? claimAt(more, provider.groupsClaim);
  if (told === undefined && [claims, more].some((each) => isElsewhere(each, provider.groupsClaim))) return undefined;
  const groups = new Set(textsIn(told));
  const isIn = (name: string) => groups.has(name);
  return {
    role: provider.roles && (provider.roles.find((one) => one.groups.some(isIn))?.role ?? roles.member),
    groups: Object.entries(provider.groups).map(([there, name]) => ({ name, isMember: isIn(there) })),
    channels: Object.entries(provider.channels).flatMap(([there, names]) => (isIn(there) ? names : [])),
    isPublicOnly: provider.isOwners,
  };
}

const recordIn = (value: unknown): Claims | undefined => (isObject(value) ? value : undefined);

/** The claim of this name, or the one at this path: Keycloak has roles in `realm_access.roles`. */
function claimAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let at: unknown = claims;
  for (const name of path.split(".")) {
    const record = recordIn(at);
    at = record && Object.hasOwn(record, name) ? record[name] : undefined;
  }
  return at;
}

/** Entra ID leaves groups out where there are more than 200. Source: OpenID Connect Core 1.0, section 5.6.2. */
const isElsewhere = (claims: Claims, name: string): boolean => {
  const names = recordIn(claims["_claim_names"]);
  return names !== undefined && Object.hasOwn(names, name);
};

/** A list of texts, or one. What is no text names no group. */
const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value.slice(0, maxGroups) : [value]).filter((each) => typeof each === "string");
