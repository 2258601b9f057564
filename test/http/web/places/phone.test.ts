/** A phone: a bar of places at the end, which gives its room to whoever writes. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe.skipIf(!browserPath)("a phone", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace, mary] = server.people("Ada Lovelace", "Grace Hopper", "Mary Somerville");
  const engines = server.channel("engines", [ada, grace, mary]);
  const topic = () => `#narrow/channel/${engines.id}-engines/topic/loops`;
  let page: Page;
  beforeAll(async () => {
    await grace.say(engines, "look at this", "loops");
    await grace.say(ada, "psst, over here");
    ({ page } = await test.signIn(ada, { ...phone, hash: "#inbox" }));
  });

  const bar = () => page.getByRole("navigation", { name: "Main places" });
  const look = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const)
      for (const contrast of ["no-preference", "more"] as const) {
        await page.emulateMedia({ colorScheme, contrast, reducedMotion: "reduce" });
        found.push(...(await violations(page)));
      }
    await page.emulateMedia({ colorScheme: null, contrast: null });
    return found;
  };

  it("the bar leads to five places, and says which is open", async () => {
    expect(await bar().locator("a, button").allInnerTexts()).toEqual([
      expect.stringContaining("Inbox"),
      "Channels",
      expect.stringContaining("Direct"),
      "Search",
      "You",
    ]);
    expect(await bar().locator("[aria-current=page]").innerText()).toContain("Inbox");
    await bar().getByRole("link", { name: "Direct" }).tap();
    await page.locator("h1", { hasText: "Direct messages" }).waitFor();
    expect(await bar().locator("[aria-current=page]").innerText()).toContain("Direct");
    const row = page.locator(".recent-row", { hasText: "Grace Hopper" });
    await row.getByText("psst, over here").waitFor();
    expect(await page.locator(".recent-row").count()).toBe(1);
    expect(await look()).toEqual([]);
    await row.tap();
    await messageWith(page, "psst, over here").waitFor();
  });

  it("opens the channels, the search and the person's own menu", async () => {
    await page.goto("/#inbox");
    await bar().getByRole("button", { name: "Channels" }).tap();
    await page.locator(".left.open").getByRole("link", { name: "engines" }).waitFor();
    await page.keyboard.press("Escape");
    await bar().getByRole("button", { name: "You" }).tap();
    await page.getByRole("menuitem", { name: "Log out" }).waitFor();
    await page.keyboard.press("Escape");
    await bar().getByRole("button", { name: "Search" }).tap();
    await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("search");
    await page.keyboard.press("Escape");
    // Else what is pressed scrolls the page itself.
    expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
  });

  it("is reached by keys, after the place that is open", async () => {
    await page.goto("/#inbox");
    await bar().getByRole("link", { name: "Inbox" }).focus();
    for (const name of ["Channels", "Direct", "Search", "You"]) {
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.innerText")).toContain(name);
    }
  });

  it("gives its room to whoever writes, and comes back", async () => {
    await page.goto(`/${topic()}`);
    await messageWith(page, "look at this").waitFor();
    const [box, shown] = [(await composeBox(page).boundingBox())!, (await bar().boundingBox())!];
    expect(box.y + box.height).toBeLessThanOrEqual(shown.y);
    await composeBox(page).tap();
    await bar().waitFor({ state: "hidden" });
    // Of the screen that a keyboard leaves, all but the composer is the conversation's.
    await page.setViewportSize({ width: 390, height: 480 });
    const tools = page.locator(".compose .send");
    await expect.poll(async () => Math.round((await tools.boundingBox())!.y), waiting).toBeGreaterThan(400);
    expect(await messageWith(page, "look at this").isVisible()).toBe(true);
    await composeBox(page).fill("typed by thumbs");
    await tools.tap();
    await messageWith(page, "typed by thumbs").waitFor();
    await page.setViewportSize(phone.viewport);
    await page.evaluate("document.activeElement.blur()");
    await bar().waitFor();
  });

  it("leaves what the screen's own bar takes to it", async () => {
    await page.goto("/#inbox");
    const before = (await bar().locator("a").first().boundingBox())!;
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setSafeAreaInsetsOverride", { insets: { top: 40, bottom: 34 } });
    await expect.poll(async () => (await bar().locator("a").first().boundingBox())!.y, waiting).toBe(before.y - 34);
    expect((await page.locator(".top").boundingBox())!.y).toBe(40);
    await session.send("Emulation.setSafeAreaInsetsOverride", { insets: {} });
  });

  describe("a message", () => {
    const message = () => messageWith(page, "look at this");
    const sheet = () => page.locator(".menu.sheet");
    /** A finger, from where a text is; `then` is what happens before it is lifted. */
    const finger = async (of: Locator, along: number, across: number, then: () => Promise<unknown>) => {
      const { x, y, height } = (await of.boundingBox())!;
      const session = await page.context().newCDPSession(page);
      const at = (share: number) => [{ x: x + 60 + along * share, y: y + height / 2 + across * share }];
      await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
      for (const share of along === 0 && across === 0 ? [] : [0.25, 0.5, 0.75, 1])
        await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(share) });
      await then();
      await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
      await session.detach();
    };
    const text = () => message().getByText("look at this");

    beforeAll(async () => {
      await page.goto(`/${topic()}`);
      await text().waitFor();
    });

    it("a long press opens a sheet of six reactions and all that can be done", async () => {
      await finger(text(), 0, 0, () => sheet().waitFor());
      const reactions = sheet().getByRole("group", { name: "Add a reaction" }).getByRole("menuitemcheckbox");
      expect(await reactions.allInnerTexts()).toEqual(["👍", "❤️", "😂", "🎉", "👀", "🙏"]);
      const { width, height, y } = (await sheet().boundingBox())!;
      expect([width, y + height]).toEqual([390, 844]);
      for (const name of ["Reply", "Quote", "Star", "Copy text", "Mark unread from here"])
        await sheet().getByRole("menuitem", { name, exact: true }).waitFor();
      expect(await page.evaluate("String(getSelection())")).toBe("");
      expect(await look()).toEqual([]);
      await reactions.nth(3).tap();
      await message().locator(".reaction.mine", { hasText: "🎉" }).waitFor();
      await sheet().waitFor({ state: "detached" });
    });

    it("its tools stand below what it says, and cover nothing", async () => {
      await text().tap();
      const tools = message().getByRole("toolbar");
      await tools.waitFor();
      const body = (await message().locator(".message-body").boundingBox())!;
      const bar = (await tools.boundingBox())!;
      expect(bar.y).toBeGreaterThanOrEqual(body.y + body.height);
      await message().evaluate((row) => {
        const { bottom } = row.getBoundingClientRect();
        const below = row.querySelector("[role=toolbar]")!.getBoundingClientRect().bottom;
        if (below > bottom) throw new Error(`${below - bottom} px of the tools lie over what comes next`);
      });
    });

    it("is copied with its formulas as they were typed", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await ada.say(engines, "since $$a < b$$ it ends", "loops");
      const formula = messageWith(page, "since").getByText("it ends");
      await finger(formula, 0, 0, () => sheet().waitFor());
      await sheet().getByRole("menuitem", { name: "Copy text", exact: true }).tap();
      const copied = () => page.evaluate("navigator.clipboard.readText()");
      await expect.poll(copied, waiting).toBe("since $$a < b$$ it ends");
    });

    it("each of the six is an emoji of the server by that name", async () => {
      for (let at = 0; at < 6; at++) {
        await finger(text(), 0, 0, () => sheet().waitFor());
        const one = sheet().getByRole("menuitemcheckbox").nth(at);
        const wasOn = (await one.getAttribute("aria-checked")) === "true";
        const emoji = await one.innerText();
        await one.tap();
        await message()
          .locator(".reaction.mine", { hasText: emoji })
          .waitFor({ state: wasOn ? "detached" : "attached" });
      }
      expect(await page.locator(".note.problem").count()).toBe(0);
    });

    it("a sheet is closed by what covers the page, which lets nothing through", async () => {
      await finger(text(), 0, 0, () => sheet().waitFor());
      await page.touchscreen.tap(30, 30);
      await sheet().waitFor({ state: "detached" });
      expect(await page.locator(".left.open").count()).toBe(0);
    });

    it("keys reach all of it: the menu, its reactions, and back", async () => {
      await page.locator(".virtual-list").focus();
      await page.keyboard.press("k");
      await page.locator(".message.selected").waitFor();
      await page.keyboard.press("i");
      await sheet().waitFor();
      const held = () => page.evaluate("document.activeElement.getAttribute('role')");
      await expect.poll(held, waiting).toBe("menuitemcheckbox");
      for (let count = 0; count < 6; count++) await page.keyboard.press("ArrowDown");
      expect(await held()).toBe("menuitem");
      await page.keyboard.press("Escape");
      await sheet().waitFor({ state: "detached" });
    });

    it("somebody's card, emoji and menus are sheets", async () => {
      await message().locator(".name").tap();
      await page.locator(".sheet .person-card").waitFor();
      expect((await sheet().boundingBox())!.width).toBe(390);
      expect(await look()).toEqual([]);
      await page.touchscreen.tap(30, 30);
      await sheet().waitFor({ state: "detached" });
      await page.locator(".compose").getByRole("button", { name: "Emoji" }).tap();
      await page.locator(".sheet .emoji-picker button").first().waitFor();
      const { y, height } = (await sheet().boundingBox())!;
      expect(Math.round(y + height)).toBe(844);
      await page.touchscreen.tap(30, 30);
      await sheet().waitFor({ state: "detached" });
    });

    it("a swipe along the line replies, and one that is short or across does not", async () => {
      const swiped = page.locator("[data-swipe]");
      await finger(text(), 30, 0, () => page.locator('[data-swipe=""]').waitFor());
      await swiped.waitFor({ state: "detached" });
      await finger(text(), -100, 0, async () => expect(await swiped.count()).toBe(0));
      await finger(text(), 20, -60, async () => expect(await swiped.count()).toBe(0));
      expect(await page.evaluate("document.activeElement.id")).not.toBe("compose-text");
      await page.goto("/#feed");
      await text().waitFor();
      await finger(text(), 90, 0, () => page.locator("[data-swipe=ready]").waitFor());
      await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("compose-text");
      expect(await composeBox(page).getAttribute("placeholder")).toBe("Message #engines › loops");
    });
  });

  describe("a long name of a topic", () => {
    const long = "A review of all looms and cards";
    const longest = "Whatever_has_no_spaces_and_is_as_long_as_a_topic_may_be_here";
    const resolved = "✔ How are the second cards cut";
    /** Whether a name is cut, and in how many lines it stands, and what sticks out of its row. */
    const looks = (row: Locator) =>
      row.evaluate((element) => {
        const name = element.querySelector<HTMLElement>(".two-lines > .ellipsis, .side-row .label")!;
        const range = document.createRange();
        range.selectNodeContents(name.querySelector("bdi")!);
        const written = [...range.getClientRects()];
        const lines = new Set(written.map((line) => Math.round(line.top)));
        const { top, bottom } = element.getBoundingClientRect();
        const box = name.getBoundingClientRect();
        return {
          isCut: written.some((line) => line.bottom > box.bottom + 2 || line.right > box.right + 1),
          lines: lines.size,
          sticksOut: box.top < top || box.bottom > bottom,
          scrolls: document.documentElement.scrollWidth - innerWidth,
        };
      });
    const whole = { isCut: false, lines: 2, sticksOut: false, scrolls: 0 };
    let narrow: Page;
    beforeAll(async () => {
      for (const name of [long, longest, resolved]) await grace.say(engines, `about ${name.slice(-10)}`, name);
      ({ page: narrow } = await test.signIn(mary, { ...phone, viewport: { width: 360, height: 740 }, hash: "#inbox" }));
    });

    it.each(["#inbox", "#recent"])("is whole in two lines, above what was said last: %s", async (hash) => {
      await narrow.goto(`/${hash}`);
      for (const name of [long, resolved.slice(2)]) {
        const row = narrow.locator(".inbox-row", { hasText: name });
        const words = row.locator(".last-words", { hasText: "about" });
        await words.waitFor();
        expect(await looks(row)).toEqual(whole);
        const [inside, around] = [(await words.boundingBox())!, (await row.boundingBox())!];
        expect(inside.y + inside.height).toBeLessThanOrEqual(around.y + around.height);
        expect(inside.x + inside.width).toBeLessThanOrEqual(around.x + around.width);
      }
      expect(await looks(narrow.locator(".inbox-row", { hasText: longest }))).toMatchObject({
        sticksOut: false,
        scrolls: 0,
      });
    });

    it("is whole at the side as well", async () => {
      await narrow.goto(`/#narrow/channel/${engines.id}-engines`);
      await narrow.locator(".bottom-bar").getByRole("button", { name: "Channels" }).tap();
      for (const name of [long, resolved.slice(2)]) {
        const row = narrow.locator(".left.open .side-with-menu.topic", { hasText: name });
        await row.waitFor();
        expect(await looks(row)).toEqual(whole);
      }
      await narrow.keyboard.press("Escape");
      await narrow.locator(".left.open").waitFor({ state: "detached" });
    });
  });

  it("from right to left a swipe goes the other way, and nothing sticks out", async () => {
    expectSuccess(await grace.client.patch("/settings", { default_language: "ar" }));
    const { page: arabic } = await test.signIn(grace, { ...phone, hash: topic() });
    await arabic.waitForFunction(() => document.documentElement.dir === "rtl");
    const { x, y, width, height } = (await messageWith(arabic, "look at this").boundingBox())!;
    const session = await arabic.context().newCDPSession(arabic);
    const at = (dx: number) => [{ x: x + width / 2 + dx, y: y + height / 2 }];
    await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
    for (const dx of [-20, -40, -90])
      await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(dx) });
    await arabic.locator("[data-swipe=ready]").waitFor();
    expect(await arabic.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await expect.poll(() => arabic.evaluate("document.activeElement.id"), waiting).toBe("compose-text");
    expect(await violations(arabic)).toEqual([]);
  });

  it("from right to left a long topic loses its end in the heading, and not its beginning", async () => {
    const long = "A review of all looms and cards, and of whoever cuts them";
    await mary.say(engines, "see what I have found", long);
    expectSuccess(await grace.client.patch("/settings", { default_language: "ar" }));
    const { page: arabic } = await test.signIn(grace, { ...phone, viewport: { width: 360, height: 740 } });
    await arabic.waitForFunction(() => document.documentElement.dir === "rtl");
    /** Whether a text has its own direction, has no room for all of it, and shows its first letter. */
    const look = (text: Locator) =>
      text.evaluate((element) => {
        const range = document.createRange();
        range.setStart(element.firstChild!, 0);
        range.setEnd(element.firstChild!, 1);
        const { x, y, width, height } = range.getBoundingClientRect();
        const isCut = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
        const isSeen = element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        return { direction: getComputedStyle(element).direction, isCut, isSeen };
      });
    const cut = { direction: "ltr", isCut: true, isSeen: true };
    await arabic.goto(`/#narrow/channel/${engines.id}-engines/topic/${encodeURIComponent(long).replaceAll("%", ".")}`);
    const title = arabic.locator(".title .topic-title bdi");
    await title.waitFor();
    expect(await look(title)).toEqual(cut);
    expect(await arabic.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  });

  it("has no bar where there is room for the sides", async () => {
    await page.goto("/#inbox");
    await page.locator(".inbox-row, .empty").first().waitFor();
    await page.evaluate("document.activeElement.blur()");
    await page.setViewportSize({ width: 1024, height: 768 });
    await bar().waitFor({ state: "detached" });
    await page.setViewportSize(phone.viewport);
    await bar().waitFor();
  });
});
