/** Commands that come to a data folder at once, where no server serves. */
import { rm } from "node:fs/promises";
import postgres from "postgres";
import { afterEach, beforeEach, expect, it } from "vitest";
import { startEmbeddedPostgres } from "../../../storage/embedded-postgres/embedded-postgres.ts";
import { joinEmbeddedPostgres } from "../../../storage/embedded-postgres/join.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { until } from "../../support/time/until.ts";

let folder: string;
beforeEach(async () => {
  folder = await dataFolder("join");
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));

const come = (notes: string[] = []) =>
  joinEmbeddedPostgres({ dataDir: folder, isDurable: false, notify: (line) => void notes.push(line) });

async function canAsk(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1 });
  try {
    return (await sql`select 1 as one`)[0]!["one"] === 1;
  } finally {
    await sql.end();
  }
}

it("a second command waits for the first, whose PostgreSQL goes with it, and says so", async () => {
  const first = await come();
  const notes: string[] = [];
  let isThere = false;
  const coming = come(notes).then((second) => {
    isThere = true;
    return second;
  });
  await until("the second to wait, or to come", () => isThere || notes.length > 0);
  await first.stop();
  const second = await coming;
  expect(await canAsk(second.url)).toBe(true);
  expect(notes.join()).toMatch(/Another parley command is at work in .*: this one waits for it/);
  await second.stop();
}, 180_000);

it("commands beside a server wait for nobody", async () => {
  const server = await startEmbeddedPostgres({ dataDir: folder, isDurable: false, notify: () => {} });
  const notes: string[] = [];
  const [first, second] = [await come(notes), await come(notes)];
  await first.stop();
  expect(await canAsk(second.url)).toBe(true);
  await second.stop();
  expect(notes).toEqual([]);
  await server.stop();
}, 180_000);
