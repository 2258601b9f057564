/** The words that a trigger gives messages: as the program cuts them, on a database of the version before as well. */
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseSearch, queriesOf } from "../../../actors/narrow/search-terms.ts";
import { lexemesOf as readyLexemes } from "../../../actors/text/lexemes.ts";
import { cutWords } from "../../../actors/text/words.ts";
import type { MessageId, RecipientId, UserId } from "../../../storage/ids.ts";
import { findOldWords, findRealmsWithOldWords, renewWords } from "../../../storage/messages/words/search-rebuilds.ts";
import { applyMigrations, migrate, migrationNames } from "../../../storage/migrate.ts";
import { findAround } from "../../../storage/narrow/walk.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";

const realmId = 1;
const hall = 11 as RecipientId;
let testDatabase: TestDatabase;
let database: Database;

/** What the version before stores. */
const insert = (id: number, content: string) => database.sql`
  insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
  values (${id}, ${realmId}, ${hall}, ${hall}, 5, '', ${content}, '', 0, 'test')`;
/** What the version before asks for. */
const findAsBefore = async (text: string) => {
  const rows = await database.sql<{ id: MessageId }[]>`
    select id from messages where search @@ websearch_to_tsquery('english', ${`"${text}"`}) order by id`;
  return rows.map(({ id }) => id);
};
const find = (text: string) =>
  findAround(
    database.sql,
    {
      realmId,
      userId: 5 as UserId,
      scope: { in: "history", recipientIds: [hall] },
      conditions: [{ is: "search", ...queriesOf(parseSearch(text).wanted), negated: false }],
    },
    { anchor: 1e16, includeAnchor: false, before: 100, after: 0 },
  );

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = connect(testDatabase.url, { maxConnections: 2 });
  await database.transaction((sql) =>
    applyMigrations(
      sql,
      migrationNames().filter((name) => name < "038"),
    ),
  );
  await database.sql`insert into realms (id, name, date_created) values (${realmId}, 'r', 0)`;
  for (let id = 1; id <= 5; id++) await insert(id, `sess.opts has been running ${id}`);
  await migrate(database);
});
afterAll(async () => {
  await database?.close();
  await testDatabase?.drop();
});

it("messages of the version before are found as before, until their words are renewed in parts", async () => {
  const { sql } = database;
  expect(await findRealmsWithOldWords(sql)).toEqual([realmId]);
  expect(await find("run")).toEqual([1, 2, 3, 4, 5]);
  expect(await find("opts")).toEqual([]);
  await insert(6, "more sess.opts");
  expect(await find("opts")).toEqual([6]);
  const part = await findOldWords(sql, realmId, 2);
  expect(part).toEqual([5, 4]);
  await renewWords(sql, realmId, part);
  expect(await find("opts")).toEqual([4, 5, 6]);
  expect(await findOldWords(sql, realmId, 100)).toEqual([3, 2, 1]);
});

it("the version before finds by words and stems what is stored now", async () => {
  await insert(7, "The walruses were walking");
  expect(await findAsBefore("walrus")).toEqual([7]);
  expect(await findAsBefore("walks")).toEqual([7]);
  expect(await findAsBefore("walruses were walking")).toEqual([7]);
  await database.sql`update messages set content = 'penguins' where id = 7`;
  expect(await findAsBefore("walrus")).toEqual([]);
  expect(await findAsBefore("penguin")).toEqual([7]);
});

it("what goes to another place has the words and marks of what was sent there", async () => {
  await insert(8, "sess.opts of walruses");
  await database.sql`update messages set has_link = true where id = 8`;
  await database.sql`update messages set recipient_id = 12, channel_id = 12 where id = 8`;
  await database.sql`update messages set recipient_id = 13, channel_id = 13, topic = '✔ pens' where id = 8`;
  await database.sql`update messages set has_link = false, has_image = true where id = 8`;
  await database.sql`
    insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client, has_image)
    values (9, ${realmId}, 13, 13, 5, '✔ pens', 'sess.opts of walruses', '', 0, 'test', true)`;
  const [moved, sent] = await database.sql<
    { search: string }[]
  >`select search from messages where id in (8, 9) order by id`;
  expect(moved!.search).toEqual(sent!.search);
});

it("PostgreSQL and the program cut any text alike", async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "getUserName",
      "HTTPServer",
      "running",
      "The",
      "added",
      "happiness",
      "generously",
      "5e71a2f",
      "1E5x",
      "Straße",
      "ΟΔΟΣ",
      "İx",
      "東京",
      "タワ",
      "ﾀﾞ",
      "한국",
      "한국".normalize("NFD"),
    ),
    fc.constantFrom(
      " ",
      "-",
      "_",
      ".",
      "…",
      "—",
      "、",
      "・",
      "\u200d",
      "\u00ad",
      "\u0301",
      "🎉",
      "́e",
      "ﬁ",
      "①",
      "½",
      "㎏",
    ),
    fc.string({ unit: "grapheme", maxLength: 6 }),
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.stringMatching(/^[a-zA-Z0-9]{1,8}$/),
  );
  // PostgreSQL stores neither, and the server refuses them.
  const storable = (text: string) => !/[\0\ud800-\udfff]/u.test(text);
  const texts = fc
    .sample(
      fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join("")),
      { seed: 27, numRuns: 3000 },
    )
    .filter(storable);
  const rows = await database.sql<{ text: string; written: string[] }[]>`
    select text, to_jsonb(array(select lexeme from unnest(message_words(text)) where 'A' = any (weights) order by 1)) as written
    from jsonb_array_elements_text(${JSON.stringify(texts)}::text::jsonb) as text`;
  const differ = rows.filter(({ text, written }) => JSON.stringify(written) !== JSON.stringify(lexemesOf(text)));
  expect(rows.length).toBeGreaterThan(2000);
  const ready = rows.map(({ text }) => ({ text, lexemes: readyLexemes(text) ?? null }));
  const unlike = await database.sql`
    select text, lexemes, message_words(text)::text as words
    from json_to_recordset(${JSON.stringify(ready)}::text::json) as r(text text, lexemes tsvector)
    where lexemes is distinct from coalesce(message_words(text), '')`;
  expect(unlike.map((row) => ({ ...row }))).toEqual([]);
  expect(differ.map(({ text, written }) => [text, written, lexemesOf(text)])).toEqual([]);
});

/** The lexemes of what is written, by the program. PostgreSQL sorts by bytes. */
function lexemesOf(text: string): string[] {
  const words = cutWords(text);
  const all = words.flatMap(({ key, isCharacter, parts }, index) => {
    const next = words[index + 1];
    if (isCharacter) return [next?.isAdjacent ? key + next.key : key];
    return [key, ...parts.map((part) => part.key)];
  });
  return [...new Set(all)].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}
