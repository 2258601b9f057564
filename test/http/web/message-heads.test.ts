/** What stands beside a message's text: who said it, when, and what became of it; and who that is. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("beside a message", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let member: Visitor;
  beforeAll(async () => {
    member = await test.signIn(ada, {
      hash: `#narrow/channel/${engines.id}-engines/topic/heads`,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await composeBox(member.page).waitFor();
    await member.page.emulateMedia({ reducedMotion: "reduce" });
  });

  const flag = (id: number, name: string) =>
    ada.client.post("/messages/flags", { messages: [id], op: "add", flag: name });
  const openCard = async (page: Page, of: string) => {
    await messageWith(page, of).locator(".name").click();
    return page.getByRole("dialog", { name: "Profile" });
  };

  it("what somebody does, by /me, has their name once", async () => {
    const { page } = member;
    await grace.say(engines, "/me polishes the brass", "heads");
    const message = messageWith(page, "polishes the brass");
    await message.waitFor();
    expect(await message.getByText("Grace Hopper").count()).toBe(1);
    expect(await message.getByRole("button", { name: "Grace Hopper" }).count()).toBe(2); // the avatar, too
    expect((await message.locator(".me-message .content").innerText()).trim()).toBe("polishes the brass");
  });

  it("an edit moves no text, of the first message or of one that follows", async () => {
    const { page } = member;
    const first = await grace.say(engines, "the first one", "heads");
    const next = await grace.say(engines, "the one that follows", "heads");
    for (const [id, text] of [
      [first, "the first one"],
      [next, "the one that follows"],
    ] as const) {
      const message = messageWith(page, text);
      await message.waitFor();
      const height = async () => Math.round((await message.boundingBox())!.height);
      const before = await height();
      expectSuccess(await grace.client.patch(`/messages/${id}`, { content: `${text}!` }));
      const mark = message.getByRole("button", { name: "edited" });
      await mark.waitFor();
      expect(await height()).toBe(before);
      await message.hover();
      await mark.click();
      await page.getByRole("dialog", { name: "Edit history" }).waitFor();
      await page.keyboard.press("Escape");
    }
  });

  it("a star is drawn on a message that follows another one, too", async () => {
    const { page } = member;
    await grace.say(engines, "no star", "heads");
    expectSuccess(await flag(await grace.say(engines, "starred, follows", "heads"), "starred"));
    await messageWith(page, "starred, follows").getByRole("img", { name: "Starred" }).waitFor();
    expect(await messageWith(page, "no star").getByRole("img", { name: "Starred" }).count()).toBe(0);
  });

  it("a card has the local time by the person's clock, and texts of the profile as they were meant", async () => {
    const { page } = member;
    const { id } = expectSuccess(
      await server.owner.client.post("/realm/profile_fields", { name: "About", field_type: 2 }),
    ) as { id: number };
    expectSuccess(
      await grace.client.patch("/users/me/profile_data", { data: [{ id, value: "**Compilers** and\n\n* clocks" }] }),
    );
    expectSuccess(await grace.client.patch("/settings", { timezone: "Asia/Tokyo" }));
    const { page: other } = await test.signIn(ada, { locale: "en-US", hash: "#inbox" });
    for (const [isOn, clock] of [
      [true, /^\d\d:\d\d$/],
      [false, /^\d{1,2}:\d\d\s[AP]M$/],
    ] as const) {
      expectSuccess(await ada.client.patch("/settings", { twenty_four_hour_time: isOn }));
      await other.getByRole("button", { name: "Profile: Grace Hopper" }).click();
      const card = other.getByRole("dialog", { name: "Profile" });
      await expect.poll(() => card.locator("dt:text-is('Local time') + dd").innerText(), waiting).toMatch(clock);
      await other.keyboard.press("Escape");
    }
    const card = await openCard(page, "the first one");
    await card.locator("strong", { hasText: "Compilers" }).waitFor();
    await card.locator("li", { hasText: "clocks" }).waitFor();
    await page.keyboard.press("Escape");
  });

  it("a profile by its link: joined when, the id, channels in common, groups, and messages by them", async () => {
    const { page } = member;
    expectSuccess(
      await server.owner.client.post("/user_groups/create", { name: "makers", description: "", members: [grace.id] }),
    );
    const card = await openCard(page, "the first one");
    await card.locator("dt:text-is('Joined')").waitFor();
    await card.getByRole("menuitem", { name: "Copy link to profile" }).click();
    await page.getByText("The link is copied.").waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).hash).toBe(`#user/${grace.id}`);
    await page.goto(link);
    const profile = page.getByRole("dialog", { name: "Profile" });
    await expect.poll(() => profile.locator("dt:text-is('User ID') + dd").innerText(), waiting).toBe(String(grace.id));
    await profile.getByRole("link", { name: "engines" }).waitFor();
    await profile.getByRole("link", { name: "makers" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/heads`);
    await (await openCard(page, "the first one")).getByRole("menuitem", { name: "Messages by them" }).click();
    await page.locator(".top", { hasText: "sender:" }).waitFor();
    await messageWith(page, "the first one").waitFor();
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/heads`);
  });

  it("a refusal is told in words for people", async () => {
    const { page, problems } = member;
    await page.goto("/#narrow/channel/999999/topic/nowhere");
    await page.getByText("There’s nothing to show here.").waitFor();
    expect(problems.splice(0).every((line) => /status of 400/.test(line))).toBe(true);
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/heads`);
    await send(page, "still here");
    await messageWith(page, "still here").waitFor();
  });
});
