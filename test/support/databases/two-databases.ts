/** A server whose organizations are in two PostgreSQLs: the run's own, and `east`, which is behind a wire. */
import { afterAll, beforeAll } from "vitest";
import { createOrganization } from "../../../http/process/admin.ts";
import type { RunningStorage } from "../../../http/process/main.ts";
import type { MoveRow } from "../../../storage/directory/directory.ts";
import { type MoveParts, moveToDatabase } from "../../../storage/directory/move/move.ts";
import type { Database } from "../../../storage/postgres.ts";
import { ApiClient, expectSuccess } from "../client/api.ts";
import { createDatabase, startPostgres, type TestPostgres } from "../server/postgres.ts";
import { TestServer } from "../server/server.ts";
import { startTcpProxy, type TcpProxy } from "../server/tcp-proxy.ts";
import { until } from "../time/until.ts";
import { furnish } from "../transfer/furnish.ts";

/** An organization of its own, and its owner. */
export interface HostedRealm {
  readonly id: number;
  readonly host: string;
  readonly apiKey: string;
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

  /** One of the databases, as the node has it. */
  named(name: string): Database {
    return this.server.server.app.system.homes.find((home) => home.name === name)!.database;
  }

  /** What commands besides the server need to be told. */
  get commandEnvironment(): Record<string, string> {
    const { databaseUrl, dataDir } = this.server.server.app.config;
    return {
      DATABASE_URL: databaseUrl!,
      PARLEY_DATA_DIR: dataDir,
      PARLEY_DATABASES: `east=${this.wire.through(this.#eastUrl)}`,
    };
  }

  /** Moves an organization. @param onStep called before each step */
  move(move: MoveRow, onStep: MoveParts["onStep"]): Promise<number> {
    const [source, target] = [this.named(move.source), this.named(move.target)];
    return moveToDatabase({ first: this.server.database, source, target, onStep }, move);
  }

  /** Gives the first organization a host, and something of everything. */
  async furnishFirst(): Promise<void> {
    const people = [];
    for (const name of ["Ada", "Bob", "Cy", "Dee"]) people.push(await this.server.addUser(name));
    const [ada, bob, cy, dee] = people;
    await furnish(this.server, [ada!, bob!, cy!, dee!]);
    const { sql } = this.server.database;
    const { owner } = this.server;
    expectSuccess(await owner.client.post("/register", { event_types: ["message"] }));
    await sql`update realms set host = '127.0.0.1' where id = 1`;
    // By that the organization is loaded anew. What it is asked at that moment is refused.
    await this.server.server.app.system.readHosts();
    // What no request of a test without a provider, a mail server and a browser makes.
    await sql`
      insert into sessions (token_hash, realm_id, user_id, csrf_token, expires_at)
      values ('\\x01', 1, ${owner.id}, 'x', 9999999999)`;
    await sql`
      insert into legal_holds (id, realm_id, name, query, creator_id, date_created)
      values (900001, 1, 'case', 'x', ${owner.id}, 1)`;
    await sql`
      insert into identities (id, realm_id, issuer, subject, provider, user_id, state, date_created)
      values (900002, 1, 'https://id.example.com', 'o', 'id', ${owner.id}, 'linked', 1)`;
    await sql`
      insert into passkeys (id, user_id, realm_id, credential_id, public_key, sign_count, transports, is_synced, name,
        date_created)
      values (900003, ${owner.id}, 1, '\\x01', '\\x02', 3, '[]', false, 'key', 1)`;
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
    return { id, host, apiKey, owner: new ApiClient({ url, email: "owner@example.com", apiKey }) };
  }
}

/** One for the tests of a file. */
export function twoDatabases(): TwoDatabases {
  const databases = new TwoDatabases();
  beforeAll(() => databases.start(), 120_000);
  afterAll(() => databases.stop(), 60_000);
  return databases;
}
