/** Writing a message: to whom, with what help, with files, and what becomes of one that cannot go. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("writing a message", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const crowd = server.people(...Array.from({ length: 16 }, (_, at) => `Extra ${at}`));
  const engines = server.channel("engines", [ada, grace]);
  const hall = server.channel("hall", [ada, grace, ...crowd]);
  let [one, other]: Visitor[] = [];
  beforeAll(async () => {
    await ada.say(engines, "knots of rope", "knots");
    await server.owner.group("makers", { members: [grace.id], description: "Who builds it" });
    one = await test.signIn(ada);
    other = await test.signIn(grace);
    for (const { page } of [one, other]) await open(page, engines, "loops");
  });

  const open = async (page: Page, channel: typeof engines, topic: string) => {
    await page.goto(`/#narrow/channel/${channel.id}-${channel.name}/topic/${topic}`);
    await composeBox(page).waitFor();
  };
  const giveFiles = (page: Page, kind: "drop" | "paste", name: string, size: number, to = "#compose-text") =>
    page.evaluate(
      ([how, called, bytes, at]) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes as number)], called as string, { type: "text/plain" }));
        const box = document.querySelector(at as string)!;
        const shared = { bubbles: true, cancelable: true };
        box.dispatchEvent(
          how === "drop"
            ? new DragEvent("drop", { ...shared, dataTransfer: data })
            : new ClipboardEvent("paste", { ...shared, clipboardData: data }),
        );
      },
      [kind, name, size, to] as const,
    );

  it("to a channel and topic chosen here", async () => {
    const { page } = one!;
    await page.goto("/#feed");
    await page.keyboard.press("c");
    await page.getByLabel("Channel", { exact: true }).focus();
    await page.getByLabel("Channel", { exact: true }).selectOption({ label: "engines" });
    await page.locator("#compose-topic").fill("from the feed");
    await send(page, "chosen here");
    await messageWith(page, "chosen here").waitFor();
    await other!.page.locator(".left").getByRole("link", { name: "from the feed" }).click();
    await messageWith(other!.page, "chosen here").waitFor();
  });

  it("in a feed nobody is addressed before the person says whom", async () => {
    const { page } = one!;
    await open(page, engines, "loops");
    await composeBox(page).fill("meant for loops");
    await page.goto("/#feed");
    const bar = page.getByRole("group", { name: "Message" });
    await bar.getByRole("button", { name: "New topic" }).waitFor();
    expect(await composeBox(page).count()).toBe(0);
    await bar.getByRole("button", { name: /^Reply to #engines › / }).click();
    expect(await composeBox(page).inputValue()).not.toBe("meant for loops");
    await page.goto("/#inbox");
    await page.keyboard.press("c");
    await composeBox(page).waitFor();
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("");
    await open(page, engines, "loops");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("meant for loops");
    await composeBox(page).fill("");
  });

  it("and sees it at the end, from wherever it was sent", async () => {
    const { page } = one!;
    for (let at = 0; at < 40; at++) await ada.say(engines, `line ${at}`, "long");
    await open(page, engines, "long");
    await page.getByRole("button", { name: "Jump to newest" }).waitFor();
    await send(page, "my own words");
    await messageWith(page, "my own words").waitFor();
    await page.getByRole("button", { name: /Jump to newest|new message/ }).waitFor({ state: "detached" });
    const isInView = () => {
      const list = document.querySelector(".virtual-list")!;
      return list.scrollHeight - list.scrollTop - list.clientHeight <= 4;
    };
    await page.waitForFunction(isInView, undefined, waiting);
    expectSuccess(await ada.client.post("/mark_all_as_read"));
  });

  it("to a channel that one is in no longer, where no event tells of it", async () => {
    const { page } = one!;
    await ada.unsubscribe("hall");
    await open(page, hall, "echoes");
    await page.locator(".left .side-with-menu", { hasText: "hall" }).waitFor({ state: "detached" });
    for (const text of ["hello, hall", "hello **again**"]) await send(page, text);
    await messageWith(page, "hello, hall").waitFor();
    await messageWith(page, "hello again").locator("strong").waitFor();
    await expect.poll(() => page.locator(".message.pending").count(), waiting).toBe(0);
    await ada.subscribe("hall");
  });

  it("to people", async () => {
    const { page } = one!;
    await page.getByRole("button", { name: "New direct message" }).click();
    const dialog = page.getByRole("dialog", { name: "New direct message" });
    for (const name of ["Grace", "Extra 3"]) {
      await dialog.getByLabel("Add people").fill(name);
      await dialog
        .getByRole("button", { name: new RegExp(name) })
        .first()
        .click();
    }
    await dialog.getByRole("button", { name: "Go" }).click();
    await dialog.waitFor({ state: "detached" });
    await send(page, "just us three");
    await messageWith(page, "just us three").waitFor();
    await other!.page.locator(".left .side-row", { hasText: "Extra 3" }).click();
    await messageWith(other!.page, "just us three").waitFor();
  });

  describe("what is typed stays", () => {
    const topicBox = (page: Page) => page.locator("#compose-topic");
    const typed = async (page: Page) => [await topicBox(page).inputValue(), await composeBox(page).inputValue()];
    /** Comes to a channel from elsewhere, as by a click. */
    const openChannel = async (page: Page, channel: typeof engines) => {
      await page.goto("/#inbox");
      await page.locator(".list-view, .empty").first().waitFor();
      await page.goto(`/#narrow/channel/${channel.id}-${channel.name}`);
      await topicBox(page).waitFor();
    };

    it("when drafts, flags and the state come late", async () => {
      const { page } = one!;
      await openChannel(page, engines);
      await topicBox(page).fill("slow lines");
      await composeBox(page).fill("written while it loads");
      const draft = { type: "stream", to: [hall.id], topic: "elsewhere", content: "another client's", timestamp: 1 };
      expectSuccess(await ada.client.post("/drafts", { drafts: [draft] }));
      // Events come in their order: what this draft does is done when the message shows.
      await grace.say(engines, "after the draft", "order");
      await messageWith(page, "after the draft").waitFor();
      await expect.poll(() => typed(page), waiting).toEqual(["slow lines", "written while it loads"]);
      await page.goto("/#settings/profile");
      await page.locator(".setting-section").first().waitFor();
      await page.keyboard.press("Escape");
      await page.locator(".setting-section").first().waitFor({ state: "detached" });
      await expect.poll(() => typed(page), waiting).toEqual(["slow lines", "written while it loads"]);
      await composeBox(page).press("Control+Enter");
      await messageWith(page, "written while it loads").waitFor();
    });

    it("when its topic is typed after it, and its channel chosen last", async () => {
      const { page } = one!;
      await openChannel(page, engines);
      await composeBox(page).fill("first the text");
      await topicBox(page).pressSequentially("then the topic");
      await expect.poll(() => typed(page), waiting).toEqual(["then the topic", "first the text"]);
      await page.getByLabel("Channel", { exact: true }).focus();
      await page.getByLabel("Channel", { exact: true }).selectOption({ label: "hall" });
      await expect.poll(() => typed(page), waiting).toEqual(["then the topic", "first the text"]);
      // It is the draft of the topic that it goes to, and of no other.
      await open(page, hall, "then.20the.20topic");
      await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("first the text");
      await open(page, engines, "then.20the.20topic");
      await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("");
    });

    it("when it is addressed to a topic that has a draft", async () => {
      const { page } = one!;
      await open(page, engines, "has.20one");
      await composeBox(page).fill("was there before");
      await openChannel(page, engines);
      await composeBox(page).fill("comes to it");
      await topicBox(page).fill("has one");
      await expect.poll(() => typed(page), waiting).toEqual(["has one", "comes to it"]);
      await composeBox(page).press("End");
      await composeBox(page).pressSequentially("!");
      await expect.poll(() => typed(page), waiting).toEqual(["has one", "was there before\ncomes to it!"]);
      await open(page, hall, "elsewhere.20else");
      await open(page, engines, "has.20one");
      await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("was there before\ncomes to it!");
      await composeBox(page).fill("");
    });

    it("when a preview comes late", async () => {
      const { page } = one!;
      await open(page, engines, "loops");
      await composeBox(page).fill("*before*");
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      await page.route("**/messages/render", async (route) => {
        await held;
        await route.continue();
      });
      const asked = page.waitForRequest("**/messages/render");
      const answered = page.waitForResponse("**/messages/render");
      await page.getByRole("button", { name: "Preview", exact: true }).click();
      await asked;
      await composeBox(page).fill("*after*");
      answer();
      await (await answered).finished();
      await page.unroute("**/messages/render");
      await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("*after*");
      await page.getByRole("button", { name: "Preview", exact: true }).click();
      await page.locator(".preview em", { hasText: "after" }).waitFor();
      await page.getByRole("button", { name: "Write", exact: true }).click();
      await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("*after*");
      expect(await page.getByRole("button", { name: "Send", exact: true }).isEnabled()).toBe(true);
      await composeBox(page).fill("");
    });
  });

  it("in a box of the whole height, which is small again when the message has gone", async () => {
    const { page } = one!;
    await ada.say(engines, "told before", "tall");
    await open(page, engines, "tall");
    await messageWith(page, "told before").waitFor();
    const heightOf = (selector: string) =>
      page.locator(selector).evaluate((element) => element.getBoundingClientRect().height);
    await composeBox(page).fill("a long story");
    const before = await heightOf("#compose-text");
    const button = page.getByRole("button", { name: "Whole height" });
    await button.click();
    const main = await heightOf("main");
    await expect.poll(() => heightOf(".compose"), waiting).toBeGreaterThan(main * 0.85);
    expect(await heightOf("#compose-text")).toBeGreaterThan(main * 0.6);
    await expect.poll(() => composeBox(page).evaluate((box) => box === document.activeElement), waiting).toBe(true);
    await composeBox(page).press("End");
    await composeBox(page).pressSequentially(" @mak");
    await page
      .getByRole("option", { name: /makers/ })
      .first()
      .click();
    expect(await violations(page)).toEqual([]);
    await button.click();
    await expect.poll(() => heightOf("#compose-text"), waiting).toBe(before);
    await button.click();
    await page.getByRole("button", { name: "Preview" }).click();
    await expect.poll(() => heightOf(".preview"), waiting).toBeGreaterThan(main * 0.6);
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await composeBox(page).press("Control+Enter");
    await messageWith(page, "a long story").waitFor();
    await expect.poll(() => heightOf("#compose-text"), waiting).toBe(before);
    await expect.poll(() => button.getAttribute("aria-pressed"), waiting).toBe("false");
  });

  it("completion of groups, topics, slash commands and times", async () => {
    const { page } = one!;
    await open(page, engines, "loops");
    const type = async (text: string, option: RegExp) => {
      await composeBox(page).pressSequentially(text);
      await page.getByRole("option", { name: option }).first().click();
    };
    await type("@mak", /makers/);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("@*makers* ");
    await composeBox(page).fill("");
    await type("#**engines>kno", /knots/);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("#**engines>knots** ");
    await composeBox(page).fill("");
    await type("/to", /\/todo/);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("/todo ");
    await composeBox(page).fill("");
    await type("at <time", /./);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toMatch(/^at <time:\d{4}-\d\d-\d\dT\d\d:00:00Z> $/);
    await composeBox(page).press("Control+Enter");
    await other!.page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
    await other!.page.locator(".message time", { hasText: "🕑" }).waitFor();
  });

  describe("what was put in by a button, a shortcut or a completion", () => {
    const text = (page: Page) => composeBox(page).inputValue();
    beforeAll(() => open(one!.page, engines, "undone"));
    afterAll(() => open(one!.page, engines, "loops"));

    it("is undone and done again like what was typed", async () => {
      const { page } = one!;
      const box = composeBox(page);
      await box.pressSequentially("rope");
      await box.press("Control+a");
      await page.getByRole("button", { name: "Bold", exact: true }).click();
      await box.press("End");
      await box.pressSequentially(" @mak");
      await page
        .getByRole("option", { name: /makers/ })
        .first()
        .click();
      expect(await text(page)).toBe("**rope** @*makers* ");
      await box.press("Control+z");
      expect(await text(page)).toBe("**rope** @mak");
      await box.press("Control+Shift+z");
      expect(await text(page)).toBe("**rope** @*makers* ");
      const seen = new Set<string>();
      while (!seen.has(await text(page))) {
        seen.add(await text(page));
        await box.press("Control+z");
      }
      expect([...seen]).toContain("rope");
      expect(await text(page)).toBe("");
    });

    it("is taken away by the same shortcut, and by no other", async () => {
      const { page } = one!;
      const box = composeBox(page);
      await box.fill("rope");
      await box.press("Control+a");
      for (const [keys, becomes] of [
        ["Control+b", "**rope**"],
        ["Control+i", "***rope***"],
        ["Control+i", "**rope**"],
        ["Control+b", "rope"],
        ["Control+i", "*rope*"],
        ["Control+b", "***rope***"],
        ["Control+b", "*rope*"],
        ["Control+i", "rope"],
      ] as const) {
        await box.press(keys);
        expect(await text(page)).toBe(becomes);
      }
      await box.fill("");
      await box.press("Control+b");
      expect(await text(page)).toBe("****");
      await box.press("Control+b");
      expect(await text(page)).toBe("");
    });
  });

  it("paste and drop of files with progress and cancel", async () => {
    const { page } = one!;
    await giveFiles(page, "paste", "pasted.txt", 10);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("[pasted.txt](/user_uploads/");
    await giveFiles(page, "drop", "dropped.txt", 10);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("[dropped.txt](/user_uploads/");
    // Wherever on the page it is let go.
    for (const [at, name] of [
      [".virtual-list", "on-messages.txt"],
      [".left", "on-the-side.txt"],
    ] as const) {
      await giveFiles(page, "drop", name, 10, at);
      await expect.poll(() => composeBox(page).inputValue(), waiting).toContain(`[${name}](/user_uploads/`);
    }
    await composeBox(page).fill("");
    // A line so slow that there is time to change one's mind.
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 100_000 };
    await session.send("Network.emulateNetworkConditions", slow);
    await giveFiles(page, "drop", "long.txt", 3_000_000);
    const line = page.locator(".uploads li", { hasText: "long.txt" });
    await line.getByRole("progressbar", { name: "long.txt" }).waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).isDisabled();
    await composeBox(page).fill("too early");
    await composeBox(page).press("Control+Enter");
    await page.getByText("Wait for the files, or cancel them.").waitFor();
    await line.getByRole("button", { name: "Cancel" }).click();
    await line.waitFor({ state: "detached" });
    await session.send("Network.emulateNetworkConditions", { ...slow, uploadThroughput: -1 });
    await session.detach();
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("too early");
    await composeBox(page).fill("");
  });

  it("a large file goes on after a reload from where it was, when it is chosen again", async () => {
    const { page } = one!;
    const size = 12_000_000;
    const choose = () =>
      page.evaluate((bytes) => {
        const data = new DataTransfer();
        const content = Uint8Array.from({ length: bytes }, (_, at) => at % 251);
        data.items.add(new File([content], "large.bin", { lastModified: 1 }));
        const options = { bubbles: true, cancelable: true, dataTransfer: data };
        document.querySelector("#compose-text")!.dispatchEvent(new DragEvent("drop", options));
      }, size);
    const session = await page.context().newCDPSession(page);
    await session.send("Network.enable");
    const line = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 };
    await session.send("Network.emulateNetworkConditions", line);
    await choose();
    await page.locator(".uploads li", { hasText: "large.bin" }).getByRole("progressbar").waitFor();
    const come = async () => {
      const rows = await server.database.sql<{ id: string; path_id: string; size: number }[]>`
        select id, path_id, size from unfinished_uploads where size = ${size}`;
      const [row] = rows;
      return row && (await server.server.app.files.parts.come({ ...row, path: `uploads/${row.path_id}` }));
    };
    await expect.poll(come, waiting).toBeGreaterThan(1_000_000);
    await page.reload();
    await composeBox(page).waitFor();
    await session.send("Network.emulateNetworkConditions", { ...line, uploadThroughput: -1 });
    const offsets: number[] = [];
    page.on("request", (request) => {
      if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
    });
    await choose();
    await expect.poll(() => composeBox(page).inputValue(), waiting).toContain("[large.bin](/user_uploads/");
    expect(Math.min(...offsets)).toBeGreaterThan(1_000_000);
    const [, url] = /\((\/user_uploads\/[^)]+)\)/.exec(await composeBox(page).inputValue())!;
    const isWhole = await page.evaluate(async (path) => {
      const bytes = new Uint8Array(await (await fetch(path)).arrayBuffer());
      return bytes.length === 12_000_000 && bytes.every((byte, at) => byte === at % 251);
    }, url!);
    expect(isWhole).toBe(true);
    expect(await page.evaluate(() => localStorage.getItem("unfinished-uploads"))).toBe("{}");
    await session.detach();
    await composeBox(page).fill("");
  });

  it("polls", async () => {
    const { page } = one!;
    await page.getByRole("button", { name: "Poll" }).click();
    await page.getByLabel("Question").fill("Tea?");
    await page.getByLabel("Options, one a line").fill("yes\nno");
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
    await messageWith(other!.page, "Tea?").getByRole("button", { name: "yes: 0 votes" }).click();
    await messageWith(page, "Tea?").getByRole("button", { name: "yes: 1 vote" }).waitFor();
    await messageWith(page, "Tea?").getByText("Grace Hopper").waitFor();
    // Its author alone may ask something else.
    expect(await messageWith(other!.page, "Tea?").getByRole("button", { name: "Change the question" }).count()).toBe(0);
    await messageWith(page, "Tea?").getByRole("button", { name: "Change the question" }).click();
    const field = page.getByRole("textbox", { name: "Change the question" });
    expect(await field.inputValue()).toBe("Tea?");
    await field.fill("Tea or coffee?");
    await field.press("Enter");
    await messageWith(other!.page, "Tea or coffee?").getByRole("button", { name: "yes: 1 vote" }).waitFor();
    await messageWith(page, "Tea or coffee?").getByRole("button", { name: "Change the question" }).waitFor();
  });

  it("a message that the server refuses says why, and can be sent again or discarded", async () => {
    const { page } = one!;
    const nobody = await server.groupNamed("role:nobody");
    const everyone = await server.groupNamed("role:everyone");
    const allow = async (group: number) =>
      expectSuccess(await server.owner.client.patch("/realm", { can_mention_many_users_group: { new: group } }));
    await allow(nobody);
    await open(page, hall, "refused");
    await composeBox(page).fill("look @**all**");
    await composeBox(page).press("Control+Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Send" }).click();
    const failed = page.locator(".message.pending.failed");
    await failed.getByText("Not sent").waitFor();
    await failed.getByRole("button", { name: "Discard" }).waitFor();
    await allow(everyone);
    await failed.getByRole("button", { name: "Send again" }).click();
    await messageWith(page, "look @all").waitFor();
    await expect.poll(() => page.locator(".message.pending").count(), waiting).toBe(0);
    // The browser says itself that a request was refused.
    expect(one!.problems.splice(0).every((line) => /status of 400/.test(line))).toBe(true);
  });

  it("warns where everybody would be notified", async () => {
    const { page } = one!;
    await open(page, hall, "all");
    await composeBox(page).fill("lunch, @**all**");
    await composeBox(page).press("Control+Enter");
    const dialog = page.getByRole("dialog", { name: "Send to everybody" });
    await dialog.getByText(/This tells all 1\d subscribers/).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    expect(await page.locator(".message").count()).toBe(0);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("lunch, @**all**");
    await composeBox(page).press("Control+Enter");
    await dialog.getByRole("button", { name: "Send" }).click();
    await messageWith(page, "lunch, @all").waitFor();
    // Few are told without a question.
    await open(page, engines, "few");
    await send(page, "both of us, @**all**");
    await messageWith(page, "both of us").waitFor();
  });

  it("who may not write in a channel is told so in the place of the box", async () => {
    const { page } = one!;
    const nobody = await server.groupNamed("role:administrators");
    await open(page, engines, "loops");
    expectSuccess(
      await server.owner.client.patch(`/streams/${engines.id}`, { can_send_message_group: { new: nobody } }),
    );
    await page.getByText("You may read this channel, but not write to it.").waitFor();
    expect(await composeBox(page).count()).toBe(0);
  });
});
