/** How much text messages have, without reading it. */
import type { MessageId, RealmId } from "../ids.ts";
import type { Sql } from "../postgres.ts";

/** JSON is stored compressed, and versions of one text are much alike. */
const historyFactor = 8;

/** Estimated bytes of message `m`. No text is unpacked for it: PostgreSQL knows its length. */
export const messageSize = `octet_length(m.rendered_content) + octet_length(m.content)
  + coalesce(pg_column_size(m.edit_history), 0) * ${historyFactor}`;

/** Estimated bytes of each message, in the order of `ids`. Messages that do not exist are left out. */
export async function findMessageSizes(sql: Sql, realmId: RealmId, ids: readonly MessageId[]): Promise<number[]> {
  if (ids.length === 0) return [];
  // Unsafe: a part of the text is shared with other statements.
  const rows = await sql.unsafe<{ size: number }[]>(
    `select coalesce(${messageSize}, 0) as size
     from unnest($2::text::bigint[]) with ordinality as wanted(id, place)
       left join messages m on m.realm_id = $1 and m.id = wanted.id order by place`,
    [realmId, `{${ids.join(",")}}`],
    { prepare: true },
  );
  return rows.map(({ size }) => size);
}
