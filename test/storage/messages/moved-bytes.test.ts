/** What moving messages writes ahead, counted by PostgreSQL: it is the same for each, however many a topic has. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RecipientId } from "../../../storage/ids.ts";
import { recordChange } from "../../../storage/messages/changes.ts";
import { findTopicSpan } from "../../../storage/messages/unfinished-moves.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { addCopies } from "../../support/rooms/great-topics.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const realmId = 1;
const recipientId = 11 as RecipientId;
const perCommit = 200;
/** A copy of a message and its words in each index. This PostgreSQL writes no page whole after a checkpoint. */
const mostBytes = 3_000;

let testDatabase: TestDatabase;
let database: Database;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 1 });
  await migrate(database);
  await database.sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

/** Writes a topic of so many messages, and moves it. Returns the bytes written ahead for each. */
async function bytesPerMessage(size: number): Promise<number> {
  const topic = `of ${size}`;
  const [{ id: first } = { id: 0 }] = await database.sql<{ id: number }[]>`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    values (nextval('message_id_blocks'), ${realmId}, ${recipientId}, 5, 7, ${topic}, 'said', '<p>said</p>', 0, 'test')
    returning id`;
  await addCopies(database.sql, first, size - 1);
  const span = { after_id: 0, to_id: Number.MAX_SAFE_INTEGER, received_by: null, sent_since: null };
  const before = await written();
  for (let after = 0, left = size; left > 0; left -= perCommit) {
    const part = await findTopicSpan(database.sql, { recipientId, topic }, { ...span, after_id: after }, perCommit);
    const ids = part.map(({ id }) => id);
    after = ids.at(-1)!;
    await recordChange(database.sql, realmId, ids, { userId: 7, now: 0, topic: `${topic} moved`, isMove: true });
  }
  return ((await written()) - before) / size;
}

/** Bytes that the only connection has written ahead. */
async function written(): Promise<number> {
  const { sql } = database;
  await sql`select pg_stat_force_next_flush()`;
  const rows = await sql<{ bytes: number }[]>`
    select wal_bytes::float8 as bytes from pg_stat_get_backend_wal(pg_backend_pid())`;
  return rows[0]!.bytes;
}

it("a moved message writes a bounded number of bytes ahead, however many go with it", async () => {
  const [small, large] = [await bytesPerMessage(1_000), await bytesPerMessage(6_000)];
  expect(small).toBeGreaterThan(500);
  expect(large).toBeLessThan(mostBytes);
  expect(large / small).toBeLessThan(1.3);
});
