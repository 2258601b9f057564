/** Backups: what is in them, of which moment, and what a restore refuses. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readConfig } from "../../http/process/config.ts";
import { type RunningServer, startServer } from "../../http/process/main.ts";
import type { ArchiveHeader } from "../../storage/backup/archive.ts";
import { readBackup, writeBackup } from "../../storage/backup/backup.ts";
import { restoreBackup } from "../../storage/backup/restore.ts";
import { FolderStore } from "../../storage/files/folder-store.ts";
import type { UserId } from "../../storage/ids.ts";
import { applyMigrations, migrate, migrationNames } from "../../storage/migrate.ts";
import { connect, type Database } from "../../storage/postgres.ts";
import { SecretKey } from "../../storage/secret-key.ts";
import { findApiKey, findByApiKey } from "../../storage/users/credentials.ts";
import { ApiClient, cursorOf, expectError, expectSuccess } from "../support/client/api.ts";
import { dataFolder } from "../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";
import { testSecret, testSecretKey } from "../support/server/template.ts";
import { until } from "../support/time/until.ts";

let server: TestServer;
let folder: string;
let backup: string;
let sentBefore: string[];
let queue: { queueId: string; lastEventId: number };
const uploaded = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

const say = async (content: string) =>
  expectSuccess(await server.owner.client.post("/messages", { type: "channel", to: "general", topic: "t", content }))[
    "id"
  ] as number;

beforeAll(async () => {
  server = await startTestServer();
  folder = await dataFolder("backup");
  backup = join(folder, "backup");
  const form = new FormData();
  form.set("file", new Blob([uploaded]), "bytes.bin");
  const authorization = `Basic ${btoa(`${server.owner.email}:${server.owner.apiKey}`)}`;
  const answer = await fetch(`${server.url}/api/v1/user_uploads`, {
    method: "POST",
    body: form,
    headers: { authorization },
  });
  const { url } = (await answer.json()) as { url: string };
  queue = cursorOf(await server.owner.client.register({ event_types: ["message"] }));
  sentBefore = ["tab\t, newline\n, backslash \\, \\. and 😀", `[a file](${url})`, "x".repeat(9000)];
  for (const content of sentBefore) await say(content);
  const { database } = server.server.app.system.environment;
  const state = await database.sql`
    insert into read_states (user_id, recipient_id, realm_id, ids)
    select ${server.owner.id}, 1000000, r.id, ids from realms r, (select range_agg(int8range(2 * n, 2 * n + 1)) as ids
      from generate_series(1, 500) n) t returning user_id`;
  expect(state).toHaveLength(1);

  // Others write on while it is made.
  let isDone = false;
  let stored = 0;
  const others = Array.from({ length: 4 }, async (_, sender) => {
    for (let count = 0; !isDone; count++) {
      await say(`meanwhile ${sender} ${count}`);
      stored++;
    }
  });
  await until("some to be stored", () => stored > 20);
  const counts = await writeBackup(database, new FolderStore(server.server.app.config.dataDir), backup).finally(() => {
    isDone = true;
  });
  await Promise.all(others);
  expect(counts.rows).toBeGreaterThan(20);
  expect(counts.files).toBeGreaterThan(0);
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** An empty database, closed and removed afterwards. */
async function onEmpty(body: (database: Database, test: TestDatabase) => Promise<void>): Promise<void> {
  const test = await createTestDatabase();
  const database = connect(test.url, {
    maxConnections: 3,
    applicationName: "parley-restore",
    secretKey: testSecretKey,
  });
  try {
    await body(database, test);
  } finally {
    await database.close();
    await test.drop();
  }
}

/** What a backup holds: each section's own object and bytes, and its header. */
async function contentOf(path: string): Promise<{ header: ArchiveHeader; sections: Map<string, string> }> {
  const sections = new Map<string, string>();
  let header: ArchiveHeader | undefined;
  await readBackup(path, async (archive) => {
    header = await archive.header();
    for await (const { meta, data } of archive.sections()) {
      const pieces: Uint8Array[] = [];
      for await (const piece of data) pieces.push(piece);
      sections.set(JSON.stringify(meta), Buffer.concat(pieces).toString("latin1"));
    }
  });
  return { header: header!, sections };
}

