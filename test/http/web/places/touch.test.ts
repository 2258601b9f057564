/** On a phone what is pressed by fingers is 44 px high and wide at least (WCAG 2.5.5). */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath } from "../../../support/web/browser.ts";
import { messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

describe.skipIf(!browserPath)("under fingers", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let page: Page;
  beforeAll(async () => {
    const id = await grace.say(engines, "look at this", "loops");
    await grace.say(ada, "psst");
    expectSuccess(await grace.client.post(`/messages/${id}/reactions`, { emoji_name: "tada" }));
    ({ page } = await test.signIn(ada, { viewport: { width: 390, height: 844 }, hasTouch: true, hash: "#inbox" }));
  });

  it("the page is a phone's", async () => {
    expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
  });

  it.each(["inbox", "recent", "drafts", "feed"])("#%s has nothing that is too small", async (place) => {
    await page.goto(`/#${place}`);
    await page.locator(".title").waitFor();
    expect(await tooSmall(page)).toEqual([]);
  });

  it("a topic has nothing that is too small, nor have its composer and its menus", async () => {
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
    await messageWith(page, "look at this").waitFor();
    await page.locator(".compose textarea").fill("written by thumbs");
    expect(await tooSmall(page)).toEqual([]);
    const message = messageWith(page, "look at this");
    await message.getByText("look at this").tap();
    await message.getByRole("button", { name: "More actions" }).tap();
    await page.getByRole("menu").waitFor();
    expect(await tooSmall(page, ".menu")).toEqual([]);
    await page.keyboard.press("Escape");
  });

  it("the sides have nothing that is too small, and their rows do not lie over each other", async () => {
    await page.locator(".top").getByRole("button", { name: "Menu" }).click();
    await page.locator(".left.open").getByRole("link", { name: "engines" }).waitFor();
    expect(await tooSmall(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "People" }).click();
    await page.locator(".right").getByRole("link", { name: "Grace Hopper" }).waitFor();
    expect(await tooSmall(page)).toEqual([]);
  });

  it("settings have nothing that is too small", async () => {
    await page.goto("/#settings/notifications");
    await page.getByRole("dialog").waitFor();
    expect(await tooSmall(page)).toEqual([]);
  });
});

/**
 * What can be pressed, is in view and is lower or narrower, with its size. Links and names within texts are as high as
 * those.
 */
const tooSmall = (page: Page, within = "body"): Promise<string[]> =>
  page.evaluate((root) => {
    const pressed =
      "button:not(.name), a.button, .side-row, select, input:not([type=checkbox], [type=radio], [type=file]), textarea";
    return [...document.querySelector(root)!.querySelectorAll<HTMLElement>(pressed)].flatMap((element) => {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return [];
      const { x, y, width, height } = element.getBoundingClientRect();
      const [middle, centre] = [x + width / 2, y + height / 2];
      const top = document.elementFromPoint(middle, centre);
      if (width === 0 || !top || !(element.contains(top) || top.contains(element))) return [];
      // What is around a button may answer for it, as its `::after` does.
      const reaches = (dx: number, dy: number) => {
        const hit = document.elementFromPoint(middle + dx, centre + dy);
        return hit !== null && (element.contains(hit) || hit.closest("label")?.contains(element) === true);
      };
      const isHigh = height >= 42 || (reaches(0, -20) && reaches(0, 20));
      const isWide = width >= 44 || (reaches(-20, 0) && reaches(20, 0));
      const name = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 30) ?? "";
      return isHigh && isWide ? [] : [`${element.className || element.tagName} "${name}" ${width}×${height}`];
    });
  }, within);
