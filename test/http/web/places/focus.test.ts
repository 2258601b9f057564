/** Who has turned to another box goes on typing there, whatever the page has still to draw or to hear. */
import type { Page, Route } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith, openMessageMenu, send } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("who has the focus", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const ada = server.person("Ada Lovelace");
  const engines = server.channel("engines", [ada]);
  let page: Page;
  beforeAll(async () => {
    ({ page } = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` }));
    await composeBox(page).waitFor();
    await send(page, "for and while");
    await messageWith(page, "for and while").waitFor();
  });

  const holder = () => page.evaluate("document.activeElement.id || document.activeElement.ariaLabel");
  const snippets = () => page.getByRole("button", { name: "Saved snippets" });
  const menu = () => page.getByRole("dialog", { name: "Saved snippets" });

  /** Does both things in one go, before the page can draw. Returns the id of what has the focus three frames later. */
  const atOnce = (selector: string, key: string | undefined, turnTo: string) =>
    page.evaluate(
      async ([of, press, to]) => {
        const element = document.querySelector<HTMLElement>(of!)!;
        if (press) element.dispatchEvent(new KeyboardEvent("keydown", { key: press, bubbles: true, cancelable: true }));
        else element.click();
        // What the page draws for it is drawn in microtasks: a dialog that closes lets nobody else have the focus.
        for (let step = 0; step < 20; step++) await Promise.resolve();
        document.querySelector<HTMLElement>(to!)!.focus();
        for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
        await new Promise((done) => setTimeout(done));
        return document.activeElement?.id;
      },
      [selector, key, turnTo],
    );

  /** Holds the answers to requests of the page until they are let go. */
  const hold = async (url: RegExp) => {
    const held: Route[] = [];
    await page.route(url, (route) => void held.push(route));
    return {
      count: () => held.length,
      letGo: async () => {
        await Promise.all(held.map((route) => route.continue()));
        await page.unroute(url);
      },
    };
  };

  it("a menu that closes leaves the box alone that somebody has turned to", async () => {
    await composeBox(page).fill("a text to keep");
    await snippets().click();
    await menu().getByLabel("Title of the snippet").waitFor();
    expect(await atOnce(".menu input", "Escape", "#compose-text")).toBe("compose-text");
  });

  it("a menu that opens does so, too", async () => {
    await snippets().focus();
    expect(await atOnce("[aria-label='Saved snippets']", undefined, "#compose-text")).toBe("compose-text");
    // The menu lies over the middle of the box.
    await composeBox(page).click({ position: { x: 4, y: 4 } });
    await menu().waitFor({ state: "detached" });
  });

  it("a menu takes the focus when nobody has moved it, and gives it back", async () => {
    await snippets().click();
    await expect.poll(() => page.evaluate("!!document.activeElement.closest('.menu')"), waiting).toBe(true);
    await page.keyboard.press("Escape");
    expect(await holder()).toBe("Saved snippets");
  });

  it("a dialog that closes leaves the box alone that somebody has turned to", async () => {
    await page.getByRole("button", { name: "Jump to a date" }).click();
    await page.getByRole("dialog", { name: "Jump to a date" }).waitFor();
    expect(await atOnce("dialog header button", undefined, "#compose-text")).toBe("compose-text");
  });

  it("dialogs and settings give the focus back to what had it", async () => {
    await composeBox(page).focus();
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog");
    await expect.poll(() => page.evaluate("document.activeElement.className"), waiting).toBe("palette-input");
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    expect(await holder()).toBe("compose-text");
    await page.evaluate("location.hash = '#settings/display'");
    await palette.waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    expect(await holder()).toBe("compose-text");
  });

  it("people who are chosen for a direct message are written to at once", async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("x");
    await page.getByRole("textbox", { name: "Add people" }).fill("Ada");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect.poll(holder, waiting).toBe("compose-text");
    await page.goBack();
    await messageWith(page, "for and while").waitFor();
  });

  it("a source that comes late does not take the focus, and one that is waited for does", async () => {
    const source = await hold(/\/messages\/\d+\?/);
    await openMessageMenu(page, messageWith(page, "for and while"), "Edit");
    await expect.poll(source.count, waiting).toBe(1);
    await composeBox(page).focus();
    await source.letGo();
    await page.locator("#edit-text").waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    expect(await holder()).toBe("compose-text");
    await page.locator("#edit-text").press("Escape");
    await openMessageMenu(page, messageWith(page, "for and while"), "Edit");
    await expect.poll(holder, waiting).toBe("edit-text");
  });

  it("an edit that is saved late does not take the focus", async () => {
    await page.locator("#edit-text").fill("for, while and do");
    const saving = await hold(/\/messages\/\d+$/);
    await page.locator("#edit-text").press("Control+Enter");
    await expect.poll(saving.count, waiting).toBe(1);
    await page.locator("#search").focus();
    await saving.letGo();
    await page.locator("#edit-text").waitFor({ state: "detached" });
    expect(await holder()).toBe("search");
  });

  it("a file that is stored late does not take the focus", async () => {
    const storing = await hold(/\/user_uploads$/);
    await composeBox(page).focus();
    await page.locator("section.compose input[type=file]").setInputFiles({
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("notes"),
    });
    await expect.poll(storing.count, waiting).toBe(1);
    await page.locator("#search").focus();
    await storing.letGo();
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("[notes.txt]");
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
    expect(await holder()).toBe("search");
  });

  it("whoever ends the preview by its key writes on, unless they have turned to another box", async () => {
    await composeBox(page).fill("**loud**");
    const preview = page.locator("section.compose .link[aria-pressed]");
    await preview.click();
    await page.locator(".preview strong").waitFor();
    expect(await atOnce("section.compose .link[aria-pressed]", undefined, "#search")).toBe("search");
    await preview.click();
    await page.locator(".preview strong").waitFor();
    await preview.click();
    await expect.poll(holder, waiting).toBe("compose-text");
  });
});
