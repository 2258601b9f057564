/** What a newcomer stumbles over: sides and dialogs that stay, lists cut short, fields that only look editable. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { browserPath, patienceMs } from "../../support/web/browser.ts";
import { messageWith, openMessageMenu } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };

describe.skipIf(!browserPath)("newcomers", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace, ...others] = server.people("Ada", "Grace", "Alan", "Barbara", "Edsger", "Hedy", "Tim", "Ken");
  const engines = server.channel("engines", [ada, grace, ...others]);
  beforeAll(async () => {
    await grace.say(engines, "look at this", "loops");
    await grace.say(ada, "psst");
    await grace.say([ada, others[0]!], "the three of us");
    const presence = { status: "active", new_user_input: true };
    expectSuccess(await grace.client.post("/users/me/presence", presence));
  });
  const topic = () => `#narrow/channel/${engines.id}-engines/topic/loops`;

  describe("on a phone", () => {
    let page: Page;
    beforeAll(async () => {
      ({ page } = await test.signIn(ada, { ...phone, hash: "#inbox" }));
    });

    it("an open invitation is taken back by a button that is in view", async () => {
      expectSuccess(await server.owner.client.post("/invites/multiuse", { stream_ids: [] }));
      const visitor = await test.signIn(server.owner, { ...phone, hash: "#organization/invitations" });
      const button = visitor.page.getByRole("button", { name: "Take back" });
      await button.waitFor();
      const { x, width } = (await button.boundingBox())!;
      expect(x + width).toBeLessThanOrEqual(390);
      await button.click();
      await button.waitFor({ state: "detached" });
      await visitor.close();
    });

    it("the sides close where another place is opened: by a row, another link or the way back", async () => {
      const left = page.locator(".left.open");
      const open = () => page.locator(".top").getByRole("button", { name: "Menu" }).click();
      await page.goto("/#recent");
      await open();
      await left.getByRole("link", { name: "engines" }).click();
      await left.waitFor({ state: "detached" });
      await open();
      await left.waitFor();
      await page.goBack();
      await left.waitFor({ state: "detached" });
      await open();
      await left.getByRole("link", { name: "Recent conversations" }).click();
      await left.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "People" }).click();
      await page.locator(".right").getByRole("link", { name: "Grace" }).click();
      await messageWith(page, "psst").waitFor();
      await page.locator(".right").waitFor({ state: "detached" });
    });

    it("the way back closes menus and dialogs, which belong to the place that is left", async () => {
      await page.goto(`/${topic()}`);
      await messageWith(page, "look at this").waitFor();
      await page.locator(".top").getByRole("button", { name: "Actions of the topic" }).click();
      await page.getByRole("menu").waitFor();
      await page.goBack();
      await page.getByRole("menu").waitFor({ state: "detached" });
      await page.goForward();
      await page.getByRole("button", { name: "Jump to a date" }).click();
      await page.getByRole("dialog", { name: "Jump to a date" }).waitFor();
      await page.goBack();
      await page.getByRole("dialog", { name: "Jump to a date" }).waitFor({ state: "detached" });
    });

    it("the tab of the settings that is open is in view, and names keep to few lines", async () => {
      for (const hash of ["#settings/sessions", "#organization/exports"]) {
        await page.goto(`/${hash}`);
        const tab = page.locator(".settings > nav > [aria-current]");
        const isInView = () => tab.evaluate((one) => one.getBoundingClientRect().right <= innerWidth);
        await expect.poll(isInView, waiting).toBe(true);
      }
      await page.goto("/#groups");
      const names = page.locator(".setting-rows a");
      await names.first().waitFor();
      const lines = await names.evaluateAll((all) => all.map((one) => one.getClientRects().length));
      expect(Math.max(...lines)).toBeLessThanOrEqual(2);
    });
  });

  describe("at a desk", () => {
    let page: Page;
    let problems: string[];
    beforeAll(async () => {
      ({ page, problems } = await test.signIn(ada, { hash: "#recent", timezoneId: "Asia/Tokyo" }));
    });

    it("recent conversations and the inbox show who is here", async () => {
      // The phone has read the first, and the inbox shows what is unread.
      await grace.say(ada, "still here");
      for (const [hash, row] of [
        ["#recent", ".recent-row"],
        ["#inbox", ".inbox-row"],
      ] as const) {
        await page.goto(`/${hash}`);
        const one = page.locator(row).filter({ hasText: /^Grace/ });
        await one.locator(".direct-mark .avatar").waitFor();
        await one.getByRole("img", { name: "Active now" }).waitFor();
        const several = page.locator(row).filter({ hasText: /Alan, Grace|Grace, Alan/ });
        await several.locator(".direct-mark .icon").waitFor();
      }
    });

    it("a reminder that the server refuses: what was chosen stays in the dialog", async () => {
      await page.goto(`/${topic()}`);
      await openMessageMenu(page, messageWith(page, "look at this"), "Remind me");
      const dialog = page.getByRole("dialog", { name: "Remind me" });
      const time = dialog.locator("input");
      await time.fill("2098-01-02T03:04");
      for (const { id } of await inTopic()) expectSuccess(await server.owner.client.delete(`/messages/${id}`));
      await dialog.getByRole("button", { name: "Done" }).click();
      await page.locator(".note.problem").waitFor();
      expect(await time.inputValue()).toBe("2098-01-02T03:04");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      // The browser itself tells of the refusal.
      expect(problems.splice(0)).toEqual([expect.stringContaining("400")]);
    });
    const inTopic = async () => {
      const narrow = [
        { operator: "channel", operand: engines.id },
        { operator: "topic", operand: "loops" },
      ];
      const found = await ada.client.get("/messages", { anchor: "newest", num_before: 9, num_after: 0, narrow });
      return expectSuccess(found)["messages"] as { id: number }[];
    };

    it("all subscribers of a small channel are in view", async () => {
      await page.goto(`/#channels/${engines.id}/subscribers`);
      const list = page.locator(".fixed-list.tall");
      await list.locator(".person-line").first().waitFor();
      await expect.poll(() => list.locator(".person-line").count(), waiting).toBe(2 + others.length);
      expect(await list.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0);
    });

    it("fields that may not be changed look like it, and the time zone says what holds", async () => {
      await page.goto("/#settings/profile");
      const styleOf = (label: string) =>
        page.getByLabel(label, { exact: true }).evaluate((field) => getComputedStyle(field).backgroundColor);
      const editable = await styleOf("Name");
      const zone = page.getByLabel("Time zone").locator("option:checked");
      expect(await zone.textContent()).toBe("As each browser says (here Asia/Tokyo)");
      await page.goto("/#organization/profile");
      await page.getByLabel("Description", { exact: true }).waitFor();
      expect(await page.getByLabel("Name", { exact: true }).isDisabled()).toBe(true);
      expect(await styleOf("Name")).not.toBe(editable);
    });

    it("who is in no channel finds them at the side", async () => {
      const lone = await server.addUser("Lone");
      const { subscriptions = [] } = await lone.client.register({ fetch_event_types: ["subscription"] });
      await lone.unsubscribe(...subscriptions.map(({ name }) => name));
      const visitor = await test.signIn(lone, { hash: "#inbox" });
      await visitor.page.locator(".left").getByRole("link", { name: "Browse channels" }).click();
      await visitor.page.getByRole("dialog", { name: "Channels" }).getByRole("link", { name: "engines" }).waitFor();
      await visitor.close();
    });

    it("an empty inbox offers channels to join, but not to guests, who may join none", async () => {
      const [member, guest] = [await server.addUser("New"), await server.addUser("Guest", { role: 600 })];
      const emptyInbox = async (person: typeof member) => {
        const visitor = await test.signIn(person, { hash: "#inbox" });
        const offers = visitor.page.locator("main .empty");
        await offers.getByRole("link", { name: "Recent conversations" }).waitFor();
        return { visitor, browse: offers.getByRole("link", { name: "Browse channels" }) };
      };
      const { visitor, browse } = await emptyInbox(member);
      await browse.click();
      await visitor.page.getByRole("dialog", { name: "Channels" }).getByRole("link", { name: "engines" }).waitFor();
      await visitor.close();
      const other = await emptyInbox(guest);
      expect(await other.browse.count()).toBe(0);
      await other.visitor.close();
    });

    it("who may invite by email only is told so in the place of the link", async () => {
      await page.goto("/#invite");
      await page.getByText("but not make a link that anyone can use").waitFor();
      expect(await page.getByRole("button", { name: "Make a link" }).count()).toBe(0);
    });
  });
});
