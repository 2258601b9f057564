/**
 * A whole server in this process, on a database of its own. Tests use it over HTTP. With `PARLEY_TEST_NODES` it is that
 * many nodes with a Redis of their own, and each request of a client goes to another node.
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { Realm } from "../../../actors/realm/realm.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import { readConfig } from "../../../http/process/config.ts";
import { type RunningServer, startServer } from "../../../http/process/main.ts";
import type { UserId } from "../../../storage/ids.ts";
import type { Database } from "../../../storage/postgres.ts";
import { findApiKey } from "../../../storage/users/credentials.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../client/api.ts";
import { adminToken } from "../client/as-operator.ts";
import { assertContract } from "../client/contract.ts";
import { type Account, Channel, Person } from "../people/person.ts";
import type { Project } from "../projects.ts";
import { startRedis, type TestRedis } from "./redis.ts";
import { startTcpProxy } from "./tcp-proxy.ts";
import { copyTemplate, firstOrganization } from "./template.ts";

/** Somebody's name, or also their role (400 unless told). */
type Newcomer = string | readonly [name: string, role: number];

/** Settings of the server, as in `http/process/config.ts`. A function is called when the server starts. */
export type Environment = Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);

/** How much later what is asked and what is answered arrives. Rate limits wait 250 ms for Redis. */
const lateMs = { database: 5, nodes: 100 };

/**
 * With `PARLEY_LATE=database` every node is far from PostgreSQL, and with `PARLEY_LATE=nodes` all but the first from
 * Redis: they hear late of what was done elsewhere. What people are promised holds either way.
 */
async function lateThrough(what: keyof typeof lateMs, url: string, undo: Running["undo"]): Promise<string> {
  if (process.env["PARLEY_LATE"] !== what) return url;
  const wire = await startTcpProxy(Number(new URL(url).port), lateMs[what]);
  undo.push(() => wire.stop());
  return wire.through(url);
}

interface TestSettings {
  readonly environment?: Environment;
  /** `PARLEY_TEST_NODES` unless given. */
  readonly nodeCount?: number;
  /** By which way its nodes connect to the database. */
  readonly leadTo?: (databaseUrl: string) => string;
  /** Projects of `vitest.config.ts` that run this file besides. The configuration reads them from here. */
  readonly alsoOn?: readonly Project[];
}

/**
 * A server for the tests of a file, or of the `describe` around: it starts before them and stops after them. People and
 * channels that are named at once are there when the first test begins, in the order named.
 */
export function testServer({ environment, nodeCount, leadTo }: TestSettings = {}): TestServer {
  const server = new TestServer(environment, nodeCount, leadTo);
  beforeAll(() => server.start(), 120_000);
  afterAll(() => server.stop());
  return server;
}

/** A server that the caller stops. */
export async function startTestServer(environment?: Environment, nodeCount?: number): Promise<TestServer> {
  const server = new TestServer(environment, nodeCount);
  await server.start();
  return server;
}

/** The parts of a running server. */
interface Running {
  readonly nodes: readonly RunningServer[];
  readonly redis: TestRedis | undefined;
  /** Undoes every step of the start, the last one first. */
  readonly undo: (() => Promise<unknown>)[];
}

export class TestServer {
  /** The first organization's owner. */
  readonly owner = new Person("owner");
  #running: Running | undefined;
  readonly #awaited: (() => Promise<void>)[] = [];

  constructor(
    private readonly environment: Environment = {},
    private readonly nodeCount = Number(process.env["PARLEY_TEST_NODES"] ?? 1),
    private readonly leadTo = (databaseUrl: string) => databaseUrl,
  ) {}

