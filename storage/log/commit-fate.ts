/** What became of a commit that is over, as PostgreSQL tells by what it left. */
import { firstOf, onlyRow } from "../failures.ts";
import type { LogPosition, RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";
import type { Fenced } from "../realm-log.ts";

/** What a transaction left that is over, and that has something for the log. */
interface LoggedTraces {
  /** Whether the log has a row at its first position, by this transaction. */
  isLogged: boolean;
}

/** The same of one that has nothing for the log. */
interface UnloggedTraces {
  /** `forgotten`: its id is nobody's yet. Null: PostgreSQL knows no more. */
  status: "committed" | "aborted" | "in progress" | "forgotten" | null;
  /** PostgreSQL has started since the transaction began. */
  wasRestarted: boolean;
}

/**
 * Whether a transaction was committed. Some transactions leave nothing on the disk when PostgreSQL crashes. It gives
 * their ids to others then, so the state of an id alone says little.
 *
 * @returns undefined when nobody knows: it wrote nothing into the log, and its id may be another's by now
 */
export function fateOf(traces: LoggedTraces | UnloggedTraces): boolean | undefined {
  if ("isLogged" in traces) return traces.isLogged;
  const { status, wasRestarted } = traces;
  if (status === "committed") return wasRestarted ? undefined : true;
  return status === null ? undefined : false;
}

/** Whether a transaction that is over was committed, by what it wrote into the log at `positions`, if anything. */
export async function isCommitted(
  sql: Sql,
  realmId: RealmId,
  { transaction, begunAt }: Pick<Fenced, "transaction" | "begunAt">,
  positions: readonly LogPosition[],
): Promise<boolean | undefined> {
  if (positions.length > 0) {
    const rows = await sql`
      select 1 from realm_log where realm_id = ${realmId} and position = ${firstOf(positions)}
        and xmin::text = ${rowTransaction(transaction)}::text`;
    return fateOf({ isLogged: rows.length > 0 });
  }
  const traces = await sql<UnloggedTraces[]>`
    select
      case when ${transaction}::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
        then pg_xact_status(${transaction}::text::xid8) else 'forgotten' end as status,
      greatest(pg_postmaster_start_time(), (select stats_reset from pg_stat_wal)) > ${begunAt}::text::timestamptz
        as "wasRestarted"`;
  return fateOf(onlyRow(traces));
}

/** A transaction's id as its rows have it: the lower 32 bits. */
const rowTransaction = (transaction: string): string => String(BigInt.asUintN(32, BigInt(transaction)));

/** Whether the log has one of these places: those of one commit are all there, or none is. */
export async function isLogged(sql: Sql, realmId: RealmId, positions: readonly LogPosition[]): Promise<boolean> {
  const rows = await sql`
    select 1 from realm_log
    where realm_id = ${realmId} and position in (select unnest(${`{${positions.join(",")}}`}::text::bigint[])) limit 1`;
  return rows.length > 0;
}
