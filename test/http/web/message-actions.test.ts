/** What can be done with a message, by one of two people; the other sees it. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, openMessageMenu } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("what can be done with a message", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const knots = server.channel("knots", [ada, grace]);
  let [one, other]: Visitor[] = [];
  beforeAll(async () => {
    await server.owner.setRealm({ enable_read_receipts: true });
    one = await test.signIn(ada, { permissions: ["clipboard-read", "clipboard-write"] });
    other = await test.signIn(grace);
  });

  const open = async (page: Page, topic: string) => {
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/${topic}`);
    await composeBox(page).waitFor();
  };
  const three = async (topic: string) => {
    for (const text of ["first", "second", "third"]) await ada.say(engines, `${text} of ${topic}`, topic);
  };
  const move = async (page: Page, text: string, to: { topic?: string; channel?: string; which?: string }) => {
    await openMessageMenu(page, messageWith(page, text), "Move");
    const dialog = page.getByRole("dialog", { name: "Move messages" });
    if (to.channel) await dialog.getByLabel("Channel").selectOption({ label: to.channel });
    if (to.topic) await dialog.getByRole("textbox", { name: "Topic" }).fill(to.topic);
    if (to.which) await dialog.getByLabel(to.which).check();
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const textsAt = async (page: Page, count: number): Promise<string[]> => {
    const texts = page.locator(".message:not(.pending) .content");
    await expect.poll(() => texts.count(), waiting).toBe(count);
    return (await texts.allInnerTexts()).map((text) => text.trim());
  };

  it("move a message", async () => {
    await three("a");
    for (const { page } of [one!, other!]) await open(page, "a");
    await move(one!.page, "second of a", { topic: "a single one", which: "Only this message" });
    await one!.page.waitForURL(/topic\/a\.20single\.20one/);
    await messageWith(one!.page, "second of a").waitFor();
    expect(await textsAt(other!.page, 2)).toEqual(["first of a", "third of a"]);
  });

  it("move the rest of a topic", async () => {
    await three("b");
    for (const { page } of [one!, other!]) await open(page, "b");
    await move(one!.page, "second of b", { topic: "the rest", which: "This and all later messages of the topic" });
    await one!.page.waitForURL(/topic\/the\.20rest/);
    await messageWith(one!.page, "third of b").waitFor();
    expect(await textsAt(other!.page, 1)).toEqual(["first of b"]);
  });

  it("move a whole topic to another channel", async () => {
    await three("c");
    for (const { page } of [one!, other!]) await open(page, "c");
    await move(one!.page, "second of c", { channel: "knots" });
    await one!.page.waitForURL(new RegExp(`channel/${knots.id}-knots/topic/c`));
    for (const text of ["first of c", "second of c", "third of c"]) await messageWith(one!.page, text).waitFor();
    await other!.page.getByText("No messages here yet.").waitFor();
    await other!.page.locator(".left").getByRole("link", { name: "knots" }).click();
    await messageWith(other!.page, "third of c").waitFor();
  });

  it("rename a topic in its heading, and move it from its menu; who has it open goes with it", async () => {
    await three("old name");
    const { page } = one!;
    await open(page, "old.20name");
    await messageWith(page, "third of old name").waitFor();
    const dialog = page.getByRole("dialog", { name: "Rename or move topic" });
    await page.locator(".top").getByRole("button", { name: "Rename or move topic" }).click();
    await dialog.getByRole("textbox", { name: "Topic" }).fill("new name");
    expect(await violations(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.waitForURL(new RegExp(`channel/${engines.id}-engines/topic/new\\.20name$`));
    for (const text of ["first", "second", "third"]) await messageWith(page, `${text} of old name`).waitFor();
    await open(page, "a");
    await page.locator(".left .topic", { hasText: "new name" }).hover();
    await page.getByRole("button", { name: "Actions of the topic: new name" }).click();
    await page.getByRole("menuitem", { name: "Rename or move topic" }).click();
    await dialog.getByLabel("Channel").selectOption({ label: "knots" });
    await dialog.getByLabel("Tell in the new topic").uncheck();
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".left .topic", { hasText: "new name" }).waitFor({ state: "detached" });
    expect(page.url()).toContain("/topic/a");
    await page.goto(`/#narrow/channel/${knots.id}-knots/topic/new.20name`);
    await messageWith(page, "third of old name").waitFor();
  });

  it("copy link, which opens the message in its conversation", async () => {
    await three("d");
    await open(one!.page, "d");
    await openMessageMenu(one!.page, messageWith(one!.page, "second of d"), "Copy link");
    await one!.page.getByText("The link is copied.").waitFor();
    const link = (await one!.page.evaluate("navigator.clipboard.readText()")) as string;
    expect(link).toMatch(new RegExp(`/#narrow/channel/${engines.id}-engines/topic/d/near/\\d+$`));
    await other!.page.goto(new URL(link).hash ? `/${new URL(link).hash}` : link);
    await messageWith(other!.page, "second of d").waitFor();
  });

  it("quote what is selected of a message, within the marks around it", async () => {
    const { page } = one!;
    await ada.say(engines, "Take the **red rope** and the [list](https://example.com/l).\n\nLeave the rest.", "e");
    await open(page, "e");
    const message = messageWith(page, "red rope");
    const quoteFrom = async (from: string, to: string) => {
      await message.locator(".content").evaluate(
        (content, [first, last]) => {
          const [start, end] = [content.querySelector(first!)!.firstChild!, content.querySelector(last!)!.firstChild!];
          getSelection()!.setBaseAndExtent(start, 0, end, end.textContent!.length);
        },
        [from, to],
      );
      await openMessageMenu(page, message, "Quote");
    };
    const box = composeBox(page);
    const head = new RegExp(`^@_\\*\\*Ada Lovelace\\|${ada.id}\\*\\* \\[said\\]\\(http\\S+/near/\\d+\\):\n`);
    await quoteFrom("strong", "a");
    await expect.poll(() => box.inputValue(), waiting).toMatch(head);
    expect((await box.inputValue()).replace(head, "")).toBe(
      "```quote\n**red rope** and the [list](https://example.com/l)\n```\n",
    );
    await box.fill("");
    await quoteFrom("strong", "strong");
    await expect.poll(() => box.inputValue(), waiting).toContain("```quote\n**red rope**\n```");
    await box.fill("");
    await page.evaluate("getSelection().removeAllRanges()");
    await openMessageMenu(page, message, "Quote");
    await expect.poll(() => box.inputValue(), waiting).toContain("Leave the rest.\n```");
    await box.fill("");
  });

  it("forward a message to another topic, and to people", async () => {
    const { page } = one!;
    await open(page, "e");
    await composeBox(page).fill("meant for e");
    await openMessageMenu(page, messageWith(page, "red rope"), "Forward");
    const channel = page.getByLabel("Channel", { exact: true });
    await expect.poll(() => channel.evaluate((box) => box === document.activeElement), waiting).toBe(true);
    await expect
      .poll(() => composeBox(page).inputValue(), waiting)
      .toMatch(/^@_\*\*Ada.*\/near\/\d+\):\n```quote\nTake/);
    expect(await violations(page)).toEqual([]);
    await channel.selectOption({ label: "knots" });
    await page.locator("#compose-topic").fill("ropes");
    await composeBox(page).press("Control+Enter");
    await page.waitForURL(/-knots\/topic\/ropes/);
    await messageWith(page, "red rope").locator("blockquote").waitFor();
    await messageWith(page, "red rope").getByRole("link", { name: "said" }).click();
    await page.waitForURL(/topic\/e\/near\/\d+$/);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("meant for e");
    await composeBox(page).fill("");
    await page.keyboard.press("Escape");
    await page.keyboard.press("<");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("```quote\nTake");
    await channel.selectOption({ label: "New direct message" });
    await page.getByRole("textbox", { name: "Add people" }).fill("Grace");
    await page.getByRole("textbox", { name: "Add people" }).press("Enter");
    await composeBox(page).press("Control+Enter");
    await page.waitForURL(/narrow\/dm\//);
    await messageWith(page, "red rope").locator("blockquote").waitFor();
  });

  it("read receipts", async () => {
    for (const { page } of [one!, other!]) await open(page, "d");
    await messageWith(other!.page, "third of d").waitFor();
    await other!.page.bringToFront();
    await expect
      .poll(async () => {
        const id = Number(await messageWith(one!.page, "third of d").getAttribute("data-message-id"));
        return expectSuccess(await ada.client.get(`/messages/${id}/read_receipts`))["user_ids"];
      }, waiting)
      .toEqual([grace.id]);
    await openMessageMenu(one!.page, messageWith(one!.page, "third of d"), "Who has read it");
    const dialog = one!.page.getByRole("dialog", { name: "Who has read it" });
    await dialog.getByText("Read by 1 person").waitFor();
    await dialog.getByText("Grace Hopper").waitFor();
    await one!.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("report to the moderators", async () => {
    const { page } = other!;
    await messageWith(page, "third of d").hover();
    await messageWith(page, "third of d").getByRole("button", { name: "More actions" }).click();
    // There is nobody to report to yet.
    expect(await page.getByRole("menuitem", { name: "Report" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    const desk = await server.addChannel("desk", [server.owner], { invite_only: true });
    await server.owner.setRealm({ moderation_request_channel_id: desk });
    await expect
      .poll(async () => {
        await messageWith(page, "third of d").hover();
        await messageWith(page, "third of d").getByRole("button", { name: "More actions" }).click();
        const count = await page.getByRole("menuitem", { name: "Report" }).count();
        if (count === 0) await page.keyboard.press("Escape");
        return count;
      }, waiting)
      .toBe(1);
    await page.getByRole("menuitem", { name: "Report" }).click();
    await page.getByLabel("Reason").selectOption("other");
    await page.getByLabel("Details").fill("Too many numbers");
    await page.getByRole("dialog").getByRole("button", { name: "Report" }).click();
    await page.getByText("The moderators are told.").waitFor();
    const boss = await test.signIn(server.owner, { hash: `#narrow/channel/${desk}-desk` });
    await messageWith(boss.page, "Too many numbers").waitFor();
    await boss.close();
  });

  it("mark unread from here", async () => {
    const { page } = other!;
    await openMessageMenu(page, messageWith(page, "second of d"), "Mark unread from here");
    const line = page.locator(".left .topic", { hasText: /^d/ });
    await line.getByRole("img", { name: "2 unread messages" }).waitFor();
    // It stays so while one looks at it.
    await page.mouse.move(300, 300);
    await page.reload();
    await page.locator(".unread-line").waitFor();
  });

  it("collapse, and show the whole message", async () => {
    const { page } = one!;
    const message = page.locator(".message:not(.pending)").nth(1);
    await openMessageMenu(page, messageWith(page, "second of d"), "Collapse");
    await message.getByRole("button", { name: "Show the whole message" }).click();
    await messageWith(page, "second of d").waitFor();
  });

  it("follow, mute and resolve a topic, and delete it", async () => {
    const { page } = one!;
    const topicMenu = async (on: Page, name: string) => {
      await on.getByRole("button", { name: "Actions of the topic" }).first().click();
      await on.getByRole("menuitem", { name, exact: true }).click();
    };
    const marked = page.locator(".message .edited");
    const before = await marked.count();
    await topicMenu(page, "Mark as resolved");
    await page.locator(".top .resolved").waitFor();
    // To resolve is no move of the messages, neither as it happens nor as they are fetched.
    await page.reload();
    await messageWith(page, "second of d").waitFor();
    expect(await marked.count()).toBe(before);
    await topicMenu(page, "Mark as unresolved");
    await page.locator(".top .resolved").waitFor({ state: "detached" });
    expect(await marked.count()).toBe(before);
    await page.getByRole("button", { name: "Actions of the topic" }).first().click();
    expect(await page.getByRole("menuitem", { name: "Delete topic" }).count()).toBe(0);
    await page.keyboard.press("Escape");
    const boss = await test.signIn(server.owner, { hash: `#narrow/channel/${engines.id}-engines/topic/d` });
    await messageWith(boss.page, "second of d").waitFor();
    await topicMenu(boss.page, "Delete topic");
    await boss.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("No messages here yet.").waitFor();
    await boss.close();
  });

  describe("edit a message as one is written:", () => {
    const box = (page: Page) => page.getByLabel("Edit message");
    const edit = async (text: string, topic: string) => {
      await ada.say(engines, text, topic);
      await open(one!.page, topic);
      await openMessageMenu(one!.page, messageWith(one!.page, text), "Edit");
      await box(one!.page).waitFor();
      return one!.page.locator(".message-editor");
    };

    it("with completion, tools that undo takes back, and a preview", async () => {
      const { page } = one!;
      const editor = await edit("look", "edited one");
      await box(page).press("End");
      await box(page).pressSequentially(" @gra");
      await page.getByRole("option", { name: /Grace Hopper/ }).click();
      await expect.poll(() => box(page).inputValue(), waiting).toBe("look @**Grace Hopper** ");
      await box(page).press("Control+a");
      await editor.getByRole("button", { name: "Bold" }).click();
      expect(await box(page).inputValue()).toBe("**look @**Grace Hopper** **");
      await box(page).press("Control+z");
      expect(await box(page).inputValue()).toBe("look @**Grace Hopper** ");
      await editor.getByRole("button", { name: "Preview" }).click();
      await editor.locator(".preview .user-mention").waitFor();
      await editor.getByRole("button", { name: "Write", exact: true }).click();
      expect(await violations(page)).toEqual([]);
      await box(page).press("Control+Enter");
      await editor.waitFor({ state: "detached" });
      await messageWith(page, "look @Grace Hopper").getByRole("button", { name: "edited" }).waitFor();
      // What is being written below is another text.
      expect(await composeBox(page).inputValue()).toBe("");
    });

    it("with files that are pasted", async () => {
      const { page } = one!;
      const editor = await edit("a file follows", "edited two");
      await box(page).evaluate((element) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(10)], "notes.txt", { type: "text/plain" }));
        element.dispatchEvent(new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data }));
      });
      await expect.poll(() => box(page).inputValue(), waiting).toMatch(/follows\n\[notes.txt\]\(\/user_uploads\//);
      await editor.getByRole("button", { name: "Save", exact: true }).click();
      await messageWith(page, "a file follows").getByRole("link", { name: "notes.txt" }).waitFor();
    });

    it("which goes on where it was when the message has been out of view, and ends by Esc", async () => {
      const { page } = one!;
      await edit("far above", "edited three");
      await box(page).fill("far above, and more");
      for (let at = 0; at < 60; at++) await grace.say(engines, `line ${at}`, "edited three");
      await messageWith(page, "line 59").waitFor();
      await expect.poll(() => box(page).count(), waiting).toBe(0);
      await page.locator(".virtual-list").focus();
      await page.keyboard.press("Home");
      await box(page).waitFor();
      expect(await box(page).inputValue()).toBe("far above, and more");
      await box(page).press("Escape");
      await box(page).waitFor({ state: "detached" });
      await openMessageMenu(page, messageWith(page, "far above"), "Edit");
      expect(await box(page).inputValue()).toBe("far above");
      await box(page).press("Escape");
    });
  });
});
