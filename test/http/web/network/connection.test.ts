/**
 * The server is killed and started again while two people talk: nothing is missing, doubled or lost from what was
 * typed.
 */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { connect } from "../../../../storage/postgres.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { mortalServer } from "../../../support/web/mortal-server.ts";
import { composeBox, messageWith, send } from "../../../support/web/page.ts";

const waiting = { timeout: 3 * patienceMs };
const textsOf = async (page: Page) =>
  (await page.locator(".message .content").allInnerTexts()).map((text) => text.trim());

describe.skipIf(!browserPath)("a server that dies", { timeout: 180_000 }, () => {
  const server = mortalServer("#narrow/channel/general/topic/crash");

  it("kill -9 in the middle: what was typed and sent meanwhile arrives once, in order, at both", async () => {
    const [one, other] = server.pages;
    await send(one, "before");
    await messageWith(other, "before").waitFor();
    await server.kill();
    await one.getByText("Not connected").waitFor(waiting);
    await send(one, "meanwhile");
    await one.getByText("Waiting for a connection").waitFor(waiting);
    await composeBox(one).fill("half a sentence");
    await server.revive();
    for (const page of server.pages) await messageWith(page, "meanwhile").waitFor(waiting);
    expect(await composeBox(one).inputValue()).toBe("half a sentence");
    await send(other, "after");
    await messageWith(one, "after").waitFor(waiting);
    for (const page of server.pages) {
      await expect.poll(() => textsOf(page), waiting).toEqual(["before", "meanwhile", "after"]);
    }
  });

  it("a queue that is gone: everything is fetched again, and goes on", async () => {
    const [one, other] = server.pages;
    await server.kill();
    const storage = connect(server.databaseUrl, { maxConnections: 1, patienceMs });
    await storage.sql`delete from event_queues`;
    await storage.close();
    await server.revive();
    await send(other, "on a new queue");
    await messageWith(one, "on a new queue").waitFor(waiting);
    await expect.poll(() => textsOf(one), waiting).toEqual(["before", "meanwhile", "after", "on a new queue"]);
  });

  it("events come on one stream; where something on the way keeps streams for itself, by polls", async () => {
    const [page, other] = server.pages;
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
      await send(other, text);
      await messageWith(page, text).waitFor(waiting);
    }
    expect(requests).toEqual(["text/event-stream"]);
    isSwallowed = true;
    await page.reload();
    await composeBox(page).waitFor();
    await send(other, "polled");
    await messageWith(page, "polled").waitFor(waiting);
    expect(new Set(requests.slice(2))).toEqual(new Set(["*/*"]));
    await page.unroute("**/json/events?*");
  });

  it("a reload keeps what was typed, and leads to where one was", async () => {
    const [page] = server.pages;
    await composeBox(page).fill("still here");
    await page.reload();
    await composeBox(page).waitFor();
    expect(await composeBox(page).inputValue()).toBe("still here");
    await messageWith(page, "polled").waitFor();
  });

  it("a server that comes back as it was has the same page, which says nothing", async () => {
    const [page] = server.pages;
    const asked = page.waitForResponse("**/static/web/files.json", waiting);
    // Each page asks at a moment of its own.
    await page.evaluate("Math.random = () => 0");
    await server.kill();
    await server.revive();
    expect((await (await asked).json()).length).toBeGreaterThan(10);
    await send(page, "as before");
    await messageWith(server.pages[1], "as before").waitFor(waiting);
    expect(await page.getByText("The server was updated.").count()).toBe(0);
  });

  it("another build of the page: it says so, also after a lost connection, and reloads when nobody is typing", async () => {
    const [page] = server.pages;
    const context = page.context();
    const updated = page.getByText("The server was updated.");
    await page.clock.install();
    await composeBox(page).fill("not yet sent");
    await page.evaluate("window.isOld = true; Math.random = () => 0");
    await page.route("**/static/web/files.json", (route) => route.fulfill({ json: ["/static/web/index-newer000.js"] }));
    await server.kill();
    await server.revive();
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
    await updated.waitFor({ state: "detached" });
  });

  it("a part of the page that the server has no more says so, and a reload brings it", async () => {
    const [, page] = server.pages;
    await page.route("**/static/web/settings-*.js", (route) => route.fulfill({ status: 404 }));
    await page.route("**/static/web/files.json", (route) => route.fulfill({ json: ["/static/web/index-newer000.js"] }));
    await page.evaluate("location.hash = '#settings/display'");
    const gone = page.getByRole("status").filter({ hasText: "The server was updated." });
    await gone.waitFor(waiting);
    await page.unrouteAll();
    await gone.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("heading", { name: "Display" }).waitFor(waiting);
  });
});
