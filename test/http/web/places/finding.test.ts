/** Finding: the palette goes to any place and runs any command; the search says what it can look for. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("finding", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const kites = server.channel("kites", [ada, grace]);
  let page: Page;
  beforeAll(async () => {
    await grace.say(engines, "cards that repeat", "loops of cards");
    await grace.say(kites, "a long one", "lines");
    ({ page } = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops.20of.20cards` }));
    await messageWith(page, "cards that repeat").waitFor();
  });

  const at = (hash: RegExp) => expect.poll(() => page.evaluate("location.hash"), waiting).toMatch(hash);

  describe("the palette", () => {
    const box = () => page.getByRole("combobox", { name: "Go to…" });
    const options = () => page.locator(".palette-list").getByRole("option");
    const open = async (text: string) => {
      await page.keyboard.press("Control+k");
      await box().fill(text);
    };
    const close = async () => {
      await page.keyboard.press("Escape");
      await box().waitFor({ state: "detached" });
    };
    const group = (name: string) => page.locator(".palette-list").getByRole("group", { name });

    it("goes to a topic by a part of its name, and tells its channel", async () => {
      await open("line");
      await group("Topics").getByRole("option", { name: "lines #kites" }).waitFor();
      await page.keyboard.press("Enter");
      await at(/-kites\/topic\/lines$/);
    });

    it("finds a channel's topics behind it", async () => {
      await open("#engines > ");
      await group("Topics").getByRole("option", { name: "loops of cards #engines" }).waitFor();
      await close();
    });

    it("goes to people, to those alone behind an @", async () => {
      await open("@gra");
      await group("People").getByRole("option", { name: "Grace Hopper" }).waitFor();
      await expect.poll(() => options().count(), waiting).toBe(1);
      await page.keyboard.press("Enter");
      await at(new RegExp(`dm/${grace.id}-`));
    });

    it("without a text, it goes back to where one was", async () => {
      await page.goto(`/#narrow/channel/${kites.id}-kites/topic/lines`);
      await messageWith(page, "a long one").waitFor();
      await open("");
      const recent = group("Recent places").getByRole("option");
      await expect.poll(() => recent.first().innerText(), waiting).toBe("Grace Hopper");
      expect(await recent.allInnerTexts()).not.toContain("lines\n#kites");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowUp");
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await at(new RegExp(`dm/${grace.id}-`));
      // Also after the page was closed.
      await page.reload();
      await composeBox(page).waitFor();
      await open("");
      await expect.poll(() => recent.first().innerText(), waiting).toBe("lines\n#kites");
      await close();
    });

    it("runs commands, and tells their keys", async () => {
      await open(">invite");
      await options().first().waitFor();
      await expect.poll(() => options().allInnerTexts(), waiting).toEqual(["Invite people"]);
      await page.keyboard.press("Enter");
      await at(/^#invite$/);
      await page.getByRole("dialog", { name: "Invite people" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog", { name: "Invite people" }).waitFor({ state: "detached" });
      await open("search mess");
      const search = group("Commands").getByRole("option", { name: "Search messages /" });
      await search.click();
      await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("search");
      await page.keyboard.press("Escape");
    });

    it("goes to the messages of one's own that others reacted to", async () => {
      const mine = await ada.say(kites, "mine, and liked", "lines");
      await ada.say(kites, "mine, and not liked", "lines");
      expectSuccess(await grace.client.post(`/messages/${mine}/reactions`, { emoji_name: "tada" }));
      await open(">reactions to");
      await page.keyboard.press("Enter");
      await messageWith(page, "mine, and liked").waitFor();
      await expect.poll(() => page.locator(".message").count(), waiting).toBe(1);
      await page.getByRole("heading", { level: 1, name: "Reactions to your messages" }).waitFor();
      await page.locator(".left").getByRole("link", { name: "Reactions to your messages", exact: true }).waitFor();
    });

    it("looks for the words themselves where nothing is called so", async () => {
      await open("repeat that");
      await page.getByRole("option", { name: "Search messages for “repeat that”" }).waitFor();
      await expect.poll(() => options().count(), waiting).toBe(1);
      await page.keyboard.press("Enter");
      await messageWith(page, "cards that repeat").waitFor();
      await at(/search\/repeat\.20that$/);
    });
  });

  describe("the search", () => {
    const box = () => page.locator("#search");
    const options = () => page.locator(".search").getByRole("option");
    const option = (name: string) => page.locator(".search").getByRole("option", { name, exact: true });
    const pills = () => page.locator(".search-pill").allInnerTexts();
    const begin = async () => {
      await page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops.20of.20cards`);
      await messageWith(page, "cards that repeat").waitFor();
      await box().fill("");
      await box().focus();
    };

    it("suggests people, channels and topics for a free word, and keeps them as pills", async () => {
      await begin();
      await box().fill("cards gra");
      await option('sender:"Grace Hopper" written by somebody').click();
      await expect.poll(pills, waiting).toEqual(['sender:"Grace Hopper"']);
      await expect.poll(() => box().inputValue(), waiting).toBe("cards ");
      await box().pressSequentially("kit");
      await option("channel:kites in a channel").waitFor();
      await box().fill("cards loo");
      await option('channel:engines topic:"loops of cards" in a topic').click();
      expect(await violations(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await at(
        new RegExp(`sender/${grace.id}/channel/${engines.id}-engines/topic/loops\\.20of\\.20cards/search/cards$`),
      );
      await messageWith(page, "cards that repeat").waitFor();
      expect(await pills()).toEqual(['sender:"Grace Hopper"', "channel:engines", 'topic:"loops of cards"']);
      // They go one by one.
      await box().focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Backspace");
      expect(await pills()).toEqual(['sender:"Grace Hopper"', "channel:engines"]);
      await page.getByRole("button", { name: "Remove: channel:engines" }).click();
      expect(await pills()).toEqual(['sender:"Grace Hopper"']);
    });

    it("searches here alone when asked to", async () => {
      await begin();
      await box().fill("repeat");
      await options().filter({ hasText: "Search for “repeat” only in loops of cards" }).click();
      await at(/engines\/topic\/loops\.20of\.20cards\/search\/repeat$/);
      await messageWith(page, "cards that repeat").waitFor();
    });

    it("makes a pill of a term that ends, and suggests what may stand behind an operator", async () => {
      await begin();
      await box().pressSequentially('sender:"Ada Lovelace" ');
      await expect.poll(pills, waiting).toEqual(['sender:"Ada Lovelace"']);
      await page.keyboard.press("Backspace");
      await box().pressSequentially("is:unread ");
      await expect.poll(pills, waiting).toEqual(["is:unread"]);
      await expect.poll(() => box().inputValue(), waiting).toBe("");
      await box().fill("reaction");
      await option("has:reaction with a reaction").waitFor();
      await box().fill("sender:ad");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await expect.poll(pills, waiting).toEqual(["is:unread", 'sender:"Ada Lovelace"']);
      await page.keyboard.press("Escape");
    });

    it("mentions: finds the messages that name somebody", async () => {
      await grace.say(engines, `@**Ada Lovelace|${ada.id}** winds it`, "cranks");
      await begin();
      await box().fill("archived");
      await option("channels:archived in archived channels").waitFor();
      await box().fill("mentions:ada");
      await option('mentions:"Ada Lovelace" that mention somebody').click();
      await page.keyboard.press("Enter");
      await at(new RegExp(`#narrow/mentions/${ada.id}$`));
      await messageWith(page, "winds it").waitFor();
      expect(await page.locator(".message").count()).toBe(1);
    });

    it("date: opens at the first message from that day on", async () => {
      const first = (await grace.client.get("/messages", { anchor: "oldest", num_before: 0, num_after: 1, narrow: [] }))
        .body["messages"] as { id: number }[];
      await begin();
      await box().fill("date:");
      await options().filter({ hasText: "A week ago" }).click();
      await page.keyboard.press("Enter");
      await at(new RegExp(`near/${first[0]!.id}$`));
      await begin();
      await box().fill("date:soon");
      await page.keyboard.press("Enter");
      await page.getByText("Write the date as year-month-day").waitFor();
    });
  });
});