it("a restored database has the same, and makes the same backup", async () => {
  await onEmpty(async (database) => {
    const restored = await dataFolder("restored");
    try {
      const counts = await restoreBackup(database, new FolderStore(restored), backup);
      const again = join(folder, "again");
      expect(await writeBackup(database, new FolderStore(restored), again)).toEqual(counts);
      const [first, second] = [await contentOf(backup), await contentOf(again)];
      expect(second.header.migrations).toEqual(first.header.migrations);
      expect([...second.sections.keys()].sort()).toEqual([...first.sections.keys()].sort());
      // Of somebody who reads here and there.
      expect((await database.sql`select from read_segments`).length).toBeGreaterThan(5);
      for (const [meta, bytes] of first.sections) expect(second.sections.get(meta) === bytes, meta).toBe(true);
    } finally {
      await rm(restored, { recursive: true, force: true });
    }
  });
});

it("without the secret key by which its API keys are sealed it is refused, unless everybody gets a new one", async () => {
  const test = await createTestDatabase();
  const secret = "9".repeat(64);
  const another = new SecretKey(Buffer.from(secret, "hex"), "Another secret key");
  const database = connect(test.url, { maxConnections: 3, applicationName: "parley-restore", secretKey: another });
  const dataDir = await dataFolder("another-key");
  try {
    await expect(restoreBackup(database, new FolderStore(dataDir), backup)).rejects.toThrow(
      /^Another secret key does not open .*PARLEY_SECRET_KEY_FILE or PARLEY_SECRET_KEY.* \(--new-keys\)\.$/,
    );
    expect(await database.sql`select from pg_tables where tablename = 'realms'`).toHaveLength(0);
    await restoreBackup(database, new FolderStore(dataDir), backup, { renewsKeys: true });
    const rows = await database.sql<{ user_id: UserId; api_key: string | null }[]>`
      select user_id, api_key from credentials`;
    const keys = new Set<string | undefined>();
    for (const { user_id } of rows) keys.add(await findApiKey(database.sql, user_id));
    expect([keys.size, rows.every((row) => row.api_key === null)]).toEqual([rows.length, true]);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(keys.has(server.owner.apiKey)).toBe(false);
    expect(
      (await findByApiKey(database.sql, (await findApiKey(database.sql, server.owner.id as UserId))!))!.user_id,
    ).toBe(server.owner.id);
  } finally {
    await database.close();
    await test.drop();
    await rm(dataDir, { recursive: true, force: true });
  }
});

