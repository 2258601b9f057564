/** A whole server in this process, on a database of its own, as tests talk to it: over HTTP. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "../../http/config.ts";
import { type RunningServer, startServer } from "../../http/main.ts";
import { ApiClient, expectSuccess } from "./api.ts";
import { assertContract } from "./contract.ts";
import { createTestDatabase } from "./postgres.ts";

export interface TestPerson {
  client: ApiClient;
  id: number;
  email: string;
  apiKey: string;
}

export interface TestServer {
  url: string;
  server: RunningServer;
  /** The first organization's owner. */
  owner: TestPerson;
  /** Adds somebody through the API; `role` is 400 unless told. */
  addUser(name: string, options?: { role?: number }): Promise<TestPerson>;
  /** Adds a bot of somebody's. */
  addBot(owner: TestPerson, shortName: string): Promise<TestPerson>;
  /** Somebody's API key, by asking the database: for bots and others without a password. */
  apiKeyOf(userId: number): Promise<string>;
  /** A public channel with these subscribers; returns its id. */
  addChannel(name: string, subscribers: readonly TestPerson[], params?: Record<string, unknown>): Promise<number>;
  stop(): Promise<void>;
}

/** @param environment settings of the server, as in `http/config.ts` */
export async function startTestServer(environment: Record<string, string> = {}): Promise<TestServer> {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), "parley-server-"));
  const server = await startServer(
    readConfig({
      HOST: "127.0.0.1",
      PORT: "0",
      DATABASE_URL: database.url,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_RATE_LIMITS: "off",
      PARLEY_LOG_LEVEL: "warn",
      PARLEY_OWNER_EMAIL: "owner@example.com",
      PARLEY_OWNER_PASSWORD: "correct horse",
      ...environment,
    }),
  );
  const url = `http://127.0.0.1:${server.port}`;
  const zuliprc = await readFile(join(dataDir, "owner.zuliprc"), "utf8");
  const ownerKey = /^key=(.+)$/m.exec(zuliprc)![1]!;
  const person = async (email: string, apiKey: string): Promise<TestPerson> => {
    const client = new ApiClient({ url, email, apiKey, check: assertContract });
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
    server,
    owner,
    apiKeyOf,
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
      await server.stop();
      await database.drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
