/** What a link in an email does, once: another password, and another address. */
import { deleteOneTimeLinks, findOneTimeLink, type OneTimeLinkRow } from "../../../storage/email/one-time-links.ts";
import type { LinkPurpose, PendingLink } from "../../../storage/email/queue.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { UserRow } from "../../../storage/rows.ts";
import {
  accountMadeLetter,
  addressAskedLetter,
  confirmAddressLetter,
  passwordChangedLetter,
  passwordLetter,
} from "../../email/letters.ts";
import { hashToken, isToken } from "../../email/one-time-token.ts";
import { queueEmails, queueEmailsNow } from "../../email/queue.ts";
import { languageFor, wordsIn } from "../../email/words/words.ts";
import { ApiError, badRequest, errors } from "../../errors.ts";
import { checkEmailDomain } from "../../organization/email-domains.ts";
import { forgetPhones } from "../../push/changes/devices.ts";
import { isAdmin, isOwner, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import { changeEmail, checkEmail, checkFreeEmail } from "./address.ts";
import { endFurtherKeysOf } from "./further-keys.ts";
import { changeKey, setPassword } from "./key-change.ts";
import { accessAccount } from "./update.ts";

const daySecs = 86_400;

export const passwordPath = "/accounts/reset/";
export const addressPath = "/accounts/confirm_new_email/";

/** @param user whose language it is in, if an account is known @param userId whose it is, unless the address tells */
const passwordLink = (state: RealmState, user: UserRow | undefined, userId?: UserId): PendingLink => ({
  purpose: "password",
  path: passwordPath,
  label: wordsIn(languageFor(state, user)).choosePassword,
  validSecs: daySecs,
  userId,
});

/** @param validSecs a day unless told */
export const addressLink = (state: RealmState, user: UserRow, validSecs = daySecs): PendingLink => ({
  purpose: "address",
  path: addressPath,
  label: wordsIn(languageFor(state, user)).confirmButton,
  validSecs,
  userId: user.id,
});

/** @throws BAD_REQUEST where the server sends no emails */
export function checkSendsEmail({ server }: RealmState): void {
  if (!server.sendsEmail) throw badRequest("This server sends no email. Ask whoever runs it for help.");
}

/**
 * Has a link sent to an address, if an account has it. Whether one has is told nobody, and takes as long.
 *
 * @throws BAD_REQUEST where the server sends no emails
 */
export async function askForPassword(realm: RealmReader, address: string): Promise<void> {
  checkSendsEmail(realm.state);
  let email: string;
  try {
    email = checkEmail(address);
  } catch (error) {
    // No account has what is no address.
    if (error instanceof ApiError) return;
    throw error;
  }
  const user = realm.state.userByEmail(email);
  const letter = passwordLetter(realm.state, user);
  await queueEmailsNow(realm, { kind: "password", recipient: email, letter, link: passwordLink(realm.state, user) });
}

/** Has such a link sent to somebody by an administrator. @throws UNAUTHORIZED_PRINCIPAL, BAD_REQUEST */
export const sendPasswordLink = command((tx: Tx, args: { actorId: UserId | undefined; userId: UserId }) => {
  checkSendsEmail(tx.state);
  const actor = args.actorId === undefined ? undefined : tx.user(args.actorId);
  if (actor) requireAdmin(actor);
  const user = accessAccount(tx.state, args.userId);
  if (user.is_bot) throw badRequest("Bots have no password.");
  if (!user.is_active) throw badRequest("Account is deactivated");
  if (actor && isOwner(user) && !isOwner(actor)) throw errors.UNAUTHORIZED_PRINCIPAL("Must be an organization owner");
  // Who never was here has asked for nothing, and knows of no password.
  const isNew = user.first_login_at === null;
  const letter = isNew ? accountMadeLetter(tx.state, user) : passwordLetter(tx.state, user, actor);
  tx.audit({ type: "user_password_link_sent", userIds: [user.id] });
  queueEmails(tx, {
    kind: "password",
    recipient: user.delivery_email,
    letter,
    link: passwordLink(tx.state, user, user.id),
  });
  return {};
});

/** The link of a token and its account, both still good. */
async function findLink(
  sql: Sql,
  state: RealmState,
  purpose: LinkPurpose,
  token: string,
  now: number,
): Promise<{ row: OneTimeLinkRow; user: UserRow } | undefined> {
  const row = isToken(token) ? await findOneTimeLink(sql, state.id, purpose, hashToken(token), now) : undefined;
  const user = row && row.user_id !== null ? state.users.get(row.user_id) : undefined;
  if (!row || !user?.is_active) return undefined;
  // A link that was sent to the address that an account had is nobody's key to it any more.
  const isStale = purpose === "password" && row.email.toLowerCase() !== user.delivery_email.toLowerCase();
  return isStale ? undefined : { row, user };
}

/** The same for a page that asks before anything is done. Returns whom and which address it is about. */
export async function readLink(
  realm: RealmReader,
  purpose: LinkPurpose,
  token: string,
): Promise<{ email: string; fullName: string } | undefined> {
  const found = await findLink(realm.database.sql, realm.state, purpose, token, realm.environment.clock());
  return found && { email: found.row.email, fullName: found.user.full_name };
}

const deadLink = () => badRequest("This link is not valid any more.");

interface ResetArgs {
  token: string;
  passwordHash: string;
  /** Whether programs are logged out as well: whoever had the password may have taken the key. */
  endsKeys?: boolean;
}

/** Gives an account another password, and logs every browser out. @throws BAD_REQUEST */
export const resetPassword = command(async (tx: Tx, args: ResetArgs) => {
  const found = await findLink(tx.sql, tx.state, "password", args.token, tx.now);
  if (!found) throw deadLink();
  const { user } = found;
  const next = setPassword(tx, user, args.passwordHash);
  if (args.endsKeys) {
    changeKey(tx, next);
    await endFurtherKeysOf(tx, user.id);
    await forgetPhones(tx, user.id);
  }
  // Only whoever reads what is sent to the address got here.
  if (user.has_unconfirmed_email) tx.put("users", { ...(tx.userNow(user.id) ?? user), has_unconfirmed_email: false });
  queueEmails(tx, { kind: "password", recipient: user.delivery_email, letter: passwordChangedLetter(tx.state, user) });
  return {};
});

/** Somebody wants another address: it is theirs when they have shown that they read what is sent there. */
export function askForAddress(tx: Tx, user: UserRow, email: string): void {
  const { state } = tx;
  const link = addressLink(state, user);
  queueEmails(
    tx,
    { kind: "address", recipient: email, letter: confirmAddressLetter(state, user), link },
    { kind: "address", recipient: user.delivery_email, letter: addressAskedLetter(state, user, email) },
  );
}

/** The address of a link becomes its account's, or is known to be. @throws BAD_REQUEST */
export const confirmAddress = command(async (tx: Tx, { token }: { token: string }) => {
  const { state } = tx;
  const found = await findLink(tx.sql, state, "address", token, tx.now);
  if (!found) throw deadLink();
  const { user, row } = found;
  if (row.email !== user.delivery_email) {
    if (state.setting("email_changes_disabled") && !isAdmin(user))
      throw badRequest("Email address changes are disabled in this organization.");
    checkFreeEmail(state, row.email, user.id);
    checkEmailDomain(state, row.email);
  }
  changeEmail(tx, user, row.email, true);
  tx.write((sql) => deleteOneTimeLinks(sql, user.id));
  return {};
});
