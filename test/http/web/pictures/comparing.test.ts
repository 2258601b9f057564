/** What the comparison of pictures sees, and what it does not mind. A small page is drawn, changed and drawn again. */
import type { Browser, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browserPath, openBrowser } from "../../../support/web/browser.ts";
import { allowedPixels, compare } from "../../../support/web/comparing.ts";

const html = `<body style="margin: 20px; font: 15px sans-serif; background: #fff; color: #1d2733">
  <p id="text">Just now</p>
  <span id="digit" style="font-size: 13px">1</span>
  <button id="button" style="border: 1px solid #c5ced7; background: #fff; width: 30px; height: 30px">+</button>
  <div id="dot" style="width: 10px; height: 10px; border-radius: 50%; background: #20762f"></div>
  <div id="chosen" style="width: 200px; height: 30px; background: #d8ebef"></div>
</body>`;

describe.skipIf(!browserPath)("comparing pictures", () => {
  let browser: Browser;
  let page: Page;
  let kept: Buffer;
  beforeAll(async () => {
    browser = await openBrowser();
    page = await browser.newPage({ viewport: { width: 400, height: 300 } });
    await page.setContent(html);
    kept = await page.screenshot();
  });
  afterAll(() => browser?.close());

  /** The page after a change of one element's style, compared with the page before. */
  async function after(id: string, style: string) {
    await page.setContent(html);
    await page.evaluate(
      ([id, style]) => document.getElementById(id!)?.setAttribute("style", `${style}`),
      [id, `${await page.locator(`#${id}`).getAttribute("style")}; ${style}`],
    );
    return compare(await page.screenshot(), kept);
  }

  it("the same page twice is the same", async () => {
    await page.setContent(html);
    expect(await compare(await page.screenshot(), kept)).toMatchObject({ count: 0, isSame: true });
  });

  it("as kept, in fewer bytes, it is the same", async () => {
    const smaller = await sharp(kept).webp({ nearLossless: true, quality: 40 }).toBuffer();
    expect(await compare(kept, smaller)).toMatchObject({ count: 0, isSame: true });
  });

  for (const [what, id, style] of [
    ["a button that moved by two pixels", "button", "position: relative; left: 2px"],
    ["a text that is missing", "text", "visibility: hidden"],
    ["a digit that is missing", "digit", "visibility: hidden"],
    ["a text of another weight", "text", "font-weight: 700"],
    ["a dot of another colour", "dot", "background: #b3261e"],
    ["a ground that is gone", "chosen", "background: #fff"],
  ] as const)
    it(`sees ${what}`, async () => {
      const comparison = await after(id, style);
      expect(comparison.count).toBeGreaterThan(allowedPixels);
      expect(comparison.isSame).toBe(false);
      const { width, height } = await sharp(await comparison.draw()).metadata();
      expect([width, height]).toEqual([400, 300]);
    });

  it("sees another size", async () => {
    const cut = await sharp(kept).extract({ left: 0, top: 0, width: 400, height: 299 }).toBuffer();
    expect((await compare(cut, kept)).isSame).toBe(false);
  });

  it("does not mind a shade that nobody sees, as when letters are smoothed a little otherwise", async () => {
    const paler = await sharp(kept).linear(0.97, 7).png().toBuffer();
    expect(paler.equals(kept)).toBe(false);
    expect(await compare(paler, kept)).toMatchObject({ count: 0, isSame: true });
  });
});
