/** Data folders that belong to another account than the one PostgreSQL would run as, or are of another PostgreSQL. */
import { execFileSync } from "node:child_process";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startEmbeddedPostgres } from "../../../storage/embedded-postgres/embedded-postgres.ts";
import { connect } from "../../../storage/postgres.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { runTypeScript } from "../../support/server/run-typescript.ts";

const isRoot = process.getuid?.() === 0;
let folder: string;
const notes: string[] = [];

/** Starts on the folder, runs a statement, stops. */
async function visit(statement: string): Promise<number> {
  notes.length = 0;
  const server = await startEmbeddedPostgres({ dataDir: folder, isDurable: false, notify: (line) => notes.push(line) });
  const database = connect(server.url, { maxConnections: 1 });
  try {
    return (await database.sql.unsafe(statement)).length;
  } finally {
    await database.close();
    await server.stop();
  }
}
const chown = (owner: string, path: string) => execFileSync("chown", ["-R", owner, path]);

beforeAll(async () => {
  folder = await dataFolder("owner");
  await visit("create table kept as select 1 as one");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.runIf(isRoot)("root takes over what was copied as root, or inside with other numbers", async () => {
  chown("0:0", folder);
  expect(await visit("select * from kept")).toBe(1);
  expect(notes).toEqual([expect.stringMatching(/belonged to root; it is the account .* now/)]);
  const { uid } = await stat(join(folder, "postgres"));
  chown("54321:54321", join(folder, "postgres", "data"));
  expect(await visit("select * from kept")).toBe(1);
  expect(notes).toEqual([expect.stringMatching(/belonged to uid 54321; it is the account .* now/)]);
  expect((await stat(join(folder, "postgres", "data", "base"))).uid).toBe(uid);
  expect(await visit("select * from kept")).toBe(1);
  expect(notes).toEqual([]);
});

it("files of another major version are left alone, and it is said how they get into this one", async () => {
  const file = join(folder, "postgres", "data", "PG_VERSION");
  const version = await readFile(file, "utf8");
  await writeFile(file, "17\n");
  await expect(visit("select 1")).rejects.toThrow(
    /was made by PostgreSQL 17, and this Parley brings PostgreSQL 18\. Write a backup .*parley restore FILE/,
  );
  await writeFile(file, version);
  expect(await visit("select * from kept")).toBe(1);
});

it.runIf(isRoot)("anybody else is told whose it is, and what to do", async () => {
  const data = join(folder, "postgres");
  /** What a start as `nobody` says, who has the folder around it. */
  const refusal = async (): Promise<string> => {
    const child = runTypeScript(new URL("start-as-nobody.ts", import.meta.url).pathname, [folder]);
    try {
      return await child.nextLine();
    } finally {
      await child.kill();
    }
  };
  chown("nobody", folder);
  chown("54321:54321", data);
  expect(await refusal()).toContain(`${data} belongs to uid 54321, and this is nobody: start Parley as uid 54321, or`);
  chown("nobody", data);
  chown("54321:54321", join(data, "data"));
  expect(await refusal()).toContain(`${join(data, "data")} belongs to uid 54321, and this is nobody: start Parley as`);
});
