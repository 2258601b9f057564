/** How the page looks and sounds to different people: contrast, motion, sizes, notifications. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, openMessageMenu } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

/** What the page asked the browser to show and to play: neither a desktop nor a loudspeaker is here. */
interface Asked {
  shown: { title: string; body: string }[];
  tones: number;
  badge: number;
}

describe.skipIf(!browserPath)("looks and sounds", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let member: Visitor;
  beforeAll(async () => {
    await grace.say(engines, "Plain words", "loops");
    await grace.say(engines, "```quote\nsaid\n```\n`code` @**Ada Lovelace** https://example.com", "loops");
    member = await test.signIn(ada, {
      permissions: ["notifications"],
      hash: `#narrow/channel/${engines.id}-engines/topic/loops`,
    });
    await composeBox(member.page).waitFor();
  });

  for (const colorScheme of ["light", "dark"] as const)
    it(`high contrast: text stands out seven to one, ${colorScheme}`, async () => {
      const { page } = member;
      await page.emulateMedia({ colorScheme, contrast: "more", reducedMotion: "reduce" });
      await messageWith(page, "Plain words").waitFor();
      expect(await violations(page, ["color-contrast-enhanced"])).toEqual([]);
      await page.emulateMedia({ colorScheme: null, contrast: null });
    });

  it("reduced motion: nothing moves by itself", async () => {
    const { page } = member;
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.getByRole("button", { name: "Menu" }).click();
    const moving = () =>
      page.evaluate(
        `[...document.querySelectorAll("*")].filter((element) => {
          const { animationName, transitionDuration } = getComputedStyle(element);
          return animationName !== "none" || transitionDuration.split(",").some((text) => parseFloat(text) > 0.1);
        }).map((element) => element.className)`,
      );
    expect(await moving()).toEqual([]);
    await page.keyboard.press("Escape");
    await page.emulateMedia({ reducedMotion: null });
  });

  it("right to left: the page turns around with its direction, and nothing sticks out", async () => {
    const { page } = member;
    await page.evaluate("document.documentElement.dir = 'rtl'");
    const left = (await page.locator(".left").boundingBox())!;
    const right = (await page.locator(".right").boundingBox())!;
    expect(left.x).toBeGreaterThan(right.x);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await openMessageMenu(page, messageWith(page, "Plain words"), "Star");
    expect(await violations(page)).toEqual([]);
    await page.evaluate("document.documentElement.dir = 'ltr'");
  });

  for (const [width, height] of [
    [320, 568],
    [768, 1024],
    [3840, 2160],
  ] as const)
    it(`${width} pixels wide: nothing sticks out, and one can write`, async () => {
      const { page } = await test.signIn(ada, {
        viewport: { width, height },
        hash: `#narrow/channel/${engines.id}-engines/topic/loops`,
      });
      await composeBox(page).waitFor();
      await messageWith(page, "Plain words").waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      const box = (await composeBox(page).boundingBox())!;
      expect(box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height).toBe(true);
      await page.context().close();
    });

  it("on paper: the conversation alone", async () => {
    const { page } = member;
    await page.emulateMedia({ media: "print" });
    expect(await messageWith(page, "Plain words").isVisible()).toBe(true);
    // What a list without height holds is not drawn.
    const [list, message] = [page.locator(".virtual-list"), messageWith(page, "Plain words")];
    expect((await list.boundingBox())!.height).toBeGreaterThan((await message.boundingBox())!.height);
    for (const part of [".left", ".right", ".compose", ".search"])
      expect(await page.locator(part).isVisible(), part).toBe(false);
    await page.emulateMedia({ media: null });
    await composeBox(page).waitFor();
  });

  it("the first stop of Tab leads past the channels to the messages", async () => {
    const { page } = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
    await messageWith(page, "Plain words").waitFor();
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Tab");
    await page.getByRole("link", { name: "Skip to the messages" }).waitFor();
    expect(await page.evaluate("document.activeElement.className")).toBe("skip-link");
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate("document.activeElement.className"), waiting).toBe("virtual-list");
    expect(page.url()).toContain("/topic/loops");
    await page.context().close();
  });

  describe("notifications", () => {
    let page: Page;
    const asked = () => page.evaluate("globalThis.asked") as Promise<Asked>;
    const settingsOf = async () =>
      (await ada.client.register({ fetch_event_types: ["user_settings"] })).user_settings as Record<string, unknown>;
    beforeAll(async () => {
      const visitor = await test.signIn(ada, { permissions: ["notifications"] });
      page = visitor.page;
      await page.addInitScript(() => {
        const asked: Asked = { shown: [], tones: 0, badge: 0 };
        Object.assign(globalThis, { asked });
        globalThis.Notification = class extends EventTarget {
          static permission = "granted";
          constructor(title: string, { body = "" }: NotificationOptions = {}) {
            super();
            asked.shown.push({ title, body });
          }
          close() {}
        } as unknown as typeof Notification;
        const create = AudioContext.prototype.createOscillator;
        AudioContext.prototype.createOscillator = function () {
          asked.tones++;
          return create.call(this);
        };
        Object.assign(navigator, {
          setAppBadge: async (count: number) => {
            asked.badge = count;
          },
        });
        // Somebody who looks elsewhere.
        document.hasFocus = () => false;
      });
      await page.goto("about:blank");
      await page.goto(`${server.url}/#inbox`);
      await page.locator(".left").waitFor();
    });

    it("title and badge count, a desktop notification and a sound for a direct message", async () => {
      expectSuccess(await ada.client.post("/mark_all_as_read"));
      await grace.say(ada, "psst, **look**");
      await expect.poll(asked, waiting).toMatchObject({
        shown: [{ title: "Grace Hopper", body: "psst, look" }],
        tones: 2,
        badge: 1,
      });
      await expect.poll(() => page.title(), waiting).toBe("(1) Inbox – Parley");
    });

    it("a mention says where; other messages of a channel say nothing, unless that is wanted", async () => {
      await grace.say(engines, "nothing for you", "rods");
      await grace.say(engines, "@**Ada Lovelace** for you", "loops");
      await expect
        .poll(async () => (await asked()).shown.map(({ title }) => title), waiting)
        .toEqual(["Grace Hopper", "Grace Hopper (#engines › loops)"]);
      const wants = { enable_stream_desktop_notifications: true, pm_content_in_desktop_notifications: false };
      expectSuccess(await ada.client.patch("/settings", wants));
      await grace.say(engines, "wanted now", "loops");
      await grace.say(ada, "a secret");
      await expect
        .poll(async () => (await asked()).shown.map(({ body }) => body), waiting)
        .toEqual(["psst, look", "@Ada Lovelace for you", "wanted now", "A new direct message"]);
    });

    it("followed topics, as the person's settings say", async () => {
      expectSuccess(await ada.client.patch("/settings", { enable_stream_desktop_notifications: false }));
      const follow = { stream_id: engines.id, topic: "valves", visibility_policy: 3 };
      expectSuccess(await ada.client.post("/user_topics", follow));
      const before = await asked();
      await grace.say(engines, "not followed", "rods");
      await grace.say(engines, "followed", "valves");
      await expect.poll(async () => (await asked()).shown.at(-1)?.body, waiting).toBe("followed");
      expect((await asked()).shown.length).toBe(before.shown.length + 1);
      expect((await asked()).tones).toBe(before.tones + 2);
      const quiet = {
        enable_followed_topic_desktop_notifications: false,
        enable_followed_topic_audible_notifications: false,
      };
      expectSuccess(await ada.client.patch("/settings", quiet));
      await grace.say(engines, "followed in silence", "valves");
      await grace.say(ada, "and aloud");
      await expect.poll(async () => (await asked()).shown.length, waiting).toBe(before.shown.length + 2);
      expect((await asked()).tones).toBe(before.tones + 4);
    });

    it("the sound that the person chose, which is heard there, and a notification to try it", async () => {
      await page.goto(`${server.url}/#settings/notifications`);
      const { tones } = await asked();
      await page.getByLabel("Which sound").selectOption({ label: "Ding" });
      await page.getByRole("button", { name: "Play it" }).click();
      await expect.poll(async () => (await asked()).tones, waiting).toBe(tones + 1);
      await expect.poll(async () => (await settingsOf())["notification_sound"], waiting).toBe("ding");
      await page.getByRole("button", { name: "Show a test notification" }).click();
      const test = { title: "Parley", body: "This is what notifications look like." };
      await expect.poll(async () => (await asked()).shown.at(-1), waiting).toEqual(test);
      expect(await violations(page)).toEqual([]);
      await page.getByLabel("Which sound").selectOption({ label: "No sound" });
      await page.getByRole("button", { name: "Play it" }).waitFor({ state: "detached" });
      await expect.poll(async () => (await settingsOf())["notification_sound"], waiting).toBe("none");
      await page.goto(`${server.url}/#inbox`);
      await grace.say(ada, "without a sound");
      await expect.poll(async () => (await asked()).shown.at(-1)?.title, waiting).toBe("Grace Hopper");
      expect((await asked()).tones).toBe(tones + 1);
    });

    it("mentions of everybody, unless the person does not want those of the channel", async () => {
      await grace.say(engines, "@**all** come", "valves");
      await expect.poll(async () => (await asked()).shown.at(-1)?.body, waiting).toBe("@all come");
      const { length } = (await asked()).shown;
      expectSuccess(await ada.client.patch("/settings", { enable_followed_topic_wildcard_mentions_notify: false }));
      const property = "wildcard_mentions_notify";
      const subscription_data = [{ stream_id: engines.id, property, value: false }];
      expectSuccess(await ada.client.post("/users/me/subscriptions/properties", { subscription_data }));
      await grace.say(engines, "@**all** come again", "valves");
      await grace.say(engines, "@**Ada Lovelace** only you", "valves");
      await expect.poll(async () => (await asked()).shown.at(-1)?.body, waiting).toBe("@Ada Lovelace only you");
      expect((await asked()).shown.length).toBe(length + 1);
    });

    it("nothing of muted topics and people", async () => {
      const muted = { stream_id: engines.id, topic: "loops", visibility_policy: 1 };
      expectSuccess(await ada.client.post("/user_topics", muted));
      const before = (await asked()).shown.length;
      await grace.say(engines, "muted", "loops");
      expectSuccess(await ada.client.post(`/users/me/muted_users/${grace.id}`));
      await grace.say(ada, "muted, too");
      expectSuccess(await ada.client.delete(`/users/me/muted_users/${grace.id}`));
      await grace.say(ada, "heard again");
      await expect.poll(async () => (await asked()).shown.length, waiting).toBe(before + 1);
    });

    it("the title counts what the person chose", async () => {
      expectSuccess(await ada.client.post("/mark_all_as_read"));
      await grace.say(ada, "one");
      await grace.say(engines, "two", "followed");
      await grace.say(engines, "@**Ada Lovelace** three", "followed");
      await grace.say(engines, "four", "elsewhere");
      const follow = { stream_id: engines.id, topic: "followed", visibility_policy: 3 };
      expectSuccess(await ada.client.post("/user_topics", follow));
      for (const [display, title] of [
        [4, "Inbox – Parley"],
        [3, "(2) Inbox – Parley"],
        [2, "(3) Inbox – Parley"],
        [1, "(4) Inbox – Parley"],
      ] as const) {
        expectSuccess(await ada.client.patch("/settings", { desktop_icon_count_display: display }));
        await expect.poll(() => page.title(), waiting).toBe(title);
      }
    });
  });
});
