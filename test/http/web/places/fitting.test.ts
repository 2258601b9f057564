/** On a phone, what a message or a heading is made of stays within it, and nothing lies over something else. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath } from "../../../support/web/browser.ts";
import { messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";
import { tooSmall } from "../../../support/web/too-small.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe.skipIf(!browserPath)("in the width of a phone", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Augusta Ada King, Countess of Lovelace and of other places", "Grace Hopper");
  const [hubert] = server.people("Wolfeschlegelsteinhausenbergerdorff Hubert Blaine senior");
  const channel = server.channel("customer-success-and-accounts", [ada, grace, hubert]);
  const rightToLeft = server.channel("الهندسة", [hubert]);
  beforeAll(async () => {
    // Words of other languages are longer.
    expectSuccess(await grace.client.patch("/settings", { default_language: "de" }));
    await ada.say(channel, "/poll Which launch window?\nMorning", "launch");
    await ada.say(channel, "/todo Before the launch\nDocs", "launch");
    await hubert.say(channel, "I am here", "launch");
    await ada.say(channel, "hello", "who took the drawings of the engine, and when exactly");
    await ada.say(channel, "hello", "Whatever_has_no_spaces_and_is_as_long_as_a_topic_may_be_here");
    await ada.say(channel, "it is over", "\u2714 the long matter of the boiler, its valves and the pipes");
  });

  it("polls and lists of tasks stay within their box", async () => {
    const { page, close } = await test.signIn(grace, {
      ...phone,
      hash: `#narrow/channel/${channel.id}-x/topic/launch`,
    });
    await page.locator(".widget").nth(1).waitFor();
    const wide = await page
      .locator(".widget")
      .evaluateAll((boxes) => boxes.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length);
    expect(wide).toBe(0);
    const time = (await page.locator(".message", { hasText: "I am here" }).locator(".sender time").boundingBox())!;
    expect(time.x + time.width).toBeLessThanOrEqual(390);
    await close();
  });

  it("from right to left questions and answers stand beside their buttons, and addresses below their names", async () => {
    const { client, email } = server.owner;
    expectSuccess(await client.patch("/settings", { default_language: "ar" }));
    expectSuccess(await client.post("/users/me/subscriptions", { subscriptions: [{ name: channel.name }] }));
    const place = `#narrow/channel/${channel.id}-x/topic/launch`;
    const { page, close } = await test.signIn(server.owner, { ...phone, hash: place });
    const option = page.locator(".widget .option");
    await option.waitFor();
    const gap = await option.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element.firstChild!);
      return element.getBoundingClientRect().right - range.getBoundingClientRect().right;
    });
    expect(Math.abs(gap)).toBeLessThan(2);
    await page.goto("/#organization/people");
    const label = page.locator(".setting-list .person-line .label", { hasText: email });
    await label.waitFor();
    const [name, address] = await label
      .locator("bdi")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
    expect(address!.top).toBeGreaterThanOrEqual(name!.bottom - 2);
    expect(Math.abs(address!.right - name!.right)).toBeLessThan(2);
    expectSuccess(await client.patch("/settings", { default_language: "en" }));
    await close();
  });

  it("headings of conversations show the channel beside the topic, and names of senders begin where lines do", async () => {
    const { page, close } = await test.signIn(grace, { ...phone, hash: "#feed" });
    await page.locator(".conversation-bar", { hasText: "Whatever" }).first().waitFor();
    const wrong = await page.locator(".conversation-bar").evaluateAll((bars) =>
      bars.flatMap((bar) => {
        const [of, topic] = [...bar.querySelectorAll("a")].map((link) => link.getBoundingClientRect());
        const range = document.createRange();
        range.selectNodeContents(bar.querySelector("bdi")!);
        const text = range.getBoundingClientRect();
        const isCovered = of!.right > topic!.left || text.left < topic!.left - 1 || text.right > topic!.right + 1;
        return isCovered || of!.width < 40 ? [bar.textContent] : [];
      }),
    );
    expect(wrong).toEqual([]);
    const align = await page
      .locator(".sender .name")
      .first()
      .evaluate((name) => getComputedStyle(name).textAlign);
    expect(align).toBe("start");
    await close();
  });

  it("whoever edits a message has its text and its buttons in view, and the list stays where it is", async () => {
    const { page, close } = await test.signIn(hubert, {
      ...phone,
      hash: `#narrow/channel/${channel.id}-x/topic/launch`,
    });
    const message = messageWith(page, "I am here");
    await message.locator(".content").tap();
    await message.getByRole("button", { name: "More actions" }).tap();
    await page.getByRole("menuitem", { name: "Edit", exact: true }).tap();
    const editor = page.locator(".message-editor .compose-box");
    await editor.waitFor();
    const { x, width } = (await editor.boundingBox())!;
    expect(x).toBeGreaterThan(0);
    expect(x + width).toBeLessThanOrEqual(390);
    for (const name of ["Cancel", "Save"]) {
      const button = (await editor.getByRole("button", { name, exact: true }).boundingBox())!;
      expect(button.x + button.width).toBeLessThanOrEqual(x + width);
    }
    expect(await tooSmall(page, ".message-editor")).toEqual([]);
    await close();
  });

  it("a reply to a long topic begins with its first word, and suggestions of the search have all of theirs", async () => {
    const { page, close } = await test.signIn(hubert, { ...phone, hash: "#feed" });
    await messageWith(page, "it is over").waitFor();
    const reply = page.locator(".compose.closed .button").first();
    await reply.filter({ hasText: "Reply to" }).waitFor();
    const [text, button] = await reply.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [range.getBoundingClientRect().left, element.getBoundingClientRect().left];
    });
    expect(text).toBeGreaterThan(button!);
    await page.locator(".top .search").tap();
    await page.locator("#search").fill("the drawings");
    const suggestions = page.locator(".suggestions li");
    await suggestions.filter({ hasText: "who took the drawings" }).waitFor();
    const cut = await suggestions
      .locator("code, bdi")
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1 || one.clientWidth < 20).length);
    expect(cut).toBe(0);
    await close();
  });

  it("what bots are called stands in the middle of their rows", async () => {
    await server.addBot(ada, "whistle");
    const { page, close } = await test.signIn(server.owner, { ...phone, hash: "#organization/people" });
    const row = page.locator(".setting-list .person-line", { hasText: "whistle" });
    await row.waitFor();
    const off = await row.evaluate((one) => {
      const middle = (box: DOMRect) => box.top + box.height / 2;
      const [line, face] = [one.parentElement!, one.firstElementChild!].map((part) => part.getBoundingClientRect());
      return Math.abs(middle(line!) - middle(face!));
    });
    expect(off).toBeLessThan(2);
    await close();
  });

  it("in a narrow window topics are cut with dots, have room in the head, and what sends stands at the end", async () => {
    const narrow = { viewport: { width: 800, height: 700 }, hash: "#recent" };
    const { page, close } = await test.signIn(hubert, narrow);
    const name = page.locator(".recent-row .ellipsis", { hasText: "the long matter" });
    await name.waitFor();
    // A box within the line would be cut without dots.
    const cut = await name.evaluate((line) =>
      [...line.querySelectorAll(".resolved, bdi")].filter((one) => getComputedStyle(one).display.startsWith("inline-")),
    );
    expect(cut).toHaveLength(0);
    await name.click();
    const title = page.locator(".title .topic-title");
    await title.waitFor();
    expect((await title.boundingBox())!.width).toBeGreaterThan(60);
    const [box, button] = await Promise.all([
      page.locator(".compose-box").boundingBox(),
      page.locator(".send").boundingBox(),
    ]);
    expect(box!.x + box!.width - button!.x - button!.width).toBeLessThan(12);
    await close();
  });

  it("names that go from right to left are set apart from what stands beside them", async () => {
    const topic = "المحرك";
    const { page, close } = await test.signIn(hubert, {
      ...phone,
      hash: `#narrow/channel/${rightToLeft.id}-x/topic/${encodeURIComponent(topic).replaceAll("%", ".")}`,
    });
    const hint = await page.locator("#compose-text").getAttribute("placeholder");
    expect(hint).toBe(`Message #\u2068${rightToLeft.name}\u2069 › \u2068${topic}\u2069`);
    await close();
  });

  it("a place with nothing in it says how something comes there", async () => {
    const { page, close } = await test.signIn(hubert, { ...phone, hash: "#narrow/is/starred" });
    const hint = page.locator(".empty .soft:visible");
    for (const [hash, text] of [
      ["#narrow/is/starred", "Choose “Star” in the menu"],
      ["#narrow/is/mentioned", "To mention somebody, write @"],
      [`#narrow/has/reaction/sender/${hubert.id}`, "others reacted to"],
      ["#narrow/search/xyzzy", "Try fewer words"],
    ] as const) {
      await page.goto(`/${hash}`);
      await hint.filter({ hasText: text }).waitFor();
    }
    await close();
  });
});