  async start(): Promise<void> {
    const nodes: RunningServer[] = [];
    const undo: Running["undo"] = [];
    const environment = typeof this.environment === "function" ? this.environment() : this.environment;
    const dataDir = await mkdtemp(join(tmpdir(), "parley-server-"));
    undo.push(() => rm(dataDir, { recursive: true, force: true }));
    const database = await copyTemplate({ ...firstOrganization, ...environment }, dataDir);
    undo.push(() => database.drop());
    const redis = this.nodeCount > 1 ? await startRedis() : undefined;
    if (redis) undo.push(() => redis.stop());
    const databaseUrl = await lateThrough("database", this.leadTo(database.url), undo);
    const redisUrl = redis && (await lateThrough("nodes", redis.url, undo));
    undo.push(() => Promise.all(nodes.map((node) => node.stop())));
    this.#running = { nodes, redis, undo };
    const start = (more: Record<string, string> = {}, toRedis = redisUrl) =>
      startServer(
        readConfig({
          HOST: "127.0.0.1",
          PORT: "0",
          DATABASE_URL: databaseUrl,
          ...(toRedis && { REDIS_URL: toRedis }),
          PARLEY_DATA_DIR: dataDir,
          PARLEY_RATE_LIMITS: "off",
          PARLEY_LOG_LEVEL: "warn",
          PARLEY_ADMIN_TOKEN: adminToken,
          ...firstOrganization,
          // A connection costs PostgreSQL a process.
          PARLEY_DATABASE_CONNECTIONS: "8",
          PARLEY_HTTP_BUILD: process.env["PARLEY_HTTP_BUILD"] ?? "auto",
          // In a busy test process two nodes may both be suspended for longer than the usual lease.
          PARLEY_LEASE_MS: "15000",
          // On a busy machine commands and reads take long; they are not to fail for that.
          PARLEY_COMMAND_DEADLINE_MS: "60000",
          PARLEY_READ_TIMEOUT_MS: "60000",
          ...more,
          ...environment,
        }),
      );
    nodes.push(await start({}, redis?.url));
    // All nodes tell the same public address.
    while (nodes.length < this.nodeCount) nodes.push(await start({ PARLEY_URL: nodes[0]!.app.config.externalUrl }));
    const zuliprc = await readFile(join(dataDir, "owner.zuliprc"), "utf8");
    this.owner.is(await this.#account("owner@example.com", /^key=(.+)$/m.exec(zuliprc)![1]!));
    for (const make of this.#awaited) await make();
  }

  stop = async (): Promise<void> => {
    for (const undo of this.#running?.undo.reverse() ?? []) await undo();
    this.#running = undefined;
  };

  get nodes(): readonly RunningServer[] {
    return this.#there.nodes;
  }

  /** The first node. */
  get server(): RunningServer {
    return this.nodes[0]!;
  }

  /** Root of each node. */
  get urls(): readonly string[] {
    return this.nodes.map(({ port }) => `http://127.0.0.1:${port}`);
  }

  /** Root of the first node. */
  get url(): string {
    return this.urls[0]!;
  }

  /** The Redis of several nodes. */
  get redis(): TestRedis | undefined {
    return this.#there.redis;
  }

  /** The database of all nodes. */
  get database(): Database {
    return this.server.app.system.environment.database;
  }

  /** The first organization as each node has it, up to date. */
  realms(): Promise<Realm[]> {
    return Promise.all(this.nodes.map((node) => node.app.system.realmByHost("localhost")));
  }

  /** The first organization as the first node has it. */
  realm(): Promise<Realm> {
    return this.server.app.system.realmByHost("localhost");
  }

  /** What the first node knows of the first organization. */
  async state(): Promise<RealmState> {
    return (await this.realm()).state;
  }

  /** The id of a group by its name, such as `role:members`. */
  async groupNamed(name: string): Promise<number> {
    return (await this.state()).groups.findByName(name)!.id;
  }

  /** Somebody who exists when the tests begin. `role` is 400 unless given. */
  person(name: string, options: { role?: number } = {}): Person {
    const person = new Person(name);
    this.#awaited.push(async () => person.is(await this.#newAccount(name, options.role)));
    return person;
  }

  /** People who exist when the tests begin. */
  people<T extends readonly Newcomer[]>(...newcomers: T): { -readonly [K in keyof T]: Person } {
    const people = newcomers.map((newcomer) => {
      const [name, role = 400] = typeof newcomer === "string" ? [newcomer] : newcomer;
      return this.person(name, { role });
    });
    return people as { -readonly [K in keyof T]: Person };
  }

  /** A channel of the owner's that exists when the tests begin. */
  channel(name: string, subscribers: readonly Person[], params?: JsonObject): Channel {
    const channel = new Channel(name);
    this.#awaited.push(async () => channel.is(await this.addChannel(name, subscribers, params)));
    return channel;
  }

  /** Adds somebody through the API. `role` is 400 unless given. */
  async addUser(name: string, options: { role?: number } = {}): Promise<Person> {
    return new Person(name, await this.#newAccount(name, options.role));
  }

  /** Adds a bot of somebody's. */
  async addBot(by: Person, shortName: string): Promise<Person> {
    const made = expectSuccess(await by.client.post("/bots", { full_name: shortName, short_name: shortName }));
    const { user } = expectSuccess(await by.client.get(`/users/${made["user_id"]}`)) as { user: { email: string } };
    return new Person(shortName, await this.#account(user.email, made["api_key"] as string));
  }

  /** A channel of the owner's with these subscribers, public unless told. Returns its id. */
  addChannel(name: string, subscribers: readonly Person[], params: JsonObject = {}): Promise<number> {
    return this.owner.channel(name, { subscribers: subscribers.map(({ id }) => id), ...params });
  }

  /** Whether the server, each node of it, has web-public channels. */
  allowWebPublicChannels(isAllowed: boolean): void {
    for (const { app } of this.nodes) app.system.environment.webPublicChannels = isAllowed;
  }

  /**
   * Has a scheduled message or a reminder happen now. The server remembers when the next one is due until it hears of
   * one that was added, so it is given another.
   */
  async makeDue(id: number): Promise<void> {
    const past = Math.floor(Date.now() / 1000) - 1;
    await this.database.sql`update scheduled_messages set scheduled_delivery_timestamp = ${past} where id = ${id}`;
    const { client, id: ownerId } = this.owner;
    const other = { type: "direct", to: [ownerId], content: "later", scheduled_delivery_timestamp: past + 86_400 };
    const { scheduled_message_id } = expectSuccess(await client.post("/scheduled_messages", other));
    expectSuccess(await client.delete(`/scheduled_messages/${scheduled_message_id}`));
  }

  /** Somebody's API key from the database: for bots and others without a password. */
  async apiKeyOf(userId: number): Promise<string> {
    return (await findApiKey(this.database.sql, userId as UserId))!;
  }

  async #newAccount(name: string, role = 400): Promise<Account> {
    const email = `${name.toLowerCase().replace(/\W+/g, "-")}@example.com`;
    const added = await this.owner.client.post("/users", { email, password: "a fine password", full_name: name });
    const id = expectSuccess(added)["user_id"] as number;
    if (role !== 400) expectSuccess(await this.owner.client.patch(`/users/${id}`, { role }));
    return this.#account(email, await this.apiKeyOf(id));
  }

  async #account(email: string, apiKey: string): Promise<Account> {
    const client = new ApiClient({ url: this.urls, email, apiKey, check: assertContract });
    const me = expectSuccess(await client.get("/users/me"));
    return { client, id: me["user_id"] as number, email, apiKey };
  }

  get #there(): Running {
    if (!this.#running) throw new Error("The test's server has not started.");
    return this.#running;
  }
}
