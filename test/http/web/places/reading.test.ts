/** What counts as read: messages in view of a window with the focus, with nothing over them. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
/** A picture of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

describe.skipIf(!browserPath)("what counts as read", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const hash = () => `#narrow/channel/${engines.id}-engines/topic/loops`;
  let page: Page;
  /** Whatever a page has told the server to be read. */
  const told: number[] = [];
  const watch = (of: Page) =>
    of.on("request", (request) => {
      if (!request.url().endsWith("/messages/flags")) return;
      told.push(...(JSON.parse(new URLSearchParams(request.postData() ?? "").get("messages")!) as number[]));
    });
  beforeAll(async () => {
    await grace.say(engines, "the first", "loops");
    ({ page } = await test.signIn(ada, { hash: hash() }));
    watch(page);
    await messageWith(page, "the first").waitFor();
    await composeBox(page).waitFor();
  });

  const isRead = async (id: number) => {
    const { message } = expectSuccess(await ada.client.get(`/messages/${id}`)) as { message: { flags: string[] } };
    return message.flags.includes("read");
  };
  /** Whether the page would report a message as read if it were closed now. */
  const wouldTell = async (of: Page, id: number) => {
    await of.evaluate(() => void dispatchEvent(new Event("pagehide")));
    return told.includes(id);
  };
  /** Says something that is drawn in the page, and holds that it is read once it can be seen, and not before. */
  const isReadAfter = async (text: string, of: Page, uncover: () => Promise<unknown>) => {
    const id = await grace.say(engines, text, "loops");
    await messageWith(of, text).waitFor({ state: "attached" });
    expect(await wouldTell(of, id)).toBe(false);
    await uncover();
    await expect.poll(() => isRead(id), waiting).toBe(true);
    await expect.poll(() => told, waiting).toContain(id);
  };
  const leave = () => page.keyboard.press("Escape");

  it("what is drawn in view, and nothing over it", async () => {
    const id = await grace.say(engines, "in view", "loops");
    await messageWith(page, "in view").waitFor();
    await expect.poll(() => wouldTell(page, id), waiting).toBe(true);
  });

  it("not under the settings", async () => {
    await page.goto("/#settings/display");
    await page.locator("dialog.settings").waitFor();
    await isReadAfter("under settings", page, leave);
  });

  it("not under a dialog, nor under two", async () => {
    await page.keyboard.press("Control+k");
    await page.locator("dialog input").waitFor();
    await isReadAfter("under a dialog", page, leave);
    await page.goto("/#organization/exports");
    await page.locator("dialog.settings").waitFor();
    await page.evaluate(() => (location.hash = "#groups"));
    await isReadAfter("under another part of the settings", page, leave);
  });

  it("not under a picture", async () => {
    const files = { file: { filename: "pixel.png", content: Buffer.from(pixel, "base64"), type: "image/png" } };
    const uploaded = expectSuccess(await grace.client.post("/user_uploads", {}, { files }));
    await grace.say(engines, `[pixel](${uploaded["url"]})`, "loops");
    await page.locator(".message_inline_image a").click();
    await page.locator("dialog.viewer").waitFor();
    await isReadAfter("under a picture", page, leave);
  });

  it("not in a window without the focus", async () => {
    // Playwright has every page believe that it has the focus.
    const browser = await page.context().newCDPSession(page);
    await browser.send("Emulation.setFocusEmulationEnabled", { enabled: false });
    const other = await page.context().newPage();
    await other.bringToFront();
    await expect.poll(() => page.evaluate("document.hasFocus()"), waiting).toBe(false);
    await isReadAfter("elsewhere", page, () => browser.send("Emulation.setFocusEmulationEnabled", { enabled: true }));
    await other.close();
  });

  it("not of a place that was left", async () => {
    await page.goto("/#settings/display");
    await page.locator("dialog.settings").waitFor();
    const id = await grace.say(engines, "of the place before", "loops");
    await messageWith(page, "of the place before").waitFor({ state: "attached" });
    await page.goto("/#inbox");
    await page.locator(".inbox-row").filter({ hasText: "loops" }).waitFor();
    expect(await wouldTell(page, id)).toBe(false);
  });

  it("not under a side of a phone", async () => {
    const phone = await test.signIn(ada, { viewport: { width: 390, height: 844 }, hasTouch: true, hash: hash() });
    watch(phone.page);
    await composeBox(phone.page).waitFor();
    await phone.page.locator(".top").getByRole("button", { name: "Menu" }).click();
    await phone.page.locator(".left.open").waitFor();
    await isReadAfter("under the side", phone.page, () => phone.page.keyboard.press("Escape"));
    await phone.page.getByRole("button", { name: "People" }).click();
    await phone.page.locator(".right").waitFor();
    await isReadAfter("under the people", phone.page, () => phone.page.keyboard.press("Escape"));
  });
});
