/** Two people, each with a browser: what one does, the other sees. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestPerson, type TestServer } from "../../support/server/server.ts";
import { browserPath, openBrowser, patienceMs, signIn, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, openMessageMenu, send } from "../../support/web/page.ts";

const password = "a fine password";
const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("two people in two browsers", () => {
  let server: TestServer;
  let browser: Browser;
  let [ada, grace]: TestPerson[] = [];
  let [one, other]: Visitor[] = [];
  let engines: number;

  beforeAll(async () => {
    server = await startTestServer({}, 1);
    browser = await openBrowser();
    ada = await server.addUser("Ada Lovelace");
    grace = await server.addUser("Grace Hopper");
    engines = await server.addChannel("engines", [ada, grace]);
    one = await signIn(browser, server.url, { email: ada.email, password });
    other = await signIn(browser, server.url, { email: grace.email, password });
    await open(one.page, "loops");
    await open(other.page, "loops");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (page: Page, topic: string) => {
    await page.goto(`/#narrow/channel/${engines}-engines/topic/${topic}`);
    await composeBox(page).waitFor();
  };

  it("a message is shown at once to who wrote it, and to the other as it comes, once", async () => {
    await send(one!.page, "Hello **Grace**");
    await messageWith(one!.page, "Hello Grace").waitFor();
    await messageWith(other!.page, "Hello Grace").locator("strong").waitFor();
    await send(other!.page, "Hello Ada");
    await messageWith(one!.page, "Hello Ada").waitFor();
    for (const { page } of [one!, other!]) {
      await expect.poll(() => page.locator(".message:not(.pending)").count(), waiting).toBe(2);
      expect(await page.locator(".message.pending").count()).toBe(0);
    }
  });

  it("reactions with who, edit, edit history, star, resolve and delete", async () => {
    const mine = messageWith(one!.page, "Hello Grace");
    const theirs = messageWith(other!.page, "Hello Grace");
    await theirs.hover();
    await theirs.getByRole("button", { name: "Add a reaction" }).first().click();
    await other!.page.getByRole("searchbox", { name: "Search" }).last().fill("tada");
    await other!.page.getByRole("button", { name: "tada", exact: true }).click();
    await mine.getByRole("button", { name: "Grace Hopper reacted with :tada:" }).click();
    await theirs.getByRole("button", { name: /(You, Ada Lovelace|Ada Lovelace, You|You.*Ada)/ }).waitFor();

    await openMessageMenu(one!.page, mine, "Edit");
    await one!.page.getByLabel("Edit message").fill("Hello *dear* Grace");
    await one!.page.getByRole("button", { name: "Save" }).click();
    await messageWith(other!.page, "Hello dear Grace").locator("em").waitFor();
    await messageWith(other!.page, "Hello dear Grace").getByRole("button", { name: "edited" }).click();
    await other!.page.getByRole("dialog", { name: "Edit history" }).locator("li").nth(1).waitFor();
    await other!.page.keyboard.press("Escape");

    await openMessageMenu(other!.page, messageWith(other!.page, "Hello dear Grace"), "Star");
    await other!.page.getByRole("link", { name: /Starred messages/ }).click();
    await messageWith(other!.page, "Hello dear Grace").waitFor();
    await open(other!.page, "loops");

    await send(one!.page, "This was a mistake");
    await messageWith(other!.page, "This was a mistake").waitFor();
    await openMessageMenu(one!.page, messageWith(one!.page, "This was a mistake"), "Delete");
    await one!.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await messageWith(other!.page, "This was a mistake").waitFor({ state: "detached" });
  });

  it("nothing went wrong in either page", () => {
    expect([...one!.problems, ...other!.problems]).toEqual([]);
  });
});
