/** Files of tables, read a row at a time, wherever their pieces end. */
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { JsonTablesWriter, readJsonTables } from "../../storage/transfer/json-tables.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-tables-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Everything that could be taken for an end, and longer than a piece of the file. */
const hostile = `\\"}],{[ "ä😀\n\\\\`.repeat(30_000);

async function read(path: string, only?: string): Promise<[string, unknown][]> {
  const rows: [string, unknown][] = [];
  await readJsonTables(path, (table, row) => rows.push([table, row]), only);
  return rows;
}

it("reads what was written, whatever is in it", async () => {
  const path = join(folder, "written.json");
  const out = new JsonTablesWriter(path);
  expect(await out.table("first", [{ id: 1, text: hostile, inner: { list: [{ a: 1 }, []] } }, { id: 2 }])).toBe(2);
  await out.table("none", []);
  await out.table("last", [{ text: hostile }]);
  await out.close();
  expect(await read(path)).toEqual([
    ["first", { id: 1, text: hostile, inner: { list: [{ a: 1 }, []] } }],
    ["first", { id: 2 }],
    ["last", { text: hostile }],
  ]);
  expect(await read(path, "last")).toEqual([["last", { text: hostile }]]);
});

it("passes over what is no table, and takes any white space", async () => {
  const path = join(folder, "other.json");
  await writeFile(path, '{"version": "a {b}", "count": [1, 2],\n\t"rows" : [ {"id" : 1} , {"id":2} ] }\n');
  expect(await read(path)).toEqual([
    ["rows", { id: 1 }],
    ["rows", { id: 2 }],
  ]);
});

it("refuses a file that is cut off", async () => {
  const path = join(folder, "cut.json");
  const out = new JsonTablesWriter(path);
  await out.table("rows", [{ id: 1 }, { id: 2 }]);
  await out.close();
  await truncate(path, 20);
  await expect(read(path)).rejects.toThrow("no whole file");
});
