/** On a phone what is pressed by fingers is 44 px high and wide at least (WCAG 2.5.5), in sheets and cards as well. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";
import { tooSmall } from "../../../support/web/too-small.ts";

const waiting = { timeout: patienceMs };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

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
    ({ page } = await test.signIn(ada, { ...phone, hash: "#inbox" }));
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

  describe("sheets", () => {
    const sheet = () => page.locator(".menu.sheet");
    /** As wide as the screen and at its end, with nothing that is cut off, too small or in the way. */
    const fits = async () => {
      await expect
        .poll(async () => {
          const { x, y, width, height } = (await sheet().boundingBox())!;
          return [x, width, Math.round(y + height)];
        }, waiting)
        .toEqual([0, 390, 844]);
      expect(await sheet().evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      expect(await tooSmall(page, ".menu")).toEqual([]);
      expect(await violations(page)).toEqual([]);
    };

    beforeAll(async () => {
      await page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
      // A drawer that is open stays open.
      await page.reload();
      await messageWith(page, "look at this").waitFor();
      await page.emulateMedia({ reducedMotion: "reduce" });
    });

    it("the card of a person, from their picture to a direct message", async () => {
      await messageWith(page, "look at this").locator(".avatar-button").tap();
      await sheet().locator(".person-card", { hasText: "Grace Hopper" }).waitFor();
      await fits();
      await sheet().getByRole("menuitem", { name: "Send a direct message" }).tap();
      await messageWith(page, "psst").waitFor();
      await sheet().waitFor({ state: "detached" });
    });

    it("the emoji picker: by its groups and by words, into what is written", async () => {
      await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).tap();
      await sheet().locator(".emoji-row button").first().waitFor();
      await fits();
      await sheet().locator(".emoji-groups button").last().tap();
      expect(await tooSmall(page, ".menu")).toEqual([]);
      await sheet().getByRole("searchbox").fill("octopus");
      await sheet().getByRole("button", { name: "octopus" }).tap();
      await expect.poll(() => composeBox(page).inputValue(), waiting).toContain(":octopus:");
      await sheet().waitFor({ state: "detached" });
      await composeBox(page).fill("");
    });
  });

  it("settings have nothing that is too small", async () => {
    await page.goto("/#settings/notifications");
    await page.getByRole("dialog").waitFor();
    expect(await tooSmall(page)).toEqual([]);
  });
});
