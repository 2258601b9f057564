/** What has no room in a list loses its end and stands where the page's lines begin, whichever way page and name go. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

/** Each longer than its list has room for. Their letters are all different places of one text. */
const texts = {
  english: "who took the drawings of the engine, when exactly, and has anybody seen those of the other one",
  arabic: "من أخذ رسومات المحرك ومتى بالضبط وهل رأى أحدكم رسومات المحرك الآخر في مكان ما من هذه الورشة",
};
/** As long as names of topics may be. */
const topics = { english: texts.english.slice(0, 60).trim(), arabic: texts.arabic.slice(0, 60).trim() };
const names = {
  english: "Augusta Ada King, Countess of Lovelace and of many other places",
  arabic: "أوغستا آدا كينغ كونتيسة لوفلايس وأماكن أخرى كثيرة في هذه البلاد",
};
const sizes = {
  "a desktop": { viewport: { width: 1024, height: 900 } },
  "a phone": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
};

/** What of a text can be read: whether its beginning, and whether all that is before the cut. */
const look = (of: Locator, text: string) =>
  of.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode() && !wanted.startsWith(walker.currentNode.nodeValue!.slice(0, 20)));
    const node = walker.currentNode;
    const boxes: DOMRect[] = [];
    for (
      let box = node.parentElement;
      box && !box.matches(".inbox-row, .side-row, .person-row");
      box = box.parentElement
    )
      if (getComputedStyle(box).overflowX === "hidden") boxes.push(box.getBoundingClientRect());
    const range = document.createRange();
    const isSeen = (at: number) => {
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const [x, y] = [(left + right) / 2, (top + bottom) / 2];
      return boxes.every((box) => x > box.left && x < box.right && y > box.top && y < box.bottom);
    };
    const seen = Array.from(node.nodeValue!, (_, at) => isSeen(at));
    const cut = seen.indexOf(false);
    return {
      begins: seen[0],
      isCut: cut !== -1,
      hasHoles: cut !== -1 && seen.lastIndexOf(true) > cut,
    };
  }, text);

describe.skipIf(!browserPath)("names and last words that are cut", { timeout: 240_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, reader] = server.people(names.english, "Reader");
  const [arab] = server.people(names.arabic);
  const engines = server.channel("engines", [ada, arab, reader]);
  const longChannel = "customer-success-and-onboarding-of-enterprise-accounts";
  const accounts = server.channel(longChannel, [ada, reader]);
  const whole = { begins: true, isCut: true, hasHoles: false };

  beforeAll(async () => {
    await ada.say(engines, texts.english, topics.english);
    await arab.say(engines, texts.arabic, topics.arabic);
    await ada.say(engines, texts.english, "short");
    await ada.say(accounts, texts.english, "short");
    await ada.say([reader], texts.english);
    await arab.say([reader], texts.arabic);
  });

  /** Whether a text is cut at its end and nowhere else. */
  const expectWhole = async (of: Locator, text: string, where: string) => {
    await of.first().waitFor();
    expect({ where, ...(await look(of.first(), text)) }).toEqual({ where, ...whole });
  };

  async function lookAtLists(page: Page, isPhone: boolean) {
    for (const hash of ["inbox", "recent"]) {
      await page.goto(`/#${hash}`);
      for (const tongue of ["english", "arabic"] as const) {
        const rows = page.locator(".inbox-row", { hasText: topics[tongue] });
        await expectWhole(
          rows.locator(".last-words", { hasText: texts[tongue] }),
          texts[tongue],
          `${hash}: ${tongue} words`,
        );
        // A wide page has room for a topic.
        if (isPhone)
          await expectWhole(rows.locator(".two-lines > :first-child"), topics[tongue], `${hash}: ${tongue} topic`);
      }
    }
  }

  describe.each(["en", "ar"])("on a page in %s", (language) => {
    beforeAll(async () => {
      expectSuccess(await reader.client.patch("/settings", { default_language: language }));
    });

    it.each(Object.entries(sizes))("lose their end on %s", async (name, options) => {
      const isPhone = name === "a phone";
      const { page, close } = await test.signIn(reader, { ...options, hash: "#inbox" });
      await page.waitForFunction((dir) => document.documentElement.dir === dir, language === "ar" ? "rtl" : "ltr");
      await lookAtLists(page, isPhone);
      if (isPhone) {
        await page.goto("/#inbox");
        await expectWhole(page.locator(".inbox-title", { hasText: longChannel }), longChannel, "inbox: channel");
      }
      await page.goto(`/#narrow/channel/${engines.id}-engines`);
      if (isPhone) await page.locator(".bottom-bar button").first().tap();
      for (const tongue of ["english", "arabic"] as const) {
        await expectWhole(
          page.locator(".side-with-menu.topic", { hasText: topics[tongue] }),
          topics[tongue],
          `side: ${tongue} topic`,
        );
        await expectWhole(
          page.locator(".left .side-row", { hasText: names[tongue] }),
          names[tongue],
          `side: ${tongue} name`,
        );
      }
      await close();
    });

    it("stand where the page's lines begin if there is room", async () => {
      const { page, close } = await test.signIn(reader, { ...sizes["a phone"], hash: "#recent" });
      const row = page.locator(".recent-row", { hasText: "short" }).first();
      await row.waitFor();
      const gap = await row.evaluate((element, dir) => {
        const range = document.createRange();
        range.selectNodeContents(element.querySelector(".label bdi")!);
        const [inner, outer] = [
          range.getBoundingClientRect(),
          element.querySelector(".label")!.getBoundingClientRect(),
        ];
        return Math.abs(dir === "ar" ? outer.right - inner.right : inner.left - outer.left);
      }, language);
      expect(gap).toBeLessThan(2);
      await close();
    });
  });
});
