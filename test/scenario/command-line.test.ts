/** What the command line does to an organization that nodes serve. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createUserAccount } from "../../http/process/admin.ts";
import { readConfig } from "../../http/process/config.ts";
import type { RunningStorage } from "../../http/process/main.ts";
import { readEnd } from "../../storage/realm-log.ts";
import { ApiClient, type ApiResponse, expectSuccess } from "../support/client/api.ts";
import { writeBrieflyHere } from "../support/faults/brief-writer.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";
import { until } from "../support/time/until.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ PARLEY_LOG_LEVEL: "fatal" }, 2);
}, 300_000);
afterAll(() => server?.stop(), 60_000);

const password = "a fine password";

/** As `parley user create` does it. @returns the account's id */
async function createAccount(name: string, redisUrl: string | undefined): Promise<number> {
  const config = readConfig({
    DATABASE_URL: "postgres://localhost/given",
    PARLEY_DATA_DIR: "/nonexistent",
    ...(redisUrl && { REDIS_URL: redisUrl }),
  });
  const values = { email: `${name}@example.com`, name, password };
  const { data } = await createUserAccount({ database: server.database } as RunningStorage, config, values);
  return (data as { user_id: number }).user_id;
}

/** Has an account created, and looks for it on each node. @returns how many terms were begun for it */
async function addAccount(name: string, redisUrl: string | undefined): Promise<number> {
  const { database } = server;
  // The first term is nobody's doing but the start's.
  await clientElsewhere();
  const before = await readEnd(database.sql, 1);
  const id = await createAccount(name, redisUrl);
  for (let node = 0; node < server.nodes.length; node++)
    expect(expectSuccess(await server.owner.client.get(`/users/${id}`))["user"]).toMatchObject({ full_name: name });
  const after = await readEnd(database.sql, 1);
  const begun = after.epoch - before.epoch;
  // Nodes that have just met give an organization to the one that is to write it, which begins one term.
  return begun === 1 && after.node !== before.node ? 0 : begun;
}

it("is handed to the node that writes, which goes on writing", async () => {
  expect(await addAccount("forwarded", server.redis!.url)).toBe(0);
});

/** One of the owner's clients, of a node that does not write and knows which one does. */
async function clientElsewhere(): Promise<ApiClient> {
  const { email, apiKey, id } = server.owner;
  const clients = server.urls.map((url) => new ApiClient({ url, email, apiKey }));
  let client: ApiClient | undefined;
  await until("a node to write, and the other one to know it", async () => {
    const writes = (await server.realms()).map(({ isWriter }) => isWriter);
    client = clients[writes.indexOf(false)];
    const sent = await client?.post("/messages", { type: "direct", to: [id], content: "to myself" });
    return sent?.status === 200 && writes.includes(true);
  });
  return client!;
}

it.each<[deed: string, act: (client: ApiClient, name: string, id: number) => Promise<ApiResponse>]>([
  ["logs in", (client, name) => client.post("/fetch_api_key", { username: `${name}@example.com`, password })],
  ["is written to", (client, _name, id) => client.post("/messages", { type: "direct", to: [id], content: "Welcome" })],
])("who was added %s, though the node that wrote until then has heard of nothing", async (deed, act) => {
  const client = await clientElsewhere();
  const name = deed.replaceAll(" ", "-");
  const account = { email: `${name}@example.com`, password };
  const id = await writeBrieflyHere(server.server.app.config.databaseUrl!, account, "leaves");
  expectSuccess(await act(client, name, id));
});

it("is handed to the node that writes by mail, where Redis is not known or cannot be reached", async () => {
  expect(await addAccount("unknown", undefined)).toBe(0);
  expect(await addAccount("unreachable", "redis://127.0.0.1:1")).toBe(0);
});
