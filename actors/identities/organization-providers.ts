/**
 * The providers of an organization: those of the server's setting, and those that its owners have set. The latter are
 * among the organization's settings, so that every node has them at once. Clients know nothing of that setting.
 */
import type { RealmId } from "../../storage/ids.ts";
import { keysOf, type RealmChoices } from "../../storage/rows.ts";
import type { AuditFact } from "../realm/commit/audit.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { type Joining, type Provider, readFields } from "./providers.ts";
import { Fields, ofHost } from "./setting-fields.ts";

/** Where they are among the organization's settings. */
export const identityProvidersKey = "identity_providers";

/** A provider as owners set it. The names are those of `PARLEY_OIDC`. */
export interface ProviderDocument {
  name: string;
  display_name: string;
  issuer: string;
  client_id: string;
  scopes: string[];
  joining: Joining;
  domains: string[];
  confirms_emails: boolean;
  name_claim: string;
  email_claim: string;
  groups_claim: string;
  groups: Record<string, string>;
  roles: Record<string, string[]>;
  channels: Record<string, string[]>;
  logs_out: boolean;
}

/** What is stored. The secret is sealed by the installation's key. */
export interface StoredProvider extends ProviderDocument {
  client_secret_sealed: string | null;
  /** UNIX seconds; null: there is none. */
  client_secret_set_at: number | null;
}

/** What is told of one: everything but the secret. */
export type ShownProvider = Omit<StoredProvider, "client_secret_sealed">;

/** What owners leave out. */
export const providerDefaults: Omit<ProviderDocument, "name" | "display_name" | "issuer" | "client_id"> = {
  scopes: ["profile", "email"],
  joining: "invited",
  domains: [],
  confirms_emails: false,
  name_claim: "name",
  email_claim: "email",
  groups_claim: "groups",
  groups: {},
  roles: {},
  channels: {},
  logs_out: false,
};

const documentKeys: ReadonlySet<string> = new Set([
  ...["name", "display_name", "issuer", "client_id"],
  ...Object.keys(providerDefaults),
]);

/** What the sealed secret is about: put into another organization or provider, it opens nothing. */
export const secretPurpose = (realmId: RealmId, name: string): string =>
  `secret of the provider ${name} of organization ${realmId}`;

export const shownProvider = ({ client_secret_sealed: _, ...shown }: StoredProvider): ShownProvider => shown;

declare module "../../storage/rows.ts" {
  interface RealmChoices {
    [identityProvidersKey]?: readonly StoredProvider[];
  }
}

/** Checks a provider, and makes it what log-ins use. @throws Error that names the field */
export function readOwnersProvider(stored: StoredProvider): Provider {
  const { client_secret_sealed: sealed, client_secret_set_at: _, ...document } = stored;
  const fields = new Fields(document, "The provider", documentKeys);
  return { ...readFields(fields), clientSecret: sealed === null ? undefined : { sealed }, isOwners: true };
}

export const storedProviders = ({ row }: Pick<RealmState, "row">): readonly StoredProvider[] =>
  row.settings[identityProvidersKey] ?? [];

/** Those of the server's setting. */
export const serversProviders = ({ host, server }: RealmState): readonly Provider[] =>
  ofHost(server.identityProviders, host) ?? [];

const allProviders = defineDerived<readonly Provider[]>({
  tables: ["realms"],
  make(state) {
    const servers = serversProviders(state);
    // Whoever runs the server may name one later as owners did before: theirs goes first.
    const isFree = ({ name }: StoredProvider) => servers.every((other) => other.name !== name);
    return [...servers, ...storedProviders(state).filter(isFree).map(readOwnersProvider)];
  },
});

/** The server's in the order of the setting, then the owners', the oldest first. */
export const providersOf = (state: RealmState): readonly Provider[] => state.derived(allProviders);

export function findProvider(state: RealmState, name: string): Provider | undefined {
  return providersOf(state).find((provider) => provider.name === name);
}

/** What the audit log is told of a change of the setting: each provider by itself, without its secret. */
export function providerFacts(before: Providers, after: Providers): AuditFact[] {
  const [old, now] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name): AuditFact[] => {
    const [was, is] = [old.get(name), now.get(name)];
    if (!was) return [{ type: "realm_identity_provider_added", after: { ...is } }];
    if (!is) return [{ type: "realm_identity_provider_removed", before: { ...was } }];
    const differ = keysOf(is).filter((key) => JSON.stringify(was[key]) !== JSON.stringify(is[key]));
    if (differ.length === 0) return [];
    const part = (of: ShownProvider) => ({ name, ...Object.fromEntries(differ.map((key) => [key, of[key]])) });
    return [{ type: "realm_identity_provider_changed", before: part(was), after: part(is) }];
  });
}

type Providers = RealmChoices[typeof identityProvidersKey];
const byName = (setting: Providers = []): Map<string, ShownProvider> =>
  new Map(setting.map((each) => [each.name, shownProvider(each)]));
