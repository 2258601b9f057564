/**
 * The view of a command that decides. It has the realm as it is, a transaction to read what only PostgreSQL holds, and
 * a record of the rows and events to come. Deciding writes nothing, so a refusal leaves nothing behind in a transaction
 * that other commands share. Until the commit the state is as it was before the command.
 */
import { defined, firstOf } from "../../storage/failures.ts";
import type { ChannelId, MessageId, RealmId, UserId } from "../../storage/ids.ts";
import { isStatement, type Sql, type Statement } from "../../storage/postgres.ts";
import { type IdOf, type IdSequence, nextIds } from "../../storage/realms.ts";
import type {
  Change,
  ChangeOf,
  ChannelRow,
  RealmRow,
  RemovedRow,
  RemovedRows,
  StateRows,
  StateTable,
  UserRow,
} from "../../storage/rows.ts";
import { writesOf } from "../../storage/tables.ts";
import { badRequest } from "../errors.ts";
import type { AuditFact } from "./commit/audit.ts";
import type { Audience, EndedSessions, Entry, RealmEvent } from "./entry.ts";
import type { RealmState } from "./state/state.ts";

/** A later part of a long command. It is decided on the state of its own commit, and refuses nothing. */
export type Turn = (tx: Tx) => Promise<unknown> | unknown;

/** Whether the caller of a command whose later parts are stored waits for the last one. */
export type StoredRest = "awaited" | "answered before";

/** One statement that it returns unsent travels with those around it. Any other promise is waited for. */
export type Write = (sql: Sql) => Statement | Promise<unknown>;

export class Tx {
  readonly entries: Entry[] = [];
  /** Writes recorded by the command, in order. They are done once it is decided. */
  readonly #writes: (Change | Write)[] = [];
  #changes: Change[] = [];
  #endedSessions: EndedSessions[] = [];
  #reread: MessageId[] = [];
  /** What the audit log is told besides the changes of rows. */
  readonly audited: AuditFact[] = [];
  /** Later parts of the command, a commit each. */
  readonly turns: Turn[] = [];
  /** Absent: a crash may leave later parts undone. */
  storedRest: StoredRest | undefined;

  constructor(
    readonly state: RealmState,
    /** For reading; writes go through `write`. */
    readonly sql: Sql,
    /** UNIX seconds */
    readonly now: number,
    private readonly takeMessageId: () => MessageId,
  ) {}

  get realmId(): RealmId {
    return this.state.id;
  }

  /** The acting user, who may have been deactivated while the command waited. */
  user(id: UserId): UserRow {
    const user = this.state.users.get(id);
    if (!user?.is_active) throw badRequest("Account is deactivated");
    return user;
  }

  /** A channel with the changes that this command has recorded so far. */
  channelNow(id: ChannelId): ChannelRow {
    return this.#lastPut("channels", id) ?? this.state.knownChannel(id);
  }

  /** A user with the changes that this command has recorded so far. */
  userNow(id: UserId): UserRow | undefined {
    return this.#lastPut("users", id) ?? this.state.users.get(id);
  }

  /** The organization with the changes that this command has recorded so far. */
  realmNow(): RealmRow {
    return this.#lastPut("realms", this.realmId) ?? this.state.row;
  }

  /** Puts whole rows; they belong to the entry of the next `event()`. */
  put<T extends StateTable>(table: T, ...rows: StateRows[T][]): void {
    if (rows.length > 0) this.#change<T>({ table, put: rows });
  }

  /** Removes the rows that match these key columns. */
  remove<T extends keyof RemovedRows>(table: T, ...keys: RemovedRow<T>[]): void {
    if (keys.length > 0) this.#change<T>({ table, remove: keys });
  }

  /** Records a write to tables that only PostgreSQL holds. */
  write(run: Write): void {
    this.#writes.push(run);
  }

  /**
   * Tells the audit log of what no row of the replica shows: keys, passwords, log-ins, exports. It is stored in the
   * same commit, with who had the command done and from where. There must be no secret in it.
   */
  audit(fact: AuditFact): void {
    this.audited.push(fact);
  }

  /** Ends what was opened through these log-ins. Their rows are removed by a `write`. */
  endSessions(ended: EndedSessions): void {
    this.#endedSessions.push(ended);
  }

  /** Has every node read these messages anew. A `write` changes them, and no event tells of it. */
  reread(ids: readonly MessageId[]): void {
    this.#reread.push(...ids);
  }

  /**
   * Leaves a part of a long command for a commit of its own; other commits come between. Whatever could be refused must
   * be decided before. The caller is answered after the last part. A crash may leave later parts undone: the same
   * command, sent again, does them.
   */
  later(turn: Turn): void {
    this.turns.push(turn);
  }

  /**
   * Says that this commit stores what is left for later parts, and that a job does it after a crash. The caller is
   * answered for all of it, even if the writer goes away.
   */
  restIsStored(rest: StoredRest): void {
    this.storedRest = rest;
  }

  /**
   * Logs an event, with the rows put and removed since the one before. Replicas apply the rows first.
   * @param span how many events older clients get for this one, see `Entry.span`
   */
  event(event: RealmEvent, audience: Audience, span?: number): void {
    this.entries.push({
      changes: this.#changes.length > 0 ? this.#changes : undefined,
      event,
      audience,
      span,
    });
    this.#changes = [];
  }

  /** Ends the command: changes without an event of their own become a last entry, with what has none. */
  finish(): Entry[] {
    const changes = this.#changes.length > 0 ? this.#changes : undefined;
    const endedSessions = this.#endedSessions.length > 0 ? this.#endedSessions : undefined;
    const reread = this.#reread.length > 0 ? this.#reread : undefined;
    if (changes || endedSessions || reread) this.entries.push({ changes, endedSessions, reread });
    this.#changes = [];
    this.#endedSessions = [];
    this.#reread = [];
    return this.entries;
  }

  /**
   * Does the recorded writes, in order, in the command's transaction. Resolves when all of them were sent.
   * @param answers gets what to wait for
   */
  async store(answers: Promise<unknown>[]): Promise<void> {
    for (const step of this.#writes) {
      if (typeof step !== "function") answers.push(...writesOf(this.sql, step).map((statement) => statement.execute()));
      else {
        const made = step(this.sql);
        if (isStatement(made)) answers.push(made.execute());
        else await made;
      }
    }
  }

  #change<T extends StateTable>(change: ChangeOf<T>): void {
    const one = change as unknown as Change;
    this.#changes.push(one);
    this.#writes.push(one);
  }

  #lastPut<T extends "channels" | "users" | "realms">(table: T, id: StateRows[T]["id"]): StateRows[T] | undefined {
    for (let index = this.#writes.length - 1; index >= 0; index--) {
      const write = defined(this.#writes[index], "write");
      if (typeof write === "function" || write.table !== table) continue;
      const row = (write.put as StateRows[T][] | undefined)?.findLast((put) => put.id === id);
      if (row) return row;
    }
    return undefined;
  }

  ids<S extends IdSequence>(sequence: S, count: number): Promise<IdOf<S>[]> {
    return nextIds(this.sql, sequence, count);
  }

  async id<S extends IdSequence>(sequence: S): Promise<IdOf<S>> {
    return firstOf(await nextIds(this.sql, sequence, 1));
  }

  /** The realm's next message id. */
  messageId(): MessageId {
    return this.takeMessageId();
  }
}
