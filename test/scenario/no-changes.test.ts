/**
 * A PostgreSQL that is there and takes no changes. Whoever wants one is told so at once, reads go on, and nothing has
 * to start again.
 */
import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../http/process/config.ts";
import { type RunningServer, startServer } from "../../http/process/main.ts";
import { ApiClient, type ApiResponse, cursorOf, expectError, expectSuccess } from "../support/client/api.ts";
import { adminToken, askAsOperator } from "../support/client/as-operator.ts";
import { startPostgres, type TestPostgres } from "../support/server/postgres.ts";
import { startTestServer } from "../support/server/server.ts";
import { until } from "../support/time/until.ts";

const small = tryMount();
let pg: TestPostgres;
let sql: postgres.Sql;
let server: RunningServer;
let dataDir: string;
let client: ApiClient;

beforeAll(async () => {
  pg = await startPostgres();
  sql = postgres(pg.url, { max: 1, onnotice: () => {} });
  dataDir = await mkdtemp(join(tmpdir(), "parley-no-changes-"));
  server = await startServer(
    readConfig({
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: pg.url,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_ADMIN_TOKEN: adminToken,
      PARLEY_RATE_LIMITS: "off",
      PARLEY_LOG_LEVEL: "fatal",
    }),
  );
  const { email, apiKey } = server.firstStart!;
  client = new ApiClient({ url: `http://127.0.0.1:${server.port}`, email, apiKey });
});
afterAll(async () => {
  await server?.stop();
  await sql?.end();
  await pg?.stop();
  if (small !== undefined) {
    execFileSync("umount", [small]);
    await rm(small, { recursive: true, force: true });
  }
  await rm(dataDir, { recursive: true, force: true });
});

const send = (content: string) => client.post("/messages", { type: "channel", to: "general", topic: "t", content });
/** Of several pages in PostgreSQL. */
const long = "refused ".repeat(1100);
const everything = { anchor: "newest", num_before: 100, num_after: 0 };

function expectRefusal(answer: ApiResponse, reason: string): void {
  const { msg } = expectError(answer, 503, "SERVICE_UNAVAILABLE");
  expect(msg).toContain("Nothing was done");
  expect(msg).toContain(reason);
  expect(answer.headers.get("retry-after")).not.toBeNull();
}

/** What has to hold while PostgreSQL takes no sends, after `harm`, and after `mend`. */
async function expectReadsGoOn(reason: string, harm: () => Promise<void>, mend: () => Promise<void>): Promise<void> {
  const before = expectSuccess(await send(`before: ${reason}`))["id"] as number;
  await harm();
  const health = async () => {
    const answer = await askHealth();
    return [answer.status, answer.body["reason"]];
  };
  await until(`sends to be refused: ${reason}`, async () => (await send(long)).status === 503);
  for (const answer of await Promise.all([send(long), send(long), send(long)])) expectRefusal(answer, reason);
  const messages = expectSuccess(await client.get("/messages", everything))["messages"] as { id: number }[];
  expect(messages.map(({ id }) => id)).toContain(before);
  expectSuccess(await client.get("/users/me"));
  // A change elsewhere, such as the server's own upkeep, may have been taken in between.
  await until(`the node to tell: ${reason}`, async () => {
    expectRefusal(await send(long), reason);
    const [status, told] = await health();
    return status === 503 && String(told).includes(reason);
  });
  await mend();
  await until("sends to be taken again", async () => (await send("after")).status === 200);
  await until("the node to be well", async () => (await health())[0] === 200);
  const texts = (
    expectSuccess(await client.get("/messages", { ...everything, apply_markdown: false }))["messages"] as {
      id: number;
      content: string;
    }[]
  ).filter(({ id }) => id > before);
  // One may have been sent while the setting was on its way; none of those that were refused is stored.
  expect(texts.filter(({ content }) => content === "after").length).toBeGreaterThan(0);
}

