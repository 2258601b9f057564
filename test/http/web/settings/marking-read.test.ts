/** What somebody sees stays unread if they want that: a bar says so, and its button marks it as read. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("marking as read", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const channel = () => `/#narrow/channel/${engines.id}-engines`;
  let page: Page;
  const told: number[] = [];
  beforeAll(async () => {
    ({ page } = await test.signIn(ada));
    page.on("request", (request) => {
      if (!request.url().endsWith("/messages/flags")) return;
      told.push(...(JSON.parse(new URLSearchParams(request.postData() ?? "").get("messages")!) as number[]));
    });
  });

  const choose = async (label: string, policy: number) => {
    await page.goto("/#settings/display");
    await page.getByLabel("Messages I see are marked as read").selectOption({ label });
    const present = async () =>
      (await ada.client.register({ fetch_event_types: ["user_settings"] })).user_settings?.[
        "web_mark_read_on_scroll_policy"
      ];
    await expect.poll(present, waiting).toBe(policy);
    // What comes next loads the page anew, which knows it from its beginning.
    await page.goto("about:blank");
  };
  const isRead = async (id: number) => {
    const { message } = expectSuccess(await ada.client.get(`/messages/${id}`)) as { message: { flags: string[] } };
    return message.flags.includes("read");
  };
  /** Whether the page has told the server that a message is read, or would, if it were closed now. */
  const wouldTell = async (id: number) => {
    await page.evaluate(() => void dispatchEvent(new Event("pagehide")));
    return told.includes(id);
  };
  const bar = () => page.locator(".stay-unread");
  const mark = () => bar().getByRole("button", { name: "Mark as read" }).click();

  it("never: not in a conversation either, until the button is pressed", async () => {
    await choose("Never", 3);
    const [one, other] = [await grace.say(engines, "first", "loops"), await grace.say(engines, "elsewhere", "cards")];
    await page.goto(`${channel()}/topic/loops`);
    await messageWith(page, "first").waitFor();
    await bar().getByText("Messages here stay unread.").waitFor();
    expect(await violations(page)).toEqual([]);
    expect(await wouldTell(one)).toBe(false);
    expect(await isRead(one)).toBe(false);
    await mark();
    await bar().waitFor({ state: "detached" });
    await expect.poll(() => isRead(one), waiting).toBe(true);
    expect(await isRead(other)).toBe(false);
    // Another one comes while the conversation is open.
    const later = await grace.say(engines, "second", "loops");
    await messageWith(page, "second").waitFor();
    await bar().waitFor();
    expect(await wouldTell(later)).toBe(false);
    expect(await isRead(later)).toBe(false);
  });

  it("in conversations only: a channel's messages stay unread until the button is pressed", async () => {
    await choose("Only in conversations", 2);
    const [loops, cards] = [await grace.say(engines, "third", "loops"), await grace.say(engines, "fourth", "cards")];
    await page.goto(channel());
    await messageWith(page, "fourth").waitFor();
    await bar().waitFor();
    expect(await wouldTell(cards)).toBe(false);
    await page.goto(`${channel()}/topic/loops`);
    await expect.poll(() => isRead(loops), waiting).toBe(true);
    await bar().waitFor({ state: "detached" });
    expect(await isRead(cards)).toBe(false);
    await page.goto(channel());
    await mark();
    await bar().waitFor({ state: "detached" });
    await expect.poll(() => isRead(cards), waiting).toBe(true);
  });

  it("everywhere again, also of what is open already", async () => {
    const id = await grace.say(engines, "fifth", "loops");
    await page.goto(channel());
    await messageWith(page, "fifth").waitFor();
    await bar().waitFor();
    expect(await wouldTell(id)).toBe(false);
    expectSuccess(await ada.client.patch("/settings", { web_mark_read_on_scroll_policy: 1 }));
    await expect.poll(() => isRead(id), waiting).toBe(true);
    await bar().waitFor({ state: "detached" });
  });
});
