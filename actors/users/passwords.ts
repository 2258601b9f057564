/** Passwords of accounts. */
import type { UserId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { findCredentials } from "../../storage/users/credentials.ts";
import { hashPassword, verifyPassword } from "../../storage/users/passwords.ts";
import type { RealmReader } from "../realm/reader.ts";
import { checkNewPassword, type PasswordRules } from "./passwords/new-password.ts";

/**
 * The hash to store of a newly chosen password.
 *
 * @throws BAD_REQUEST for one that may not be chosen
 */
export async function hashNewPassword(password: string, rules: PasswordRules): Promise<string> {
  return hashPassword(checkNewPassword(password, rules));
}

/** No account has it. */
const nobody: UserId = 0;

/**
 * Whether this is the account's password. An account that does not exist (`user` undefined), a bot, and an account
 * without a password ask the database as much, and take as long, as a wrong password.
 */
export async function isPasswordOf(realm: RealmReader, user: UserRow | undefined, password: string): Promise<boolean> {
  const credentials = await findCredentials(realm.database.sql, user && !user.is_bot ? user.id : nobody);
  return verifyPassword(credentials?.password_hash, password);
}
