/** Reads that PostgreSQL takes long for, here because somebody has locked a table: nobody else waits for them. */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../support/client/api.ts";
import { testServer } from "../support/server/server.ts";
import { until } from "../support/time/until.ts";

const timeoutMs = 60_000;

/** Runs `body` while nobody can read the table of drafts. */
async function whileLocked(server: ReturnType<typeof testServer>, body: () => Promise<void>): Promise<void> {
  await server.database.vital.transaction(async (sql) => {
    await sql`lock table drafts in access exclusive mode`;
    await body();
  });
}

const countWaiting = async (server: ReturnType<typeof testServer>): Promise<number> => {
  const rows = await server.database.vital.sql`
    select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%drafts%'`;
  return rows.length;
};

describe("reads that wait for a lock", () => {
  // Four of them are for writing.
  const connections = 16;
  const environment = {
    PARLEY_READ_TIMEOUT_MS: String(timeoutMs),
    PARLEY_DATABASE_CONNECTIONS: String(connections),
  };
  const server = testServer({ environment });
  const people = server.people("Ann", "Ben", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Joe");
  const [ann, ben] = people;

  it("of one account, 20 at once, leave connections to the others", async () => {
    const gone = new AbortController();
    await whileLocked(server, async () => {
      const reads = Array.from({ length: 20 }, () =>
        ann.client.get("/drafts", {}, { signal: gone.signal }).catch(() => {}),
      );
      await until("some to wait", async () => (await countWaiting(server)) >= 4);
      expectSuccess(await ben.client.get("/saved_snippets"));
      expect(await countWaiting(server)).toBe(4);
      gone.abort();
      await Promise.all(reads);
    });
  });

  it("end in PostgreSQL when their clients have gone, and those that had not begun are never begun", async () => {
    const gone = new AbortController();
    await whileLocked(server, async () => {
      const reads = Array.from({ length: 10 }, () =>
        ann.client.get("/drafts", {}, { signal: gone.signal }).catch(() => {}),
      );
      await until("some to wait", async () => (await countWaiting(server)) === 4);
      gone.abort();
      await Promise.all(reads);
      await until("nothing to wait", async () => (await countWaiting(server)) === 0);
    });
    expectSuccess(await ann.client.get("/drafts"));
  });

  // The last one: what its clients left is ended little by little.
  it("of many accounts, 40 at once, do not hold up sends", async () => {
    const gone = new AbortController();
    await whileLocked(server, async () => {
      const reads = people.flatMap((person) =>
        Array.from({ length: 4 }, () => person.client.get("/drafts", {}, { signal: gone.signal }).catch(() => {})),
      );
      await until("all connections for reads to wait", async () => (await countWaiting(server)) >= connections - 4);
      for (let number = 0; number < 10; number++)
        expectSuccess(await ann.client.post("/messages", { type: "direct", to: [ben.id], content: `${number}` }));
      gone.abort();
      await Promise.all(reads);
    });
  });
});

describe("a read that takes longer than it may", () => {
  const server = testServer({ environment: { PARLEY_READ_TIMEOUT_MS: "2000" } });
  const [ann] = server.people("Ann");

  it("is ended with 503, and its caller goes on", async () => {
    await whileLocked(server, async () => {
      const answer = await ann.client.get("/drafts");
      expect(expectError(answer, 503, "SERVICE_UNAVAILABLE")["msg"]).toMatch(/too long/);
      expect(await countWaiting(server)).toBe(0);
    });
    expectSuccess(await ann.client.get("/drafts"));
  });
});