it("a server goes on from it: people, messages, files, new ids; queues end", async () => {
  await onEmpty(async (database, test) => {
    const dataDir = await dataFolder("goes-on");
    let restored: RunningServer | undefined;
    try {
      await restoreBackup(database, new FolderStore(dataDir), backup);
      const environment = {
        HOST: "127.0.0.1",
        PORT: "0",
        DATABASE_URL: test.url,
        PARLEY_DATA_DIR: dataDir,
        PARLEY_SECRET_KEY: testSecret,
      };
      restored = await startServer(readConfig({ ...environment, PARLEY_RATE_LIMITS: "off", PARLEY_LOG_LEVEL: "warn" }));
      expect(restored.firstStart).toBeUndefined();
      const url = `http://127.0.0.1:${restored.port}`;
      const owner = new ApiClient({ url, email: server.owner.email, apiKey: server.owner.apiKey });
      const { messages } = expectSuccess(
        await owner.get("/messages", {
          anchor: "oldest",
          num_before: 0,
          num_after: 5000,
          narrow: [{ operator: "topic", operand: "t" }],
          apply_markdown: false,
        }),
      ) as unknown as { messages: { id: number; content: string }[] };
      const contents = messages.map(({ content }) => content);
      expect(contents.slice(0, sentBefore.length)).toEqual(sentBefore);
      // Of each of the others it has the first ones, none left out.
      for (let sender = 0; sender < 4; sender++) {
        const own = contents.filter((content) => content.startsWith(`meanwhile ${sender} `));
        expect(own).toEqual(own.map((_, count) => `meanwhile ${sender} ${count}`));
      }
      const path = /\((.*)\)/.exec(sentBefore[1]!)![1]!;
      const authorization = `Basic ${btoa(`${server.owner.email}:${server.owner.apiKey}`)}`;
      const file = await fetch(`${url}/api/v1${path}`, { headers: { authorization } });
      const { url: temporary } = (await file.json()) as { url: string };
      expect(Buffer.from(await (await fetch(`${url}${temporary}`)).arrayBuffer()).equals(uploaded)).toBe(true);
      expectError(
        await owner.get("/events", { queue_id: queue.queueId, last_event_id: queue.lastEventId }),
        400,
        "BAD_EVENT_QUEUE_ID",
      );
      const sent = await owner.post("/messages", { type: "channel", to: "general", topic: "t", content: "after" });
      expect(expectSuccess(sent)["id"]).toBeGreaterThan(messages.at(-1)!.id);
    } finally {
      await restored?.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

it("a database that holds organizations, or is in use, is left alone; --force replaces it", async () => {
  await onEmpty(async (database, test) => {
    await restoreBackup(database, new FolderStore(folder), backup);
    await database.sql`update realms set name = 'Its own'`;
    await expect(restoreBackup(database, new FolderStore(folder), backup)).rejects.toThrow(
      /has 1 organization: --force/,
    );
    const user = connect(test.url, { maxConnections: 1 });
    await user.sql`select 1`;
    await expect(restoreBackup(database, new FolderStore(folder), backup, { isForced: true })).rejects.toThrow(
      /stop it first/,
    );
    await user.close();
    expect(await database.sql`select name from realms`).toEqual([{ name: "Its own" }]);
    await restoreBackup(database, new FolderStore(folder), backup, { isForced: true });
    expect(await database.sql`select name from realms`).not.toEqual([{ name: "Its own" }]);
  });
});

it("one that is damaged, cut off or no backup changes nothing", async () => {
  const bytes = gunzipSync(await readFile(backup));
  const flipped = Buffer.from(bytes);
  const at = bytes.indexOf("meanwhile 0 0");
  flipped[at] = flipped[at]! ^ 1;
  const damaged = {
    flipped: gzipSync(flipped),
    cut: gzipSync(bytes.subarray(0, bytes.length - 40)),
    short: (await readFile(backup)).subarray(0, 5000),
    text: Buffer.from("no backup"),
    junk: gzipSync(Buffer.alloc(5000, "junk")),
  };
  await onEmpty(async (database) => {
    await migrate(database);
    await database.sql`insert into realms (name, date_created) values ('Its own', 0)`;
    for (const [name, content] of Object.entries(damaged)) {
      const path = join(folder, name);
      await writeFile(path, content);
      await expect(restoreBackup(database, new FolderStore(folder), path, { isForced: true }), name).rejects.toThrow();
      expect(await database.sql`select name from realms`, name).toEqual([{ name: "Its own" }]);
    }
  });
});

it("one of an older Parley is brought up to date, one of a newer refused", async () => {
  const older = migrationNames().slice(0, 3);
  const path = join(folder, "older");
  await onEmpty(async (database) => {
    await database.transaction((sql) => applyMigrations(sql, older));
    await database.sql`insert into realms (name, date_created, position_reserved) values ('Old', 0, 77)`;
    await database.sql`select nextval('message_id_blocks')`;
    // It may have had another number then.
    await database.sql`update migrations set name = replace(name, '003_', '002_') where name like '003_%'`;
    await writeBackup(database, new FolderStore(folder), path);
    await database.sql`insert into migrations (name) values ('999_newer.sql')`;
    await expect(writeBackup(database, new FolderStore(folder), join(folder, "newer"))).rejects.toThrow(
      /999_newer\.sql/,
    );
  });
  await onEmpty(async (database) => {
    await restoreBackup(database, new FolderStore(folder), path);
    expect(await migrate(database)).toEqual([]);
    expect(await database.sql`select name, position_reserved, writer_serves_reads from realms`).toEqual([
      { name: "Old", position_reserved: 77, writer_serves_reads: true },
    ]);
    expect(await database.sql`select nextval('message_id_blocks') as next`).toEqual([{ next: 1001 }]);
  });
});

it("a file that is there is not written over, and one that fails leaves nothing", async () => {
  const { database } = server.server.app.system.environment;
  await expect(writeBackup(database, new FolderStore(folder), backup)).rejects.toThrow(/is there already/);
  await expect(writeBackup(database, new FolderStore(folder), join(folder, "nowhere", "backup"))).rejects.toThrow(
    /ENOENT/,
  );
  await onEmpty((empty) =>
    expect(writeBackup(empty, new FolderStore(folder), join(folder, "empty"))).rejects.toThrow(/nothing of Parley/),
  );
});