describe("PostgreSQL takes no changes", () => {
  it("because it is read-only (25006)", async () => {
    const queue = cursorOf(await client.register({ event_types: ["message"] }));
    await expectReadsGoOn(
      "read-only",
      async () => {
        await sql`alter system set default_transaction_read_only = on`;
        await sql`select pg_reload_conf()`;
      },
      async () => {
        await sql`set default_transaction_read_only = off`;
        await sql`alter system reset default_transaction_read_only`;
        await sql`select pg_reload_conf()`;
      },
    );
    // The realm was never loaded again: the queue is the one that was there.
    expect((await client.drain(queue)).length).toBeGreaterThan(0);
  });

  it.skipIf(small === undefined)(
    `because its disk is full (53100)${small === undefined ? " (skipped: no file system can be mounted here)" : ""}`,
    async () => {
      const place = small!;
      try {
        await chmod(place, 0o777);
        const { uid, gid } = await ownerOf(sql);
        execFileSync("chown", [`${uid}:${gid}`, place]);
        await sql.unsafe(`create tablespace small location '${place}'`);
        await sql`alter table messages set tablespace small`;
        const filler = join(place, "filler");
        await expectReadsGoOn(
          "disk of the database is full",
          async () => {
            // What is left of the disk goes to somebody else, and what is left of the table to others.
            execFileSync("sh", ["-c", `cat /dev/zero > ${filler} 2>/dev/null || true`]);
            await until("the table to be full", async () => (await send("x".repeat(9500))).status === 503);
          },
          () => rm(filler),
        );
      } finally {
        await sql`alter table messages set tablespace pg_default`;
        await sql`drop tablespace small`;
      }
    },
  );
});

describe("/health", () => {
  it("says that commits hang, for as long as they do", async () => {
    const health = askHealth;
    expect((await health()).status).toBe(200);
    const holder = await sql.reserve();
    await holder`begin`;
    try {
      await holder`select id from realms for update`;
      const waiting = send("into a lock");
      await until("the node to tell", async () => (await health()).status === 503);
      expect((await health()).body).toMatchObject({ ready: false, reason: expect.stringContaining("commit hangs") });
      await holder`rollback`;
      await waiting;
    } finally {
      await holder`rollback`;
      holder.release();
    }
    await until("the node to be well", async () => (await health()).status === 200);
    expectSuccess(await send("afterwards"));
  });

  it("of a node that stops says so while it still takes connections", async () => {
    const nodes = await startTestServer({ PARLEY_LOG_LEVEL: "silent" }, 2);
    const health = async (index: number) => {
      const answer = await fetch(`${nodes.urls[index]}/health`, { headers: { Connection: "close" } });
      return [answer.status, ((await answer.json()) as { draining: boolean }).draining];
    };
    try {
      const realms = await nodes.realms();
      await until("a node to write", () => realms.some((realm) => realm.isWriter));
      const writer = realms.findIndex((realm) => realm.isWriter);
      expect(await health(1 - writer)).toEqual([200, false]);
      const stopping = nodes.nodes[writer]!.stop();
      expect(await health(writer)).toEqual([503, true]);
      await stopping;
      await expect(health(writer)).rejects.toThrow();
      await until("the other to write", () => realms[1 - writer]!.isWriter);
      expect(await health(1 - writer)).toEqual([200, false]);
      await nodes.nodes[1 - writer]!.stop();
    } finally {
      await nodes.redis!.stop();
    }
  });

  it("of a follower without Redis is good, as it hands changes to the writer all the same", async () => {
    const nodes = await startTestServer({ PARLEY_LOG_LEVEL: "silent" }, 2);
    try {
      const realms = await nodes.realms();
      await until("a node to write", () => realms.some((realm) => realm.isWriter));
      const follower = realms.findIndex((realm) => !realm.isWriter);
      const { email, apiKey } = nodes.owner;
      const there = new ApiClient({ url: nodes.urls[follower]!, email, apiKey });
      const change = () => there.post("/users/me/alert_words", { alert_words: ["redis"] });
      await until("the follower to take changes", async () => (await change()).status === 200);
      await nodes.redis!.kill();
      await until("it to take them without Redis", async () => (await change()).status === 200);
      await until("it to be well", async () => (await fetch(`${nodes.urls[follower]}/health`)).ok);
    } finally {
      await nodes.stop();
    }
  });
});

async function askHealth(): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await askAsOperator(`${client.url}/health`);
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** A file system of two megabytes; undefined where this account may mount none. */
function tryMount(): string | undefined {
  const place = join(tmpdir(), `parley-small-${process.pid}`);
  try {
    execFileSync("mkdir", ["-p", place]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", place], { stdio: "ignore" });
    return place;
  } catch {
    return undefined;
  }
}

/** The account that PostgreSQL runs as. */
async function ownerOf(connection: postgres.Sql): Promise<{ uid: string; gid: string }> {
  const [row] = await connection<{ path: string }[]>`select current_setting('data_directory') as path`;
  const [uid, gid] = execFileSync("stat", ["-c", "%u %g", row!.path], { encoding: "utf8" }).trim().split(" ");
  return { uid: uid!, gid: gid! };
}
