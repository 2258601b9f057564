/**
 * Two people, Ada and Grace, each in a browser of their own, on a server in a process that is killed and started again.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../client/api.ts";
import { dataFolder } from "../server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../server/server-process.ts";
import { openBrowser, patienceMs, signIn, type Visitor } from "./browser.ts";
import { composeBox } from "./page.ts";

const password = "a fine password";
/** A start of the server is among what is waited for. */
const waiting = { timeout: 3 * patienceMs };

/** What becomes of a request at which the server dies: it never comes there, or it is done and its answer is lost. */
export type Fate = "unheard" | "unanswered";

export class MortalServer {
  #browser: Browser | undefined;
  #database: TestDatabase | undefined;
  #server: ServerProcess | undefined;
  #environment: Record<string, string> = {};
  #visitors: Visitor[] = [];
  /** Ada, by the API. */
  client!: ApiClient;

  async start(hash: string): Promise<void> {
    this.#database = await createTestDatabase();
    const dataDir = await dataFolder("web");
    this.#environment = {
      PORT: String(await freePort()),
      PARLEY_DATA_DIR: dataDir,
      DATABASE_URL: this.#database.url,
    };
    this.#server = await startServerProcess(this.#environment);
    const { url } = this.#server;
    const apiKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
    const owner = new ApiClient({ url, email: "owner@example.com", apiKey });
    this.#browser = await openBrowser();
    for (const name of ["Ada", "Grace"]) {
      const email = `${name}@example.com`;
      expectSuccess(await owner.post("/users", { email, password, full_name: name }));
      const visitor = await signIn(this.#browser, url, { email, password }, { hash });
      await composeBox(visitor.page).waitFor();
      this.#visitors.push(visitor);
    }
    const keyed = expectSuccess(await owner.post("/fetch_api_key", { username: "Ada@example.com", password }));
    this.client = new ApiClient({ url, email: "Ada@example.com", apiKey: keyed["api_key"] as string });
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.#server?.kill();
    await this.#database?.drop();
    await rm(this.#environment["PARLEY_DATA_DIR"]!, { recursive: true, force: true });
  }

  /** Ada's page and Grace's. */
  get pages(): readonly [Page, Page] {
    const [ada, grace] = this.#visitors;
    return [ada!.page, grace!.page];
  }

  get databaseUrl(): string {
    return this.#database!.url;
  }

  async kill(): Promise<void> {
    await this.#server!.kill();
  }

  /** Starts it again, and waits until both pages are connected. */
  async revive(): Promise<void> {
    this.#server = await startServerProcess(this.#environment);
    for (const page of this.pages) await page.getByText("Not connected").waitFor({ state: "detached", ...waiting });
  }

  /** Acts in a page. The server is killed at the request that follows from it, and started again. */
  async killAt(page: Page, request: { method: string; path: RegExp }, fate: Fate, act: () => Promise<unknown>) {
    let isKilled = false;
    const killed = new Promise<void>((done, fail) => {
      const handle = async (route: Parameters<Parameters<Page["route"]>[1]>[0]) => {
        if (isKilled || route.request().method() !== request.method) return route.fallback();
        isKilled = true;
        if (fate === "unanswered") await route.fetch();
        await this.kill();
        await route.abort("connectionreset");
        done();
      };
      void page.route(request.path, (route) => handle(route).catch(fail));
    });
    await act();
    await expect.poll(() => isKilled, { ...waiting, message: `a ${request.method} of ${request.path}` }).toBe(true);
    await killed;
    await page.getByText("Not connected").waitFor(waiting);
    await page.unroute(request.path);
    await this.revive();
  }

  /** What any page threw. Requests that nobody answers are on the console, too. */
  expectNothingThrown(): void {
    const thrown = this.#visitors
      .flatMap(({ problems }) => problems)
      .filter((problem) => /^(?:thrown|policy)/.test(problem));
    expect(thrown).toEqual([]);
  }
}

/** Such a server for the tests of the `describe` around, with both pages at one place. */
export function mortalServer(hash: string): MortalServer {
  const server = new MortalServer();
  beforeAll(() => server.start(hash), 180_000);
  afterAll(() => server.stop());
  return server;
}
