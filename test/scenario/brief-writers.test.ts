/**
 * Processes that take an organization's lead for one change and are gone: whoever comes next, to whichever node and for
 * whatever, finds what they wrote.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type ApiClient, expectSuccess } from "../support/client/api.ts";
import { type Ending, writeBriefly, writeBrieflyHere } from "../support/faults/brief-writer.ts";
import { TestCluster } from "../support/faults/cluster.ts";
import { createTestDatabase, type TestDatabase } from "../support/server/postgres.ts";
import { startRedis, type TestRedis } from "../support/server/redis.ts";

const rounds = 50;
/** Of so many rounds one has a process of its own. */
const roundsPerProcess = 10;

let redis: TestRedis;
let database: TestDatabase;
let cluster: TestCluster;
beforeAll(async () => {
  [redis, database] = await Promise.all([startRedis(), createTestDatabase()]);
  cluster = await TestCluster.start({ databaseUrl: database.url, redisUrl: redis.url, nodeCount: 2 });
  await cluster.someWriter();
}, 300_000);
afterAll(async () => {
  await cluster?.stop();
  await Promise.all([database?.drop(), redis?.stop()]);
});

let accounts = 0;

/** What a node tells of an account: as a read, to somebody who logs in as it, and in a register. */
async function askFor(client: ApiClient, id: number, account: { email: string; password: string }) {
  const [read, login, register] = await Promise.all([
    client.get(`/users/${id}`),
    client.post("/fetch_api_key", { username: account.email, password: account.password }),
    client.post("/register", { fetch_event_types: ["realm_user"], event_types: ["realm_user"] }),
  ]);
  const people = expectSuccess(register)["realm_users"] as { user_id: number }[];
  return { read: read.status, login: login.status, isRegistered: people.some(({ user_id }) => user_id === id) };
}

/** Has a process write and go, and looks at each node at once. */
async function writeAndLook(ending: Ending, round: number): Promise<void> {
  const account = { email: `person-${++accounts}@example.com`, password: "a fine password" };
  const write = round % roundsPerProcess === 0 ? writeBriefly : writeBrieflyHere;
  const id = await write(database.url, account, ending);
  const seen = await Promise.all(cluster.clients.map((client) => askFor(client, id, account)));
  const everything = { read: 200, login: 200, isRegistered: true };
  expect(seen, `round ${round}`).toEqual(cluster.nodes.map(() => everything));
}

describe.each(["leaves", "is killed"] as const)("what a process wrote that %s", (ending) => {
  it("every node reads, logs in and registers at once", async () => {
    for (let round = 0; round < rounds; round++) await writeAndLook(ending, round);
  }, 300_000);

  it("reaches the queues of every node, though nobody asks for it", async () => {
    const cursors = await Promise.all(
      cluster.clients.map(async (client) => {
        const { queue_id, last_event_id } = expectSuccess(
          await client.post("/register", { event_types: ["realm_user"], fetch_event_types: [] }),
        );
        return { queue_id, last_event_id };
      }),
    );
    const account = { email: `person-${++accounts}@example.com`, password: "a fine password" };
    const [id, ...answers] = await Promise.all([
      writeBriefly(database.url, account, ending),
      ...cluster.clients.map((client, index) => client.get("/events", cursors[index]!)),
    ]);
    for (const answer of answers) {
      const events = expectSuccess(answer)["events"] as { person?: { user_id: number } }[];
      expect(events.map(({ person }) => person?.user_id)).toEqual([id]);
    }
  });
});

describe.skipIf(process.env["REDIS_URL"])("without Redis (needs one of its own: no REDIS_URL)", () => {
  afterEach(() => redis.restart());

  it("every node reads, logs in and registers at once what a process wrote", async () => {
    await redis.kill();
    for (let round = 0; round < rounds; round++) await writeAndLook(round % 2 === 0 ? "leaves" : "is killed", round);
  }, 300_000);
});
