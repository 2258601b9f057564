/** Whom `@` offers, in which order, and what becomes of mentions of people and groups. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("mentions", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  // By alphabet they would come the other way around.
  const [ada, inTopic, subscribed, talked] = server.people("Ada Lovelace", "Sam Zuse", "Sam Young", "Sam Xavier");
  const far = server.people(...Array.from({ length: 12 }, (_, at) => `Sam Brook ${String(at).padStart(2, "0")}`));
  const engines = server.channel("engines", [ada, inTopic, subscribed]);
  const hall = server.channel("hall", [ada, inTopic, subscribed, talked, ...far]);
  let member: Visitor;
  beforeAll(async () => {
    await inTopic.say(engines, "I was here", "loops");
    await talked.say(ada, "psst");
    await server.owner.group("samples", { members: [subscribed.id, far[3]!.id], description: "Who tastes it" });
    member = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
    // What appears slowly has the colours of what lies below it at first.
    await member.page.emulateMedia({ reducedMotion: "reduce" });
    await messageWith(member.page, "I was here").waitFor();
  });

  const offered = async (page: Page, text: string) => {
    await composeBox(page).fill("");
    await composeBox(page).pressSequentially(text);
    return page.getByRole("listbox", { name: "Completions" }).locator("bdi:not(.soft)").allInnerTexts();
  };

  it("come in the order of how near people are, groups among them", async () => {
    const { page } = member;
    await expect
      .poll(async () => (await offered(page, "@sam")).slice(0, 4), waiting)
      .toEqual(["Sam Zuse", "Sam Young", "samples", "Sam Xavier"]);
    await page.getByRole("option", { name: /Sam Xavier.*not in this channel/ }).waitFor();
    expect(await page.getByRole("option", { name: /Sam Young.*not in this channel/ }).count()).toBe(0);
    expect(await violations(page)).toEqual([]);
    await composeBox(page).fill("");
  });

  it("of everybody are offered by @ alone, where the person may tell everybody", async () => {
    const { page } = member;
    expect(await offered(page, "@")).toEqual(expect.arrayContaining(["Sam Zuse", "samples", "all", "topic"]));
    expect((await offered(page, "@"))[0]).toBe("Sam Zuse");
    expect((await offered(page, "@all"))[0]).toBe("all");
    expect(await offered(page, "@_")).not.toContain("all");
    const everyone = await server.groupNamed("role:everyone");
    const nobody = await server.groupNamed("role:nobody");
    const allow = (group: number) => server.owner.setRealm({ can_mention_many_users_group: { new: group } });
    await allow(nobody);
    await page.goto(`/#narrow/channel/${hall.id}-hall/topic/large`);
    await page.getByPlaceholder("Message #hall › large").waitFor();
    await expect.poll(() => offered(page, "@"), waiting).not.toContain("all");
    await allow(everyone);
    await expect.poll(() => offered(page, "@"), waiting).toContain("all");
    await composeBox(page).fill("");
  });

  it("of people who are not in the channel say so, with a button that adds them", async () => {
    const { page } = member;
    await server.owner.setRealm({
      can_add_subscribers_group: { new: await server.groupNamed("role:members") },
    });
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
    await composeBox(page).fill("@**Sam Young** and @**Sam Xavier** look");
    const told = page.locator(".outsiders");
    await told.getByText("Sam Xavier isn’t in #engines and won’t be notified.").waitFor();
    expect(await violations(page)).toEqual([]);
    await told.getByRole("button", { name: "Add to channel" }).click();
    await told.waitFor({ state: "detached" });
    const members = async () => expectSuccess(await ada.client.get(`/streams/${engines.id}/members`))["subscribers"];
    await expect.poll(members, waiting).toContain(talked.id);
    // Who leaves is told of as well.
    await talked.unsubscribe("engines");
    await told.getByText("Sam Xavier isn’t in #engines").waitFor();
    await composeBox(page).fill("");
  });

  it("of a group open its members", async () => {
    const { page } = member;
    await send(page, "taste this, @*samples*");
    await messageWith(page, "taste this").getByRole("button", { name: "@samples" }).click();
    const card = page.getByRole("dialog", { name: "Group" });
    await card.getByText("Who tastes it").waitFor();
    await card.getByRole("button", { name: "Sam Young" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await card.getByRole("button", { name: "Sam Brook 03" }).click();
    await page.getByRole("dialog", { name: "Profile" }).getByText("Sam Brook 03").waitFor();
    await page.keyboard.press("Escape");
  });
});
