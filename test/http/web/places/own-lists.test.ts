/** Drafts and scheduled messages: changed, sent and deleted where they are listed. Tables of conversations. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

interface Draft {
  content: string;
}
interface Scheduled {
  content: string;
  scheduled_delivery_timestamp: number;
}

describe.skipIf(!browserPath)("lists of one's own", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const boilers = server.channel("boilers", [ada, grace]);
  let page: Page;
  beforeAll(async () => {
    ({ page } = await test.signIn(ada, { hash: "#drafts" }));
  });

  const item = (text: string) => page.locator(".own-list li", { hasText: text });
  const press = (of: Locator, name: string) => of.getByRole("button", { name, exact: true }).click();
  const edited = () => page.locator("#own-text");
  const addDraft = async (content: string, topic: string) => {
    const draft = { type: "stream", to: [engines.id], topic, content, timestamp: 1_700_000_000 };
    expectSuccess(await ada.client.post("/drafts", { drafts: [draft] }));
    await item(content).waitFor();
  };
  const drafts = async () =>
    (expectSuccess(await ada.client.get("/drafts"))["drafts"] as Draft[]).map(({ content }) => content);
  const scheduled = async () =>
    expectSuccess(await ada.client.get("/scheduled_messages"))["scheduled_messages"] as Scheduled[];

  it("a draft is edited where it is listed, and so in its conversation", async () => {
    await addDraft("half a thought", "edited");
    await press(item("half a thought"), "Edit");
    await edited().fill("a whole thought");
    expect(await violations(page)).toEqual([]);
    await edited().press("Control+Enter");
    await item("a whole thought").getByRole("button", { name: "Edit" }).waitFor();
    await expect.poll(drafts, waiting).toContain("a whole thought");
    await press(item("a whole thought"), "Continue");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("a whole thought");
    await page.goto("/#drafts");
    await press(item("a whole thought"), "Edit");
    await edited().fill("changed my mind");
    await edited().press("Escape");
    await item("a whole thought").getByRole("button", { name: "Edit" }).waitFor();
    await press(item("a whole thought"), "Delete");
    await item("a whole thought").waitFor({ state: "detached" });
    await expect.poll(drafts, waiting).toEqual([]);
  });

  it("a draft is sent at once, and is a draft no more", async () => {
    await addDraft("off it goes", "sent");
    await press(item("off it goes"), "Send now");
    await item("off it goes").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Show", exact: true }).click();
    await messageWith(page, "off it goes").waitFor();
    await expect.poll(drafts, waiting).toEqual([]);
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe("");
  });

  it("keys go through drafts: Enter goes on with one, Backspace deletes one", async () => {
    await page.goto("/#drafts");
    await addDraft("by keys, deleted", "first");
    await addDraft("by keys, kept", "second");
    const focused = () => page.evaluate("document.activeElement.closest('li')?.querySelector('p').innerText");
    await page.locator(".own-list").getByRole("button", { name: "Continue" }).first().focus();
    const first = await focused();
    await page.keyboard.press("j");
    await expect.poll(focused, waiting).not.toBe(first);
    await page.keyboard.press("k");
    await expect.poll(focused, waiting).toBe(first);
    await page.keyboard.press("Backspace");
    await item(String(first)).waitFor({ state: "detached" });
    const [left] = await drafts();
    await expect.poll(focused, waiting).toBe(left);
    await page.keyboard.press("Enter");
    await expect.poll(() => composeBox(page).inputValue(), waiting).toBe(left);
    await composeBox(page).fill("");
    await expect.poll(drafts, waiting).toEqual([]);
  });

  it("a draft is scheduled, and what is scheduled is edited, moved in time, sent and deleted", async () => {
    await page.goto("/#drafts");
    await addDraft("not yet", "later");
    await press(item("not yet"), "Send later");
    await page.getByRole("button", { name: /Monday morning/ }).click();
    await item("not yet").waitFor({ state: "detached" });
    await page.goto("/#scheduled");
    await press(item("not yet"), "Edit");
    await edited().fill("not yet, but **soon**");
    await edited().press("Control+Enter");
    await item("not yet, but").locator("strong").waitFor();
    const before = (await scheduled())[0]!;
    expect(before.content).toBe("not yet, but **soon**");
    await press(item("soon"), "Reschedule");
    await page
      .getByRole("dialog", { name: "Reschedule" })
      .getByRole("button", { name: /Tomorrow morning/ })
      .click();
    const isMoved = async () =>
      (await scheduled())[0]?.scheduled_delivery_timestamp !== before.scheduled_delivery_timestamp;
    // On a Sunday tomorrow is Monday.
    if (new Date().getUTCDay() !== 0) await expect.poll(isMoved, waiting).toBe(true);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await press(item("soon"), "Send now");
    await item("soon").waitFor({ state: "detached" });
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/later`);
    await messageWith(page, "not yet, but soon").waitFor();
    await expect.poll(scheduled, waiting).toEqual([]);
    const later = Math.floor(Date.now() / 1000) + 86_400;
    const params = {
      type: "channel",
      to: engines.id,
      topic: "t",
      content: "never",
      scheduled_delivery_timestamp: later,
    };
    expectSuccess(await ada.client.post("/scheduled_messages", params));
    await page.goto("/#scheduled");
    await press(item("never"), "Delete");
    await page.getByText("Nothing is scheduled.").waitFor();
    await expect.poll(scheduled, waiting).toEqual([]);
  });

  describe("tables of conversations", () => {
    const rows = (kind: "inbox" | "recent") => page.locator(`.inbox-row${kind === "recent" ? ".recent-row" : ""}`);
    const names = () => page.locator(".inbox-row .label > :first-child").allInnerTexts();
    const filter = (name: string) => page.getByRole("group", { name: "Filters" }).getByRole("button", { name });
    const search = () => page.getByRole("searchbox", { name: "Filter by name" });
    beforeAll(async () => {
      await grace.say(engines, "the **cards** are in\n```spoiler box\nthe red one\n```", "cards");
      await grace.say(engines, "come and look, @**Ada Lovelace**", "gears");
      await grace.say(ada, "psst :heart:");
      await ada.say(engines, "I was here", "mine", { read_by_sender: true });
    });

    it("the inbox has last words, ages and filters, and folds its channels", async () => {
      await page.goto("/#inbox");
      const gears = rows("inbox").filter({ hasText: "gears" });
      await gears.getByText("Grace Hopper: come and look, @Ada Lovelace").waitFor();
      await gears.getByText(/^(Just now|\d+ min ago)$/).waitFor();
      await rows("inbox").filter({ hasText: "psst ❤" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await filter("Mentions").click();
      await expect.poll(names, waiting).toEqual(["gears"]);
      await filter("Direct messages").click();
      await expect.poll(names, waiting).toEqual(["Grace Hopper", "gears"]);
      await filter("Mentions").click();
      await filter("Direct messages").click();
      await search().fill("card");
      await expect.poll(names, waiting).toEqual(["cards"]);
      await search().fill("nothing like it");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await page.getByRole("button", { name: "Fold engines" }).click();
      await expect.poll(names, waiting).toEqual(["Grace Hopper"]);
      await page.reload();
      await page.getByRole("button", { name: "Unfold engines" }).press("ArrowRight");
      await expect.poll(names, waiting).toContain("gears");
    });

    it("the last words follow edits, and tell nothing that a spoiler hides", async () => {
      const cards = rows("inbox").filter({ hasText: "cards" }).locator(".last-words");
      await expect.poll(() => cards.innerText(), waiting).toMatch(/^Grace Hopper: the cards are in/);
      expect(await cards.innerText()).not.toContain("red");
      const [id] = (
        await grace.client.get("/messages", {
          anchor: "newest",
          num_before: 1,
          num_after: 0,
          narrow: [{ operator: "topic", operand: "cards" }],
        })
      ).body["messages"] as { id: number }[];
      expectSuccess(await grace.client.patch(`/messages/${id!.id}`, { content: "they are gone" }));
      await expect.poll(() => cards.innerText(), waiting).toBe("Grace Hopper: they are gone");
    });

    it("arrows and j, k move through the rows, and Enter opens one", async () => {
      await search().press("ArrowDown");
      const focused = () =>
        page.evaluate("document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText");
      await expect.poll(focused, waiting).toBe("Fold Direct messages");
      await page.keyboard.press("j");
      await expect.poll(focused, waiting).toMatch(/^Grace Hopper/);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("k");
      await expect.poll(focused, waiting).toMatch(/^Grace Hopper/);
      await page.keyboard.press("Enter");
      await messageWith(page, "psst").waitFor();
    });

    it("recent conversations: unread, participated, direct; muted ones when asked for", async () => {
      const policy = { stream_id: engines.id, topic: "gears", visibility_policy: 1 };
      expectSuccess(await ada.client.post("/user_topics", policy));
      await page.goto("/#recent");
      await expect.poll(names, waiting).toContain("mine engines");
      await expect.poll(names, waiting).not.toContain("gears engines");
      await rows("recent").filter({ hasText: "You: I was here" }).waitFor();
      expect(await violations(page)).toEqual([]);
      await filter("Show muted").click();
      await expect.poll(names, waiting).toContain("gears engines");
      await filter("Participated").click();
      await expect.poll(names, waiting).not.toContain("gears engines");
      expect(await names()).toContain("mine engines");
      await filter("Participated").click();
      await filter("Unread").click();
      await expect.poll(names, waiting).toEqual(["gears engines", "cards engines"]);
      await filter("Direct messages").click();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await search().fill("hopper");
      await expect.poll(names, waiting).toEqual(["Grace Hopper"]);
    });

    it("all topics of a channel: unread counts, last words, filters and an order", async () => {
      await grace.say(boilers, "long done", "✔ old");
      for (const number of [1, 2, 3, 4, 5, 6, 7, 8]) await grace.say(boilers, "pressure", `valve ${number}`);
      await grace.say(boilers, "more **pressure**", "valve 4");
      const follow = { stream_id: boilers.id, topic: "valve 2", visibility_policy: 3 };
      expectSuccess(await ada.client.post("/user_topics", follow));
      await page.goto(`/#narrow/channel/${boilers.id}-boilers/topic/valve.201`);
      await messageWith(page, "pressure").waitFor();
      await page.locator(".left").getByRole("link", { name: "All topics" }).click();
      const newestFirst = [4, 8, 7, 6, 5, 3, 2, 1].map((number) => `valve ${number}`);
      await expect.poll(names, waiting).toEqual([...newestFirst, "old"]);
      await page.locator(".top", { hasText: "boilers" }).getByText("All topics").waitFor();
      const fourth = rows("recent").filter({ hasText: "valve 4" });
      await fourth.getByText("Grace Hopper: more pressure").waitFor();
      await fourth.getByText(/^(Just now|\d+ min ago)$/).waitFor();
      expect(await fourth.locator(".unread").innerText()).toBe("2");
      expect(await violations(page)).toEqual([]);
      await filter("Unread").click();
      await expect.poll(names, waiting).not.toContain("valve 1");
      await filter("Followed").click();
      await expect.poll(names, waiting).toEqual(["valve 2"]);
      await filter("Followed").click();
      await filter("Unread").click();
      await filter("Unresolved").click();
      await expect.poll(names, waiting).toEqual(newestFirst);
      await page.getByLabel("Order").selectOption({ label: "By name" });
      await expect.poll(names, waiting).toEqual([...newestFirst].sort());
      await page.getByLabel("Order").selectOption({ label: "Most unread first" });
      await expect.poll(async () => (await names())[0], waiting).toBe("valve 4");
      await search().fill("e 7");
      await expect.poll(names, waiting).toEqual(["valve 7"]);
      await fourth.waitFor({ state: "detached" });
      await search().fill("nothing like that");
      await page.getByRole("button", { name: "Clear filters" }).click();
      await expect.poll(names, waiting).toEqual([...newestFirst, "old"]);
    });

    it("all topics of a channel: by a key, the channel's heading and its menu", async () => {
      const isOpen = () => page.locator(".top", { hasText: "boilers" }).getByText("All topics").waitFor();
      await page.goto(`/#narrow/channel/${boilers.id}-boilers/topic/valve.203`);
      await messageWith(page, "pressure").waitFor();
      await page.keyboard.press("Y");
      await isOpen();
      await rows("recent").filter({ hasText: "valve 3" }).getByRole("button").click();
      await page.getByRole("menuitem", { name: "Mute" }).click();
      await page.locator(".recent-row.is-muted", { hasText: "valve 3" }).waitFor();
      await page.locator(".top").getByRole("link", { name: "boilers" }).click();
      await messageWith(page, "long done").waitFor();
      await page.locator(".top").getByRole("link", { name: "All topics" }).click();
      await isOpen();
      await page.goto(`/#narrow/channel/${boilers.id}-boilers`);
      await page.locator(".top").getByRole("button", { name: "Actions of the channel" }).click();
      await page.getByRole("menuitem", { name: "All topics" }).click();
      await isOpen();
    });

    it("the inbox marks as read what is muted, what is not followed, or everything", async () => {
      for (const number of [2, 3, 4]) await grace.say(boilers, "unread", `valve ${number}`);
      await grace.say(ada, "psst again");
      await page.goto("/#inbox");
      const take = async (name: string) => {
        await page.getByRole("button", { name: "Mark messages as read" }).click();
        await page.getByRole("menuitem", { name }).click();
      };
      const unread = async () => {
        const fetch_event_types = ["message", "update_message_flags"];
        return (await ada.client.register({ fetch_event_types })).unread_msgs?.streams.map(({ topic }) => topic);
      };
      await rows("inbox").filter({ hasText: "psst again" }).waitFor();
      await expect.poll(unread, waiting).toEqual(expect.arrayContaining(["valve 2", "valve 3", "valve 4"]));
      await page.getByRole("button", { name: "Mark messages as read" }).click();
      expect(await violations(page)).toEqual([]);
      await page.getByRole("menuitem", { name: "Mark muted channels and topics as read" }).click();
      await expect.poll(unread, waiting).not.toContain("valve 3");
      expect(await unread()).toEqual(expect.arrayContaining(["valve 2", "valve 4"]));
      await take("Mark topics you don’t follow as read");
      await expect.poll(unread, waiting).not.toContain("valve 4");
      expect(await unread()).toContain("valve 2");
      await rows("inbox").filter({ hasText: "psst again" }).waitFor();
      await take("Mark everything as read");
      await page.getByText("You have read everything.").waitFor();
      expect(await unread()).toEqual([]);
    });
  });
});
