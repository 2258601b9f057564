/** Whether a commit may be confirmed that no standby has, and whether PostgreSQL would do so. */

/** What PostgreSQL is set to. https://www.postgresql.org/docs/current/runtime-config-replication.html */
export interface Replication {
  /** `synchronous_standby_names` */
  standbys: string;
  /** `synchronous_commit` */
  commit: string;
}

/** With these a commit waits until a standby has it, at least in its memory. */
const remote = new Set(["on", "remote_apply", "remote_write"]);

export class Standbys {
  /** Why nothing may be stored. */
  refusal: string | undefined;

  /** @param areRequired a commit that no standby has may not be confirmed */
  constructor(private readonly areRequired: boolean) {
    this.forget();
  }

  /** A PostgreSQL has told. */
  learn({ standbys, commit }: Replication): void {
    if (!this.areRequired) return;
    if (standbys.trim() === "") this.refusal = "PostgreSQL names no synchronous standby (synchronous_standby_names)";
    else if (!remote.has(commit)) this.refusal = `PostgreSQL waits for no standby (synchronous_commit = ${commit})`;
    else this.refusal = undefined;
  }

  /** Another PostgreSQL is used from now on, which has not told yet. */
  forget(): void {
    if (this.areRequired) this.refusal = "PostgreSQL has not said yet whether it has a synchronous standby";
  }
}
