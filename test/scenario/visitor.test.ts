/** What the command line does to an organization that nodes serve. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { createUserAccount } from "../../http/process/admin.ts";
import { readConfig } from "../../http/process/config.ts";
import type { RunningStorage } from "../../http/process/main.ts";
import { readEnd } from "../../storage/realm-log.ts";
import { expectSuccess } from "../support/client/api.ts";
import { startTestServer, type TestServer } from "../support/server/server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ PARLEY_LOG_LEVEL: "fatal" }, 2);
}, 120_000);
afterAll(() => server?.stop(), 60_000);

/** As `parley user create` does it. @returns how many terms were begun for it */
async function addAccount(name: string, redisUrl: string | undefined): Promise<number> {
  const { database } = server.server.app.system.environment;
  const config = readConfig({
    DATABASE_URL: "postgres://localhost/given",
    PARLEY_DATA_DIR: "/nonexistent",
    ...(redisUrl && { REDIS_URL: redisUrl }),
  });
  const before = await readEnd(database.sql, 1);
  const values = { email: `${name}@example.com`, name };
  const { data } = await createUserAccount({ database } as RunningStorage, config, values);
  const { user_id: id } = data as { user_id: number };
  for (let node = 0; node < server.nodes.length; node++)
    expect(expectSuccess(await server.owner.client.get(`/users/${id}`))["user"]).toMatchObject({ full_name: name });
  return (await readEnd(database.sql, 1)).epoch - before.epoch;
}

it("is handed to the node that writes, which goes on writing", async () => {
  expect(await addAccount("forwarded", server.redis!.url)).toBe(0);
});

it("takes the lead for a moment where no node can be reached", async () => {
  expect(await addAccount("alone", undefined)).toBeGreaterThan(0);
  expect(await addAccount("unreachable", "redis://127.0.0.1:1")).toBeGreaterThan(0);
});
