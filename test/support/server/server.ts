/**
 * A whole server in this process, on a database of its own, as tests talk to it: over HTTP. With `PARLEY_TEST_NODES` it is
 * that many nodes with a Redis of their own, and every client goes to another node with each request.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Realm } from "../../../actors/realm/realm.ts";
import { readConfig } from "../../../http/process/config.ts";
import { type RunningServer, startServer } from "../../../http/process/main.ts";
import { ApiClient, expectSuccess } from "../client/api.ts";
import { assertContract } from "../client/contract.ts";
import { createTestDatabase } from "./postgres.ts";
import { startRedis, type TestRedis } from "./redis.ts";

export interface TestPerson {
  client: ApiClient;
  id: number;
  email: string;
  apiKey: string;
}

export interface TestServer {
  /** Root of the first node. */
  url: string;
  /** Root of each. */
  urls: readonly string[];
  /** The first node. */
  server: RunningServer;
  nodes: readonly RunningServer[];
  /** What several nodes meet in. */
  redis: TestRedis | undefined;
  /** The first organization as each node has it, up to date. */
  realms(): Promise<Realm[]>;
  /** The first organization's owner. */
  owner: TestPerson;
  /** Adds somebody through the API; `role` is 400 unless told. */
  addUser(name: string, options?: { role?: number }): Promise<TestPerson>;
  /** Adds a bot of somebody's. */
  addBot(owner: TestPerson, shortName: string): Promise<TestPerson>;
  /** Whether the server, each node of it, has web-public channels. */
  allowWebPublicChannels(isAllowed: boolean): void;
  /** Somebody's API key, by asking the database: for bots and others without a password. */
  apiKeyOf(userId: number): Promise<string>;
  /** A public channel with these subscribers; returns its id. */
  addChannel(name: string, subscribers: readonly TestPerson[], params?: Record<string, unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** @param environment settings of the server, as in `http/process/config.ts` */
export async function startTestServer(
  environment: Record<string, string> = {},
  nodeCount = Number(process.env["PARLEY_TEST_NODES"] ?? 1),
): Promise<TestServer> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "parley-server-"));
  const redis = nodeCount > 1 ? await startRedis() : undefined;
  const start = (more: Record<string, string>) =>
    startServer(
      readConfig({
        HOST: "127.0.0.1",
        PORT: "0",
        DATABASE_URL: database.url,
        ...(redis && { REDIS_URL: redis.url }),
        PARLEY_DATA_DIR: dataDir,
        PARLEY_RATE_LIMITS: "off",
        PARLEY_LOG_LEVEL: "warn",
        PARLEY_HTTP_BUILD: process.env["PARLEY_HTTP_BUILD"] ?? "auto",
        // Two nodes in a busy test process may both sleep for longer than the usual lease.
        PARLEY_LEASE_MS: "15000",
        PARLEY_OWNER_EMAIL: "owner@example.com",
        PARLEY_OWNER_PASSWORD: "correct horse",
        ...more,
        ...environment,
      }),
    );
  const server = await start({});
  const nodes = [server];
  // People know one address of the server, whichever node they reach.
  while (nodes.length < nodeCount) nodes.push(await start({ PARLEY_URL: server.app.config.externalUrl }));
  const urls = nodes.map(({ port }) => `http://127.0.0.1:${port}`);
  const url = urls[0]!;
  const zuliprc = await readFile(join(dataDir, "owner.zuliprc"), "utf8");
  const ownerKey = /^key=(.+)$/m.exec(zuliprc)![1]!;
  const person = async (email: string, apiKey: string): Promise<TestPerson> => {
    const client = new ApiClient({ url: urls, email, apiKey, check: assertContract });
    const me = expectSuccess(await client.get("/users/me"));
    return { client, id: me["user_id"] as number, email, apiKey };
  };
  const apiKeyOf = async (userId: number) => {
    const rows = await server.app.system.environment.database.sql<
      { api_key: string }[]
    >`select api_key from credentials where user_id = ${userId}`;
    return rows[0]!.api_key;
  };
  const owner = await person("owner@example.com", ownerKey);
  return {
    url,
    urls,
    server,
    nodes,
    redis,
    realms: () => Promise.all(nodes.map((node) => node.app.system.realmByHost("localhost"))),
    owner,
    apiKeyOf,
    allowWebPublicChannels(isAllowed) {
      for (const { app } of nodes) app.system.environment.webPublicChannels = isAllowed;
    },
    async addUser(name, options = {}) {
      const email = `${name.toLowerCase().replace(/\W+/g, "-")}@example.com`;
      const { user_id: id } = expectSuccess(
        await owner.client.post("/users", { email, password: "a fine password", full_name: name }),
      );
      if (options.role !== undefined && options.role !== 400) {
        expectSuccess(await owner.client.patch(`/users/${id as number}`, { role: options.role }));
      }
      return person(email, await apiKeyOf(id as number));
    },
    async addBot(by, shortName) {
      const made = expectSuccess(await by.client.post("/bots", { full_name: shortName, short_name: shortName }));
      const { user } = expectSuccess(await by.client.get(`/users/${made["user_id"]}`)) as { user: { email: string } };
      return person(user.email, made["api_key"] as string);
    },
    async addChannel(name, subscribers, params = {}) {
      const reply = expectSuccess(
        await owner.client.post("/channels/create", { name, subscribers: subscribers.map(({ id }) => id), ...params }),
      );
      return reply["id"] as number;
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()));
      await redis?.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
