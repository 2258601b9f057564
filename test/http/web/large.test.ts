/** An organization of thousands of people and channels: views hold what is seen of it, and the last one is reached. */
import { rm } from "node:fs/promises";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../../storage/embedded-postgres/port.ts";
import { ApiClient, expectSuccess } from "../../support/client/api.ts";
import { runCommand } from "../../support/server/command-line.ts";
import { dataFolder } from "../../support/server/folder.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { type ServerProcess, startServerProcess } from "../../support/server/server-process.ts";
import { browserPath, openBrowser, patienceMs, signIn, type Visitor } from "../../support/web/browser.ts";
import { composeBox } from "../../support/web/page.ts";

const waiting = { timeout: patienceMs };
const owner = { email: "owner@example.com", password: "correct horse" };
const people = 4000;
const channels = 1500;
/** Rows and elements that a view holds at most: a few screens of them. */
const most = { rows: 80, elements: 3000 };

describe.skipIf(!browserPath)("thousands of people and channels", { timeout: 180_000 }, () => {
  let database: TestDatabase;
  let dataDir: string;
  let server: ServerProcess;
  let browser: Browser;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    database = await createTestDatabase();
    dataDir = await dataFolder("large");
    const environment = {
      PORT: String(await freePort()),
      PARLEY_DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      PARLEY_OWNER_EMAIL: owner.email,
      PARLEY_OWNER_PASSWORD: owner.password,
      PARLEY_RATE_LIMITS: "off",
    };
    const counts = { users: people, channels, messages: 0, subscribe: 3 };
    const args = Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]);
    const seeded = await runCommand(["seed", ...args], environment);
    expect(seeded).toMatchObject({ code: 0 });
    server = await startServerProcess(environment);
    const { email, password } = owner;
    const keyless = new ApiClient({ url: server.url, email, apiKey: "" });
    const { api_key } = expectSuccess(await keyless.post("/fetch_api_key", { username: email, password }));
    const client = new ApiClient({ url: server.url, email, apiKey: api_key as string });
    for (let from = 1; from <= channels; from += 500) {
      const subscriptions = Array.from({ length: 500 }, (_, at) => ({ name: `seeded ${from + at}` }));
      expectSuccess(await client.post("/users/me/subscriptions", { subscriptions }));
    }
    browser = await openBrowser();
    visitor = await signIn(browser, server.url, owner, { hash: "#inbox" });
    page = visitor.page;
  }, 240_000);
  afterAll(async () => {
    await browser?.close();
    await server?.kill();
    await database?.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Of very many rows only those in view are there; the list's end has the last one. */
  const expectVirtual = async (list: Locator, rows: string, [first, last]: readonly [string, string]) => {
    const row = (name: string) => list.locator(rows).filter({ hasText: new RegExp(`^${name}\\b`) });
    await row(first).first().waitFor(waiting);
    const count = async () => (await list.locator(rows).count()) || Number.NaN;
    expect(await count()).toBeLessThan(most.rows);
    expect(await row(last).count()).toBe(0);
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await row(last).first().waitFor(waiting);
    expect(await count()).toBeLessThan(most.rows);
    await expect.poll(() => row(first).count(), waiting).toBe(0);
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(most.elements);
  };

  it("people: the last one is reached, and anybody found", async () => {
    const right = page.locator(".right");
    await expectVirtual(right.locator(".fixed-list"), ".person-row .name", ["Person 1", "Person 999"]);
    await right.getByLabel("Find people").fill("person 3777");
    await expect.poll(() => right.locator(".person-row").count(), waiting).toBe(1);
    await right.getByLabel("Find people").press("Enter");
    await page.locator(".top", { hasText: "Person 3777" }).waitFor(waiting);
    await right.getByLabel("Find people").fill("");
  });

  it("channels on the left: the last one is reached, and any found", async () => {
    const left = page.locator(".left");
    await expectVirtual(left.locator(".fixed-list"), ".side-row .label", ["general", "seeded 999"]);
    await left.getByLabel("Filter channels and topics").fill("seeded 1234");
    await expect.poll(() => left.locator(".side-with-menu").count(), waiting).toBe(1);
    await left.getByLabel("Filter channels and topics").press("Enter");
    await page.locator(".top", { hasText: "seeded 1234" }).waitFor(waiting);
    await composeBox(page).waitFor();
  });

  it("settings: all channels, all people", async () => {
    await page.goto("/#channels");
    const list = page.locator(".setting-list .fixed-list");
    await expectVirtual(list, ".channel-line a", ["general", "seeded 999"]);
    await page.locator(".setting-list").getByRole("searchbox", { name: "Find" }).fill("seeded 1321");
    await expect.poll(() => page.locator(".channel-line").count(), waiting).toBe(1);
    await page.goto("/#organization/people");
    await expectVirtual(list, ".person-line .label", ["Person 1", "Person 999"]);
    await page.locator(".setting-list").getByRole("searchbox", { name: "Find" }).fill("person 2828");
    await expect.poll(() => page.locator(".person-line").count(), waiting).toBe(1);
    await page.keyboard.press("Escape");
  });

  it("whoever is chosen from: completion, the palette, a new direct message", async () => {
    await page.goto("/#narrow/channel/seeded.201234");
    await composeBox(page).fill("");
    await composeBox(page).pressSequentially("@person 38");
    await page
      .getByRole("option", { name: /Person 38/ })
      .first()
      .waitFor(waiting);
    expect(await page.getByRole("option").count()).toBeLessThan(most.rows);
    // All channels are to be chosen from, once somebody chooses.
    const choice = page.getByRole("combobox", { name: "Channel", exact: true });
    await choice.focus();
    await choice.selectOption({ label: "seeded 999" });
    await page.getByPlaceholder("Message #seeded 999").waitFor(waiting);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to…" }).fill("seeded 77");
    const palette = page.getByRole("dialog").getByRole("option");
    await palette.filter({ hasText: /^seeded 77\b/ }).waitFor(waiting);
    expect(await palette.count()).toBeLessThan(40);
    await page.keyboard.press("Escape");
    // The side shows the row of the open channel, far below.
    await page.locator(".left .fixed-list").evaluate((list) => list.scrollTo(0, 0));
    await page.locator(".left").getByRole("button", { name: "New direct message" }).click();
    await page.getByLabel("Add people").fill("person 39");
    await page
      .locator("dialog .person-line")
      .filter({ hasText: /Person 39$/ })
      .click();
    expect(await page.getByRole("dialog").getByRole("button").count()).toBeLessThan(most.rows);
    await page.keyboard.press("Escape");
    expect(visitor.problems).toEqual([]);
  });
});
