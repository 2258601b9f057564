/** Ids that a PostgreSQL may not know of any more, since it was promoted or put back, are not given out again. */
import { onlyRow } from "../failures.ts";
import type { Sql } from "../postgres.ts";
import { type AnsweringNow, blocksLost, type WrittenUnder, writtenUnder } from "./promotions.ts";

/** A block of ids that is passed over. Message ids come in blocks of their own. */
export const lostIds = { messageIdBlocks: 100, otherIds: 1000 };
const skippingLock = 7_275_539_917;

/**
 * Sets every sequence well above what may have been lost, once for each promotion, whoever comes first.
 * @param isLossKnown also where the timelines tell of none
 */
export async function passOverLostIds(
  sql: Sql,
  answering: AnsweringNow | undefined,
  isLossKnown: boolean,
): Promise<void> {
  const known = await readWrittenUnder(sql);
  if (!isLossKnown && isWritten(known, answering)) return;
  // Otherwise two that pass over at once could set a sequence back, and would both do it.
  await sql`select pg_advisory_xact_lock(${skippingLock}::bigint)`;
  const before = await readWrittenUnder(sql);
  const blocks = blocksLost(before, answering, isLossKnown ? "lost" : undefined);
  if (blocks > 0)
    await sql`
      select setval(name::regclass, nextval(name::regclass) + ${blocks}::bigint * increment * case name
        when 'message_id_blocks' then ${lostIds.messageIdBlocks}::int else ${lostIds.otherIds}::int end)
      from (select c.relname::text as name, s.seqincrement as increment from pg_sequence s
        join pg_class c on c.oid = s.seqrelid
        where c.relnamespace = current_schema()::regnamespace and c.relpersistence = 'p') as sequences`;
  const { system, timeline } = writtenUnder(before, answering);
  await sql`update installation set ids_system = ${system}, ids_timeline = ${timeline}`;
}

const readWrittenUnder = async (sql: Sql) =>
  onlyRow(await sql<WrittenUnder[]>`select ids_system as system, ids_timeline as timeline from installation`);

function isWritten(known: WrittenUnder, answering: AnsweringNow | undefined): boolean {
  const { system, timeline } = writtenUnder(known, answering);
  return system === known.system && timeline === known.timeline;
}
