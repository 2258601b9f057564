/** The rule by which a build and the one before it run beside each other on one database. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { migrationNames, relationsOfSchema } from "../../storage/migrate.ts";

/** What a build that does not know of it goes on beside. */
const additive = [
  /^create ((unlogged )?table|sequence|index) /,
  /^drop index /,
  /^insert into /,
  /^update /,
  /^select setval\(/,
  /^alter table \w+ add column (?!.*\bnot null\b)(?!.*\bunique\b)/,
  /^alter table \w+ add column .*\bnot null\b.*\bdefault\b/,
  // Both serve the build before: they act on what it writes.
  /^create or replace function /,
  /^create trigger /,
  /^alter table \w+ set \(fillfactor = \d+\)$/,
  // A trigger goes on filling the column.
  /^alter table messages alter column search drop expression$/,
  /^alter table \w+ alter column \w+ (set default|drop default|drop not null)/,
];

/** Statements that an older build would not survive. */
const refused = (sql: string): string[] =>
  sql
    .replace(/--.*$/gm, "")
    .replace(/\$\$.*?\$\$/gs, "")
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim().toLowerCase())
    .filter((statement) => statement !== "" && !additive.some((pattern) => pattern.test(statement)));

describe("each migration leaves the build before able to run", () => {
  // Before the first there was none.
  it.each(migrationNames().slice(1))("%s", (name) => {
    expect(refused(readFileSync(new URL(`../../storage/migrations/${name}`, import.meta.url), "utf8"))).toEqual([]);
  });

  it("by a rule that knows what would not", () => {
    const wrong = [
      "drop table users",
      "alter table users drop column role",
      "alter table users rename column role to rank",
      "alter table users alter column role type text",
      "alter table users alter column role set not null",
      "alter table users add column rank integer not null",
      "create unique index users_rank on users (rank)",
      "alter table users add constraint ranked check (role > 0)",
    ];
    expect(refused(wrong.join(";\n"))).toEqual(wrong);
  });
});

it("each is known by words that no other has, whatever its number", () => {
  const words = migrationNames().map((name) => name.replace(/^\d+_/, ""));
  expect(new Set(words).size).toBe(words.length);
});

it("what a backup holds is read off the migrations", () => {
  const { tables, sequences } = relationsOfSchema();
  expect(tables).toEqual(expect.arrayContaining(["migrations", "realms", "messages", "event_queues", "realm_log"]));
  expect(sequences).toEqual(expect.arrayContaining(["message_id_blocks", "user_ids"]));
});
