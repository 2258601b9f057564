/** `anchor=date`: the first message of a narrow at or after a time. */
import { beforeAll, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
beforeAll(setUp);

it("is the first message at or after the time, in its zone", async () => {
  expect(await anchorOf("2026-01-02T12:00:00Z")).toBe(ids[1]);
  expect(await anchorOf("2026-01-02T12:00:01Z")).toBe(ids[2]);
  expect(await anchorOf("2026-01-02T14:00:00+02:00")).toBe(ids[1]);
  expect(await anchorOf("2026-01-02T12:00:00")).toBe(ids[1]);
  expect(await anchorOf("2026-01-04")).toBe(ids[3]);
  expect(expectSuccess(await fetch("2026-01-03"))["found_anchor"]).toBe(true);
});

it("is looked for in the narrow, and the newest where nothing is later", async () => {
  const odd = [
    ["channel", "general"],
    ["topic", "odd"],
  ];
  expect(await anchorOf("2026-01-02T00:00:00Z", { narrow: odd })).toBe(ids[2]);
  const after = expectSuccess(await fetch("2030-01-01", { num_before: 1, narrow: odd }));
  expect((after["messages"] as JsonObject[]).map(({ id }) => id)).toEqual([ids[4]]);
  expect(after["found_newest"]).toBe(true);
});

it("flags are changed around it", async () => {
  const changed = await server.owner.client.post("/messages/flags/narrow", {
    anchor: "date",
    anchor_date: "2026-01-04T00:00:00Z",
    num_before: 0,
    num_after: 10,
    narrow: [["channel", "general"]],
    op: "add",
    flag: "starred",
  });
  expect(expectSuccess(changed)["processed_count"]).toBe(2);
});

it("needs a time that can be read", async () => {
  expectError(await fetch(undefined), 400, "REQUEST_VARIABLE_MISSING");
  for (const date of ["", "yesterday", "2026-13-01", "2026-01-01T25:00:00Z", "1", "2026-01-01Tx", "99999-01-01"])
    expectError(await fetch(date), 400, "REQUEST_VARIABLE_INVALID");
  // There are no such days.
  for (const date of ["2026-02-30", "2026-02-29T10:00:00Z", "2026-04-31T10:00:00+02:00", "2026-06-31 10:00"])
    expectError(await fetch(date), 400, "REQUEST_VARIABLE_INVALID");
  expect(expectSuccess(await fetch("2024-02-29"))["anchor"]).toBe(ids[0]);
});

/** Ids of messages sent a day apart, from the first of January 2026 at noon (UTC). */
const ids: number[] = [];

const noonOfJanuary = (day: number) => Date.UTC(2026, 0, day, 12) / 1000;

async function setUp(): Promise<void> {
  const { sql } = server.database;
  // Whatever is there from the start is older than what is looked for.
  await sql`update messages set sent_at = 1`;
  for (let day = 1; day <= 5; day++) {
    const topic = day % 2 === 1 ? "odd" : "even";
    const sent = await server.owner.client.post("/messages", {
      type: "stream",
      to: "general",
      topic,
      content: `${day}`,
    });
    const id = expectSuccess(sent)["id"] as number;
    await sql`update messages set sent_at = ${noonOfJanuary(day)} where id = ${id}`;
    ids.push(id);
  }
}

const fetch = (anchor_date: string | undefined, more: JsonObject = {}) =>
  server.owner.client.get("/messages", {
    anchor: "date",
    ...(anchor_date !== undefined && { anchor_date }),
    num_before: 0,
    num_after: 0,
    narrow: [["channel", "general"]],
    ...more,
  });

const anchorOf = async (date: string, more?: JsonObject) => expectSuccess(await fetch(date, more))["anchor"];
