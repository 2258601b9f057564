/** Topics of very many messages, written beside the server: sent one by one they would take minutes. */
import type { Sql } from "../../../storage/postgres.ts";

/** Messages in a block of ids that a writer takes. Source: `nextIdBlock` in storage/realms.ts. */
const blockSize = 1000;

/** Adds copies of a message, each of its own words, under new ids. Nobody has read them. Returns the ids, ascending. */
export async function addCopies(sql: Sql, messageId: number, count: number): Promise<number[]> {
  const blocks = await sql<{ first: number }[]>`
    select nextval('message_id_blocks') as first from generate_series(1, ${Math.ceil(count / blockSize)}::int)`;
  for (const [index, { first }] of blocks.entries()) {
    const size = Math.min(blockSize, count - index * blockSize);
    await sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select ${first}::bigint + n, realm_id, recipient_id, channel_id, sender_id, topic, content || ' ' || w.words,
        '<p>' || content || ' ' || w.words || '</p>', sent_at, client
      from messages m cross join generate_series(0, ${size - 1}::int) n
        cross join lateral (select string_agg('word' || (n * k) % 997, ' ') as words from generate_series(1, 12) k) w
      where m.id = ${messageId}`;
  }
  return blocks.flatMap(({ first }, index) =>
    Array.from({ length: Math.min(blockSize, count - index * blockSize) }, (_, n) => first + n),
  );
}

/** How many moves are not over. */
export async function movesLeft(sql: Sql): Promise<number> {
  const rows = await sql<{ count: number }[]>`select count(*)::int as count from unfinished_moves`;
  return rows[0]!.count;
}
