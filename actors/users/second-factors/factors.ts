/** What a person is asked for beside the password: looked up, and taken once. */
import { createHash, randomBytes } from "node:crypto";
import type { UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { findCredentials } from "../../../storage/users/credentials.ts";
import { findPasskeysOf } from "../../../storage/users/passkeys.ts";
import {
  countRecoveryCodes,
  findTotp,
  isAskedForOne,
  openTotpSecret,
  type TotpRow,
  takeRecoveryCode,
  takeStep,
} from "../../../storage/users/second-factors.ts";
import type { RealmReader } from "../../realm/reader.ts";
import { dutyFrom } from "./duty.ts";
import type { SecondFactorState } from "./machine.ts";
import { base32, isTotpCode, stepOfCode } from "./totp.ts";

/** Codes that a person is given at once. */
export const recoveryCodeCount = 10;
/** 80 bits each: nobody guesses one, nor finds one from its hash. */
const recoveryBytes = 10;

export const stateOf = (row: TotpRow | undefined): SecondFactorState =>
  row ? (row.is_on ? "on" : "enrolling") : "off";

/** A recovery code: four groups of four letters and digits. */
export const newRecoveryCode = (): string =>
  base32(randomBytes(recoveryBytes))
    .toLowerCase()
    .replace(/.{4}(?=.)/g, "$&-");

/** The hash that is stored of a recovery code, however its person writes it. */
export const recoveryHash = (code: string): Buffer =>
  createHash("sha256")
    .update(code.toLowerCase().replace(/[^a-z0-9]/g, ""))
    .digest();

/** Whether a log-in of this person asks for a second factor. */
export async function hasSecondFactor({ database }: RealmReader, userId: UserId): Promise<boolean> {
  return isAskedForOne(database.sql, userId);
}

/** Takes a code of the person's application, or a recovery code: each is good once. Returns whether it is one. */
export async function takeCode({ database, environment }: RealmReader, userId: UserId, code: string): Promise<boolean> {
  const { sql } = database;
  const plain = code.replace(/\s/g, "");
  if (!isTotpCode(plain)) return takeRecoveryCode(sql, userId, recoveryHash(plain));
  const totp = await findTotp(sql, userId);
  if (!totp?.is_on) return false;
  const secret = openTotpSecret(sql, totp);
  const step = secret === undefined ? undefined : stepOfCode(secret, plain, environment.clock());
  return step !== undefined && (await takeStep(sql, userId, step));
}

/** What a person is shown of their second factor. */
export async function readSecondFactor({ database, state: realm }: RealmReader, user: UserRow) {
  const { sql } = database;
  const row = await findTotp(sql, user.id);
  const hasTotp = row?.is_on === true;
  const passkeys = await findPasskeysOf(sql, user.id);
  const isOn = hasTotp || passkeys.length > 0;
  const dates = [...passkeys, ...(hasTotp ? [row] : [])].map(({ date_created }) => date_created);
  return {
    state: isOn ? ("on" as const) : stateOf(row),
    since: isOn ? Math.min(...dates) : null,
    required_from: dutyFrom(realm, user) ?? null,
    recovery_codes_left: isOn ? await countRecoveryCodes(sql, user.id) : 0,
    has_totp: hasTotp,
    has_password: typeof (await findCredentials(sql, user.id))?.password_hash === "string",
    passkeys: passkeys.map(({ id, name, date_created, last_used, is_synced, is_blocked }) => ({
      id,
      name,
      date_created,
      last_used,
      is_synced,
      is_blocked,
    })),
  };
}
