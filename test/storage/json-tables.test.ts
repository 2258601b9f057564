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
  for await (const { table, rows: some } of readJsonTables(path, only)) for (const row of some) rows.push([table, row]);
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
  await writeFile(
    path,
    '{"version": "a {b}", "count": [1, 2], "of": {"x": {"y": 1}, "z": {}},\n\t"rows" : [ {"id" : 1} , 3, [4], {"id":2} ] }\n',
  );
  expect(await read(path)).toEqual([
    ["rows", { id: 1 }],
    ["rows", { id: 2 }],
  ]);
});

it("reads rows wherever the pieces end that it reads", async () => {
  const path = join(folder, "long.json");
  const text = 'ä"\\"}],{[ 😀';
  const rows = Array.from({ length: 40_000 }, (_, id) => ({ id, text: text.slice(id % 7), inner: [{ id }] }));
  const out = new JsonTablesWriter(path);
  await out.table("first", rows);
  await out.table("second", rows);
  await out.close();
  let batches = 0;
  let next = 0;
  for await (const { rows: some } of readJsonTables(path, "second")) {
    batches++;
    for (const row of some)
      if (JSON.stringify(row) !== JSON.stringify(rows[next++])) expect(row).toEqual(rows[next - 1]);
  }
  expect(next).toBe(rows.length);
  // Not all at once.
  expect(batches).toBeGreaterThan(3);
});

it("refuses what is no JSON within a row", async () => {
  const path = join(folder, "wrong.json");
  await writeFile(path, '{"rows": [{"id": 1}, {"id": nothing}]}');
  await expect(read(path)).rejects.toThrow("is no file of JSON");
});

it("refuses a file that is cut off", async () => {
  const path = join(folder, "cut.json");
  const out = new JsonTablesWriter(path);
  await out.table("rows", [{ id: 1 }, { id: 2 }]);
  await out.close();
  await truncate(path, 20);
  await expect(read(path)).rejects.toThrow("no whole file");
});

it("puts a sign of replacement for what PostgreSQL cannot store, and keeps everything else", async () => {
  const path = join(folder, "unstorable.json");
  const texts = ["a\0b", "x\ud800y", "\udc00", "😀 \\u0000 ä", "\\ud83d", "\ud83d\ude00", "🐍🐍", "plain"];
  const escaped = texts.map((text) =>
    JSON.stringify(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
  await writeFile(path, `{"rows":[${escaped.map((text) => `{"text":${text},"inner":[${text}]}`).join(",")}]}`);
  const found: string[] = [];
  let mended = 0;
  for await (const part of readJsonTables(path)) {
    mended += part.mended;
    for (const row of part.rows) {
      expect(row["inner"]).toEqual([row["text"]]);
      found.push(row["text"] as string);
    }
  }
  expect(found).toEqual(["a\ufffdb", "x\ufffdy", "\ufffd", ...texts.slice(3)]);
  expect(mended).toBe(6);
});
