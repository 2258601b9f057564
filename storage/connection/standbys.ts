/** Whether a commit may be confirmed that no standby has, whether PostgreSQL would do so, and whether one comes. */

/** What PostgreSQL is set to. https://www.postgresql.org/docs/current/runtime-config-replication.html */
export interface Replication {
  /** `synchronous_standby_names` */
  standbys: string;
  /** `synchronous_commit` */
  commit: string;
  /** Sessions whose commit has waited for a standby for longer than a commit takes. */
  waiting: number;
}

/** Asks for it, of sessions that this one may look at. */
export const replicationColumns = `current_setting('synchronous_standby_names') as standbys,
  current_setting('synchronous_commit') as commit,
  (select count(*)::int from pg_stat_activity
    where wait_event = 'SyncRep' and datname = current_database() and state_change < now() - interval '1 second') as waiting`;

/** With these a commit waits until a standby has it, at least in its memory. */
const remote = new Set(["on", "remote_apply", "remote_write"]);

/** Commits are given up and begun again meanwhile, and one that has just begun is not known to wait. */
const calmMs = 5000;

export class Standbys {
  /** Why nothing may be stored. */
  refusal: string | undefined;
  /** Why nothing is stored, whoever tries. A session goes on waiting also when its client has given it up. */
  trouble: string | undefined;
  #waitedAt = Number.NEGATIVE_INFINITY;

  /** @param areRequired a commit that no standby has may not be confirmed */
  constructor(private readonly areRequired: boolean) {
    this.forget();
  }

  /** A PostgreSQL has told. */
  learn({ standbys, commit, waiting }: Replication): void {
    const now = performance.now();
    const isCalm = now - this.#waitedAt > calmMs;
    // One long commit may just be there. Two in a row are a standby that is gone.
    if (waiting > 0 && !isCalm) this.trouble = "commits wait for a standby of PostgreSQL that does not answer";
    if (waiting > 0) this.#waitedAt = now;
    else if (isCalm) this.trouble = undefined;
    if (!this.areRequired) return;
    if (standbys.trim() === "") this.refusal = "PostgreSQL names no synchronous standby (synchronous_standby_names)";
    else if (!remote.has(commit)) this.refusal = `PostgreSQL waits for no standby (synchronous_commit = ${commit})`;
    else this.refusal = undefined;
  }

  /** Another PostgreSQL is used from now on, which has not told yet. */
  forget(): void {
    this.trouble = undefined;
    this.#waitedAt = Number.NEGATIVE_INFINITY;
    if (this.areRequired) this.refusal = "PostgreSQL has not said yet whether it has a synchronous standby";
  }
}
