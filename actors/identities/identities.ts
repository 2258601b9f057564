/** Log-ins by providers of identities: whose account it is, making one, and linking, as `machine.ts` decides. */
import { findOneTimeLink } from "../../storage/email/one-time-links.ts";
import { defined } from "../../storage/failures.ts";
import type { IdentityId, UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import {
  findIdentities,
  findIdentity,
  findIdentityById,
  type IdentityKey,
  type IdentityRow,
  noteIdentityUsed,
  putIdentity,
} from "../../storage/users/identities.ts";
import { deleteSession, findSessionsByProvider } from "../../storage/users/sessions.ts";
import { identityLetter, identityLinkedLetter } from "../email/letters.ts";
import { hashToken, isToken } from "../email/one-time-token.ts";
import { queueEmails } from "../email/queue.ts";
import { languageFor, wordsIn } from "../email/words/words.ts";
import { badRequest, errors } from "../errors.ts";
import { admit, usableInvitationTo } from "../invitations/join.ts";
import { granted } from "../lifecycle.ts";
import { checkEmailDomain } from "../organization/email-domains.ts";
import { isAdmin, isOwner, requireAdmin } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import type { Tx } from "../realm/transaction.ts";
import type { Person } from "./claims.ts";
import { findSource } from "./directories.ts";
import type { LoggedOut } from "./logout-token.ts";
import { identityRefusals, type Proof, stepIdentity } from "./machine.ts";
import { findProvider } from "./organization-providers.ts";
import type { Provider } from "./providers.ts";

export const identityLinkPath = "/accounts/identity/confirm/";
const linkSecs = 86_400;

interface ComeArgs {
  /** As the settings call it. */
  provider: string;
  person: Person;
  /** The name that they chose, in the place of the provider's. */
  fullName?: string | undefined;
}

/** Whether somebody came in, or has to show first whose account it is. */
type Arrival =
  | { kind: "in"; user_id: UserId; identity_id: IdentityId }
  | { kind: "asked"; user_id: UserId; identity_id: IdentityId };

/**
 * Somebody has come from a provider who is not linked with an account yet: they get one, or are asked whose it is.
 *
 * @throws AUTHENTICATION_FAILED, USER_DEACTIVATED, BAD_REQUEST for an address or a name that the organization refuses
 */
export const comeByIdentity = command(async (tx: Tx, args: ComeArgs): Promise<Arrival> => {
  const { state } = tx;
  const { person } = args;
  const found = await findIdentity(tx.sql, tx.realmId, person);
  const holder = holderOf(state, person, found);
  const invitation = person.email === null ? undefined : await usableInvitationTo(tx, person.email);
  const mayJoin = mayJoinBy(state, args, invitation !== undefined);
  const { state: next, actions } = granted(
    stepIdentity(found?.state ?? "unknown", {
      type: "person.came",
      holder: holder === undefined ? "none" : holder.is_active && !holder.is_bot ? "active" : "deactivated",
      mayJoin,
    }),
    (refusal) => identityRefusals[refusal](),
  );
  let user = holder;
  if (actions.includes("join")) {
    const email = defined(person.email, "address to join with");
    checkEmailDomain(state, email);
    user = await admit(tx, { email, fullName: args.fullName ?? person.fullName, passwordHash: null }, invitation);
  }
  const account = defined(user, "account of this identity");
  const row = await rowOf(tx, args, account.id, found);
  if (next === "linked") {
    if (found?.state !== "linked") {
      tx.write((sql) => putIdentity(sql, { ...row, state: "linked", last_used: tx.now }));
      tellLinked(tx, account, row, "joining");
    }
    return { kind: "in", user_id: account.id, identity_id: row.id };
  }
  tx.write((sql) => putIdentity(sql, { ...row, state: "pending" }));
  return { kind: "asked", user_id: account.id, identity_id: row.id };
});

/** The account of an identity, or the one that has the address which the provider knows to be theirs. */
function holderOf(state: RealmState, person: Person, found: IdentityRow | undefined): UserRow | undefined {
  if (found?.state === "linked") return state.users.get(found.user_id);
  return person.email !== null && person.isEmailConfirmed ? state.userByEmail(person.email) : undefined;
}

function mayJoinBy(state: RealmState, { provider: name, person }: ComeArgs, isInvited: boolean): boolean {
  const provider = findSource(state, name);
  if (!provider || person.email === null || !person.isEmailConfirmed) return false;
  const domain = person.email.slice(person.email.lastIndexOf("@") + 1).toLowerCase();
  if (provider.domains.length > 0 && !provider.domains.includes(domain)) return false;
  return provider.joining === "everybody" || (provider.joining === "invited" && isInvited);
}

async function rowOf(
  tx: Tx,
  { provider, person: { issuer, subject, email } }: ComeArgs,
  userId: UserId,
  found: IdentityRow | undefined,
): Promise<Omit<IdentityRow, "state">> {
  return {
    id: found?.id ?? (await tx.id("object_ids")),
    realm_id: tx.realmId,
    issuer,
    subject,
    provider,
    user_id: userId,
    email,
    date_created: found?.date_created ?? tx.now,
    last_used: found?.last_used ?? null,
  };
}

/** Whom an identity is linked with. Undefined: nobody. */
export async function linkedUser(realm: RealmReader, key: IdentityKey) {
  const found = await findIdentity(realm.database.sql, realm.id, key);
  const user = found?.state === "linked" ? realm.state.users.get(found.user_id) : undefined;
  return found && user && { identity: found, user };
}

/** How a provider calls the person of an account that is linked with it. Undefined: none is. */
export async function subjectIn(realm: RealmReader, user: UserRow, issuer: string): Promise<string | undefined> {
  const rows = await findIdentities(realm.database.sql, realm.id, { userId: user.id });
  return rows.find((row) => row.state === "linked" && row.issuer === issuer)?.subject;
}

/** The provider of an identity. Undefined: nobody logs in by it any more, or it is a directory. */
export async function providerOf(realm: RealmReader, id: IdentityId): Promise<Provider | undefined> {
  const identity = await findIdentityById(realm.database.sql, realm.id, id);
  return identity && findProvider(realm.state, identity.provider);
}

/** Notes that somebody logged in by an identity. */
export function noteUsed({ database, environment }: RealmReader, id: IdentityId, email: string | null): Promise<void> {
  return noteIdentityUsed(database.sql, id, email, environment.clock());
}

/** Links an identity with the account whose password was given. @throws BAD_REQUEST */
export const linkByPassword = command(async (tx: Tx, args: ComeArgs & { userId: UserId }) => {
  const user = tx.user(args.userId);
  const found = await findIdentity(tx.sql, tx.realmId, args.person);
  const row = await rowOf(tx, args, user.id, found);
  link(tx, user, row, found?.state ?? "unknown", "password");
  return { identity_id: row.id };
});

/** Sends the link by which somebody shows that a pending identity's account is theirs. @throws BAD_REQUEST */
export const sendIdentityLink = command(async (tx: Tx, { identityId }: { identityId: IdentityId }) => {
  const row = await findIdentityById(tx.sql, tx.realmId, identityId);
  if (row?.state !== "pending") throw identityRefusals.isNotPending();
  const user = tx.user(row.user_id);
  queueEmails(tx, {
    kind: "identity",
    recipient: user.delivery_email,
    letter: identityLetter(tx.state, user, providerName(tx.state, row)),
    link: {
      purpose: "identity",
      path: identityLinkPath,
      label: wordsIn(languageFor(tx.state, user)).linkIdentity,
      validSecs: linkSecs,
      userId: user.id,
      identityId: row.id,
    },
  });
  return {};
});

/** How people know the provider of an identity. */
export const providerName = (state: RealmState, { provider }: Pick<IdentityRow, "provider">): string =>
  findSource(state, provider)?.displayName ?? provider;

async function findByToken({ sql, state, now }: Pick<Tx, "sql" | "state" | "now">, token: string) {
  const sent = isToken(token) ? await findOneTimeLink(sql, state.id, "identity", hashToken(token), now) : undefined;
  if (!sent || sent.identity_id === null || sent.user_id === null) return undefined;
  const row = await findIdentityById(sql, state.id, sent.identity_id);
  const user = state.users.get(sent.user_id);
  // The account may have another address by now, or the identity another account.
  const isGood =
    row?.state === "pending" &&
    row.user_id === sent.user_id &&
    user?.is_active &&
    user.delivery_email.toLowerCase() === sent.email.toLowerCase();
  return isGood ? { row, user } : undefined;
}

/** What a link that was sent is good for, for the page that it opens. */
export async function readIdentityLink(realm: RealmReader, token: string) {
  const { database, state, environment } = realm;
  const found = await findByToken({ sql: database.sql, state, now: environment.clock() }, token);
  return found && { email: found.user.delivery_email, provider: found.row.provider, told: found.row.email };
}

/** Links an identity with the account to whose address a link was sent. @throws BAD_REQUEST */
export const linkByMail = command(async (tx: Tx, { token }: { token: string }) => {
  const found = await findByToken(tx, token);
  if (!found) throw badRequest("This link is not valid any more.");
  link(tx, found.user, found.row, found.row.state, "mail");
  return {};
});

/** Links a pending identity as an administrator. @throws a 404, UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const linkByAdministrator = command(async (tx: Tx, args: { actorId: UserId; identityId: IdentityId }) => {
  const { row, user } = await accessIdentity(tx, args, false);
  link(tx, tx.user(user.id), row, row.state, "administrator");
  return {};
});

/** Ends an identity's link with an account, or the wish for one. @throws a 404, UNAUTHORIZED_PRINCIPAL */
export const endIdentity = command(async (tx: Tx, args: { actorId: UserId; identityId: IdentityId }) => {
  const { row, user } = await accessIdentity(tx, args, true);
  const { state } = granted(stepIdentity(row.state, { type: "end.asked" }), (refusal) => identityRefusals[refusal]());
  tx.write((sql) => putIdentity(sql, { ...row, state: state as IdentityRow["state"] }));
  tx.audit({ type: "user_identity_unlinked", userIds: [user.id], before: whatAudited(row) });
  return {};
});

/** Ends the log-ins of whoever has logged out at a provider, with their queues, polls and streams. */
export const endProviderSessions = command(async (tx: Tx, of: Omit<LoggedOut, "id" | "until">) => {
  const sessions = await findSessionsByProvider(tx.sql, tx.realmId, of);
  for (const { id, user_id: userId } of sessions) {
    tx.write((sql) => deleteSession(sql, userId, id));
    tx.endSessions({ userId, ids: [id] });
  }
  return { ended: sessions.length };
});

/** An identity that the actor may decide about. Nobody else learns that it is there. */
async function accessIdentity(tx: Tx, args: { actorId: UserId; identityId: IdentityId }, isOwnAllowed: boolean) {
  const actor = tx.user(args.actorId);
  const row = await findIdentityById(tx.sql, tx.realmId, args.identityId);
  const user = row && tx.state.users.get(row.user_id);
  const isOwn = user?.id === actor.id;
  if (!isOwnAllowed) requireAdmin(actor);
  if (!row || !user || !(isAdmin(actor) || isOwn)) throw identityRefusals.isNotLinked();
  if (isOwner(user) && !isOwner(actor)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
  return { row, user };
}

function link(
  tx: Tx,
  user: UserRow,
  row: Omit<IdentityRow, "state">,
  before: IdentityRow["state"] | "unknown",
  by: Proof,
) {
  granted(stepIdentity(before, { type: "proof.given", by }), (refusal) => identityRefusals[refusal]());
  tx.write((sql) => putIdentity(sql, { ...row, user_id: user.id, state: "linked" }));
  tellLinked(tx, user, row, by);
  queueEmails(tx, {
    kind: "identity",
    recipient: user.delivery_email,
    letter: identityLinkedLetter(tx.state, user, providerName(tx.state, row)),
  });
}

const whatAudited = ({ provider, issuer, subject }: IdentityKey & Pick<IdentityRow, "provider">) => ({
  provider,
  issuer,
  subject,
});

function tellLinked(tx: Tx, user: UserRow, row: Omit<IdentityRow, "state">, by: Proof | "joining"): void {
  tx.audit({ type: "user_identity_linked", userIds: [user.id], after: { ...whatAudited(row), by } });
}

/** A person's identities; administrators also see those that wait for anybody. */
export async function readIdentities(realm: RealmReader, user: UserRow) {
  const { database, id, state } = realm;
  const own = await findIdentities(database.sql, id, { userId: user.id });
  const waiting = isAdmin(user) ? await findIdentities(database.sql, id, "pending") : [];
  const others = waiting.filter((row) => row.user_id !== user.id);
  return [...own, ...others].map((row) => ({
    id: row.id,
    user_id: row.user_id,
    provider: row.provider,
    provider_display_name: providerName(state, row),
    email: row.email,
    state: row.state,
    date_created: row.date_created,
    last_used: row.last_used,
  }));
}
