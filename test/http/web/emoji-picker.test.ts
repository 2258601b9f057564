/** Choosing an emoji, and how an organization's own are drawn. */
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("emoji", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let member: Visitor;
  beforeAll(async () => {
    // Wide, as logos are.
    const logo = await sharp({ create: { width: 120, height: 12, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const files = { file: { filename: "logo.png", content: new Uint8Array(logo) } };
    expectSuccess(await server.owner.client.post("/realm/emoji/our_logo", {}, { files }));
    member = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
    await composeBox(member.page).waitFor();
  });

  const picker = (page: Page) => page.getByRole("dialog", { name: "Emoji" });
  const pick = async (page: Page, name: string) => {
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    await picker(page).getByRole("button", { name, exact: true }).first().click();
    await picker(page).waitFor({ state: "detached" });
  };

  it("by group, in the order of Unicode, with the organization's own", async () => {
    const { page } = member;
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    const titles = async () => (await picker(page).getByRole("heading").allInnerTexts()).slice(0, 3);
    await expect.poll(titles, waiting).toEqual(["Frequently used", "Custom", "Smileys & emotion"]);
    await picker(page).getByRole("button", { name: "grinning", exact: true }).waitFor();
    await picker(page).getByRole("button", { name: "our_logo", exact: true }).locator("img").waitFor();
    await picker(page).getByRole("button", { name: "Food & drink", exact: true }).click();
    await picker(page).getByRole("button", { name: "grapes", exact: true }).waitFor();
    // Of very many only those in view are there.
    await expect.poll(() => picker(page).getByRole("button").count(), waiting).toBeLessThan(250);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
  });

  it("what Enter chose before the emoji had come is chosen when they are there", async () => {
    const { page } = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    await page.route("**/emoji-data.json", (route) => arrived.then(() => route.continue()));
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    await picker(page).getByRole("searchbox").fill("our");
    await page.keyboard.press("Enter");
    // The organization's own is there already, and is not what comes first.
    await picker(page).getByRole("button", { name: "our_logo", exact: true }).waitFor();
    await picker(page).getByRole("searchbox").fill("hourglass");
    await page.keyboard.press("Enter");
    await picker(page).getByText("Loading").waitFor();
    arrive();
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe(":hourglass: ");
    await page.context().close();
  });

  it("what was chosen comes first the next time", async () => {
    const { page } = member;
    await composeBox(page).fill("");
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    await picker(page).getByRole("searchbox").fill("pineapple");
    await picker(page).locator("[data-at='0'][aria-label='pineapple']").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe(":pineapple: ");
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    await picker(page).getByRole("heading", { name: "Frequently used" }).waitFor();
    await picker(page).locator("[data-at='0'][aria-label='pineapple']").waitFor();
    await page.keyboard.press("Escape");
  });

  it("by the arrows alone", async () => {
    const { page } = member;
    const focused = () => page.evaluate("document.activeElement.dataset.at ?? document.activeElement.type");
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    await picker(page).getByRole("heading").first().waitFor();
    for (const [key, at] of [
      ["ArrowDown", "0"],
      ["ArrowRight", "1"],
      ["ArrowDown", "16"],
      ["ArrowDown", "24"],
      ["ArrowUp", "16"],
      ["ArrowUp", "8"],
      ["ArrowUp", "0"],
      ["ArrowUp", "search"],
    ] as const) {
      await page.keyboard.press(key);
      await expect.poll(focused, waiting).toBe(at);
    }
    await page.keyboard.press("Escape");
  });

  it("with a tone of skin in what is written, which stays chosen; reactions have none", async () => {
    const { page } = member;
    await composeBox(page).fill("");
    await page.locator(".compose").getByRole("button", { name: "Emoji", exact: true }).click();
    await picker(page).getByRole("radio", { name: "Medium", exact: true }).check({ force: true });
    await picker(page).getByRole("button", { name: "+1", exact: true }).first().click();
    await pick(page, "our_logo");
    await composeBox(page).press("End");
    await composeBox(page).pressSequentially("toned");
    await pick(page, "+1");
    const wanted = /^\u{1f44d}\u{1f3fd} :our_logo: toned\u{1f44d}\u{1f3fd} $/u;
    await expect.poll(() => composeBox(page).inputValue(), waiting).toMatch(wanted);
    await composeBox(page).press("Control+Enter");
    const message = messageWith(page, "toned");
    await message.locator("img.emoji[alt=':our_logo:']").waitFor();
    await message.hover();
    await message.getByRole("button", { name: "Add a reaction" }).first().click();
    await picker(page).getByRole("heading").first().waitFor();
    expect(await picker(page).getByRole("radio").count()).toBe(0);
    expect(await picker(page).getByRole("button", { name: "+1", exact: true }).first().innerText()).toBe("\u{1f44d}");
    await page.keyboard.press("Escape");
  });

  it("an organization's own is a picture in a reaction, in a status and in settings, as wide as it is high", async () => {
    const { page } = member;
    await send(page, "a message to react to");
    const message = messageWith(page, "a message to react to");
    const id = Number(await message.getAttribute("data-message-id"));
    for (const emoji_name of ["our_logo", "zulip"])
      expectSuccess(await grace.client.post(`/messages/${id}/reactions`, { emoji_name }));
    await expect.poll(() => message.locator(".reaction img").count(), waiting).toBe(2);
    expectSuccess(await grace.client.post("/users/me/status", { status_text: "here", emoji_name: "our_logo" }));
    await page.locator(".right .person-row", { hasText: "Grace" }).locator(".status-emoji img").waitFor();
    await page.goto("/#organization/emoji");
    const box = await page.locator(".setting-rows img").boundingBox();
    expect([box!.width, box!.height]).toEqual([24, 24]);
    await page.keyboard.press("Escape");
  });
});
