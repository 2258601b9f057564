/**
 * Providers of identities, by OpenID Connect, as whoever runs the server has named them in `PARLEY_OIDC`: JSON of an
 * organization's host, or `*` for every other one, and a list.
 *
 *     { "chat.example": [{ "name": "keycloak", "display_name": "Keycloak", "issuer": "https://id.example/staff",
 *                          "client_id": "parley", "client_secret_file": "/run/secrets/oidc" }] }
 */
import { readFileSync } from "node:fs";
import { messageOf } from "../../storage/failures.ts";
import type { RealmState } from "../realm/state/state.ts";

const variable = "PARLEY_OIDC";

/** Who of a provider may have an account that has none: everybody, whoever was invited, or nobody. */
type Joining = "everybody" | "invited" | "nobody";

export interface Provider {
  /** In addresses. */
  name: string;
  displayName: string;
  displayIcon: string | null;
  /** As the provider calls itself. */
  issuer: string;
  clientId: string;
  /** Undefined: the provider knows the client by its redirect address alone, and by PKCE. */
  clientSecret: string | undefined;
  scopes: readonly string[];
  joining: Joining;
  /** Of addresses that may join, in small letters; empty: all. */
  domains: readonly string[];
  /** Its addresses are people's own, also where it says nothing of that. */
  confirmsEmails: boolean;
  nameClaim: string;
  emailClaim: string;
}

/** By host in small letters, `*` for every other organization. */
export type Providers = ReadonlyMap<string, readonly Provider[]>;

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** Where people log in besides. */
    identityProviders: Providers;
  }
}

/** The providers of an organization, in the order of the setting. */
export function providersOf({ host, server }: RealmState): readonly Provider[] {
  // The command line has none.
  const all: Providers | undefined = server.identityProviders;
  const name = host.toLowerCase();
  return all?.get(name) ?? all?.get(name.replace(/:\d{1,5}$/, "")) ?? all?.get("*") ?? [];
}

export function findProvider(state: RealmState, name: string): Provider | undefined {
  return providersOf(state).find((provider) => provider.name === name);
}

/** Where the log-in by a provider begins, below the organization's address. Clients have it from here. */
export const loginPath = ({ name }: Provider): string => `/accounts/login/social/${name}/`;
export const signupPath = ({ name }: Provider): string => `/accounts/register/social/${name}/`;
/** Where it sends the browser back to. */
export const callbackPath = ({ name }: Provider): string => `/complete/${name}/`;

/** A value that cannot be used; the message names the variable. */
class ProviderConfigError extends Error {
  override readonly name = "ProviderConfigError";
}

const textKeys = ["name", "display_name", "issuer", "client_id"] as const;
const knownKeys = new Set<string>([
  ...textKeys,
  ...["display_icon", "client_secret", "client_secret_file", "scopes", "joining", "domains"],
  ...["confirms_emails", "name_claim", "email_claim"],
]);

/** Reads the setting, and the files that it names. Empty text is none. @throws Error that names the variable */
export function parseProviders(text: string): Providers {
  const providers = new Map<string, readonly Provider[]>();
  if (text.trim() === "") return providers;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ProviderConfigError(`${variable} is not valid JSON.`);
  }
  if (!isRecord(parsed)) throw new ProviderConfigError(`${variable} must be a JSON object of hosts.`);
  for (const [host, list] of Object.entries(parsed)) {
    if (!Array.isArray(list)) throw new ProviderConfigError(`${variable}, ${host}: must be a list of providers.`);
    const read = list.map((each, index) => readProvider(each, `${variable}, ${host}, provider ${index + 1}`));
    if (new Set(read.map(({ name }) => name)).size !== read.length)
      throw new ProviderConfigError(`${variable}, ${host}: two providers have the same name.`);
    providers.set(host.toLowerCase(), read);
  }
  return providers;
}

function readProvider(given: unknown, where: string): Provider {
  const fail = (problem: string) => new ProviderConfigError(`${where}: ${problem}`);
  if (!isRecord(given)) throw fail("must be an object.");
  const unknown = Object.keys(given).find((key) => !knownKeys.has(key));
  if (unknown !== undefined) throw fail(`there is no ${unknown}.`);
  const optional = (key: string): string | undefined => {
    const value = given[key];
    if (value !== undefined && (typeof value !== "string" || value === "")) throw fail(`${key} must be a text.`);
    return value;
  };
  const needed = (key: (typeof textKeys)[number]): string => {
    const value = optional(key);
    if (value === undefined) throw fail(`${key} is missing.`);
    return value;
  };
  const name = needed("name");
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(name))
    throw fail("name must be small letters, digits, - and _, since it is in addresses.");
  const joining = optional("joining") ?? "invited";
  if (joining !== "everybody" && joining !== "invited" && joining !== "nobody")
    throw fail("joining must be everybody, invited or nobody.");
  const confirmsEmails = given["confirms_emails"] ?? false;
  if (typeof confirmsEmails !== "boolean") throw fail("confirms_emails must be true or false.");
  return {
    name,
    displayName: needed("display_name"),
    displayIcon: optional("display_icon") ?? null,
    issuer: readIssuer(needed("issuer"), fail),
    clientId: needed("client_id"),
    clientSecret: readSecret(optional("client_secret"), optional("client_secret_file"), fail),
    scopes: [...new Set(["openid", ...(texts(given["scopes"], "scopes", fail) ?? ["profile", "email"])])],
    joining,
    domains: (texts(given["domains"], "domains", fail) ?? []).map((domain) => domain.toLowerCase()),
    confirmsEmails,
    nameClaim: optional("name_claim") ?? "name",
    emailClaim: optional("email_claim") ?? "email",
  };
}

type Fail = (problem: string) => ProviderConfigError;

/** Over plain HTTP anybody on the way could be anybody. */
function readIssuer(text: string, fail: Fail): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url?.protocol === "http:" && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url?.protocol !== "https:" && !isHere) throw fail("issuer must be an address that starts with https://.");
  return text;
}

function readSecret(secret: string | undefined, file: string | undefined, fail: Fail): string | undefined {
  if (file === undefined) return secret;
  if (secret !== undefined) throw fail("must have either client_secret or client_secret_file.");
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw fail(`cannot read ${file}: ${messageOf(error)}`);
  }
}

function texts(value: unknown, key: string, fail: Fail): string[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string" && each !== ""))
    throw fail(`${key} must be a list of texts.`);
  return value as string[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
