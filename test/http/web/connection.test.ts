/**
 * The server is killed and started again while two people talk: nothing is missing, doubled or lost from what was
 * typed.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { connect } from "../../../storage/postgres.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { browserPath, openBrowser, patienceMs, signIn, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";

const waiting = { timeout: 3 * patienceMs };
const password = "a fine password";

describe.skipIf(!browserPath)("a server that dies", { timeout: 180_000 }, () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: ServerProcess;
  let environment: Record<string, string>;
  let browser: Browser;
  let [one, other]: Visitor[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await dataFolder("web");
    environment = { PORT: String(await freePort()), PARLEY_DATA_DIR: dataDir, DATABASE_URL: database.url };
    server = await startServerProcess(environment);
    const apiKey = /^key=(.+)$/m.exec(await readFile(join(dataDir, "owner.zuliprc"), "utf8"))![1]!;
    const owner = new ApiClient({ url: server.url, email: "owner@example.com", apiKey });
    for (const name of ["Ada", "Grace"])
      expectSuccess(await owner.post("/users", { email: `${name}@example.com`, password, full_name: name }));
    browser = await openBrowser();
    const hash = "#narrow/channel/general/topic/crash";
    one = await signIn(browser, server.url, { email: "Ada@example.com", password }, { hash });
    other = await signIn(browser, server.url, { email: "Grace@example.com", password }, { hash });
    for (const { page } of [one, other]) await composeBox(page).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("kill -9 in the middle: what was typed and sent meanwhile arrives once, in order, at both", async () => {
    await send(one!.page, "before");
    await messageWith(other!.page, "before").waitFor();
    await server.kill();
    await one!.page.getByText("Not connected").waitFor(waiting);
    await send(one!.page, "meanwhile");
    await one!.page.getByText("Waiting for a connection").waitFor(waiting);
    await composeBox(one!.page).fill("half a sentence");
    server = await startServerProcess(environment);
    for (const { page } of [one!, other!]) {
      await messageWith(page, "meanwhile").waitFor(waiting);
      await page.getByText("Not connected").waitFor({ state: "detached", ...waiting });
    }
    expect(await composeBox(one!.page).inputValue()).toBe("half a sentence");
    await send(other!.page, "after");
    await messageWith(one!.page, "after").waitFor(waiting);
    for (const { page } of [one!, other!]) {
      const texts = await page.locator(".message .content").allInnerTexts();
      expect(texts.map((text) => text.trim())).toEqual(["before", "meanwhile", "after"]);
    }
  });

  it("a queue that is gone: everything is fetched again, and goes on", async () => {
    await server.kill();
    const storage = connect(database.url, { maxConnections: 1, patienceMs: patienceMs });
    await storage.sql`delete from event_queues`;
    await storage.close();
    server = await startServerProcess(environment);
    await send(other!.page, "on a new queue");
    await messageWith(one!.page, "on a new queue").waitFor(waiting);
    const texts = await one!.page.locator(".message .content").allInnerTexts();
    expect(texts.map((text) => text.trim())).toEqual(["before", "meanwhile", "after", "on a new queue"]);
  });

  it("events come on one stream; where something on the way keeps streams for itself, by polls", async () => {
    const { page } = one!;
    const requests: string[] = [];
    let isSwallowed = false;
    await page.route("**/json/events?*", (route) => {
      const accept = route.request().headers()["accept"]!;
      requests.push(accept);
      // It is never answered: a proxy waits for the end.
      if (!isSwallowed || accept !== "text/event-stream") return route.continue();
    });
    await page.reload();
    await composeBox(page).waitFor();
    for (const text of ["streamed one", "streamed two"]) {
      await send(other!.page, text);
      await messageWith(page, text).waitFor(waiting);
    }
    expect(requests).toEqual(["text/event-stream"]);
    isSwallowed = true;
    await page.reload();
    await composeBox(page).waitFor();
    await send(other!.page, "polled");
    await messageWith(page, "polled").waitFor(waiting);
    expect(new Set(requests.slice(2))).toEqual(new Set(["*/*"]));
    await page.unroute("**/json/events?*");
  });

  it("a reload keeps what was typed, and leads to where one was", async () => {
    const { page } = one!;
    await composeBox(page).fill("still here");
    await page.reload();
    await composeBox(page).waitFor();
    expect(await composeBox(page).inputValue()).toBe("still here");
    await messageWith(page, "polled").waitFor();
  });

  it("the server was updated: it says so, also after a lost connection, and reloads when nobody is typing", async () => {
    const { page, context } = one!;
    const updated = page.getByText("The server was updated.");
    await page.clock.install();
    await composeBox(page).fill("not yet sent");
    await page.evaluate("window.isOld = true");
    await server.kill();
    server = await startServerProcess(environment);
    await updated.waitFor(waiting);
    await context.setOffline(true);
    await page.getByText("Not connected").waitFor(waiting);
    await context.setOffline(false);
    await updated.waitFor(waiting);
    await page.clock.fastForward(59_000);
    await page.clock.fastForward(59_000);
    expect(await page.evaluate("window.isOld")).toBe(true);
    await composeBox(page).fill("");
    await updated.waitFor(waiting);
    await page.clock.fastForward(61_000);
    const isOld = () => page.evaluate("window.isOld ?? false").catch(() => "is loading");
    await expect.poll(isOld, waiting).toBe(false);
    await messageWith(page, "polled").waitFor(waiting);
    expect(await updated.count()).toBe(0);
  });
});
