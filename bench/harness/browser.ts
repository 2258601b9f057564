/** A browser under test: headless Chromium, spoken to by its debugging protocol. */
import { existsSync, readFileSync } from "node:fs";
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from "playwright-core";
import type { Parley } from "./parley.ts";
import type { Setup } from "./setup.ts";

const browserPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const patienceMs = 240_000;

/**
 * How many times slower a CPU the figures are for. Chromium's own throttling (`Emulation.setCPUThrottlingRate`) spins
 * by the clock. On a busy machine that makes a thread far slower than asked. So CPU time is taken as it is, times
 * this.
 */
export const slowdown = 4;

/** A browser in which the owner is logged in. It keeps nothing of a page for the next one. */
export class BrowserUnderTest {
  private constructor(
    private readonly browser: Browser,
    readonly context: BrowserContext,
    private readonly origin: string,
  ) {}

  /** @throws Error without a Chromium */
  static async open(setup: Setup, parley: Parley): Promise<BrowserUnderTest> {
    const executablePath = browserPaths.find(existsSync);
    if (executablePath === undefined) throw new Error("There is no Chromium here.");
    const browser = await chromium.launch({
      executablePath,
      args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"],
    });
    setup.atEnd(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    context.setDefaultTimeout(patienceMs);
    const origin = `http://127.0.0.1:${parley.port}`;
    const page = await context.newPage();
    await page.goto(`${origin}/login/`);
    await page.getByLabel("Email").fill(parley.owner.email);
    await page.getByLabel("Password").fill("bench-owner-password");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator(".page").waitFor();
    await page.close();
    return new BrowserUnderTest(browser, context, origin);
  }

  /** An empty page, whose figures begin at zero. */
  async newPage(): Promise<PageUnderTest> {
    const page = await this.context.newPage();
    const protocol = await this.context.newCDPSession(page);
    const under = new PageUnderTest(this.browser, page, protocol, this.origin);
    await under.begin();
    return under;
  }
}

export class PageUnderTest {
  /** Bytes over the wire, by kind of resource. */
  readonly received = new Map<string, number>();
  #before: ReadonlyMap<number, number> = new Map();
  #pid: number | undefined;

  constructor(
    private readonly browser: Browser,
    readonly page: Page,
    private readonly protocol: CDPSession,
    private readonly origin: string,
  ) {}

  async begin(): Promise<void> {
    const { protocol, received } = this;
    const kinds = new Map<string, string>();
    protocol.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
    protocol.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId) ?? "Other";
      received.set(kind, (received.get(kind) ?? 0) + encodedDataLength);
    });
    await protocol.send("Network.enable");
    await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
    // What a service worker keeps for being offline is a cache as well, and its bytes count for nothing.
    await protocol.send("Network.setBypassServiceWorker", { bypass: true });
    this.#before = await this.#cpuMs();
  }

  /** Has the browser keep what the page fetches, as it usually does. A new page is one that nothing is kept for. */
  async cache(): Promise<void> {
    await this.protocol.send("Network.setCacheDisabled", { cacheDisabled: false });
  }

  /** Opens a path, and waits until a message is drawn. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
    await this.page.locator(".message").first().waitFor();
    await this.drawn();
  }

  /** Goes to another view of the page, and waits until a message is drawn. */
  async go(hash: string): Promise<void> {
    await this.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    await this.drawn();
    await this.page.locator(".message").first().waitFor();
    await this.drawn();
  }

  evaluate<T = unknown>(expression: string): Promise<T> {
    return this.page.evaluate<T>(expression);
  }

  /** Resolves when what was changed is on the screen. */
  async drawn(): Promise<void> {
    await this.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  }

  async setOffline(offline: boolean): Promise<void> {
    const conditions = { offline, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.protocol.send("Network.emulateNetworkConditions", conditions);
  }

  /** CPU milliseconds of the page's main thread since the page was made, on the slower CPU. */
  async mainThreadMs(): Promise<number> {
    if (this.#pid !== undefined) return slowdown * (threadCpuMs(this.#pid) - (this.#before.get(this.#pid) ?? 0));
    const now = await this.#cpuMs();
    this.#pid = await this.#findProcess();
    return slowdown * (now.get(this.#pid)! - (this.#before.get(this.#pid) ?? 0));
  }

  /**
   * CPU milliseconds of the main thread of each renderer, by its process. Only for a page whose process is not known
   * yet: each session with the browser has Chromium paint the whole page once more.
   */
  async #cpuMs(): Promise<ReadonlyMap<number, number>> {
    const session = await this.browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
    return new Map(renderers.map((pid) => [pid, threadCpuMs(pid)]));
  }

  /** The page's process: a long task is put into the page, and looked for. */
  async #findProcess(): Promise<number> {
    const spin = "{ const end = performance.now() + 200; while (performance.now() < end); }";
    return (await this.#longestTask(async () => void (await this.evaluate(spin)))).pid;
  }

  /** Megabytes of its heap after full collections. */
  async heapMb(): Promise<number> {
    await this.protocol.send("HeapProfiler.collectGarbage");
    await this.protocol.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.protocol.send("Runtime.getHeapUsage");
    return usedSize / 1e6;
  }

  /** The longest task of the main thread meanwhile, in CPU milliseconds on the slower CPU. */
  async longestTaskMs(action: () => Promise<void>): Promise<number> {
    return (slowdown * (await this.#longestTask(action)).tdur) / 1000;
  }

  async #longestTask(action: () => Promise<void>): Promise<Task> {
    await this.browser.startTracing(this.page, { categories: ["disabled-by-default-devtools.timeline"] });
    await action();
    const { traceEvents } = JSON.parse((await this.browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const main = new Set(
      traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(threadOf),
    );
    const tasks = traceEvents.filter(
      (event): event is Task => event.name === "RunTask" && event.tdur !== undefined && main.has(threadOf(event)),
    );
    return tasks.reduce((longest, task) => (task.tdur > longest.tdur ? task : longest));
  }
}

/** https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  /** Microseconds on a CPU. */
  tdur?: number;
  args?: { name?: string };
}
type Task = TraceEvent & { tdur: number };

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}.${tid}`;

/** Of the main thread of a process. https://docs.kernel.org/scheduler/sched-stats.html */
const threadCpuMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
