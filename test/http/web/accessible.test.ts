/**
 * What opens over the views, and views with something in them. In all of it axe finds nothing wrong, light and dark, on
 * a desktop and at a phone's size.
 */
import type { Locator, Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { until } from "../../support/time/until.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
const usual = {
  colorScheme: "light",
  contrast: "no-preference",
  forcedColors: "none",
  reducedMotion: "reduce",
} as const;

describe.skipIf(!browserPath)("accessibility", { timeout: 300_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const { owner } = server;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [owner, ada, grace]);
  let group: number;

  beforeAll(async () => {
    const { client } = owner;
    const desk = await server.addChannel("desk", [owner]);
    await owner.setRealm({ enable_read_receipts: true, moderation_request_channel_id: desk });
    const pixel = await sharp({ create: { width: 300, height: 200, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    const files = { file: { filename: "teal.png", content: pixel, type: "image/png" } };
    const uploaded = await grace.client.post("/user_uploads", {}, { files });
    await grace.say(engines, `look [teal.png](${expectSuccess(uploaded)["url"]})`, "loops");
    const mine = await owner.say(engines, "something of mine", "loops");
    expectSuccess(await client.patch(`/messages/${mine}`, { content: "something of mine, edited" }));
    expectSuccess(await grace.client.post(`/messages/${mine}/reactions`, { emoji_name: "tada" }));
    await grace.say(owner, "psst");
    const made = expectSuccess(
      await client.post("/user_groups/create", { name: "makers", description: "who makes", members: [ada.id] }),
    );
    group = made["group_id"] as number;
    expectSuccess(await client.post("/bots", { full_name: "Helper", short_name: "helper" }));
    const draft = { type: "stream", to: [engines.id], topic: "loops", content: "half a thought", timestamp: 1 };
    expectSuccess(await client.post("/drafts", { drafts: [draft] }));
    const later = Math.floor(Date.now() / 1000) + 86_400;
    const scheduled = { type: "direct", to: [ada.id], content: "later", scheduled_delivery_timestamp: later };
    expectSuccess(await client.post("/scheduled_messages", scheduled));
    expectSuccess(await client.post("/reminders", { message_id: mine, scheduled_delivery_timestamp: later }));
    expectSuccess(await client.post("/realm/playgrounds", playground));
    expectSuccess(await client.post("/realm/filters", { pattern: "#(?P<id>\\d+)", url_template: "https://x.io/{id}" }));
    expectSuccess(await client.post("/realm/domains", { domain: "example.com", allow_subdomains: false }));
  });
  const playground = { name: "Try", pygments_language: "Python", url_template: "https://play.example.com/{code}" };

  const mine = (page: Page) => messageWith(page, "something of mine");
  const theirs = (page: Page) => messageWith(page, "look");
  const brief = { timeout: 1000 };
  /** What can be done with a message shows where the pointer is, or at a finger's touch. */
  const point = async (message: Locator): Promise<void> => {
    const isTouched = await message.page().evaluate("matchMedia('(hover: none)').matches");
    await (isTouched ? message.locator("time").first().tap(brief) : message.hover(brief));
  };
  /**
   * Presses a button among what can be done. A list that is drawn anew meanwhile takes it away until the pointer comes
   * again. What is slow to open covers a phone's messages: they are pressed no more then. Nor are they below a picture,
   * which a second tap opens that meets a list on its way.
   */
  const press = (message: Locator, name: string, opened: Locator): Promise<void> =>
    until(`what ${name} opens`, async () => {
      if (await opened.first().isVisible()) return true;
      if (await message.page().locator("dialog.viewer").isVisible()) await message.page().keyboard.press("Escape");
      const button = message.locator(".message-tools").getByRole("button", { name });
      await point(message)
        .then(() => button.click(brief))
        .catch(() => undefined);
      return opened.first().isVisible();
    });
  const inMenu =
    (name: string, shown: string, of = mine) =>
    async (page: Page) => {
      await press(of(page), "More actions", page.getByRole("menu"));
      await page.getByRole("menuitem", { name, exact: true }).click();
      await page.locator(shown).first().waitFor();
    };
  const dialogs: readonly (readonly [name: string, open: (page: Page) => Promise<unknown>])[] = [
    ["moving", inMenu("Move", "dialog form input")],
    ["a reminder", inMenu("Remind me", "dialog .choices button")],
    ["who has read it", inMenu("Who has read it", "dialog p, dialog li")],
    ["edit history", inMenu("Edit history", "dialog li")],
    ["reporting", inMenu("Report", "dialog textarea", theirs)],
    ["deleting", inMenu("Delete", "dialog .dangerous")],
    ["editing", inMenu("Edit", ".message-editor textarea")],
    [
      "a message's menu",
      async (page) => {
        await press(mine(page), "More actions", page.getByRole("menu"));
      },
    ],
    [
      "emoji",
      async (page) => {
        const picker = page.getByRole("button", { name: "tada", exact: true }).first();
        await press(mine(page), "Add a reaction", picker);
      },
    ],
    [
      "saved snippets",
      async (page) => {
        await page.locator(".compose").getByRole("button", { name: "Saved snippets" }).click();
        await page.getByRole("heading", { name: "Saved snippets" }).waitFor();
      },
    ],
    [
      "a person",
      async (page) => {
        await theirs(page).locator(".name").click();
        await page.locator(".person-card").waitFor();
      },
    ],
    [
      "a picture",
      async (page) => {
        await page.locator(".message_inline_image a").click();
        await page.locator("dialog.viewer img").waitFor();
      },
    ],
    [
      "the palette",
      async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox", { name: "Go to…" }).fill("e");
        await page.getByRole("option").first().waitFor();
      },
    ],
    [
      "a date",
      async (page) => {
        await page.getByRole("button", { name: "Jump to a date" }).click();
        await page.locator("dialog input[type=date]").waitFor();
      },
    ],
    [
      "suggestions of the search",
      async (page) => {
        await page.locator("#search").fill("is:");
        await page.locator(".search").getByRole("option").first().waitFor();
      },
    ],
    [
      "completion",
      async (page) => {
        await composeBox(page).fill("");
        await composeBox(page).pressSequentially("@Gra");
        await page.getByRole("option").first().waitFor();
      },
    ],
    [
      "a preview",
      async (page) => {
        await composeBox(page).fill("**bold** `code` [link](https://example.com)");
        await page.getByRole("button", { name: "Preview" }).click();
        await page.locator(".preview strong").waitFor();
        const found = await violations(page);
        await page.getByRole("button", { name: "Write", exact: true }).click();
        expect(found).toEqual([]);
      },
    ],
    [
      "sending later",
      async (page) => {
        await page.getByRole("button", { name: "Send later" }).click();
        await page.locator("dialog .choices button").first().waitFor();
      },
    ],
    [
      "a new poll",
      async (page) => {
        await page.locator(".compose").getByRole("button", { name: "Poll", exact: true }).click();
        await page.getByLabel("Options, one a line").waitFor();
      },
    ],
    [
      "a topic's menu",
      async (page) => {
        await page.locator(".top").getByRole("button", { name: "Actions of the topic" }).click();
        await page.getByRole("menu").waitFor();
      },
    ],
    [
      "one's own menu and status",
      async (page) => {
        await page.locator(".me-button").click();
        await page.getByRole("menu").waitFor();
        expect(await violations(page)).toEqual([]);
        await page.getByRole("menuitem", { name: "Set a status" }).click();
        await page.locator("dialog form input").waitFor();
      },
    ],
    [
      "a new direct message",
      async (page) => {
        await page.locator(".left").getByRole("button", { name: "New direct message" }).click();
        await page.getByRole("dialog").getByRole("button", { name: "Ada Lovelace" }).waitFor();
      },
    ],
    [
      "a confirmation in settings",
      async (page) => {
        await page.goto(`/#groups/${group}`);
        await page.getByRole("button", { name: "Deactivate the group" }).or(page.locator(".danger")).first().click();
        await page.locator("dialog .dangerous").waitFor();
      },
    ],
  ];
  /** What is not on a phone's screen until it is asked for, or is reached by pointing. */
  const onDesktops = new Set(["one's own menu and status", "a new direct message", "suggestions of the search"]);

  const views = (): readonly (readonly [hash: string, shown: string])[] => [
    ["#inbox", ".inbox-row"],
    ["#recent", ".recent-row"],
    ["#feed", ".message"],
    [`#narrow/channel/${engines.id}-engines/topic/loops`, ".message"],
    [`#narrow/dm/${grace.id}-dm`, ".message"],
    ["#drafts", ".own-list li"],
    ["#scheduled", ".own-list li"],
    ["#reminders", ".own-list li"],
    ["#narrow/search/nothing.20like.20this", ".empty"],
    ["#settings/profile", ".setting-section"],
    ["#settings/account", ".setting-section"],
    ["#settings/display", ".setting-section"],
    ["#settings/notifications", ".setting-section"],
    ["#settings/bots", ".setting-section"],
    ["#organization/profile", ".setting-section"],
    ["#organization/permissions", ".setting-section"],
    ["#organization/people", ".person-line"],
    ["#organization/bots", ".person-line"],
    ["#organization/newcomers", ".setting-section select"],
    ["#organization/invitations", ".setting-section"],
    ["#organization/linkifiers", ".setting-rows li"],
    ["#organization/playgrounds", ".setting-rows li"],
    ["#organization/domains", ".setting-rows li"],
    ["#organization/fields", ".setting-section"],
    ["#channels", ".channel-line"],
    ["#channels/new", ".setting-section form"],
    [`#channels/${engines.id}`, ".setting-section"],
    [`#channels/${engines.id}/subscribers`, ".person-line"],
    ["#groups", ".setting-rows"],
    [`#groups/${group}`, ".person-line"],
    ["#invite", ".setting-section"],
  ];

  /**
   * What axe finds in the light, and of contrast in the dark and where the system sets the colours. Where a high
   * contrast is wanted, text stands out seven to one.
   */
  async function everyLook(page: Page): Promise<string[]> {
    const found = await violations(page);
    for (const looks of [{ colorScheme: "dark" }, { colorScheme: "dark", forcedColors: "active" }] as const) {
      await page.emulateMedia({ ...usual, ...looks });
      found.push(
        ...(await violations(page, ["color-contrast"])).map((problem) => `${Object.values(looks)}: ${problem}`),
      );
    }
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ ...usual, colorScheme, contrast: "more" });
      await page.locator("html[data-contrast]").waitFor({ state: "attached" });
      const weak = await violations(page, ["color-contrast-enhanced"]);
      found.push(...weak.map((problem) => `high contrast, ${colorScheme}: ${problem}`));
    }
    await page.emulateMedia(usual);
    return found;
  }

  // Colours do not depend on the size.
  for (const { size, look, options } of [
    { size: "a desktop", look: everyLook, options: { viewport: { width: 1280, height: 800 } } },
    { size: "a phone", look: (page: Page) => violations(page), options: phone },
  ])
    describe(size, () => {
      let page: Page;
      beforeAll(async () => {
        ({ page } = await test.signIn(owner, options));
        await page.emulateMedia(usual);
      });

      it("axe finds nothing wrong with what opens over the views", async () => {
        const found: string[] = [];
        for (const [name, open] of dialogs) {
          if (size === "a phone" && onDesktops.has(name)) continue;
          await page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
          await mine(page).waitFor();
          await open(page);
          found.push(...(await look(page)).map((problem) => `${name}: ${problem}`));
          // A dialog over the settings closes first.
          for (const _ of [1, 2]) await page.keyboard.press("Escape");
          await page.locator("dialog[open], .menu").waitFor({ state: "detached" });
        }
        expect(found).toEqual([]);
      });

      it("axe finds nothing wrong with views that have something in them", async () => {
        await grace.say(engines, "news", `unread on ${size}`);
        const found: string[] = [];
        for (const [hash, shown] of views()) {
          await page.goto(`/${hash}`);
          await page.locator(shown).first().waitFor();
          found.push(...(await look(page)).map((problem) => `${hash}: ${problem}`));
          const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
          if (overflow !== 0) found.push(`${hash}: ${overflow} pixels wider than the screen`);
        }
        expect(found).toEqual([]);
      });
    });

  it("a phone: the sides that open over the page", async () => {
    const { page } = await test.signIn(owner, { ...phone, hash: "#inbox" });
    await page.emulateMedia(usual);
    await page.locator(".top").getByRole("button", { name: "Menu" }).click();
    await page.locator(".left.open").waitFor();
    const left = await everyLook(page);
    await page.keyboard.press("Escape");
    await page.locator(".left.open").waitFor({ state: "detached" });
    await page.locator(".top").getByRole("button", { name: "People" }).click();
    await page.locator(".right .person-row").first().waitFor();
    expect([...left, ...(await everyLook(page))]).toEqual([]);
  });
});
