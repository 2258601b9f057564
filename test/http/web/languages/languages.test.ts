/** The page in other languages than English, in a real browser. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("languages", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let page: Page;
  beforeAll(async () => {
    await grace.client.post("/messages", { type: "channel", to: engines.id, topic: "steam", content: "Hot." });
    ({ page } = await test.signIn(ada, { hash: "#settings/display" }));
  });

  const language = () => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);

  it("one that is chosen is spoken at once, and in other windows", async () => {
    const other = await test.signIn(ada, { hash: "#inbox" });
    await page.getByLabel("Language").selectOption({ label: "Deutsch" });
    await page.getByRole("dialog", { name: "Einstellungen" }).getByLabel("Startansicht").waitFor();
    await other.page.getByRole("link", { name: "Letzte Unterhaltungen" }).waitFor();
    expect(await language()).toEqual(["de", "ltr"]);
    await expect.poll(() => page.title(), waiting).toContain("Eingang");
    const { user_settings: settings } = await ada.client.register({ fetch_event_types: ["user_settings"] });
    expect(settings).toMatchObject({ default_language: "de" });
    await other.close();
  });

  it("begins with that of the last time, before the server says it", async () => {
    let goOn = () => {};
    const held = new Promise<void>((resolve) => (goOn = resolve));
    await page.route("**/json/register", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto("/#feed");
    await page.reload();
    await page.getByText("Organisation wird geöffnet …").waitFor();
    goOn();
    await page.getByRole("link", { name: "Letzte Unterhaltungen" }).waitFor();
    await page.unroute("**/json/register");
    await page.locator(".message .content", { hasText: "Hot." }).waitFor();
    await page.getByText("Heute", { exact: true }).first().waitFor();
  });

  it("follows the account when another device changes it", async () => {
    expectSuccess(await ada.client.patch("/settings", { default_language: "en" }));
    await page.getByRole("link", { name: "Recent conversations" }).waitFor();
    expect(await language()).toEqual(["en", "ltr"]);
  });
});
