/** The left side with places, channels and topics, and the right one with people. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { drawLate } from "../../support/web/late.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("the sides", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const kites = server.channel("kites", [ada, grace]);
  let member: Visitor;
  beforeAll(async () => {
    member = await test.signIn(ada);
  });

  const row = (page: Page, name: string) => page.locator(".left .side-with-menu", { hasText: name });
  const labels = (page: Page) => page.locator(".left :is(.side-title, .side-with-menu .label)").allInnerTexts();
  const isInView = (page: Page, name: string) =>
    row(page, name)
      .first()
      .evaluate((element) => {
        const list = element.closest(".fixed-list")!.getBoundingClientRect();
        const { top, bottom } = element.getBoundingClientRect();
        return top >= list.top && bottom <= list.bottom;
      });
  const take = async (page: Page, name: string, action: string) => {
    await row(page, name).first().hover();
    await row(page, name).first().getByRole("button").click();
    await page.getByRole("menuitem", { name: action, exact: true }).click();
  };

  it("channels by folder with pinned, muted, archived, unread counts", async () => {
    const { page } = member;
    const client = server.owner.client;
    const made = expectSuccess(await client.post("/channel_folders/create", { name: "Machines", description: "" }));
    const folder_id = made["channel_folder_id"];
    expectSuccess(await client.patch(`/streams/${engines.id}`, { folder_id }));
    await page.locator(".left").getByRole("button", { name: "MACHINES" }).waitFor();
    await take(page, "kites", "Pin");
    await page.locator(".left").getByRole("button", { name: "PINNED" }).waitFor();
    const order = (await labels(page)).map((label) => label.toLowerCase());
    expect(order.indexOf("pinned")).toBe(order.indexOf("kites") - 1);
    expect(order.indexOf("machines")).toBe(order.indexOf("engines") - 1);
    await grace.say(engines, "one", "loops");
    await grace.say(engines, "two", "loops");
    await row(page, "engines").getByRole("img", { name: "2 unread messages" }).waitFor();
    await take(page, "engines", "Mute");
    await page.locator(".left .side-with-menu.is-muted", { hasText: "engines" }).locator(".unread.quiet").waitFor();
    await take(page, "engines", "Unmute");
    await row(page, "engines").getByRole("img", { name: "2 unread messages" }).waitFor();
    await take(page, "engines", "Mark as read");
    await expect.poll(() => row(page, "engines").locator(".unread").count(), waiting).toBe(0);
    // A folded folder says what is unread in it.
    await page.locator(".left").getByRole("button", { name: "MACHINES" }).click();
    await grace.say(engines, "three", "loops");
    await page.locator(".left .side-title", { hasText: "Machines" }).locator(".unread", { hasText: "1" }).waitFor();
    await page.locator(".left").getByRole("button", { name: "MACHINES" }).click();
    expectSuccess(await client.delete(`/streams/${kites.id}`));
    await page.locator(".left").getByRole("button", { name: "ARCHIVED" }).click();
    await row(page, "kites").getByRole("link").click();
    await page.getByText("This channel is archived").waitFor();
  });

  it("topics with visibility policies", async () => {
    const { page } = member;
    await page.goto(`/#narrow/channel/${engines.id}-engines`);
    await take(page, "loops", "Mute");
    await page.locator(".left .topic.is-muted", { hasText: "loops" }).waitFor();
    await take(page, "loops", "Unmute");
    await take(page, "loops", "Follow");
    await row(page, "loops").locator(".icon").first().waitFor();
    const policies = async () =>
      (await ada.client.register({ fetch_event_types: ["user_topic"] })).user_topics?.map(
        (one) => one.visibility_policy,
      );
    await expect.poll(policies, waiting).toEqual([3]);
  });

  it("direct messages with presence", async () => {
    const { page } = member;
    const other = await test.signIn(grace, { hash: "#inbox" });
    await grace.say(ada, "psst");
    const line = page.locator(".left .side-row", { hasText: "Grace Hopper" });
    await line.getByRole("img", { name: "1 unread message" }).waitFor();
    await line.getByRole("img", { name: "Active now" }).waitFor(waiting);
    await line.click();
    await messageWith(page, "psst").waitFor();
    await send(page, "yes?");
    await other.page.locator(".left .side-row", { hasText: "Ada Lovelace" }).click();
    await messageWith(other.page, "yes?").waitFor();
    await other.close();
  });

  it("inbox, recent conversations, combined feed, mentions and starred", async () => {
    const { page } = member;
    await grace.say(engines, "look at this, @**Ada Lovelace**", "mentions");
    const left = page.locator(".left");
    await left.getByRole("link", { name: /^Inbox/ }).click();
    await page.locator(".inbox-row", { hasText: "mentions" }).locator(".at").waitFor();
    await page
      .locator(".inbox-row", { hasText: "mentions" })
      .getByRole("button", { name: /Mark as read/ })
      .click();
    await page.locator(".inbox-row", { hasText: "mentions" }).waitFor({ state: "detached" });
    await left.getByRole("link", { name: "Recent conversations" }).click();
    await page.locator(".recent-row", { hasText: "mentions" }).waitFor();
    await grace.say(engines, "newest", "fresh");
    await page.locator(".recent-row", { hasText: "fresh" }).waitFor();
    await left.getByRole("link", { name: "Combined feed" }).click();
    await messageWith(page, "newest").waitFor();
    await page.locator(".conversation-bar", { hasText: "mentions" }).first().waitFor();
    await left.getByRole("link", { name: /^Mentions/ }).click();
    await messageWith(page, "look at this").locator(".mention-me").waitFor();
    await expect.poll(() => messageWith(page, "newest").count(), waiting).toBe(0);
  });

  it("people, with search", async () => {
    const { page } = member;
    const people = page.locator(".right");
    await people.getByText("Grace Hopper").waitFor();
    // Each title counts the people below it.
    const counted = () =>
      people.evaluate((side) => {
        const titles = [...side.querySelectorAll(".side-title")];
        const counts = titles.map(({ textContent }) => Number(/\d+$/.exec(textContent ?? "")?.[0]));
        const rows = side.querySelectorAll(".person-row").length;
        return rows >= 3 && !counts.includes(0) && counts.reduce((sum, count) => sum + count, 0) === rows;
      });
    await expect.poll(counted, waiting).toBe(true);
    await people.getByLabel("Find people").fill("hop");
    await expect.poll(() => people.locator(".person-row").count(), waiting).toBe(1);
    await people.getByLabel("Find people").press("Enter");
    await page.waitForURL(/narrow\/dm\//);
    await messageWith(page, "psst").waitFor();
    await people.getByLabel("Find people").fill("");
    await people.getByRole("button", { name: "Profile: Grace Hopper" }).click();
    await page.getByRole("dialog", { name: "Profile" }).getByText("Member").waitFor();
    await page.keyboard.press("Escape");
  });

  it("the people of the open channel, as they come and go, or everybody", async () => {
    const { page } = member;
    const people = page.locator(".right");
    const names = async () => (await people.locator(".person-row .name").allInnerTexts()).map((name) => name.trim());
    const id = await server.addChannel("workshop", [ada]);
    await page.goto(`/#narrow/channel/${id}-workshop`);
    await people.getByRole("button", { name: "This channel" }).waitFor();
    await expect.poll(names, waiting).toEqual(["Ada Lovelace (you)"]);
    await grace.subscribe("workshop");
    await expect.poll(names, waiting).toEqual(["Ada Lovelace (you)", "Grace Hopper"]);
    await grace.unsubscribe("workshop");
    await expect.poll(names, waiting).toEqual(["Ada Lovelace (you)"]);
    expect(await violations(page)).toEqual([]);
    await people.getByRole("button", { name: "Everybody" }).click();
    await people.getByText("Grace Hopper").waitFor();
    await people.getByRole("button", { name: "This channel" }).click();
    await page.goto("/#inbox");
    await people.getByText("Grace Hopper").waitFor();
    await people.getByRole("button", { name: "This channel" }).waitFor({ state: "detached" });
  });

  it("places stay above the channels, and the row of what is opened by a link or a search comes into view", async () => {
    const { page } = member;
    const subscriptions = Array.from({ length: 60 }, (_, at) => ({ name: `anchor ${String(at).padStart(2, "0")}` }));
    expectSuccess(await ada.client.post("/users/me/subscriptions", { subscriptions }));
    const { subscriptions: own } = await ada.client.register({ fetch_event_types: ["subscription"] });
    const last = own!.find(({ name }) => name === "anchor 59")!;
    await ada.say(last.stream_id, "found it", "far down");
    await page.goto(`/#narrow/channel/${last.stream_id}-anchor-59/topic/far.20down`);
    await messageWith(page, "found it").waitFor();
    await expect.poll(() => isInView(page, "anchor 59"), waiting).toBe(true);
    await expect.poll(() => isInView(page, "far down"), waiting).toBe(true);
    await page
      .locator(".left")
      .getByRole("link", { name: /^Inbox/ })
      .click();
    await page.locator(".list-view, .empty").first().waitFor();
    // Whoever scrolls away stays there, whatever comes.
    await page.goto(`/#narrow/channel/${last.stream_id}-anchor-59`);
    await row(page, "anchor 59").first().locator("[aria-current=page]").waitFor();
    await page.locator(".left .fixed-list").evaluate((list) => list.scrollTo(0, 0));
    await ada.say(last.stream_id, "one more", "far down");
    await messageWith(page, "one more").waitFor();
    expect(await page.locator(".left .fixed-list").evaluate((list) => list.scrollTop)).toBe(0);
    // The topic is listed a little after its channel, here before the list was brought to that.
    const hash = `#narrow/channel/${last.stream_id}-anchor-59/topic/far.20down`;
    const busy = await test.signIn(ada, { prepare: drawLate, hash });
    await expect.poll(() => isInView(busy.page, "far down"), waiting).toBe(true);
    await busy.close();
  });

  it("people never lie over the page by themselves, as when it is enlarged; a click beside them or Esc closes them", async () => {
    const { page } = member;
    await page.locator(".right").waitFor();
    // 1440 pixels at 200 %.
    await page.setViewportSize({ width: 720, height: 450 });
    await page.locator(".right").waitFor({ state: "detached" });
    const open = () => page.getByRole("button", { name: "People", exact: true }).click();
    await open();
    await page.locator(".right").waitFor();
    await page.locator(".shade.of-people").click({ position: { x: 20, y: 200 } });
    await page.locator(".right").waitFor({ state: "detached" });
    await open();
    await page.locator(".right").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".right").waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.locator(".right").waitFor();
  });

  it("virtual: of very many channels only those in view are there", async () => {
    const { page } = member;
    const subscriptions = Array.from({ length: 150 }, (_, at) => ({ name: `bulk ${String(at).padStart(3, "0")}` }));
    expectSuccess(await ada.client.post("/users/me/subscriptions", { subscriptions }));
    await page.reload();
    await row(page, "bulk 000").waitFor();
    await expect.poll(() => page.locator(".left .side-row").count(), waiting).toBeLessThan(80);
    await page.locator(".left .fixed-list").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await row(page, "bulk 149").waitFor();
    await expect.poll(() => row(page, "bulk 000").count(), waiting).toBe(0);
    await page.getByLabel("Filter channels and topics").fill("bulk 123");
    await expect.poll(() => page.locator(".left .side-with-menu").count(), waiting).toBe(1);
    await page.getByLabel("Filter channels and topics").press("Enter");
    await composeBox(page).waitFor();
    await page.locator(".top", { hasText: "bulk 123" }).waitFor();
  });

  it("rows that come take the elements of those that go, but for the one that has the focus", async () => {
    const { page } = member;
    const list = page.locator(".left .fixed-list");
    await list.evaluate((element) => element.scrollTo(0, 0));
    await row(page, "anchor 00").waitFor();
    await row(page, "anchor 00").getByRole("link").focus();
    await list.evaluate((element) => {
      for (const drawn of element.querySelectorAll<HTMLElement>(".side-with-menu")) drawn.dataset["drawn"] = "before";
      element.scrollTo(0, element.scrollHeight);
    });
    await row(page, "bulk 149").waitFor();
    expect(await row(page, "bulk").and(page.locator("[data-drawn]")).count()).toBeGreaterThan(5);
    // Whoever presses Enter now opens no channel that came to be there.
    expect(await page.evaluate(() => document.activeElement?.closest(".side-row")?.textContent)).toBeUndefined();
  });

  it("a row nearby comes just into view, and the rows around it stay", async () => {
    const { page } = member;
    const { subscriptions = [] } = await ada.client.register({ fetch_event_types: ["subscription"] });
    const list = page.locator(".left .fixed-list");
    const bottomOf = (name: string) =>
      row(page, name).evaluate((element) => {
        const view = element.closest(".fixed-list");
        return (view?.getBoundingClientRect().bottom ?? 0) - element.getBoundingClientRect().bottom;
      });
    const open = async (name: string) => {
      const id = subscriptions.find((one) => one.name === name)?.stream_id;
      await page.goto(`/#narrow/channel/${id}`);
      await row(page, name).locator("[aria-current]").waitFor();
    };
    await open("bulk 100");
    await row(page, "bulk 100").scrollIntoViewIfNeeded();
    await list.evaluate((element) => element.scrollTo(0, Math.round(element.scrollTop / 32) * 32));
    const below = Math.floor((await bottomOf("bulk 100")) / 32);
    await open(`bulk ${100 + below + 3}`);
    const isTwoRowsAbove = async () => Math.abs((await bottomOf(`bulk ${100 + below + 3}`)) - 2 * 32) < 2;
    await expect.poll(isTwoRowsAbove, waiting).toBe(true);
    // One far away comes to the middle.
    await open("bulk 010");
    const middle = await list.evaluate((element) => element.clientHeight / 2);
    const isInTheMiddle = async () => Math.abs((await bottomOf("bulk 010")) - middle) < 32;
    await expect.poll(isInTheMiddle, waiting).toBe(true);
  });

  it("their widths are dragged, set by keys, kept by the browser, and bounded", async () => {
    const { page } = member;
    await page.setViewportSize({ width: 1440, height: 900 });
    const width = (side: string) => page.locator(`.${side}`).evaluate((one) => one.getBoundingClientRect().width);
    for (const [side, name, outward] of [
      ["left", "Width of the left side", 1],
      ["right", "Width of the right side", -1],
    ] as const) {
      const edge = page.getByRole("separator", { name });
      const usual = await width(side);
      const { x, y, width: wide, height } = (await edge.boundingBox())!;
      await page.mouse.move(x + wide / 2, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x + wide / 2 + outward * 60, y + 20, { steps: 3 });
      await page.mouse.up();
      await page.mouse.move(700, 400);
      expect(Math.abs((await width(side)) - usual - 60)).toBeLessThan(9);
      await edge.focus();
      const dragged = await width(side);
      await page.keyboard.press(side === "left" ? "ArrowLeft" : "ArrowRight");
      await expect.poll(() => width(side), waiting).toBe(dragged - 16);
      await expect.poll(() => edge.getAttribute("aria-valuenow"), waiting).toBe(String(dragged - 16));
      await page.keyboard.press("Home");
      expect(String(await width(side))).toBe(await edge.getAttribute("aria-valuemin"));
      await page.keyboard.press("End");
      expect(String(await width(side))).toBe(await edge.getAttribute("aria-valuemax"));
    }
    expect(await violations(page)).toEqual([]);
    await page.reload();
    await page.locator(".right").waitFor();
    expect([await width("left"), await width("right")]).toEqual([480, 480]);
    await page.setViewportSize({ width: 1200, height: 900 });
    expect(await page.locator(".middle").evaluate((one) => one.clientWidth)).toBeGreaterThan(1200 / 3 - 20);
    for (const edge of await page.getByRole("separator").all()) await edge.dblclick();
    expect([await width("left"), await width("right")]).toEqual([272, 248]);
  });

  it("a place is on the screen before what stands beside it is drawn anew", async () => {
    const { page } = member;
    const looms = await server.addChannel("looms", [ada, grace]);
    await grace.say(engines, "before looms", "loops");
    await grace.say(looms, "of looms", "weaving");
    const hashOf = (id: number) => `#narrow/channel/${id}`;
    for (const id of [looms, engines.id]) {
      await page.goto(`/${hashOf(id)}`);
      await page.locator(".left .side-with-menu.topic").first().waitFor();
    }
    await messageWith(page, "before looms").first().waitFor();
    await page.locator(".left .topic", { hasText: "weaving" }).waitFor({ state: "detached" });
    const seen = await page.evaluate(async (hash) => {
      const look = () => ({
        messages: document.querySelector(".virtual-list")?.textContent?.includes("of looms"),
        topics: document.querySelector(".left")?.textContent?.includes("weaving"),
      });
      location.hash = hash;
      await new Promise((done) => addEventListener("hashchange", done, { once: true }));
      // A frame begins with these callbacks: what is there then is what it paints.
      await new Promise(requestAnimationFrame);
      return look();
    }, hashOf(looms));
    expect(seen).toEqual({ messages: true, topics: false });
    await page.locator(".left .side-with-menu.topic", { hasText: "weaving" }).waitFor();
  });
});
