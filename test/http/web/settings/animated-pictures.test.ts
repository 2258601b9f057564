/** Pictures that move: under the mouse and the focus, always, or only in the viewer, as somebody chose. */
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
const still = /\/840x560\.webp$/;
const moving = /\/840x560-anim\.webp$/;

describe.skipIf(!browserPath)("animated pictures", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const topic = () => `/#narrow/channel/${engines.id}-engines/topic/loops`;
  let page: Page;
  let fetched: string[] = [];
  beforeAll(async () => {
    const flat = (background: string) => sharp({ create: { width: 300, height: 200, channels: 3, background } });
    const frames = await Promise.all(["red", "blue"].map((colour) => flat(colour).png().toBuffer()));
    const content = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    const files = { file: { filename: "flag.gif", content, type: "image/gif" } };
    const { url } = expectSuccess(await grace.client.post("/user_uploads", {}, { files }));
    await grace.say(engines, `look [flag](${url})`, "loops");
    ({ page } = await test.signIn(ada));
    page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  });

  const picture = (): Locator => messageWith(page, "look").locator(".message_inline_image img");
  const source = () => picture().getAttribute("src");
  const isDrawn = () => picture().evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0);
  const away = () => page.mouse.move(2, 2);
  /** Opens the conversation in a page that is loaded anew. */
  const open = async () => {
    await page.goto("about:blank");
    fetched = [];
    await page.goto(topic());
    await away();
    await picture().waitFor();
    await expect.poll(isDrawn, waiting).toBe(true);
  };
  const choose = async (label: string, animation: string) => {
    await page.goto("/#settings/display");
    await page.getByLabel("Animated pictures move").selectOption({ label });
    const present = async () =>
      (await ada.client.register({ fetch_event_types: ["user_settings"] })).user_settings?.[
        "web_animate_image_previews"
      ];
    await expect.poll(present, waiting).toBe(animation);
  };

  it("stand still, and move under the mouse and with the focus", async () => {
    await open();
    expect(await source()).toMatch(still);
    expect(fetched.filter((path) => moving.test(path))).toEqual([]);
    const link = messageWith(page, "look").locator(".message_inline_image a");
    await link.hover();
    await expect.poll(source, waiting).toMatch(moving);
    await expect.poll(isDrawn, waiting).toBe(true);
    await away();
    await expect.poll(source, waiting).toMatch(still);
    await link.focus();
    await expect.poll(source, waiting).toMatch(moving);
  });

  it("move always, also those that are shown already", async () => {
    await open();
    await choose("Always", "always");
    await expect.poll(source, waiting).toMatch(moving);
    await open();
    expect(await source()).toMatch(moving);
    expect(fetched.filter((path) => still.test(path))).toEqual([]);
  });

  it("move only when they are opened", async () => {
    await choose("Only when opened", "never");
    await open();
    await picture().hover();
    expect(await source()).toMatch(still);
    expect(fetched.filter((path) => moving.test(path))).toEqual([]);
    await picture().click();
    await expect
      .poll(() => page.locator("dialog.viewer img").getAttribute("src"), waiting)
      .toMatch(/\/user_uploads\/.*\/flag\.gif$/);
    await page.keyboard.press("Escape");
    await page.locator("dialog.viewer").waitFor({ state: "detached" });
    expect(await source()).toMatch(still);
  });
});
