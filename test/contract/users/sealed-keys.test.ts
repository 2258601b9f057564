/** API keys are stored sealed by a secret that is nowhere in the database. */
import { mkdtempSync } from "node:fs";
import { readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { housekeep } from "../../../actors/housekeeping.ts";
import { readConfig } from "../../../http/process/config.ts";
import { openStorage } from "../../../http/process/main.ts";
import { generateApiKey } from "../../../storage/users/passwords.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { createTestDatabase } from "../../support/server/postgres.ts";
import { testServer } from "../../support/server/server.ts";
import { testSecretKey } from "../../support/server/template.ts";

const server = testServer();
const ada = server.person("Ada");
const folder = mkdtempSync(join(tmpdir(), "parley-secret-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

it("a dump of all tables has no key of an account or a bot", async () => {
  const made = expectSuccess(await ada.client.post("/bots", { full_name: "Key bot", short_name: "key" }));
  const renewed = expectSuccess(await ada.client.post(`/bots/${made["user_id"] as number}/api_key/regenerate`));
  expect(renewed["api_key"]).not.toBe(made["api_key"]);
  const bots = expectSuccess(await ada.client.get("/bots"))["bots"] as { username: string; api_key: string }[];
  expect(bots.map((bot) => bot.api_key)).toEqual([renewed["api_key"]]);
  expect(expectSuccess(await ada.client.get(`/bots/${made["user_id"] as number}/api_key`))["api_key"]).toBe(
    renewed["api_key"],
  );
  const rows = await server.database.sql<{ user_id: number }[]>`select user_id from credentials`;
  const keys = await Promise.all(rows.map(({ user_id }) => server.apiKeyOf(user_id)));
  expect(keys.length).toBeGreaterThan(4);
  expect(keys).toEqual(expect.arrayContaining([ada.apiKey, server.owner.apiKey, renewed["api_key"]]));
  const text = await dump();
  expect(text).toContain(ada.email);
  for (const key of [...keys, made["api_key"] as string]) {
    expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
    expect(text.includes(key) || text.includes(inHex(key))).toBe(false);
  }
});

it("a new key is shown and works, and the old one does not", async () => {
  const before = await shownKey(ada.email);
  const { api_key } = expectSuccess(await ada.client.post("/users/me/api_key/regenerate"));
  expect(await shownKey(ada.email)).toBe(api_key);
  expect([await works(ada.email, before), await works(ada.email, api_key as string)]).toEqual([false, true]);
});

it("keys that nodes of the version before write work at once, and are sealed once those are gone", async () => {
  await setPlainUntil(3600);
  const person = await server.addUser("Old");
  // Those nodes find it as well.
  expect((await stored(person.id)).api_key).toBe(person.apiKey);
  const { system } = server.server.app;
  const { sql } = server.database;
  const theirs = generateApiKey();
  await sql`update credentials set api_key = ${theirs} where user_id = ${person.id}`;
  expect(await works(person.email, theirs)).toBe(true);
  expect(await shownKey(person.email)).toBe(theirs);
  await housekeep(system.environment);
  expect((await stored(person.id)).api_key).toBe(theirs);
  await setPlainUntil(-1);
  await housekeep(system.environment);
  const after = await stored(person.id);
  expect(after.api_key).toBeNull();
  expect(after.api_key_sealed!.includes(theirs)).toBe(false);
  expect(await shownKey(person.email)).toBe(theirs);
  expect(await works(person.email, theirs)).toBe(true);
  expect((await dump()).includes(theirs)).toBe(false);
  // A row that such a node makes.
  await sql`delete from credentials where user_id = ${person.id}`;
  const another = generateApiKey();
  await sql`insert into credentials (user_id, realm_id, api_key) select id, realm_id, ${another} from users where id = ${person.id}`;
  expect(await works(person.email, another)).toBe(true);
});

it("a sealed key opens for its own account alone", async () => {
  const { api_key_sealed } = await stored(ada.id);
  expect(testSecretKey.open(ada.id as never, api_key_sealed!)).toBe(await server.apiKeyOf(ada.id));
  expect(() => testSecretKey.open(server.owner.id as never, api_key_sealed!)).toThrow(/does not open/);
});

it("what no key looks like is refused", async () => {
  for (const key of ["", "null", `sealed:${ada.id}`])
    expectError(await new ApiClient({ url: server.url, email: ada.email, apiKey: key }).get("/users/me"), 401);
});

it("a start with another secret is refused in a sentence that names the setting; one with the same is not", async () => {
  const { config } = server.server.app;
  const environment = { DATABASE_URL: config.databaseUrl!, PARLEY_DATA_DIR: folder, PARLEY_LOG_LEVEL: "silent" };
  const open = async (more: Record<string, string>) => {
    const storage = await openStorage(readConfig({ ...environment, ...more }), () => {});
    await storage.close();
  };
  await expect(open({ PARLEY_SECRET_KEY: "5".repeat(64) })).rejects.toThrow(
    /^PARLEY_SECRET_KEY is not the secret key by which .* PARLEY_SECRET_KEY_FILE or PARLEY_SECRET_KEY\.$/,
  );
  await expect(open({})).rejects.toThrow(/secret-key \(PARLEY_DATA_DIR, or PARLEY_SECRET_KEY_FILE\) is not the secret/);
  await expect(open({ PARLEY_SECRET_KEY_FILE: join(folder, "none") })).rejects.toThrow(
    /none \(PARLEY_SECRET_KEY_FILE\) cannot be read/,
  );
  await open({ PARLEY_SECRET_KEY_FILE: join(config.dataDir, "secret-key") });
  await open({ PARLEY_SECRET_KEY: (await readFile(join(config.dataDir, "secret-key"), "utf8")).trim() });
});

it("the first start makes a secret that only its account can read", async () => {
  const database = await createTestDatabase();
  const dataDir = join(folder, "first");
  const start = () => openStorage(readConfig({ DATABASE_URL: database.url, PARLEY_DATA_DIR: dataDir }), () => {});
  try {
    for (const storage of await Promise.all([start(), start()])) await storage.close();
    expect((await stat(join(dataDir, "secret-key"))).mode & 0o777).toBe(0o600);
    const made = await readFile(join(dataDir, "secret-key"), "utf8");
    expect(made).toMatch(/^[A-Za-z0-9_-]{43}\n$/);
    await (await start()).close();
    expect(await readFile(join(dataDir, "secret-key"), "utf8")).toBe(made);
  } finally {
    await database.drop();
  }
});

it("a setting that is no secret key is named, and not shown", () => {
  const read = () => readConfig({ PARLEY_SECRET_KEY: "new" });
  expect(read).toThrow(/^PARLEY_SECRET_KEY must be 32 random bytes/);
  expect(read).not.toThrow(/new/);
});

const shownKey = async (email: string): Promise<string> =>
  expectSuccess(
    await new ApiClient({ url: server.url }).post("/fetch_api_key", { username: email, password: "a fine password" }),
  )["api_key"] as string;
const works = async (email: string, apiKey: string): Promise<boolean> =>
  (await new ApiClient({ url: server.url, email, apiKey }).get("/users/me")).status === 200;

/** Every row of every table as text: what a dump of the database shows. */
async function dump(): Promise<string> {
  const { sql } = server.database;
  const tables = await sql<{ name: string }[]>`
    select tablename as name from pg_tables where schemaname = 'public' order by tablename`;
  const texts: string[] = [];
  for (const { name } of tables) {
    // Unsafe: a table's name is no parameter.
    const rows = await sql.unsafe<{ text: string }[]>(`select t::text as text from "${name}" t`);
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join("\n");
}

/** The same bytes as a column of type bytea shows them. */
const inHex = (key: string): string => Buffer.from(key).toString("hex");

async function stored(id: number) {
  const [row] = await server.database.sql<
    { api_key: string | null; api_key_hash: Buffer; api_key_sealed: Buffer | null }[]
  >`select api_key, api_key_hash, api_key_sealed from credentials where user_id = ${id}`;
  return row!;
}

/** As for `plain_keys_until`: an hour after the migration, nodes of the version before are gone. */
const setPlainUntil = (seconds: number) =>
  server.database
    .sql`update installation set plain_keys_until = extract(epoch from now())::bigint + ${seconds}::bigint`;
