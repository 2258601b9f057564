/**
 * What the audit log is told of a command: who had it done, from where, and what it changed. Most rows are derived here
 * from the rows that a command puts and removes, by the table that `Noun.audits` declares. So a change is logged
 * whatever command makes it, in the same commit. What only PostgreSQL holds, a command tells by `Tx.audit`.
 */

import type { ChannelId, GroupId, ScimTokenId, SessionId, UserId } from "../../../storage/ids.ts";
import type { Change, RemovedRow, StateRows, StateTable } from "../../../storage/rows.ts";
import type { AuditEntry } from "../../../storage/users/audit-log.ts";
import { actorIn } from "../caller.ts";
import type { RealmState } from "../state/state.ts";

/**
 * By what somebody comes: `nobody` is not logged in, `server` is a job, `scim` and `ldap` a directory, and
 * `command_line` whoever runs the server.
 */
export type Way =
  | "api_key"
  | "further_key"
  | "session"
  | "nobody"
  | "scim"
  | "ldap"
  | "oidc"
  | "command_line"
  | "server";

/** Who asks, and from where. Plain data: it goes with a command to the node that writes. */
export interface Origin {
  via: Way;
  userId?: UserId | undefined;
  /** Their log-in's, further key's or token's. */
  sessionId?: SessionId | ScimTokenId | undefined;
  ipAddress?: string;
  userAgent?: string;
  /** Names the request in the logs of all nodes. */
  request?: string | undefined;
  /** `traceparent` of what the command is a part of, where that is traced. */
  trace?: string | undefined;
}

/** What a command is done for. */
export interface Cause {
  args: unknown;
  /** Undefined: a job asks, or a node of the version before has forwarded it. */
  from?: Origin | undefined;
}

/** The types of what is logged. The core names none: `actors/audit/types.ts` adds them. */
// biome-ignore lint/suspicious/noEmptyInterface: Whoever declares types adds them.
export interface AuditVocabulary {}

export type AuditType = AuditVocabulary extends { type: infer T extends string } ? T : string;

/** One thing that was done. No secret may be in it: the log is for ever. */
export interface AuditFact {
  type: AuditType;
  /** Whom it was done to. */
  userIds?: readonly UserId[];
  channelId?: ChannelId;
  groupId?: GroupId;
  before?: Readonly<Record<string, unknown>>;
  after?: Readonly<Record<string, unknown>>;
  /** Facts that differ in their users only are one row. */
  merges?: true;
}

/** The command that changes a row. */
export interface AuditedCommand {
  /** As it was before. */
  state: RealmState;
  /** All that it changes. */
  changes: readonly Change[];
  actorId: UserId | undefined;
}

/** How changes to a table's rows are told. */
export interface AuditedTable<T extends StateTable> {
  /** The row as it was before the command. */
  before(state: RealmState, row: StateRows[T] | RemovedRow<T>): StateRows[T] | undefined;
  /** What a change of one row comes to. `after` undefined: it is removed. */
  facts(
    before: StateRows[T] | undefined,
    after: StateRows[T] | undefined,
    command: AuditedCommand,
  ): readonly AuditFact[];
  /** Which of a row's columns name it. */
  key: readonly string[];
}

/** A table that is not named is in no audit log. */
export type AuditedTables = { readonly [T in StateTable]?: AuditedTable<T> };

/** People that one row names at most. */
const maxUsersPerRow = 1000;
/** Characters of a User-Agent that are kept. Those of browsers have about 150. */
const maxUserAgent = 300;
/** Characters of an address. The longest that there are have 45. */
const maxAddress = 64;

/** What the audit log gets of a command that was decided. @param told what it has told itself */
export function auditOf(
  tables: AuditedTables,
  state: RealmState,
  changes: readonly Change[],
  told: readonly AuditFact[],
  cause: Cause,
  now: number,
): AuditEntry[] {
  const actorId = actorOf(cause);
  const facts = [...told, ...factsOf(tables, state, changes, actorId)];
  const actor = { id: actorId, role: state.users.get(actorId ?? -1)?.role };
  return facts.length === 0 ? [] : merged(facts).map((fact) => entryOf(fact, actor, cause.from, now));
}

const inOthersNames: ReadonlySet<Way> = new Set(["command_line", "scim", "ldap", "oidc"]);

/** Whoever runs the server, and a directory, have commands done in an owner's name, who did not do it. */
const actorOf = ({ args, from }: Cause): UserId | undefined =>
  from && inOthersNames.has(from.via) ? undefined : (from?.userId ?? actorIn(args));

function factsOf(
  tables: AuditedTables,
  state: RealmState,
  changes: readonly Change[],
  actorId: UserId | undefined,
): AuditFact[] {
  /** The last of several changes of one row, whose first row counts as before. */
  const last = new Map<string, () => readonly AuditFact[]>();
  for (const { table, put = [], remove = [] } of changes) {
    const audited = tables[table] as AuditedTable<StateTable> | undefined;
    if (!audited) continue;
    const note = (row: object, after: StateRows[StateTable] | undefined) => {
      const key = audited.key.map((name) => Reflect.get(row, name)).join(":");
      const before = audited.before(state, row as StateRows[StateTable]);
      if (before !== undefined || after !== undefined)
        last.set(`${table} ${key}`, () => audited.facts(before, after, { state, changes, actorId }));
    };
    for (const row of remove) note(row, undefined);
    for (const row of put) note(row, row);
  }
  return [...last.values()].flatMap((facts) => facts());
}

function merged(facts: readonly AuditFact[]): AuditFact[] {
  const rows: AuditFact[] = [];
  const open = new Map<string, UserId[]>();
  for (const fact of facts) {
    const { type, channelId, groupId, userIds = [] } = fact;
    const key = `${type} ${channelId} ${groupId}`;
    const others = fact.merges ? open.get(key) : undefined;
    if (others && others.length < maxUsersPerRow) {
      others.push(...userIds);
      continue;
    }
    const users = [...userIds];
    rows.push({ ...fact, userIds: users });
    if (fact.merges) open.set(key, users);
  }
  return rows;
}

/** One row. @param actor who did it, in which role */
export function entryOf(
  fact: AuditFact,
  actor: { id?: UserId | undefined; role?: number | undefined },
  from: Origin | undefined,
  now: number,
): AuditEntry {
  const { via = "server", sessionId, ipAddress, userAgent } = from ?? {};
  return {
    event_time: now,
    event_type: fact.type,
    acting_user_id: actor.id ?? null,
    acting_user_role: actor.role ?? null,
    via,
    session_id: sessionId ?? null,
    ip_address: plain(ipAddress, maxAddress),
    user_agent: plain(userAgent, maxUserAgent),
    modified_user_ids: fact.userIds ?? [],
    modified_stream_id: fact.channelId ?? null,
    modified_user_group_id: fact.groupId ?? null,
    before: fact.before ?? null,
    after: fact.after ?? null,
  };
}

/** PostgreSQL's json has neither NUL nor half of a pair. */
const plain = (text: string | undefined, maxLength: number): string | null =>
  text ? text.slice(0, maxLength).replace(/[\p{Cc}\p{Cs}]/gu, "") : null;
