/**
 * Providers of identities, by OpenID Connect: what is known of one, and how its fields are read. Whoever runs the
 * server names some in `PARLEY_OIDC`: JSON of an organization's host, or `*` for every other one, and a list.
 *
 *     { "chat.example": [{ "name": "keycloak", "display_name": "Keycloak", "issuer": "https://id.example/staff",
 *                          "client_id": "parley", "client_secret_file": "/run/secrets/oidc" }] }
 */
import { type RolesByGroup, readMap, readRoles } from "./group-settings.ts";
import { Fields, parseByHost, settingError } from "./setting-fields.ts";

const variable = "PARLEY_OIDC";

/** Who of a provider may have an account that has none: everybody, whoever was invited, or nobody. */
export const joinings = ["everybody", "invited", "nobody"] as const;
export type Joining = (typeof joinings)[number];

/** Where people are known, and who of them may join. */
export interface IdentitySource {
  /** In addresses. */
  name: string;
  displayName: string;
  joining: Joining;
  /** Of addresses that may join, in small letters; empty: all. */
  domains: readonly string[];
}

export interface Provider extends IdentitySource {
  displayIcon: string | null;
  /** As the provider calls itself. */
  issuer: string;
  clientId: string;
  /** As it is, or sealed. Undefined: the provider knows the client by its redirect address alone, and by PKCE. */
  clientSecret: string | { sealed: string } | undefined;
  /** Owners have set it, so it is at an address that people choose. */
  isOwners: boolean;
  scopes: readonly string[];
  /** Its addresses are people's own, also where it says nothing of that. */
  confirmsEmails: boolean;
  nameClaim: string;
  emailClaim: string;
  /** Where groups are: a claim, or a path to it with dots. */
  groupsClaim: string;
  /** Groups as the provider calls them, and the user group of each, which is kept in step. */
  groups: Readonly<Record<string, string>>;
  /** Undefined: the provider gives no roles. */
  roles: RolesByGroup | undefined;
  /** Channels that newcomers of a group find themselves in. */
  channels: Readonly<Record<string, readonly string[]>>;
  /** Whether logging out here leads to the provider's log-out. */
  logsOut: boolean;
}

/** By host in small letters, `*` for every other organization. */
export type Providers = ReadonlyMap<string, readonly Provider[]>;

declare module "../realm/state/state.ts" {
  interface ServerChoices {
    /** Where people log in besides. */
    identityProviders: Providers;
  }
}

/** Where the log-in by a provider begins, below the organization's address. Clients have it from here. */
export const loginPath = ({ name }: Provider): string => `/accounts/login/social/${name}/`;
export const signupPath = ({ name }: Provider): string => `/accounts/register/social/${name}/`;
/** Where it sends the browser back to. */
export const callbackPath = ({ name }: Pick<Provider, "name">): string => `/complete/${name}/`;
/** Where the provider says that somebody has logged out there. */
export const backchannelPath = ({ name }: Pick<Provider, "name">): string => `/accounts/logout/backchannel/${name}/`;

const knownKeys: ReadonlySet<string> = new Set([
  ...["name", "display_name", "display_icon", "issuer", "client_id", "client_secret", "client_secret_file"],
  ...["scopes", "joining", "domains", "confirms_emails", "name_claim", "email_claim"],
  ...["groups_claim", "groups", "roles", "channels", "logs_out"],
]);

/** Reads the setting, and the files that it names. Empty text is none. @throws Error that names the variable */
export function parseProviders(text: string): Providers {
  return parseByHost(variable, text, (list, where) => {
    if (!Array.isArray(list)) throw settingError(where, "must be a list of providers.");
    const read = list.map((each, index) => readProvider(each, `${where}, provider ${index + 1}`));
    if (new Set(read.map(({ name }) => name)).size !== read.length)
      throw settingError(where, "two providers have the same name.");
    return read;
  });
}

function readProvider(given: unknown, where: string): Provider {
  const fields = new Fields(given, where, knownKeys);
  return { ...readFields(fields), clientSecret: fields.secret("client_secret"), isOwners: false };
}

/** Reads all but the secret. @throws Error that names the field */
export function readFields(fields: Fields): Omit<Provider, "clientSecret" | "isOwners"> {
  return {
    name: readName(fields, fields.needed("name")),
    displayName: fields.needed("display_name"),
    displayIcon: fields.text("display_icon") ?? null,
    issuer: readIssuer(fields),
    clientId: fields.needed("client_id"),
    scopes: [...new Set(["openid", ...(fields.texts("scopes") ?? ["profile", "email"])])],
    ...readJoining(fields),
    confirmsEmails: fields.flag("confirms_emails"),
    nameClaim: fields.text("name_claim") ?? "name",
    emailClaim: fields.text("email_claim") ?? "email",
    groupsClaim: fields.text("groups_claim") ?? "groups",
    groups: readMap(fields, "groups", (name) => name),
    roles: readRoles(fields),
    channels: fields.record("channels"),
    logsOut: fields.flag("logs_out"),
  };
}

export function readName(fields: Fields, name: string): string {
  if (!/^[a-z0-9][a-z0-9_-]{0,39}$/.test(name))
    throw fields.fail("name must be small letters, digits, - and _, since it is in addresses.");
  return name;
}

export const readJoining = (fields: Fields): Pick<IdentitySource, "joining" | "domains"> => ({
  joining: fields.oneOf("joining", joinings, "invited"),
  domains: (fields.texts("domains") ?? []).map((domain) => domain.toLowerCase()),
});

/** Over plain HTTP anybody on the way could be anybody. */
function readIssuer(fields: Fields): string {
  const text = fields.needed("issuer");
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url?.protocol !== "https:" && !isHere) throw fields.fail("issuer must be an address that starts with https://.");
  return text;
}

export const isLoopback = (hostname: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
