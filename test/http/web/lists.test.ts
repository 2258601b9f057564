/** The list of messages, and searching. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
const daySecs = 86_400;

describe.skipIf(!browserPath)("the list of messages", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let member: Visitor;
  let firstLine: number;
  beforeAll(async () => {
    const { sql } = server.database;
    const noon = Date.UTC(2026, 0, 1, 12) / 1000;
    for (const [day, person] of [grace, grace, ada, grace].entries())
      for (const at of [0, 1]) {
        const id = await person.say(engines, `day ${day}, message ${at}`, "diary");
        await sql`update messages set sent_at = ${noon + day * daySecs + at * 60} where id = ${id}`;
      }
    for (let at = 0; at < 120; at++) {
      const id = await grace.say(engines, `line ${at}`, "long", { read_by_sender: true });
      if (at === 0) firstLine = id;
    }
    member = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/diary` });
    await composeBox(member.page).waitFor();
  });

  it("date lines, an unread line and sender groups", async () => {
    const { page } = member;
    await messageWith(page, "day 3, message 1").waitFor();
    await expect.poll(() => page.locator(".date-line").count(), waiting).toBe(4);
    expect(await page.locator(".date-line").allInnerTexts()).toContainEqual(expect.stringContaining("1 January"));
    // One name for the two of a day.
    await expect.poll(() => page.locator(".message .sender").count(), waiting).toBe(4);
    await page.locator(".unread-line").waitFor();
  });

  it("jump to a date", async () => {
    const { page } = member;
    const jump = async (day: string) => {
      await page.getByRole("button", { name: "Jump to a date" }).click();
      await page.getByRole("dialog").getByLabel("Jump to a date").fill(day);
      await page.getByRole("dialog").getByRole("button", { name: "Go" }).click();
    };
    await page.goto("/#feed");
    await page.locator(".message").first().waitFor();
    await jump("2026-01-02");
    await messageWith(page, "day 1, message 0").waitFor();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await jump("2100-01-01");
    await page.getByText("There is nothing after that day.").waitFor();
  });

  it("jump to newest, and to the oldest by its key", async () => {
    const { page } = member;
    const rest = page.waitForResponse((answer) => /num_after=100/.test(answer.url()), waiting);
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/long/near/${firstLine}`);
    await messageWith(page, "line 0").first().waitFor();
    // What is fetched further down is not new.
    await rest;
    await page.getByRole("button", { name: "Jump to newest" }).click();
    await messageWith(page, "line 119").waitFor();
    await page.locator(".virtual-list").focus();
    await page.keyboard.press("Home");
    await page.getByText("This is where the conversation begins.").waitFor();
    await messageWith(page, "line 0").first().waitFor();
  });

  it("stays at the end when a row grows there and a scroll is told before that is measured", async () => {
    const { page } = member;
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/long`);
    await page.getByRole("button", { name: "Jump to newest" }).click();
    await messageWith(page, "line 119").waitFor();
    const list = page.locator(".virtual-list");
    const beyond = () => list.evaluate((at) => Math.round(at.scrollHeight - at.scrollTop - at.clientHeight));
    await expect.poll(beyond, waiting).toBeLessThanOrEqual(4);
    await messageWith(page, "line 119").evaluate((row) => {
      row.style.minHeight = "400px";
      row.closest(".virtual-list")!.dispatchEvent(new Event("scroll"));
    });
    await expect.poll(beyond, waiting).toBeLessThanOrEqual(4);
    // The page has seen that the end was left, before anything new is there.
    const scrollUp = () =>
      list.evaluate(async (at) => {
        const scrolled = new Promise((resolve) => at.addEventListener("scroll", resolve, { once: true }));
        at.scrollBy(0, -200);
        await scrolled;
      });
    await expect.poll(() => scrollUp().then(beyond), waiting).toBeGreaterThan(100);
    await grace.say(engines, "after the long one", "long");
    await page.getByRole("button", { name: "1 new message" }).waitFor();
    await page.getByRole("button", { name: "1 new message" }).click();
    await messageWith(page, "after the long one").waitFor();
  });

  it("keeps what was drawn of a list that is left, and shows what happened in it meanwhile", async () => {
    const { page } = member;
    const said = (text: string) => grace.say(engines, text, "left");
    const [edited, deleted] = [await said("to be edited"), await said("to be deleted")];
    await said("as it is");
    const go = (topic: string) =>
      page.evaluate((hash) => void (location.hash = hash), `narrow/channel/${engines.id}/topic/${topic}`);
    await go("left");
    await messageWith(page, "as it is").hover();
    await page.getByRole("toolbar", { name: "More actions" }).waitFor();
    const row = await messageWith(page, "as it is").elementHandle();
    await go("diary");
    await messageWith(page, "day 3, message 1").waitFor();
    await page.mouse.move(0, 0);
    expectSuccess(await grace.client.patch(`/messages/${edited}`, { content: "edited meanwhile" }));
    expectSuccess(await server.owner.client.delete(`/messages/${deleted}`));
    await said("said meanwhile");
    await page.locator(".left").getByRole("img", { name: "1 unread message" }).first().waitFor();
    await go("left");
    await messageWith(page, "said meanwhile").waitFor();
    await messageWith(page, "edited meanwhile").waitFor();
    await expect.poll(() => page.locator(".message").count(), waiting).toBe(3);
    await expect.poll(() => page.locator(".unread-line").count(), waiting).toBe(1);
    await expect.poll(() => page.getByRole("toolbar", { name: "More actions" }).count(), waiting).toBe(0);
    expect(await row!.evaluate((element) => element.isConnected)).toBe(true);
    // Of lists that were left three are kept.
    const others = { diary: "day 3, message 1", long: "line 1", one: "said in one", two: "said in two" };
    for (const topic of ["one", "two"]) await grace.say(engines, `said in ${topic}`, topic);
    for (const [topic, text] of Object.entries(others)) {
      await go(topic);
      await messageWith(page, text).first().waitFor();
    }
    await go("left");
    await messageWith(page, "said meanwhile").waitFor();
    expect(await row!.evaluate((element) => element.isConnected)).toBe(false);
  });

  it("what comes makes no list longer than it may be: the end that is farther from the view is fetched again", async () => {
    const { page } = member;
    const { page: above } = await test.signIn(ada);
    const say = async (count: number, word: string) => {
      for (let from = 0; from < count; from += 50)
        await Promise.all(Array.from({ length: 50 }, (_, at) => grace.say(engines, `${word} ${from + at}`, "much")));
    };
    await grace.say(engines, "the first of much", "much");
    await say(50, "early");
    const asksFor = (of: Page, anchor: string) =>
      of.waitForRequest((request) => request.url().includes(`anchor=${anchor}`), waiting);
    const go = (of: Page) =>
      of.evaluate((hash) => void (location.hash = hash), `narrow/channel/${engines.id}/topic/much`);
    const first = (of: Page) => messageWith(of, "the first of much");
    await go(above);
    await first(above).waitFor();
    await above.locator(".virtual-list").focus();
    await above.keyboard.press("Home");
    await expect.poll(() => above.locator(".virtual-list").evaluate((at) => at.scrollTop), waiting).toBe(0);
    await go(page);
    // It begins where nothing is read yet, which may be further down by now.
    await messageWith(page, "early").first().waitFor();
    await page.locator(".virtual-list").focus();
    await page.keyboard.press("End");
    await page.locator(".jump").waitFor({ state: "detached" });

    await say(1100, "late");
    await grace.say(engines, "the last of much", "much");
    await grace.say([ada], "that was all");
    await messageWith(page, "the last of much").waitFor();
    const counted = above.locator(".right .person-row", { hasText: "Grace Hopper" }).locator(".unread");
    await counted.waitFor();

    expect(await above.locator(".virtual-list").evaluate((at) => at.scrollTop)).toBe(0);
    await first(above).waitFor();
    const newest = asksFor(above, "newest");
    await above.locator(".jump").click();
    await newest;
    await messageWith(above, "the last of much").waitFor();
    const oldest = asksFor(page, "oldest");
    await page.locator(".virtual-list").focus();
    await page.keyboard.press("Home");
    await oldest;
    await first(page).waitFor();
  });

  it("in a feed a bar says which conversation one reads, also when its heading has left", async () => {
    const { page } = member;
    const list = page.locator(".virtual-list");
    const bar = page.locator(".read-bar");
    const at = firstLine + 60;
    await page.goto(`/#narrow/channel/${engines.id}-engines/near/${at}`);
    await messageWith(page, "line 60").first().waitFor();
    await expect.poll(() => list.locator(".conversation-bar").count(), waiting).toBe(0);
    await bar.getByRole("link", { name: "long" }).waitFor();
    await page.goto(`/#narrow/channel/${engines.id}-engines/near/${firstLine - 1}`);
    await messageWith(page, "day 3, message 1").waitFor();
    await bar.getByRole("link", { name: "diary" }).waitFor();
    // The open conversation itself is named at the top of the page.
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/long/near/${at}`);
    await messageWith(page, "line 60").first().waitFor();
    await expect.poll(() => bar.count(), waiting).toBe(0);
  });

  it("search with operators, suggestions and matches marked", async () => {
    const { page } = member;
    const box = page.getByRole("combobox", { name: "Search messages" });
    await box.click();
    await box.pressSequentially("send");
    await page.getByRole("option", { name: /sender:/ }).click();
    await box.pressSequentially("grac");
    await page.getByRole("option", { name: /Grace Hopper/ }).click();
    await box.press("Enter");
    await page.waitForURL(/narrow\/sender\//);
    await messageWith(page, "line").first().waitFor();
    await expect.poll(() => messageWith(page, "day 2").count(), waiting).toBe(0);
    await page.locator(".search-pill").getByRole("button").click();
    await box.fill('channel:engines topic:diary -sender:"Grace Hopper" message');
    await box.press("Enter");
    await messageWith(page, "day 2, message 1").locator(".highlight", { hasText: "message" }).waitFor();
    await expect.poll(() => page.locator(".message").count(), waiting).toBe(2);
    await page.getByText("There is nothing older here.").waitFor();
    await box.fill("nobody said this");
    await box.press("Enter");
    await page.getByText("No message matches this search.").waitFor();
    // What was shown before is nothing to reply to.
    await expect.poll(() => page.getByRole("button", { name: /^Reply to/ }).count(), waiting).toBe(0);
  });

  it("what a search marks is marked there alone, and not once its message is edited", async () => {
    const { page } = member;
    const found = await grace.say(engines, "the needle is here", "hay");
    await grace.say(engines, "only hay", "hay");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/hay`);
    await messageWith(page, "only hay").waitFor();
    const box = page.getByRole("combobox", { name: "Search messages" });
    await box.fill("needle");
    await box.press("Enter");
    const marks = page.locator(".message .highlight");
    await marks.filter({ hasText: "needle" }).waitFor();
    const heading = page.locator(".message-list").getByRole("link", { name: "hay", exact: true });
    for (const leave of [() => page.goBack(), () => heading.first().click()]) {
      await leave();
      await messageWith(page, "only hay").waitFor();
      await messageWith(page, "the needle is here").waitFor();
      await expect.poll(() => marks.count(), waiting).toBe(0);
      await page.evaluate("location.hash = 'narrow/search/needle'");
      await marks.filter({ hasText: "needle" }).waitFor();
    }
    expectSuccess(await grace.client.patch(`/messages/${found}`, { content: "a needle, edited" }));
    await messageWith(page, "a needle, edited").waitFor();
  });

  it("screen readers are told of new messages where one is, and the list stays theirs to read", async () => {
    const { page } = member;
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/long`);
    await composeBox(page).waitFor();
    await page.bringToFront();
    await grace.say(engines, "spoken **aloud**", "long");
    await page.locator("[aria-live=polite]", { hasText: "Grace Hopper: spoken aloud" }).waitFor({ state: "attached" });
    // Formulas as they were typed, once.
    await grace.say(engines, "$$\\frac{a}{b}<1$$ and $$x^2$$ hold\n\n```math\n\\sqrt{2}\n```", "long");
    const words = "$$\\frac{a}{b}<1$$ and $$x^2$$ hold $$\\sqrt{2}$$";
    const told = page.locator("[aria-live=polite]", { hasText: "hold" });
    await told.waitFor({ state: "attached" });
    expect((await told.innerText()).replace(/\s+/g, " ")).toBe(`Grace Hopper: ${words}`);
    await page.goto("/#recent");
    const last = page.locator(".recent-row", { hasText: "long" }).locator(".last-words");
    await last.getByText("hold").waitFor();
    expect(await last.innerText()).toBe(`Grace Hopper: ${words}`);
  });
});
