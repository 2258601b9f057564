/** Two people, each with a browser: what one does, the other sees. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";
import { browserPath, openBrowser, patienceMs, signIn, type Visitor, visit } from "../../support/web/browser.ts";
import { composeBox, messageWith, openMessageMenu, send } from "../../support/web/page.ts";

const password = "a fine password";
const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("two people in two browsers", { timeout: 180_000 }, () => {
  let server: TestServer;
  let browser: Browser;
  let [ada, grace]: Person[] = [];
  let [one, other]: Visitor[] = [];
  let engines: number;

  beforeAll(async () => {
    server = await startTestServer({}, 1);
    browser = await openBrowser();
    ada = await server.addUser("Ada Lovelace");
    grace = await server.addUser("Grace Hopper");
    engines = await server.addChannel("engines", [ada, grace]);
    one = await signIn(browser, server.url, { email: ada.email, password });
    other = await signIn(browser, server.url, { email: grace.email, password });
    await open(one.page, "loops");
    await open(other.page, "loops");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open = async (page: Page, topic: string) => {
    await page.goto(`/#narrow/channel/${engines}-engines/topic/${topic}`);
    await composeBox(page).waitFor();
  };

  it("a message is shown at once to who wrote it, and to the other as it comes, once", async () => {
    await send(one!.page, "Hello **Grace**");
    await messageWith(one!.page, "Hello Grace").waitFor();
    await messageWith(other!.page, "Hello Grace").locator("strong").waitFor();
    await send(other!.page, "Hello Ada");
    await messageWith(one!.page, "Hello Ada").waitFor();
    for (const { page } of [one!, other!]) {
      await expect.poll(() => page.locator(".message:not(.pending)").count(), waiting).toBe(2);
      await expect.poll(() => page.locator(".message.pending").count(), waiting).toBe(0);
    }
  });

  it("reactions with who, edit, edit history, star, resolve and delete", async () => {
    const mine = messageWith(one!.page, "Hello Grace");
    const theirs = messageWith(other!.page, "Hello Grace");
    await theirs.hover();
    await theirs.getByRole("button", { name: "Add a reaction" }).first().click();
    await other!.page.getByRole("searchbox", { name: "Search" }).last().fill("tada");
    await other!.page.getByRole("button", { name: "tada", exact: true }).click();
    await mine.getByRole("button", { name: "Grace Hopper reacted with :tada:" }).click();
    await theirs.getByRole("button", { name: /(You, Ada Lovelace|Ada Lovelace, You|You.*Ada)/ }).waitFor();

    await openMessageMenu(one!.page, mine, "Edit");
    await one!.page.getByLabel("Edit message").fill("Hello *dear* Grace");
    await one!.page.getByRole("button", { name: "Save", exact: true }).click();
    await messageWith(other!.page, "Hello dear Grace").locator("em").waitFor();
    await messageWith(other!.page, "Hello dear Grace").getByRole("button", { name: "edited" }).click();
    await other!.page.getByRole("dialog", { name: "Edit history" }).locator("li").nth(1).waitFor();
    await other!.page.keyboard.press("Escape");

    await openMessageMenu(other!.page, messageWith(other!.page, "Hello dear Grace"), "Star");
    await other!.page.getByRole("link", { name: /Starred messages/ }).click();
    await messageWith(other!.page, "Hello dear Grace").waitFor();
    await open(other!.page, "loops");

    await send(one!.page, "This was a mistake");
    await messageWith(other!.page, "This was a mistake").waitFor();
    await openMessageMenu(one!.page, messageWith(one!.page, "This was a mistake"), "Delete");
    await one!.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await messageWith(other!.page, "This was a mistake").waitFor({ state: "detached" });
  });

  it("typing notices, unread counts, and mark as read by what was really seen", async () => {
    await other!.page.goto("/#inbox");
    await send(one!.page, "Are you there?");
    await other!.page.locator(".inbox-row", { hasText: "loops" }).locator(".unread", { hasText: "1" }).waitFor();
    await expect.poll(() => other!.page.title(), waiting).toBe("(1) Inbox – Parley");
    await other!.page.locator(".inbox-row", { hasText: "loops" }).getByRole("link").click();
    await messageWith(other!.page, "Are you there?").waitFor();
    await expect.poll(() => other!.page.title(), waiting).toBe("#engines › loops – Parley");
    await composeBox(other!.page).pressSequentially("Ye");
    await one!.page.getByText("Grace Hopper is writing").waitFor();
    await composeBox(other!.page).fill("");
  });

  it("completion of people, channels and emoji, a toolbar, and a preview", async () => {
    const { page } = one!;
    await composeBox(page).fill("");
    await composeBox(page).pressSequentially("@Gra");
    await page.getByRole("option", { name: /Grace Hopper/ }).waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("@**Grace Hopper** ");
    await composeBox(page).pressSequentially("see #engi");
    await page.getByRole("option", { name: /engines/ }).waitFor();
    await page.keyboard.press("Enter");
    await composeBox(page).pressSequentially(":tad");
    await page.getByRole("option", { name: /:tada:/ }).click();
    await page.getByRole("button", { name: "Bold" }).click();
    await page.keyboard.type("now");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator(".preview .user-mention").waitFor();
    await page.locator(".preview strong", { hasText: "now" }).waitFor();
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await composeBox(page).press("Control+Enter");
    await messageWith(other!.page, "see #engines").locator(".mention-me").waitFor();
    await expect.poll(() => other!.page.locator(".message.mentioned").count(), waiting).toBe(1);
  });

  it("files with progress, and images in a viewer", async () => {
    const { page } = one!;
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    await page
      .locator(".compose input[type=file]")
      .setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: pixel });
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("[dot.png](/user_uploads/");
    await composeBox(page).press("Control+Enter");
    const picture = other!.page.locator(".message_inline_image a");
    await picture.click();
    await other!.page.getByRole("dialog", { name: "dot.png" }).locator("img").waitFor();
    await other!.page.keyboard.press("Escape");
    await other!.page.getByRole("dialog").waitFor({ state: "detached" });
  });

  it("drafts kept on all clients, send later, reminders", async () => {
    const { page } = one!;
    const second = await signIn(browser, server.url, { email: ada!.email, password }, { hash: "#drafts" });
    await composeBox(page).fill("a thought for later");
    await second.page.locator(".own-list li", { hasText: "a thought for later" }).waitFor();
    await page.getByRole("button", { name: "Send later" }).click();
    await page.getByRole("button", { name: /Monday morning/ }).click();
    await second.page.goto("/#scheduled");
    await second.page.locator(".own-list li", { hasText: "a thought for later" }).waitFor();
    await openMessageMenu(page, messageWith(page, "Are you there?"), "Remind me");
    await page.getByRole("dialog", { name: "Remind me" }).getByLabel("Note to yourself").fill("bring **ropes**");
    await page.getByRole("button", { name: /Tomorrow morning/ }).click();
    await second.page.getByRole("link", { name: /Reminders/ }).click();
    const reminder = second.page.locator(".own-list li", { hasText: "Are you there?" });
    await reminder.locator("strong", { hasText: "ropes" }).waitFor();
    await reminder.getByRole("button", { name: "Delete" }).click();
    await second.page.getByText("No reminders.").waitFor();
    expect(second.problems).toEqual([]);
    await second.close();
  });

  it("move a topic, resolve it, quote, mute it: live for the other", async () => {
    const { page } = one!;
    await openMessageMenu(page, messageWith(page, "Are you there?"), "Move");
    await page.getByRole("dialog").getByRole("textbox", { name: "Topic" }).fill("knots");
    await page.getByRole("dialog").getByRole("button", { name: "Move", exact: true }).click();
    await page.waitForURL(/topic\/knots/);
    await other!.page.getByRole("link", { name: "knots" }).first().click();
    await messageWith(other!.page, "Are you there?").waitFor();
    await openMessageMenu(other!.page, messageWith(other!.page, "Are you there?"), "Quote");
    await expect.poll(() => composeBox(other!.page).inputValue(), waiting).toContain("```quote\nAre you there?\n```");
    await composeBox(other!.page).press("Control+Enter");
    await page.locator(".message blockquote", { hasText: "Are you there?" }).waitFor();
    await openMessageMenu(other!.page, messageWith(other!.page, "Hello dear Grace"), "Mark as resolved");
    await other!.page.locator(".top .resolved").waitFor();
    await page.locator(".left .resolved").waitFor();
  });

  it("opens at the first unread message, and loads in both directions without jumping", async () => {
    const { client } = ada!;
    for (let index = 0; index < 160; index++)
      await client.post("/messages", {
        type: "channel",
        to: "engines",
        topic: "long",
        content: `line ${index}`,
        read_by_sender: true,
      });
    const { page } = other!;
    await open(page, "long");
    await page.locator(".unread-line").waitFor();
    await messageWith(page, "line 0").first().waitFor();
    await page.locator(".jump").click();
    await messageWith(page, "line 159").waitFor();
    await expect.poll(() => page.locator(".jump").count(), waiting).toBe(0);
    const list = page.locator(".virtual-list");
    await list.hover();
    const place = async (): Promise<number> => (await messageWith(page, "line 150").boundingBox())!.y;
    await page.mouse.wheel(0, -200);
    const before = await place();
    await send(one!.page, "elsewhere");
    expect(Math.abs((await place()) - before)).toBeLessThan(2);
  });

  it("join by an invitation link and land in the chat", async () => {
    const boss = await signIn(
      browser,
      server.url,
      { email: "owner@example.com", password: "correct horse" },
      { hash: "#invite" },
    );
    await boss.page.getByRole("button", { name: "Make a link" }).click();
    const link = await boss.page.locator(".made-link code").innerText();
    await boss.close();
    const guest = await visit(browser, server.url);
    await guest.page.goto(new URL(link).pathname);
    await guest.page.getByLabel("Name").fill("Katherine Johnson");
    await guest.page.getByLabel("Email").fill("katherine@example.com");
    await guest.page.getByLabel("Password").fill(password);
    await guest.page.getByRole("button", { name: "Join" }).click();
    await guest.page.locator(".page").waitFor();
    await guest.page.getByRole("link", { name: "general" }).first().click();
    await guest.page.locator("#compose-topic").fill("hello");
    await send(guest.page, "I am new here");
    await messageWith(guest.page, "I am new here").waitFor();
    await one!.page.locator(".right").getByRole("button", { name: "Everybody" }).click();
    await one!.page.locator(".right").getByText("Katherine Johnson").waitFor();
    expect(guest.problems).toEqual([]);
    await guest.close();
  });

  it("create a channel, subscribe to it, change its settings", async () => {
    const { page } = one!;
    await page.goto("/#channels/new");
    await page.getByLabel("Name", { exact: true }).fill("kites");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "kites" }).waitFor();
    await page.keyboard.press("Escape");
    await other!.page.goto("/#channels");
    await other!.page
      .locator(".channel-line", { hasText: "kites" })
      .getByRole("button", { name: "Subscribe", exact: true })
      .click();
    await other!.page
      .locator(".channel-line", { hasText: "kites" })
      .getByRole("button", { name: "Unsubscribe" })
      .waitFor();
    await other!.page.keyboard.press("Escape");
    await other!.page.locator(".left").getByRole("link", { name: "kites" }).waitFor();
  });

  it("nothing went wrong in either page", () => {
    expect([...one!.problems, ...other!.problems]).toEqual([]);
  });
});
