/** A server whose organizations are in two PostgreSQLs: the run's own, and `east`, which is behind a wire. */
import { afterAll, beforeAll } from "vitest";
import { createOrganization } from "../../../http/process/admin.ts";
import type { RunningStorage } from "../../../http/process/main.ts";
import { ApiClient } from "../client/api.ts";
import { createDatabase, startPostgres, type TestPostgres } from "../server/postgres.ts";
import { TestServer } from "../server/server.ts";
import { startTcpProxy, type TcpProxy } from "../server/tcp-proxy.ts";
import { until } from "../time/until.ts";

/** An organization of its own, and its owner. */
export interface HostedRealm {
  readonly id: number;
  readonly host: string;
  readonly owner: ApiClient;
}

export class TwoDatabases {
  /** Of its nodes each answers under any loopback address, and so under the hosts of several organizations. */
  readonly server = new TestServer(() => ({
    HOST: "0.0.0.0",
    // What a database that is away has every node say is no news to a test.
    PARLEY_LOG_LEVEL: "fatal",
    // Half of it passes before a node says that one is away.
    PARLEY_COMMAND_DEADLINE_MS: "20000",
    PARLEY_DATABASES: JSON.stringify({ east: this.wire.through(this.#eastUrl) }),
  }));
  #wire: TcpProxy | undefined;
  #east: TestPostgres | undefined;
  #eastUrl = "";
  #hosts = 1;

  async start(): Promise<void> {
    this.#east = await startPostgres();
    this.#wire = await startTcpProxy(Number(new URL(this.#east.url).port));
    this.#eastUrl = (await createDatabase(this.#east.url)).url;
    await this.server.start();
  }

  stop = async (): Promise<void> => {
    await this.server.stop();
    await this.#wire?.stop();
    await this.#east?.stop();
  };

  get wire(): TcpProxy {
    return this.#wire!;
  }

  get storage(): RunningStorage {
    return { database: this.server.database, url: "", dataDir: "", close: async () => {} };
  }

  /** Makes an organization as the command line does. */
  async addRealm(name: string, database: string): Promise<HostedRealm> {
    const host = `127.0.0.${++this.#hosts}`;
    const values = { name, host, database, "owner-email": "owner@example.com" };
    const { data } = await createOrganization(this.storage, this.server.server.app.config, values);
    const { realm_id: id, api_key: apiKey } = data as { realm_id: number; api_key: string };
    const { system } = this.server.server.app;
    await until("the node to know it", () => system.all().some((realm) => realm.id === id));
    const url = `http://${host}:${this.server.server.port}`;
    return { id, host, owner: new ApiClient({ url, email: "owner@example.com", apiKey }) };
  }
}

/** One for the tests of a file. */
export function twoDatabases(): TwoDatabases {
  const databases = new TwoDatabases();
  beforeAll(() => databases.start(), 120_000);
  afterAll(() => databases.stop(), 60_000);
  return databases;
}
