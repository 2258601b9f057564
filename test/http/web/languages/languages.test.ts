/** The page in other languages than English, in a real browser. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
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
    await expect.poll(language, waiting).toEqual(["de", "ltr"]);
    const manifest = await page.locator("link[rel=manifest]").getAttribute("href");
    expect(await (await page.request.get(manifest!)).json()).toMatchObject({
      lang: "de",
      start_url: "/",
      shortcuts: [{ name: "Eingang" }, { name: "Letzte Unterhaltungen" }],
    });
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
    expect(await page.locator("link[rel=manifest]").getAttribute("href")).toBe("/static/web/parley.webmanifest");
  });

  it("the log-in page speaks that of the browser, and says in it what is wrong", async () => {
    const { page: german, problems, close } = await test.visit({ locale: "de-AT" });
    await german.goto("/login/");
    expect(await german.evaluate(() => document.documentElement.lang)).toBe("de");
    await german.getByLabel("E-Mail").fill("nobody@example.com");
    await german.getByLabel("Passwort", { exact: true }).fill("wrong");
    await german.getByRole("button", { name: "Anmelden" }).click();
    await german.getByText("Benutzername oder Passwort ist falsch.").waitFor();
    await german.getByRole("link", { name: "Passwort vergessen?" }).waitFor();
    // The browser notes that the form was refused.
    expect(problems.splice(0)).toEqual([expect.stringContaining("401")]);
    await close();
  });

  it("the log-in page speaks the organization's to a browser whose languages the server has none of", async () => {
    await server.owner.setRealm({ default_language: "ar" });
    const { page: arabic, close } = await test.visit({ locale: "nl-NL" });
    await arabic.goto("/login/");
    await arabic.getByRole("button", { name: "تسجيل الدخول" }).waitFor();
    expect(await arabic.evaluate(() => document.documentElement.dir)).toBe("rtl");
    expect(await violations(arabic)).toEqual([]);
    await server.owner.setRealm({ default_language: "en" });
    await close();
  });

  describe("Arabic", () => {
    const places = (): [hash: string, shown: string][] => [
      ["#inbox", ".list-view, .empty"],
      ["#recent", ".list-view"],
      ["#drafts", ".empty, .list-view"],
      [`#narrow/channel/${engines.id}-engines/topic/steam`, ".message"],
      ["#settings/profile", ".settings .setting-section"],
      ["#settings/display", ".settings .field"],
      ["#settings/notifications", ".settings .field"],
      ["#organization/permissions", ".settings .field"],
      [`#channels/${engines.id}/general`, ".settings .setting-head"],
      ["#keyboard", ".settings .keys"],
    ];
    const sizes = [
      { name: "a desktop", viewport: { width: 1440, height: 900 } },
      { name: "a phone", viewport: { width: 390, height: 844 }, hasTouch: true },
    ];

    beforeAll(async () => {
      expectSuccess(await grace.client.patch("/settings", { default_language: "ar" }));
      await ada.client.post("/messages", {
        type: "channel",
        to: engines.id,
        topic: "steam",
        content: "مرحبا `const a = 1;` بالعالم",
      });
    });

    it.each(sizes)("goes from right to left on $name, and axe finds nothing wrong", async ({ name: _, ...options }) => {
      const { page: arabic, close } = await test.signIn(grace, { ...options, hash: "#inbox" });
      await arabic.emulateMedia({ reducedMotion: "reduce" });
      await arabic.waitForFunction(() => document.documentElement.dir === "rtl");
      const found: string[] = [];
      for (const [hash, shown] of places()) {
        await arabic.goto(`/${hash}`);
        await arabic.locator(shown).first().waitFor();
        found.push(...(await violations(arabic)).map((problem) => `${hash}: ${problem}`));
        const overflow = await arabic.evaluate(() => {
          const { scrollWidth } = document.documentElement;
          const inside = [...document.querySelectorAll<HTMLElement>("main, .left, .right, .setting-body, .top")];
          return [scrollWidth - innerWidth, ...inside.map((box) => box.scrollWidth - box.clientWidth)];
        });
        if (overflow.some((pixels) => pixels > 0)) found.push(`${hash}: wider than the screen by ${overflow}`);
      }
      expect(found).toEqual([]);
      await close();
    });

    it("says in a sentence of its own with what one is logged in", async () => {
      const { page: arabic, close } = await test.signIn(grace, { hash: "#settings/sessions" });
      const own = arabic.locator(".setting-rows li", { hasText: "هذا المتصفح" });
      const name = own.getByText(/^Chrome على \S+$/);
      await name.waitFor();
      // It is a sentence from right to left, though its names are not.
      expect(await name.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
      await close();
    });

    it("has its sides turned, texts as they are written, and code from left to right", async () => {
      const { page: arabic, close } = await test.signIn(grace, {
        viewport: { width: 1440, height: 900 },
        hash: `#narrow/channel/${engines.id}-engines/topic/steam`,
      });
      const written = arabic.locator(".message .content", { hasText: "مرحبا" });
      await written.waitFor();
      const [left, middle] = await Promise.all([".left", ".middle"].map((side) => arabic.locator(side).boundingBox()));
      expect(left!.x).toBeGreaterThan(middle!.x);
      const icon = arabic.locator(".send .icon");
      expect(await icon.evaluate((element) => getComputedStyle(element).scale)).toBe("-1 1");
      const direction = (of: Locator) => of.evaluate((element) => getComputedStyle(element).direction);
      expect(await direction(written)).toBe("rtl");
      expect(await direction(written.locator("code"))).toBe("ltr");
      expect(await direction(arabic.locator(".message .content", { hasText: "Hot." }))).toBe("ltr");
      // Its sign stays with the channel's name.
      await arabic.locator('#compose-text[placeholder="رسالة إلى \u2068#engines › steam\u2069"]').waitFor();
      await close();
    });
  });
});
