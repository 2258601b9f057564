/** On a phone, what a message or a heading is made of stays within it, and nothing lies over something else. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { browserPath } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

describe.skipIf(!browserPath)("in the width of a phone", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Augusta Ada King, Countess of Lovelace and of other places", "Grace Hopper");
  const [hubert] = server.people("Wolfeschlegelsteinhausenbergerdorff Hubert Blaine senior");
  const channel = server.channel("customer-success-and-accounts", [ada, grace, hubert]);
  beforeAll(async () => {
    // Words of other languages are longer.
    expectSuccess(await grace.client.patch("/settings", { default_language: "de" }));
    await ada.say(channel, "/poll Which launch window?\nMorning", "launch");
    await ada.say(channel, "/todo Before the launch\nDocs", "launch");
    await hubert.say(channel, "I am here", "launch");
    await ada.say(channel, "hello", "who took the drawings of the engine, and when exactly");
    await ada.say(channel, "hello", "Whatever_has_no_spaces_and_is_as_long_as_a_topic_may_be_here");
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
});
