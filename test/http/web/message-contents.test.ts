/** What messages say, and how it is shown. */
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { TestSites } from "../../support/server/sites.ts";
import { until } from "../../support/time/until.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("what messages say", { timeout: 180_000 }, () => {
  const test = pageTest({ PARLEY_LINK_PREVIEWS: "on", PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" });
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const sites = new TestSites();
  let member: Visitor;
  beforeAll(async () => {
    await sites.open("127.0.0.1");
    await server.owner.setRealm({ inline_url_embed_preview: true });
    member = await test.signIn(ada, { permissions: ["clipboard-read", "clipboard-write"] });
    await member.page.goto(`/#narrow/channel/${engines.id}-engines/topic/all`);
    await composeBox(member.page).waitFor();
  });
  afterAll(() => sites.close());

  const attach = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
    page.locator(".compose input[type=file]").setInputFiles({ name, mimeType, buffer });

  it("rendered Markdown", async () => {
    await grace.say(
      engines,
      "# Big\n**bold** *slanted* ~~gone~~ `code`\n> said\n\n* dot\n\n| a | b |\n|---|---|\n| 1 | 2 |",
      "all",
    );
    const message = messageWith(member.page, "bold slanted");
    for (const name of ["h1", "strong", "em", "del", "code", "blockquote", "ul li", "table td"])
      await message.locator(name).first().waitFor();
  });

  it("what is struck out has no ground of its own: that is how the edit history shows what was removed", async () => {
    const { page } = member;
    const id = await grace.say(engines, "said ~~struck~~ once", "all");
    expectSuccess(await grace.client.patch(`/messages/${id}`, { content: "said ~~struck~~ twice" }));
    const message = messageWith(page, "said struck twice");
    const groundOf = (one: Locator) => one.evaluate((element) => getComputedStyle(element).backgroundColor);
    const none = "rgba(0, 0, 0, 0)";
    expect(await groundOf(message.locator("del"))).toBe(none);
    await message.locator("button.edited").click();
    const history = page.getByRole("dialog", { name: "Edit history" });
    expect(await groundOf(history.locator("del", { hasText: "struck" }).first())).toBe(none);
    expect(await groundOf(history.locator(".highlight_text_deleted").first())).not.toBe(none);
    await page.keyboard.press("Escape");
  });

  it("another site's picture is shown and opened through this server, its film's page by a link", async () => {
    const picture = await sharp({ create: { width: 60, height: 40, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const address = sites.serve("/teal.png", (_request, response) =>
      response.setHeader("content-type", "image/png").end(picture),
    );
    const { page } = member;
    const widthOf = (shown: Locator) =>
      shown.evaluate((one) => (one as unknown as { naturalWidth: number }).naturalWidth);
    await grace.say(engines, `outside ${address}`, "all");
    const image = messageWith(page, "outside").locator(".message_inline_image img");
    await until("the picture is there", () => widthOf(image).then((width) => width === 60));
    expect(await image.getAttribute("src")).toContain("/external_content/");
    await image.click();
    const shown = page.locator("dialog.viewer img");
    await until("it is large", () => widthOf(shown).then((width) => width === 60));
    expect(await page.locator("dialog.viewer a[download]").getAttribute("href")).toBe(address);
    await page.keyboard.press("Escape");
  });

  it("code with its language, copy and playgrounds", async () => {
    const playground = {
      name: "Try it",
      pygments_language: "Python",
      url_template: "https://play.example.com/{?code}",
    };
    expectSuccess(await server.owner.client.post("/realm/playgrounds", playground));
    await grace.say(engines, "```python\nprint('a & b')\n```", "all");
    const { page } = member;
    const code = messageWith(page, "print(").locator(".codehilite");
    await code.hover();
    await code.locator(".code-tools", { hasText: "Python" }).waitFor();
    await code.getByRole("button", { name: "Copy code" }).click();
    await page.getByText("Copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("print('a & b')\n");
    const link = code.getByRole("link", { name: "Open in Try it" });
    expect(await link.getAttribute("href")).toBe("https://play.example.com/?code=print('a%20%26%20b')%0A");
    expect(await link.getAttribute("rel")).toContain("noopener");
  });

  it("files, also those with hostile names: as text, and never opened as a page of ours", async () => {
    const { page } = member;
    const name = `<img src=x onerror=alert(1)>.html`;
    await attach(page, name, "text/html", Buffer.from("<script>alert(1)</script>"));
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("/user_uploads/");
    await composeBox(page).press("Control+Enter");
    const link = page.locator(".message:not(.pending) a[href*='user_uploads']").last();
    await link.waitFor();
    expect(await page.locator(".message img[src='x']").count()).toBe(0);
    expect(await link.getAttribute("target")).toBe("_blank");
    const answer = await page.request.get((await link.getAttribute("href"))!);
    expect(answer.headers()["content-disposition"]).toContain("attachment");
    expect(answer.headers()["content-security-policy"]).toContain("sandbox");
  });

  it("images in a viewer: one after another, with a way to the file", async () => {
    const { page } = member;
    for (const [index, background] of ["red", "blue"].entries()) {
      const picture = await sharp({
        create: { width: 60 + 600 * index, height: 40 + 400 * index, channels: 3, background },
      })
        .png()
        .toBuffer();
      await attach(page, `picture${index}.png`, "image/png", picture);
      await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("/user_uploads/");
      await composeBox(page).press("Control+Enter");
      await page.locator(`.message_inline_image a[title="picture${index}.png"] img`).waitFor();
    }
    const beside = (index: number) =>
      page
        .locator(`.message_inline_image a[title="picture${index}.png"]`)
        .evaluate((frame) => frame.clientWidth - frame.querySelector("img")!.clientWidth);
    expect([await beside(0), await beside(1)]).toEqual([0, 0]);
    await page.locator('.message_inline_image a[title="picture0.png"]').click();
    await page.getByRole("dialog", { name: "picture0.png" }).locator("img").waitFor();
    await page.keyboard.press("ArrowRight");
    const viewer = page.getByRole("dialog", { name: "picture1.png" });
    await viewer.locator("img").waitFor();
    expect(await viewer.getByRole("link", { name: "Download" }).getAttribute("href")).toContain("/user_uploads/");
    await page.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
  });

  it("an image is enlarged by buttons, keys, the wheel and a double click, moved, and small again beside another", async () => {
    const { page } = member;
    await page.locator('.message_inline_image a[title="picture1.png"]').click();
    const viewer = page.getByRole("dialog", { name: "picture1.png" });
    const picture = viewer.locator("img");
    const matrix = () =>
      picture.evaluate((image) => {
        const { a, e, f } = new DOMMatrix(getComputedStyle(image).transform);
        return { scale: a, left: e, top: f };
      });
    const scale = async () => (await matrix()).scale;
    await viewer.getByRole("button", { name: "Zoom in" }).click();
    await expect.poll(scale, waiting).toBeGreaterThan(1.1);
    expect(await violations(page)).toEqual([]);
    await viewer.getByRole("button", { name: "Zoom out" }).click();
    await expect.poll(scale, waiting).toBe(1);
    await expect.poll(() => viewer.getByRole("button", { name: "Zoom out", disabled: true }).count(), waiting).toBe(1);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    await page.keyboard.press("-");
    await expect.poll(scale, waiting).toBeGreaterThan(1.1);
    await page.keyboard.press("0");
    await expect.poll(scale, waiting).toBe(1);

    const { x, y, width, height } = (await picture.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.wheel(0, -200);
    await expect.poll(scale, waiting).toBeGreaterThan(1);
    await page.keyboard.press("0");
    await expect.poll(scale, waiting).toBe(1);
    await picture.dblclick();
    await expect.poll(scale, waiting).toBe(2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 - 60, y + height / 2 - 40, { steps: 4 });
    await page.mouse.up();
    await expect.poll(matrix, waiting).toMatchObject({ left: -60, top: -40 });

    await page.keyboard.press("ArrowLeft");
    await page.getByRole("dialog", { name: "picture0.png" }).locator("img").waitFor();
    await page.keyboard.press("ArrowRight");
    await expect.poll(scale, waiting).toBe(1);
    await page.keyboard.press("Escape");
    await viewer.waitFor({ state: "detached" });
  });

  it("video is played in its place", async () => {
    const { page } = member;
    await attach(page, "moving.webm", "video/webm", Buffer.from("1a45dfa3", "hex"));
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("/user_uploads/");
    await composeBox(page).press("Control+Enter");
    const video = page.locator(".message video");
    await video.waitFor();
    expect(await video.evaluate((element) => (element as HTMLVideoElement).controls)).toBe(true);
    expect(await page.locator(".message a video").count()).toBe(0);
  });

  it("link previews where the server has them", async () => {
    const picture = await sharp({ create: { width: 80, height: 80, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    sites.serve("/picture.png", (_request, response) => response.setHeader("content-type", "image/png").end(picture));
    const address = sites.page(
      "/engine",
      `<title>x</title><meta property="og:title" content="The <b> Engine"><meta property="og:image" content="/picture.png">`,
    );
    await grace.say(engines, `read ${address}`, "all");
    const preview = messageWith(member.page, "read http").locator(".message_embed");
    await preview.getByText("The <b> Engine").waitFor({ timeout: 5 * patienceMs });
    const image = preview.locator(".message_embed_image");
    expect(await image.evaluate((element) => getComputedStyle(element).backgroundImage)).toMatch(/^url\("http/);
  });

  it("right-to-left text, within a page that is not", async () => {
    await grace.say(engines, "שלום עולם", "all");
    const content = messageWith(member.page, "שלום").locator(".content");
    await content.waitFor();
    expect(await content.evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    await composeBox(member.page).fill("مرحبا");
    expect(await composeBox(member.page).evaluate((element) => getComputedStyle(element).direction)).toBe("rtl");
    await composeBox(member.page).fill("");
  });
});
