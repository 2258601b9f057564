/** Owners set, change and remove the providers by which people of their organization log in. */
import type { UserId } from "../../storage/ids.ts";
import { roles } from "../../storage/rows.ts";
import { findOwnersByIssuerAlone } from "../../storage/users/identities.ts";
import { badRequest, errors, notFound } from "../errors.ts";
import { requireOwner } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { directoryOf, issuerOf } from "./directories.ts";
import { channelsNamed } from "./first-channels.ts";
import {
  identityProvidersKey,
  type ProviderDocument,
  providersOf,
  readOwnersProvider,
  type StoredProvider,
  serversProviders,
  shownProvider,
  storedProviders,
} from "./organization-providers.ts";
import { SettingError } from "./setting-fields.ts";
import { authenticationMethodsOf } from "./ways-in.ts";

/** Providers that owners of one organization may set. */
const maxProviders = 10;

/** A provider that nobody has set. */
export const noProvider = () => notFound("Owners have set no provider by this name.");

interface PutArgs {
  actorId: UserId;
  /** Whole; `name` says which. */
  document: ProviderDocument;
  /** Sealed. null: none, undefined: the one that is there. */
  secret: string | null | undefined;
  isNew: boolean;
  /** The actor has been told that owners cannot log in any more. */
  locksOut: boolean;
}

/**
 * Sets a provider, or changes one.
 *
 * @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST, a 404, OWNERS_LOCKED_OUT
 */
export const putIdentityProvider = command(async (tx: Tx, args: PutArgs) => {
  const { actorId, document, secret, isNew, locksOut } = args;
  requireOwner(tx.user(actorId));
  const stored = storedProviders(tx.state);
  const before = stored.find(({ name }) => name === document.name);
  if (!isNew && !before) throw noProvider();
  const isTaken = before !== undefined || serversProviders(tx.state).some(({ name }) => name === document.name);
  if (isNew && isTaken) throw badRequest("There is a provider by this name already.");
  if (isNew && stored.length >= maxProviders)
    throw badRequest(`An organization can have at most ${maxProviders} providers.`);
  // Whoever could send a secret that nobody is shown to an address of their choice would have it.
  const isMoved = before !== undefined && before.issuer !== document.issuer;
  if (isMoved && secret === undefined && before.client_secret_sealed !== null)
    throw badRequest("Another issuer needs the client secret again.");
  const kept = before && secret === undefined ? before : undefined;
  const next: StoredProvider = {
    ...document,
    client_secret_sealed: kept ? kept.client_secret_sealed : (secret ?? null),
    client_secret_set_at: kept ? kept.client_secret_set_at : secret ? tx.now : null,
  };
  checkProvider(tx, next, before);
  if (isMoved && !locksOut) await checkOwnersComeIn(tx, before);
  putAll(tx, before ? stored.map((each) => (each === before ? next : each)) : [...stored, next]);
  return shownProvider(next);
});

interface RemoveArgs {
  actorId: UserId;
  name: string;
  locksOut: boolean;
}

/** Removes a provider. Log-ins by it go on until they end. @throws UNAUTHORIZED_PRINCIPAL, a 404, OWNERS_LOCKED_OUT */
export const removeIdentityProvider = command(async (tx: Tx, { actorId, name, locksOut }: RemoveArgs) => {
  requireOwner(tx.user(actorId));
  const stored = storedProviders(tx.state);
  const before = stored.find((each) => each.name === name);
  if (!before) throw noProvider();
  if (!locksOut) await checkOwnersComeIn(tx, before);
  putAll(
    tx,
    stored.filter((each) => each !== before),
  );
  return {};
});

/** @throws BAD_REQUEST */
function checkProvider(tx: Tx, next: StoredProvider, before: StoredProvider | undefined): void {
  try {
    readOwnersProvider(next);
  } catch (error) {
    if (error instanceof SettingError) throw badRequest(error.message);
    throw error;
  }
  // Somebody in a channel that its owners do not see would let themselves in by a group of their own.
  const old = new Set(Object.values(before?.channels ?? {}).flat());
  for (const name of Object.values(next.channels).flat()) {
    const isThere = channelsNamed(tx.state, [name]).some(({ invite_only }) => !invite_only);
    if (!isThere && !old.has(name)) throw badRequest(`There is no public channel ${name}.`);
  }
}

/** @throws OWNERS_LOCKED_OUT for a provider by which alone some owners come in */
async function checkOwnersComeIn(tx: Tx, gone: StoredProvider): Promise<void> {
  const { state } = tx;
  const owners = [...state.roles.members(roles.owner)].filter((id) => {
    const user = state.users.get(id);
    return user?.is_active && !user.is_bot;
  });
  const directory = directoryOf(state);
  const others = [
    ...providersOf(state).flatMap(({ name, issuer }) => (name === gone.name ? [] : [issuer])),
    ...(directory ? [issuerOf(directory)] : []),
  ];
  if (others.includes(gone.issuer)) return;
  const lockedOut = await findOwnersByIssuerAlone(tx.sql, tx.realmId, owners, { issuer: gone.issuer, others });
  if (lockedOut.length > 0) throw errors.OWNERS_LOCKED_OUT({ owner_ids: lockedOut });
}

function putAll(tx: Tx, all: readonly StoredProvider[]): void {
  const row = tx.realmNow();
  tx.put("realms", { ...row, settings: { ...row.settings, [identityProvidersKey]: all } });
  const before = authenticationMethodsOf(tx.state);
  const after = authenticationMethodsOf(tx.state, serversProviders(tx.state).length + all.length);
  if (Object.keys(after).length === Object.keys(before).length) return;
  const data = { authentication_methods: after };
  tx.event({ type: "realm", op: "update_dict", property: "default", data }, { to: "realm" });
}
