/**
 * The built server in a process of its own for a fuzzer. It may die and be started anew on the same data, and it tells
 * how much memory it holds. The accounts that the fuzzer uses are mended when a request of its own has locked one out.
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import postgres from "postgres";
import { Child } from "../../../bench/harness/child.ts";
import { freePort } from "../../../bench/harness/postgres.ts";
import type { Memory } from "../../../bench/harness/probe.ts";
import type { UserId } from "../../../storage/ids.ts";
import { findApiKey } from "../../../storage/users/credentials.ts";
import { ApiClient, expectSuccess } from "../client/api.ts";
import { createTestDatabase } from "../server/postgres.ts";
import { testSecret, testSecretKey } from "../server/template.ts";

const dist = pathToFileURL(`${resolve(import.meta.dirname, "../../../dist")}/`);

export interface FuzzPerson {
  id: number;
  email: string;
  apiKey: string;
}

/** What goes into the header. */
export const basicOf = ({ email, apiKey }: FuzzPerson): string =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

export class FuzzTarget {
  readonly members: FuzzPerson[] = [];
  #child!: Child;
  #owner!: FuzzPerson;

  private constructor(
    readonly port: number,
    private readonly sql: postgres.Sql,
    private readonly databaseUrl: string,
    private readonly dataDir: string,
    private readonly dropDatabase: () => Promise<void>,
  ) {}

  /** @param environment settings of the server, as in `http/process/config.ts` */
  static async start(environment: Readonly<Record<string, string>> = {}): Promise<FuzzTarget> {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), "parley-fuzz-"));
    const sql = Object.assign(postgres(database.url, { max: 1, onnotice: () => {} }), { secretKey: testSecretKey });
    const target = new FuzzTarget(await freePort(), sql, database.url, dataDir, () => database.drop());
    target.environment = environment;
    await target.#boot();
    const rc = await readFile(join(dataDir, "owner.zuliprc"), "utf8");
    const owner = { id: 0, email: "owner@example.com", apiKey: /^key=(.+)$/m.exec(rc)![1]! };
    target.#owner = { ...owner, id: (await target.#callerId(owner))! };
    for (const name of ["mel", "gus"]) {
      const fields = { email: `${name}@example.com`, password: "a fine password", full_name: name };
      const { user_id } = expectSuccess(await target.#client(owner).post("/users", fields));
      target.members.push({ id: user_id as number, email: fields.email, apiKey: "" });
    }
    await target.mend();
    return target;
  }

  environment: Readonly<Record<string, string>> = {};

  get owner(): FuzzPerson {
    return this.#owner;
  }

  get hasDied(): boolean {
    return this.#child.hasEnded;
  }

  /** Whether it still answers. A server that does not has died, or dies within seconds, which are waited for. */
  async isUp(): Promise<boolean> {
    while (!this.hasDied) {
      const health = await fetch(`http://127.0.0.1:${this.port}/health`).catch(() => undefined);
      if (health?.ok === true) return true;
      await sleep(25);
    }
    return false;
  }

  /** The end of what the server has printed. */
  get log(): string {
    return this.#child.logTail();
  }

  /** What the last bug said that was answered 500, where the log still has it. */
  get lastBug(): string {
    return /.*"message":"(.*?)","stack":"(.{0,500})/s.exec(this.log)?.slice(1).join(": ") ?? "";
  }

  /** Bytes of its heap and of buffers, after full collections. */
  async heapBytes(): Promise<number> {
    const { heapUsed, external } = await this.#child.ask<Memory>("memory");
    return heapUsed + external;
  }

  /** Starts it anew, dead or not, with its organization loaded. */
  async restart(): Promise<void> {
    await this.#child.end();
    await this.#boot();
    await this.mend();
  }

  /** Gives the accounts their keys back, and makes them active again. */
  async mend(): Promise<void> {
    for (const person of [this.#owner, ...this.members]) {
      if (person.apiKey !== "" && (await this.#callerId(person)) !== undefined) continue;
      const [row] = await this.sql<{ email: string }[]>`
        select delivery_email as email from users where id = ${person.id}`;
      Object.assign(person, { email: row!.email, apiKey: await findApiKey(this.sql, person.id as UserId) });
      if ((await this.#callerId(person)) !== undefined) continue;
      expectSuccess(await this.#client(this.#owner).post(`/users/${person.id}/reactivate`));
    }
  }

  async stop(): Promise<void> {
    await this.#child.end();
    await this.sql.end({ timeout: 1 });
    await this.dropDatabase();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  #client({ email, apiKey }: FuzzPerson): ApiClient {
    return new ApiClient({ url: `http://127.0.0.1:${this.port}`, email, apiKey });
  }

  async #callerId(person: FuzzPerson): Promise<number | undefined> {
    const { status, body } = await this.#client(person).get("/users/me");
    return status === 200 ? (body["user_id"] as number) : undefined;
  }

  async #boot(): Promise<void> {
    this.#child = new Child({
      script: new URL("http/process/cli.js", dist),
      args: ["serve"],
      preload: new URL("bench/harness/probe.js", dist),
      logFile: join(this.dataDir, "parley.log"),
      env: {
        HOST: "127.0.0.1",
        PORT: String(this.port),
        DATABASE_URL: this.databaseUrl,
        REDIS_URL: "",
        PARLEY_DATA_DIR: this.dataDir,
        PARLEY_SECRET_KEY: testSecret,
        PARLEY_RATE_LIMITS: "off",
        // A busy machine is no fault of the server's: a 503 is to mean that something hangs.
        PARLEY_COMMAND_DEADLINE_MS: "30000",
        PARLEY_LOG_LEVEL: "warn",
        PARLEY_WELCOME: "off",
        PARLEY_OWNER_EMAIL: "owner@example.com",
        PARLEY_OWNER_PASSWORD: "correct horse",
        ...this.environment,
      },
    });
    if (await this.isUp()) return;
    throw new Error(`the server does not serve; was it built (npm run build, npm run build:bench)?\n${this.log}`);
  }
}
