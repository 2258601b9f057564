import { onlyRow } from "./failures.ts";
import type { ChannelId, GroupId, InvitationId, RealmId, UserId } from "./ids.ts";
import type { Sql } from "./postgres.ts";

/** An invitation into an organization. Times are UNIX seconds. */
export interface InvitationRow {
  id: InvitationId;
  realm_id: RealmId;
  /** The secret part of its link. */
  key: string;
  /** null: a link that anybody may use, any number of times. */
  email: string | null;
  invited_by: UserId;
  date_created: number;
  /** null: never. */
  expires_at: number | null;
  state: "open" | "expired" | "revoked" | "used";
  invite_as: number;
  stream_ids: ChannelId[];
  group_ids: GroupId[];
  include_realm_default_subscriptions: boolean;
  /** null: the organization's own; empty: none. */
  welcome_message_custom_text: string | null;
  notify_referrer_on_join: boolean;
}

export async function insertInvitations(sql: Sql, rows: readonly InvitationRow[]): Promise<void> {
  await sql`
    insert into invitations select r.*
    from json_populate_recordset(null::invitations, ${JSON.stringify(rows)}::text::json) r`;
}

export async function findInvitationByKey(sql: Sql, realmId: RealmId, key: string): Promise<InvitationRow | undefined> {
  return (await sql<InvitationRow[]>`select * from invitations where key = ${key} and realm_id = ${realmId}`)[0];
}

export async function findInvitation(sql: Sql, realmId: RealmId, id: InvitationId): Promise<InvitationRow | undefined> {
  return (await sql<InvitationRow[]>`select * from invitations where id = ${id} and realm_id = ${realmId}`)[0];
}

/** Open invitations, newest first: all of them, or those of one inviter. */
export async function findOpenInvitations(
  sql: Sql,
  realmId: RealmId,
  now: number,
  invitedBy: UserId | undefined,
): Promise<InvitationRow[]> {
  return sql<InvitationRow[]>`
    select * from invitations
    where realm_id = ${realmId} and state = 'open' and (expires_at is null or expires_at > ${now})
      and (${invitedBy ?? null}::bigint is null or invited_by = ${invitedBy ?? null})
    order by id desc`;
}

/** Open invitations that have expired. */
export async function findOverdueInvitations(sql: Sql, realmId: RealmId, now: number): Promise<InvitationRow[]> {
  return sql<InvitationRow[]>`
    select * from invitations where realm_id = ${realmId} and state = 'open' and expires_at <= ${now} order by id`;
}

/** Realms with an expired open invitation. */
export async function findRealmsWithOverdueInvitations(sql: Sql, now: number): Promise<RealmId[]> {
  const rows = await sql<{ realm_id: RealmId }[]>`
    select distinct realm_id from invitations where state = 'open' and expires_at <= ${now}`;
  return rows.map((row) => row.realm_id);
}

/** Open invitations to an address, whoever made them. */
export async function findOpenInvitationsTo(sql: Sql, realmId: RealmId, email: string): Promise<InvitationRow[]> {
  return sql<InvitationRow[]>`
    select * from invitations
    where realm_id = ${realmId} and state = 'open' and lower(email) = ${email.toLowerCase()} order by id`;
}

export async function updateInvitations(
  sql: Sql,
  rows: readonly Pick<InvitationRow, "id" | "state" | "expires_at">[],
): Promise<void> {
  const changes = rows.map(({ id, state, expires_at }) => ({ id, state, expires_at }));
  await sql`
    update invitations i set state = r.state, expires_at = r.expires_at
    from json_populate_recordset(null::invitations, ${JSON.stringify(changes)}::text::json) r where i.id = r.id`;
}

/** The number of somebody's open invitations. */
export async function countOpenInvitations(
  sql: Sql,
  realmId: RealmId,
  now: number,
  invitedBy: UserId,
): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count from invitations
    where realm_id = ${realmId} and state = 'open' and (expires_at is null or expires_at > ${now}) and invited_by = ${invitedBy}`;
  return onlyRow(rows).count;
}

/** The number of addresses invited since then. */
export async function countInvitedSince(sql: Sql, realmId: RealmId, since: number): Promise<number> {
  const rows = await sql<{ count: number }[]>`
    select count(*)::int as count from invitations
    where realm_id = ${realmId} and email is not null and date_created > ${since}`;
  return onlyRow(rows).count;
}
