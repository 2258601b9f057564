/** Files in a message that is being written, and in one that was sent. */
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, type Visitor } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

describe.skipIf(!browserPath)("files", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let one: Visitor;
  beforeAll(async () => {
    one = await test.signIn(ada);
    await open(one.page, "files");
  });

  const open = async (page: Page, topic: string) => {
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/${topic}`);
    await composeBox(page).waitFor();
  };
  const attach = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
    page.locator(".compose input[type=file]").setInputFiles({ name, mimeType, buffer });
  const picture = (background: string) =>
    sharp({ create: { width: 300, height: 200, channels: 3, background } })
      .png()
      .toBuffer();
  const drawnWidth = (page: Page, selector: string) =>
    page
      .locator(selector)
      .evaluate((image) => (image as HTMLImageElement).complete && (image as HTMLImageElement).naturalWidth);

  it("what is attached is shown before it is sent: its picture or kind, name, size, and a way to take it out", async () => {
    const { page } = one;
    await composeBox(page).fill("see these");
    const files = page.getByRole("list", { name: "Attached files" });
    await attach(page, "plan.pdf", "application/pdf", Buffer.alloc(2_345_678, " "));
    const plan = files.getByRole("listitem").filter({ hasText: "plan.pdf" });
    await plan.getByText("PDF · 2.3 MB").waitFor();
    await plan.getByRole("button", { name: "Remove plan.pdf" }).waitFor();
    await attach(page, "red.png", "image/png", await picture("red"));
    const red = files.getByRole("listitem").filter({ hasText: "red.png" });
    await red.getByRole("button", { name: "Remove red.png" }).waitFor();
    await expect.poll(() => drawnWidth(page, ".uploads img")).toBeGreaterThan(0);
    expect(await violations(page)).toEqual([]);
    // The draft has its files again, and their sizes.
    await page.reload();
    await plan.getByText("PDF · 2.3 MB").waitFor();
    await plan.getByRole("button", { name: "Remove plan.pdf" }).press("Enter");
    await plan.waitFor({ state: "detached" });
    const text = await composeBox(page).inputValue();
    expect(text).toMatch(/^see these\n\[red.png\]\(\/user_uploads\/\S+\)$/);
    // Undo gives it back: the link is a part of the text.
    await composeBox(page).press("Control+z");
    await plan.waitFor();
    await plan.getByRole("button", { name: "Remove plan.pdf" }).click();
    await red.getByRole("button", { name: "Remove red.png" }).click();
    await files.waitFor({ state: "detached" });
    expect(await composeBox(page).inputValue()).toBe("see these");
    await composeBox(page).fill("");
  });

  it("a link to a file on a line of its own is a card with kind and size; one request asks for all of them", async () => {
    const { page } = one;
    const names = ["notes.txt", "sums.zip", "talk.odp"];
    const urls = await Promise.all(names.map((name, at) => store(name, Buffer.alloc((at + 1) * 1500, "a"))));
    await grace.say(engines, `${names.map((name, at) => `[${name}](${urls[at]})`).join("\n")}`, "cards");
    await grace.say(engines, `read [the notes](${urls[0]}) first`, "cards");
    // Nobody's link keeps the sizes of others away.
    await grace.say(engines, "[odd](/user_uploads/1/%00)\n[odder](/user_uploads/..%2F%ff)", "cards");
    const asked: string[] = [];
    page.on("request", (request) => request.url().includes("/user_uploads/") && asked.push(request.url()));
    page.on("request", (request) => request.url().includes("/attachments/") && asked.push("facts"));
    await open(page, "cards");
    for (const [at, size] of ["1.5 kB", "3 kB", "4.5 kB"].entries())
      await page.getByRole("link", { name: `${names[at]} ${names[at]!.slice(-3).toUpperCase()} · ${size}` }).waitFor();
    const inText = page.getByRole("link", { name: "the notes", exact: true });
    expect(await inText.evaluate((link) => link.classList.contains("file-card"))).toBe(false);
    expect(asked).toEqual(["facts"]);
    expect(await violations(page)).toEqual([]);
  });

  it("several pictures of a message are a grid, whose first ones are shown; the viewer goes through all", async () => {
    const { page } = one;
    const colours = ["red", "blue", "lime", "teal", "gold", "pink", "gray", "navy"];
    const urls = await Promise.all(colours.map(async (name) => store(`${name}.png`, await picture(name))));
    await grace.say(engines, `look\n${colours.map((name, at) => `[${name}.png](${urls[at]})`).join("\n")}`, "grid");
    await grace.say(engines, `[my red](${urls[0]})`, "grid");
    await open(page, "grid");
    const grid = page.locator(".gallery");
    await expect.poll(() => grid.locator("img:visible").count()).toBe(6);
    const boxes = await grid
      .locator("a:visible")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(boxes).size).toBe(2);
    // The names are those of the pictures: no line repeats them. A name that somebody wrote stays.
    expect((await messageWith(page, "look").locator("p").innerText()).trim()).toBe("look");
    await messageWith(page, "my red").locator("p a").waitFor();
    expect(await violations(page)).toEqual([]);
    const last = grid.getByRole("link", { name: "pink.png" });
    expect(await last.getAttribute("data-more")).toBe("+2");
    await last.press("Enter");
    await page.getByRole("dialog", { name: "pink.png" }).waitFor();
    for (const name of ["gray.png", "navy.png"]) {
      await page.keyboard.press("ArrowRight");
      await page.getByRole("dialog", { name }).locator("img").waitFor();
    }
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("dialog", { name: "gray.png" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("however many files there are, a phone goes on showing the button that sends", async () => {
    const { page } = await test.signIn(ada, { viewport: { width: 390, height: 640 }, hasTouch: true, isMobile: true });
    await open(page, "many");
    await composeBox(page).fill("all of these");
    for (let each = 0; each < 6; each++) await attach(page, `plan-${each}.txt`, "text/plain", Buffer.from("a plan"));
    await page.getByRole("button", { name: "Remove plan-5.txt" }).waitFor();
    const end = await page.locator(".compose .send").evaluate((button) => button.getBoundingClientRect().bottom);
    expect(end).toBeLessThanOrEqual(640);
  });

  const store = async (filename: string, content: Buffer): Promise<string> => {
    const files = { file: { filename, content: new Uint8Array(content) } };
    return expectSuccess(await grace.client.post("/user_uploads", {}, { files }))["url"] as string;
  };
});
