/** What is unread of somebody who reads here and there is found at a cost that does not grow with the square of it. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RecipientId } from "../../../storage/ids.ts";
import { migrate } from "../../../storage/migrate.ts";
import { aroundSql } from "../../../storage/narrow/walk.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const realmId = 1;
const recipientId = 11 as RecipientId;
let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await migrate(database);
  const { sql } = database;
  await sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select n, ${realmId}, ${recipientId}, ${recipientId}, 99, 't', 'c', 'c', 0, 'test' from generate_series(1, 20000) n`;
  // Person n has read every second one of the first n.
  for (const islands of [1_000, 8_000]) {
    await sql`insert into received (user_id, recipient_id, realm_id, ids) values (${islands}, ${recipientId}, ${realmId}, '{[1,)}')`;
    await sql`
      insert into read_states (user_id, recipient_id, realm_id, ids)
      select ${islands}, ${recipientId}, ${realmId}, range_agg(int8range(2 * n, 2 * n + 1)) from generate_series(1, ${islands}) n`;
  }
  await sql`analyze`;
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

it("reads what somebody has read once, however many messages it looks at", async () => {
  const few = await pagesRead(1_000);
  expect(await pagesRead(8_000)).toBeLessThan(3 * few);
});

/** Pages that finding the 100 unread before the middle of the islands touches. */
async function pagesRead(userId: number): Promise<number> {
  const { parameters, text } = aroundSql(
    {
      realmId,
      userId,
      scope: { in: "receivedIn", recipientId },
      conditions: [{ is: "unread", negated: false }],
    },
    { anchor: userId, includeAnchor: false, before: 100, after: 0 },
  );
  // Unsafe: the text depends on the kinds of the conditions.
  const [row] = await database.sql.unsafe<{ "QUERY PLAN": { Plan: Record<string, number> }[] }[]>(
    `explain (analyze, buffers, format json) ${text} select id from picked`,
    parameters.values,
  );
  const { Plan } = row!["QUERY PLAN"][0]!;
  return Plan["Shared Hit Blocks"]! + Plan["Shared Read Blocks"]!;
}
