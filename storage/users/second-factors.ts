/** Second factors of people: a secret for codes by time, and recovery codes. */
import { onlyRow } from "../failures.ts";
import type { RealmId, UserId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import { secretKeyOf } from "./credentials.ts";

export interface TotpRow {
  user_id: UserId;
  realm_id: RealmId;
  /** null: the secret key that sealed it is lost. */
  secret_sealed: Buffer | null;
  /** Whether its codes are asked for; otherwise its person is setting it up. */
  is_on: boolean;
  /** The last step of time whose code was taken. */
  last_step: number;
  /** UNIX seconds */
  date_created: number;
}

const about = (userId: UserId): string => `TOTP secret of account ${userId}`;

export async function findTotp(sql: Sql, userId: UserId): Promise<TotpRow | undefined> {
  return (await sql<TotpRow[]>`select * from totp_factors where user_id = ${userId}`)[0];
}

/** The secret itself. @throws WrongSecretKey */
export const openTotpSecret = (sql: Sql, { user_id, secret_sealed }: TotpRow): string | undefined =>
  secret_sealed ? secretKeyOf(sql).open(about(user_id), secret_sealed) : undefined;

/** Stores a secret that is not in use yet, in place of one that never was. */
export async function storeTotp(
  sql: Sql,
  {
    user_id,
    realm_id,
    secret,
    date_created,
  }: Pick<TotpRow, "user_id" | "realm_id" | "date_created"> & { secret: string },
): Promise<void> {
  const sealed = secretKeyOf(sql).seal(about(user_id), secret);
  await sql`
    insert into totp_factors (user_id, realm_id, secret_sealed, date_created)
    values (${user_id}, ${realm_id}, ${sealed}, ${date_created})
    on conflict (user_id) do update
      set secret_sealed = excluded.secret_sealed, date_created = excluded.date_created, last_step = 0
      where not totp_factors.is_on`;
}

/** From now on its codes are asked for. The one by which it is turned on is used up. */
export async function turnOnTotp(sql: Sql, userId: UserId, step: number, now: number): Promise<void> {
  await sql`
    update totp_factors set is_on = true, last_step = ${step}, date_created = ${now} where user_id = ${userId}`;
}

/** Uses the code of a step up. Returns whether it, and none after it, was taken before: of many at once one is. */
export async function takeStep(sql: Sql, userId: UserId, step: number): Promise<boolean> {
  const rows = await sql`
    update totp_factors set last_step = ${step} where user_id = ${userId} and is_on and last_step < ${step}
    returning user_id`;
  return rows.length > 0;
}

/** Stores recovery codes, which end those that the person had. */
export async function replaceRecoveryCodes(
  sql: Sql,
  userId: UserId,
  realmId: RealmId,
  hashes: readonly Buffer[],
): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId}`;
  const rows = hashes.map((code_hash) => ({ user_id: userId, realm_id: realmId, code_hash }));
  await sql`insert into recovery_codes ${sql(rows)}`;
}

/** Uses a recovery code up. Returns whether it was one: of many at once, on any nodes, one is. */
export async function takeRecoveryCode(sql: Sql, userId: UserId, codeHash: Buffer): Promise<boolean> {
  const rows = await sql`
    delete from recovery_codes where user_id = ${userId} and code_hash = ${codeHash} returning user_id`;
  return rows.length > 0;
}

export async function countRecoveryCodes(sql: Sql, userId: UserId): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*) as count from recovery_codes where user_id = ${userId}`;
  return onlyRow(rows).count;
}

/** Whether log-ins of a person ask for a second factor. */
export async function isAskedForOne(sql: Sql, userId: UserId): Promise<boolean> {
  const rows = await sql<{ is_asked: boolean }[]>`
    select exists (select from totp_factors where user_id = ${userId} and is_on)
      or exists (select from passkeys where user_id = ${userId}) as is_asked`;
  return onlyRow(rows).is_asked;
}

/** Deletes the secret of codes by time. */
export async function deleteTotp(sql: Sql, userId: UserId): Promise<void> {
  await sql`delete from totp_factors where user_id = ${userId}`;
}

/** Deletes what a person would be asked for. */
export async function deleteSecondFactors(sql: Sql, userId: UserId): Promise<void> {
  await deleteTotp(sql, userId);
  await sql`delete from recovery_codes where user_id = ${userId}`;
  await sql`delete from passkeys where user_id = ${userId}`;
}
