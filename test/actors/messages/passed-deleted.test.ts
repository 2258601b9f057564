/**
 * Until a vacuum the indexes lead to messages that were deleted. Whoever deletes more passes them, but nobody waits for
 * it: what is looked at while others' commands wait is counted in pages.
 */
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { deleteTopicMessages } from "../../../actors/messages/changes/delete.ts";
import type { ChannelId, MessageId, RecipientId } from "../../../storage/ids.ts";
import { firstMessageBeside } from "../../../storage/messages/changes.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada] = server.people("Ada");
const messages = 20_000;
/** A page has some 45 of them. */
const fewPages = 100;
/** Ids that no send comes to. */
const farId = 1_000_000;
/** One connection, which alone can say what it has looked at. */
let database: Database;
let channelId: ChannelId;
let recipientId: RecipientId;
/** Of its messages, ascending. */
let ids: MessageId[];

beforeAll(async () => {
  database = connect(server.server.app.config.databaseUrl!, { maxConnections: 1 });
  // Nothing else looks at them meanwhile: of what others may still see no entry is marked.
  await database.sql`alter table messages set (autovacuum_enabled = false)`;
});
afterAll(() => database?.close());
beforeEach(async ({ task }) => {
  channelId = await server.addChannel(task.name, [ada]);
  const first = await ada.say(channelId, "the first", "t");
  const { sql } = server.database;
  await sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
    select ${farId} * id + n, realm_id, recipient_id, channel_id, sender_id, topic, 'x', '<p>x</p>', sent_at, 'test'
    from messages, generate_series(1, ${messages - 1}::int) n where id = ${first}`;
  await sql`vacuum analyze messages`;
  recipientId = (await server.state()).channels.get(channelId)!.recipient_id;
  ids = Array.from({ length: messages }, (_, place) => (place === 0 ? first : farId * first + place));
});

it("of a topic, newest first, before the others' turn is taken", async () => {
  const { loaded } = await server.realm();
  const left = ids.slice(0, 100);
  await gone(ids.slice(100));
  const args = { userId: server.owner.id, channelId, topic: "t" };
  await deleteTopicMessages({ realm: loaded!, state: loaded!.state, database: server.database }, args);
  expect(await pagesOf(() => firstMessageBeside(database.sql, recipientId, left, left[0]!))).toBeLessThan(fewPages);
});

it("of a channel, oldest first, not at all", async () => {
  const next = ids.slice(19_000, 19_100);
  await gone(ids.slice(0, 19_000));
  expect(await pagesOf(() => firstMessageBeside(database.sql, recipientId, next, next[0]!))).toBeLessThan(fewPages);
});

const gone = (some: readonly MessageId[]) => server.database.sql`delete from messages where id = any(${[...some]})`;

/** Looks at pages of messages and of their indexes. */
async function pagesOf(work: () => Promise<unknown>): Promise<number> {
  const before = await looked();
  await work();
  return (await looked()) - before;
}

async function looked(): Promise<number> {
  await database.sql`select pg_stat_force_next_flush()`;
  const [row] = await database.sql<{ pages: number }[]>`
    select (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as pages
    from pg_statio_user_tables where relname = 'messages'`;
  return row!.pages;
}
