/**
 * One person and every view of the page: reached, without a violation of accessibility, light and dark, large and
 * small.
 */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, openBrowser, patienceMs, signIn, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";

const password = "a fine password";
const waiting = { timeout: patienceMs };

const hostile = `<img src=x onerror=alert(1)>"'&\u202Egnp`;

describe.skipIf(!browserPath)("the views of the page", { timeout: 180_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let owner: Person;
  let member: Visitor;
  let ada: Person;
  let engines: number;

  beforeAll(async () => {
    server = await startTestServer({}, 1);
    browser = await openBrowser();
    ({ owner } = server);
    ada = await server.addUser("Ada Lovelace");
    const mallory = await server.addUser("Mallory");
    expectSuccess(await mallory.client.patch("/settings", { full_name: "Mallory & 'Sons' {{x}}" }));
    engines = await server.addChannel("engines", [ada, mallory]);
    await server.addChannel(`<script>alert(1)</script>`, [ada, mallory], { description: hostile });
    const say = (content: string, topic = "loops") =>
      mallory.client.post("/messages", { type: "channel", to: "engines", topic, content });
    for (const text of [
      "Plain words",
      "```python\nprint(1)\n```",
      "$$x^2$$",
      "```spoiler A secret\nhidden words\n```",
      "@**Ada Lovelace** look :rocket: <time:2026-12-20T09:47:00Z>",
      "/poll Tea?\nyes\nno",
      "/todo Things\none: first",
      `${hostile} <style>body{display:none}</style> [x](javascript:alert(1))`,
    ])
      expectSuccess(await say(text));
    // A topic is a line, which nothing may turn.
    expectSuccess(await say("in a hostile topic", hostile.replace("\u202E", "").slice(0, 40)));
    expectSuccess(await mallory.client.post("/messages", { type: "direct", to: [ada.id], content: "psst" }));
    member = await signIn(browser, server.url, { email: ada.email, password });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  /** Each view, and what is on it when it is there. */
  const views = (): readonly (readonly [hash: string, shown: string])[] => [
    ["#inbox", ".inbox-row"],
    ["#recent", ".recent-row"],
    ["#feed", ".message"],
    [`#narrow/channel/${engines}-engines/topic/loops`, ".message .katex"],
    ["#narrow/is/starred", ".empty"],
    ["#drafts", ".empty"],
    ["#scheduled", ".empty"],
    ["#reminders", ".empty"],
    ["#settings/profile", ".setting-section"],
    ["#settings/account", ".setting-section"],
    ["#settings/display", ".setting-section"],
    ["#settings/notifications", ".setting-section"],
    ["#settings/alert-words", ".setting-section"],
    ["#settings/muted", ".setting-section"],
    ["#settings/bots", ".setting-section"],
    ["#settings/sessions", ".setting-section"],
    ["#organization/profile", ".setting-section"],
    ["#organization/permissions", ".setting-section"],
    ["#organization/people", ".person-line"],
    ["#organization/bots", ".setting-list"],
    ["#organization/emoji", ".setting-section"],
    ["#organization/linkifiers", ".setting-section"],
    ["#organization/fields", ".setting-section"],
    ["#organization/folders", ".setting-section"],
    ["#organization/default-channels", ".setting-section"],
    ["#organization/exports", ".setting-section"],
    [`#channels/${engines}`, ".setting-section"],
    [`#channels/${engines}/personal`, ".setting-section"],
    [`#channels/${engines}/subscribers`, ".person-line"],
    [`#channels/${engines}/permissions`, ".setting-section"],
    ["#channels", ".channel-line"],
    ["#groups", ".setting-rows"],
    ["#invite", ".setting-section"],
    ["#keyboard", ".keys"],
  ];

  for (const colorScheme of ["light", "dark"] as const)
    it(`axe finds nothing wrong with any view, ${colorScheme}`, async () => {
      const { page } = member;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const found: string[] = [];
      for (const [hash, shown] of views()) {
        await page.goto(`/${hash}`);
        await page.locator(shown).first().waitFor();
        found.push(...(await violations(page)).map((problem) => `${hash}: ${problem}`));
      }
      expect(found).toEqual([]);
    });

  it("hostile names, topics and messages show as text: no script runs, and the policy is not asked", async () => {
    const { page } = member;
    await page.goto(`/#narrow/channel/${engines}-engines/topic/loops`);
    const message = messageWith(page, "onerror=alert(1)");
    await message.waitFor();
    expect(await message.locator("img[src='x'], style, script").count()).toBe(0);
    expect(await page.locator("a[href^='javascript:']").count()).toBe(0);
    await page.getByRole("link", { name: "<script>alert(1)</script>" }).first().waitFor();
    expect(await page.locator("body script").count()).toBe(0);
  });

  it("code with its language, formulas, spoilers, polls and to-do lists that can be used", async () => {
    const { page } = member;
    await messageWith(page, "print(1)").locator(".codehilite .k, .codehilite .nb").first().waitFor();
    const secret = messageWith(page, "A secret");
    await expect.poll(() => secret.getByText("hidden words").isVisible(), waiting).toBe(false);
    await secret.getByRole("button", { name: "Spoiler" }).click();
    await secret.getByText("hidden words").waitFor();
    const poll = messageWith(page, "Tea?");
    await poll.getByRole("button", { name: "yes: 0 votes" }).click();
    await poll.getByRole("button", { name: "yes: 1 vote" }).waitFor();
    await poll.getByLabel("Add an option").fill("perhaps");
    await poll.getByRole("button", { name: "Add", exact: true }).click();
    await poll.getByRole("button", { name: "perhaps: 0 votes" }).waitFor();
    await messageWith(page, "Things").getByRole("checkbox").first().click();
    await messageWith(page, "Things").locator("label.done").waitFor();
  });

  it("a phone's size: the sides open and close, and one can write", async () => {
    const phone = await signIn(
      browser,
      server.url,
      { email: ada.email, password },
      { viewport: { width: 320, height: 640 }, hasTouch: true },
    );
    const { page } = phone;
    await page.goto("/#inbox");
    await page.getByRole("button", { name: "Menu" }).first().click();
    await page.locator(".left.open").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".left.open").waitFor({ state: "detached" });
    await page.goto("/#channels");
    await page.locator(".channel-line").first().click({ trial: true });
    await page.goto("/#inbox");
    await page.getByRole("button", { name: "Menu" }).first().click();
    await page.getByRole("link", { name: "engines", exact: false }).first().click();
    await composeBox(page).waitFor();
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(overflow).toBe(0);
    await page.locator("#compose-topic").fill("from a phone");
    await send(page, "small but here");
    await messageWith(page, "small but here").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(phone.problems).toEqual([]);
    await phone.close();
  });

  it("the keyboard alone: open a conversation, select, react, reply, star, go", async () => {
    const { page } = member;
    await page.goto(`/#narrow/channel/${engines}-engines/topic/loops`);
    await messageWith(page, "Plain words").waitFor();
    await page.locator(".virtual-list").focus();
    await page.keyboard.press("k");
    await page.locator(".message.selected").waitFor();
    await page.keyboard.press("Control+s");
    await page
      .locator(".message.selected .star-mark, .message.selected [aria-label='Remove the star']")
      .first()
      .waitFor();
    await page.keyboard.press("r");
    await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("compose-text");
    await page.keyboard.type("typed by keys");
    await page.keyboard.press("Control+Enter");
    await messageWith(page, "typed by keys").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.locator(".keys").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".keys").first().waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to…" }).fill("Drafts");
    await page.keyboard.press("Enter");
    await page.waitForURL(/#drafts/);
    await page.keyboard.press("/");
    await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("search");
    await page.keyboard.type("plain words");
    await page.keyboard.press("Enter");
    await messageWith(page, "Plain words").locator(".highlight").first().waitFor();
  });

  it("what a person may not do is not offered, and the reason is told", async () => {
    const { page } = member;
    await page.goto("/#organization/profile");
    await page.getByText("Only administrators may change this.").first().waitFor();
    expect(await page.getByLabel("Description").isDisabled()).toBe(true);
    const boss = await signIn(
      browser,
      server.url,
      { email: owner.email, password: "correct horse" },
      { hash: "#organization/profile" },
    );
    await boss.page.getByLabel("Description").fill("A place to talk");
    await boss.page.getByRole("button", { name: "Change" }).click();
    await expect.poll(() => page.getByLabel("Description").inputValue(), waiting).toBe("A place to talk");
    expect(boss.problems).toEqual([]);
    await boss.close();
  });

  it("nothing went wrong in the page", () => {
    expect(member.problems).toEqual([]);
  });
});
