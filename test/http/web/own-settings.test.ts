/** Settings of oneself; another person sees what is theirs to see. */
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { messageWith } from "../../support/web/page.ts";
import { pageTest, password } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("settings of oneself", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let [one, other]: Visitor[] = [];
  let page: Page;
  beforeAll(async () => {
    one = await test.signIn(ada, { permissions: ["notifications"] });
    other = await test.signIn(grace, { hash: `#narrow/channel/${engines.id}-engines` });
    page = one.page;
  });

  const settings = async () =>
    (await ada.client.register({ fetch_event_types: ["user_settings"] })).user_settings as Record<string, unknown>;
  const section = (title: string) =>
    page.locator(".setting-section").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

  it("profile: name, picture and time zone", async () => {
    await page.goto("/#settings/profile");
    await page.getByLabel("Name", { exact: true }).fill("Ada King");
    await page.getByRole("button", { name: "Change" }).click();
    await other!.page.locator(".right").getByText("Ada King").waitFor();
    const picture = await sharp({ create: { width: 50, height: 50, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    await page
      .locator(".picture-setting input[type=file]")
      .setInputFiles({ name: "me.png", mimeType: "image/png", buffer: picture });
    await page.locator(".picture-setting img.avatar").waitFor();
    await other!.page.locator(".right .person-row", { hasText: "Ada King" }).locator("img.avatar").waitFor();
    await page.getByRole("button", { name: "Remove the picture" }).click();
    await other!.page
      .locator(".right .person-row", { hasText: "Ada King" })
      .locator("img.avatar")
      .waitFor({ state: "detached" });
    // There is none to remove.
    await page.getByRole("button", { name: "Remove the picture" }).waitFor({ state: "detached" });
    await page.getByLabel("Time zone").selectOption("Asia/Tokyo");
    const zone = async () => (await ada.client.get("/users/me")).body["timezone"];
    await expect.poll(zone, waiting).toBe("Asia/Tokyo");
  });

  it("custom profile fields of each kind", async () => {
    const { client } = server.owner;
    const options = { a: { text: "Steam", order: "1" }, b: { text: "Water", order: "2" } };
    for (const [field_type, name, field_data] of [
      [1, "Motto"],
      [3, "Power", options],
      [4, "Birthday"],
      [6, "Mentor"],
    ] as const)
      expectSuccess(
        await client.post("/realm/profile_fields", { field_type, name, ...(field_data && { field_data }) }),
      );
    await page.getByLabel("Motto").fill("to the engine");
    await page.getByLabel("Motto").press("Enter");
    await page.getByLabel("Power").selectOption({ label: "Water" });
    await page.getByLabel("Birthday").fill("1815-12-10");
    await page.getByLabel("Birthday").press("Enter");
    const mentor = page.getByRole("group", { name: "Mentor" });
    await mentor.getByRole("searchbox").fill("Grace");
    await mentor.getByRole("button", { name: "Add" }).click();
    await mentor.getByRole("button", { name: "Remove" }).waitFor();
    await other!.page.getByRole("button", { name: "Profile: Ada King" }).click();
    const card = other!.page.locator(".person-card");
    for (const value of ["to the engine", "Water", "1815", "Grace Hopper"]) await card.getByText(value).waitFor();
    await other!.page.keyboard.press("Escape");
  });

  it("display: emoji by their names, in messages and reactions", async () => {
    const id = await grace.say(engines, "well done :tada:", "emoji");
    expectSuccess(await grace.client.post(`/messages/${id}/reactions`, { emoji_name: "octopus" }));
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/emoji`);
    const message = messageWith(page, "well done");
    await message.getByText("🎉").waitFor();
    await page.goto("/#settings/display");
    await page.getByLabel("Emoji in messages").selectOption({ label: "By name, such as :tada:" });
    await message.getByText("well done :tada:").waitFor();
    await message.locator(".reaction", { hasText: ":octopus:" }).waitFor();
    await expect.poll(settings, waiting).toMatchObject({ emojiset: "text" });
    await page.getByLabel("Emoji in messages").selectOption({ label: "As pictures" });
    await message.getByText("🎉").waitFor();
    await message.locator(".reaction", { hasText: "🐙" }).waitFor();
  });

  it("display: people by name alone, with pictures, with what their status says", async () => {
    expectSuccess(await grace.client.post("/users/me/status", { status_text: "On a ship" }));
    const row = page.locator(".right .person-row", { hasText: "Grace Hopper" });
    await row.locator(".avatar").waitFor();
    const height = async () => Math.round((await row.boundingBox())!.height);
    const usual = await height();
    const choose = (label: string) => page.getByLabel("List of people").selectOption({ label });
    await choose("Names alone");
    await row.locator(".avatar").waitFor({ state: "detached" });
    expect(await height()).toBeLessThan(usual);
    await choose("With pictures and status");
    await row.getByText("On a ship").waitFor();
    expect(await height()).toBeGreaterThan(usual);
    await choose("With pictures");
    await row.getByText("On a ship").waitFor({ state: "detached" });
    await row.locator(".avatar").waitFor();
    await expect.poll(settings, waiting).toMatchObject({ user_list_style: 2 });
  });

  it("display: colours, text size, clock and first place", async () => {
    await page.goto("/#settings/display");
    await page.getByLabel("Colours").selectOption({ label: "Dark" });
    await expect.poll(() => page.locator("html").getAttribute("data-scheme"), waiting).toBe("dark");
    await page.getByLabel("Text size").selectOption("20");
    const size = () => page.evaluate("getComputedStyle(document.body).fontSize");
    await expect.poll(size, waiting).toBe("20px");
    await page.getByLabel("24-hour clock").check();
    await page.getByLabel("First place").selectOption({ label: "Recent conversations" });
    await expect.poll(settings, waiting).toMatchObject({
      color_scheme: 2,
      web_font_size_px: 20,
      twenty_four_hour_time: true,
      web_home_view: "recent",
    });
    // Where the system asks for nothing: the person's own wish, which the next start has at once.
    await page.getByLabel("High contrast").check();
    await page.locator("html[data-contrast]").waitFor({ state: "attached" });
    await page.goto("about:blank");
    await page.goto("/");
    await page.locator("html[data-contrast]").waitFor({ state: "attached" });
    await page.locator(".top", { hasText: "Recent conversations" }).waitFor();
    expect(await violations(page, ["color-contrast-enhanced"])).toEqual([]);
    expectSuccess(await ada.client.patch("/settings", { high_contrast_mode: false }));
    await page.locator("html:not([data-contrast])").waitFor({ state: "attached" });
    await page.goto("/#settings/display");
    await page.getByLabel("Enter sends").check();
    await page.keyboard.press("Escape");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/enter`);
    await page.locator("#compose-text").fill("sent by Enter");
    await page.locator("#compose-text").press("Enter");
    await messageWith(page, "sent by Enter").waitFor();
  });

  it("density: more messages on a screen, or fewer, also at the next start", async () => {
    await grace.say(engines, "one line", "density");
    await grace.say(engines, "and another", "density");
    const heightAs = async (density: string): Promise<number> => {
      await page.goto("/#settings/display");
      await page.getByLabel("Density of messages").selectOption({ label: density });
      await page.locator(`html[data-density=${density.toLowerCase()}]`).waitFor({ state: "attached" });
      await page.goto("about:blank");
      await page.goto(`/#narrow/channel/${engines.id}-engines/topic/density`);
      const message = messageWith(page, "and another");
      await message.waitFor();
      return (await message.boundingBox())!.height;
    };
    const [roomy, compact, usual] = [await heightAs("Roomy"), await heightAs("Compact"), await heightAs("Usual")];
    expect(compact).toBeLessThan(usual);
    expect(usual).toBeLessThan(roomy);
    await expect.poll(settings, waiting).toMatchObject({ web_line_height_percent: 122 });
    expect(await violations(page)).toEqual([]);
  });

  it("emoticons become emoji for whoever wants that, in the preview and in what is sent", async () => {
    await page.goto("/#settings/display");
    await page.getByLabel("Turn emoticons such as :) into emoji").check();
    await expect.poll(settings, waiting).toMatchObject({ translate_emoticons: true });
    await page.keyboard.press("Escape");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/emoticons`);
    await page.locator("#compose-text").fill("glad :)");
    await page.getByRole("button", { name: "Preview" }).click();
    await page.locator(".preview", { hasText: "🙂" }).waitFor();
    await page.getByRole("button", { name: "Write", exact: true }).click();
    await page.locator("#compose-text").press("Control+Enter");
    await messageWith(page, "glad 🙂").waitFor();
  });

  it("notifications, also those of the browser", async () => {
    await page.goto("/#settings/notifications");
    await page.getByText("This browser shows notifications.").waitFor();
    await page.getByLabel("A sound for channels").check();
    await page.getByLabel("Show what direct messages say").uncheck();
    await page.getByLabel("Count in the title").selectOption({ label: "None" });
    await expect.poll(settings, waiting).toMatchObject({
      enable_stream_audible_notifications: true,
      pm_content_in_desktop_notifications: false,
      desktop_icon_count_display: 4,
    });
  });

  it("emails: how long messages are gathered, the digest, and mentions of everybody", async () => {
    await page.goto("/#settings/notifications");
    const emails = section("By email, while I am away");
    await emails.getByLabel("Gather messages before an email is sent").selectOption({ label: "10 minutes" });
    await emails.getByLabel("A digest each week").uncheck();
    await emails.getByLabel("Topics I follow").uncheck();
    await emails.getByLabel("Show what messages say").uncheck();
    await page.getByLabel("Mentions of everybody count as mentions of me").uncheck();
    await page.getByLabel("In topics I follow, also where they otherwise").uncheck();
    await expect.poll(settings, waiting).toMatchObject({
      email_notifications_batching_period_seconds: 600,
      enable_digest_emails: false,
      enable_followed_topic_email_notifications: false,
      message_content_in_email_notifications: false,
      wildcard_mentions_notify: false,
      enable_followed_topic_wildcard_mentions_notify: false,
    });
    // What another program chose is shown as well.
    expectSuccess(await ada.client.patch("/settings", { email_notifications_batching_period_seconds: 420 }));
    const chosen = emails.getByLabel("Gather messages before an email is sent").locator("option:checked");
    await expect.poll(() => chosen.innerText(), waiting).toBe("7 minutes");
    expect(await violations(page)).toEqual([]);
  });

  it("topics are followed and unmuted by themselves as the person wants it", async () => {
    await page.goto("/#settings/notifications");
    const policies = section("Topics that are followed by themselves");
    const following = policies.getByRole("combobox", { name: "Follow topics", exact: true });
    await following.selectOption({ label: "That I write in" });
    await policies.getByLabel("Unmute topics of muted channels").selectOption({ label: "Never" });
    await policies.getByLabel("Follow topics in which I am mentioned").uncheck();
    await expect.poll(settings, waiting).toMatchObject({
      automatically_follow_topics_policy: 2,
      automatically_unmute_topics_in_muted_streams_policy: 4,
      automatically_follow_topics_where_mentioned: false,
    });
    await grace.say(engines, "@**Ada King** begins", "by themselves");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/by.20themselves`);
    const topic = page.locator(".left .topic", { hasText: "by themselves" });
    await messageWith(page, "begins").waitFor();
    expect(await topic.locator(".side-row .icon").count()).toBe(0);
    await page.locator("#compose-text").fill("I go on");
    await page.locator("#compose-text").press("Control+Enter");
    await topic.locator(".side-row .icon").waitFor();
  });

  it("alert words", async () => {
    await page.goto("/#settings/alert-words");
    await page.getByRole("textbox", { name: "Word" }).fill("steam");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.locator(".setting-rows", { hasText: "steam" }).waitFor();
    await grace.say(engines, "more steam please", "boilers");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/boilers`);
    await messageWith(page, "more steam").locator(".alert-word").waitFor();
    await page.goto("/#settings/alert-words");
    await page.getByRole("button", { name: "Remove" }).click();
    await section("Alert words").getByText("Nothing yet.").waitFor();
  });

  it("muted people", async () => {
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/boilers`);
    await messageWith(page, "more steam").waitFor();
    await page.getByRole("button", { name: "Profile: Grace Hopper" }).click();
    await page.getByRole("menuitem", { name: "Mute" }).click();
    await page.getByText("A message from a muted person").waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await messageWith(page, "more steam").waitFor();
    await page.goto("/#settings/muted");
    await section("Muted people").getByRole("button", { name: "Remove" }).click();
    await section("Muted people").getByText("Nobody.").waitFor();
  });

  it("bots", async () => {
    await page.goto("/#settings/bots");
    await page.getByLabel("Name of the bot").fill("Whistle");
    await page.getByLabel("Short name").fill("whistle");
    await page.getByRole("button", { name: "Make a bot" }).click();
    const bot = page.locator(".setting-rows li", { hasText: "Whistle" });
    await bot.getByRole("button", { name: "Show the key" }).click();
    await expect.poll(() => bot.locator("code").innerText(), waiting).toMatch(/^\w{32}$/);
    await other!.page.locator(".right").getByRole("button", { name: "Everybody" }).click();
    await other!.page.locator(".right").getByText("Whistle").waitFor();
    await bot.getByRole("button", { name: "Deactivate" }).click();
    await bot.getByText("Deactivated").waitFor();
  });

  it("sessions: where one is logged in; one of them is ended, then all others", async () => {
    const phone = await test.signIn(ada, { userAgent: "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Firefox/140.0" });
    const desk = await test.signIn(ada);
    await page.goto("/#settings/sessions");
    const rows = page.locator(".setting-rows li");
    await expect.poll(() => rows.count(), waiting).toBe(3);
    const own = rows.filter({ hasText: "This browser" });
    await own.getByText(/Logged in .*, seen .* from .*127\.0\.0\.1/).waitFor();
    expect(await own.getByRole("button").count()).toBe(0);
    await rows.filter({ hasText: "Firefox on Windows" }).getByRole("button", { name: "Log out" }).click();
    await phone.page.waitForURL(/\/login\//);
    await expect.poll(() => rows.count(), waiting).toBe(2);
    await page.getByRole("button", { name: "Log out everywhere else" }).click();
    await desk.page.waitForURL(/\/login\//);
    await expect.poll(() => rows.count(), waiting).toBe(1);
    await own.waitFor();
    // What they asked for last was refused: the browsers say so themselves.
    for (const gone of [phone, desk]) {
      expect(gone.problems.splice(0).filter((line) => !/status of 40[01]/.test(line))).toEqual([]);
      await gone.close();
    }
  });

  it("data export: others may be let export what is private", async () => {
    await page.goto("/#settings/account");
    const consent = page.getByLabel("Let administrators export what is private to me");
    await consent.check();
    await expect.poll(settings, waiting).toMatchObject({ allow_private_data_export: true });
    await consent.uncheck();
    await expect.poll(settings, waiting).toMatchObject({ allow_private_data_export: false });
  });

  it("another address, with the password again", async () => {
    await page.goto("/#settings/account");
    const form = section("Email");
    await form.getByLabel("New address").fill("ada.king@example.net");
    await form.getByLabel("Current password").fill(password);
    await form.getByRole("button", { name: "Change the address" }).click();
    await form.getByText("ada.king@example.net").waitFor();
    await form.getByLabel("New address").fill(ada.email);
    await form.getByLabel("Current password").fill(password);
    await form.getByRole("button", { name: "Change the address" }).click();
    await form.getByText(ada.email).waitFor();
  });

  it("a suggested status keeps its emoji when it is saved again, and stands beside the name in messages", async () => {
    await page.goto("/#inbox");
    await ada.say(engines, "from the deck", "status");
    await other!.page.goto(`/#narrow/channel/${engines.id}-engines/topic/status`);
    const head = messageWith(other!.page, "from the deck").locator(".sender");
    await head.waitFor();
    const dialog = page.getByRole("dialog");
    const open = async () => {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("menuitem", { name: "Set a status" }).click();
    };
    const save = async () => {
      await dialog.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await open();
    await dialog.getByRole("button", { name: "On vacation" }).filter({ hasText: "🌴" }).click();
    await save();
    await head.locator(".status-emoji[title='On vacation']", { hasText: "🌴" }).waitFor();
    await open();
    await dialog.getByLabel("Status").fill("On an island");
    await save();
    await head.locator(".status-emoji[title='On an island']", { hasText: "🌴" }).waitFor();
  });

  it("invisible mode: others do not see that one is here", async () => {
    const dot = other!.page.locator(".right .person-row", { hasText: "Ada King" }).locator(".presence.active");
    await dot.waitFor();
    const choose = async (name: string) => {
      await page.getByRole("button", { name: "Menu" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await choose("Go invisible");
    await expect.poll(settings, waiting).toMatchObject({ presence_enabled: false });
    await other!.page.reload();
    await messageWith(other!.page, "from the deck").waitFor();
    await dot.waitFor({ state: "detached" });
    await choose("Turn off invisible mode");
    await expect.poll(settings, waiting).toMatchObject({ presence_enabled: true });
  });

  it("further API keys, which end alone", async () => {
    await page.goto("/#settings/account");
    const keys = section("Further API keys");
    await keys.getByLabel("What it is for").fill("Weather");
    await keys.getByLabel("What it may do").selectOption("Read");
    await keys.getByLabel("How long it is good").selectOption("A year");
    await keys.getByRole("button", { name: "Make the key" }).click();
    const apiKey = await keys.locator("code").innerText();
    await keys.getByText("never used", { exact: false }).waitFor();
    const client = new ApiClient({ url: server.url, email: ada.email, apiKey });
    expectSuccess(await client.get("/users/me"));
    expectError(await client.patch("/settings", { twenty_four_hour_time: true }), 401);
    await keys.getByRole("button", { name: "End it" }).click();
    await keys.getByText("Weather").waitFor({ state: "detached" });
    expectError(await client.get("/users/me"), 401);
  });

  it("password, API key and zuliprc", async () => {
    await page.goto("/#settings/account");
    const keys = section("API key");
    await keys.getByRole("button", { name: "Show the key" }).click();
    const key = await keys.locator("code").innerText();
    expect(key).toBe(ada.apiKey);
    const href = await keys.getByRole("link", { name: "Download zuliprc" }).getAttribute("href");
    expect(decodeURIComponent(href!)).toContain(`email=${ada.email}\nkey=${key}\nsite=${server.url}`);
    await keys.getByRole("button", { name: "Make a new key" }).click();
    await expect.poll(() => keys.locator("code").innerText(), waiting).not.toBe(key);
    const form = section("Password");
    await form.getByLabel("Current password").fill(password);
    await form.getByLabel("New password").fill("another fine one");
    await form.getByRole("button", { name: "Change" }).click();
    await page.getByText("Saved.").waitFor();
    const again = await test.visit();
    await again.page.goto("/login/");
    await again.page.getByLabel("Email").fill(ada.email);
    await again.page.getByLabel("Password").fill("another fine one");
    await again.page.getByRole("button", { name: "Log in" }).click();
    await again.page.locator(".left").waitFor();
    await again.close();
  });

  it("a status, which others see", async () => {
    await page.goto("/#inbox");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Set a status" }).click();
    await page.getByRole("dialog").getByLabel("Status").fill("at sea");
    await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await other!.page.getByRole("button", { name: "Profile: Ada King" }).click();
    await other!.page.locator(".person-card").getByText("at sea").waitFor();
    await other!.page.keyboard.press("Escape");
  });

  it("deactivate one's own account", async () => {
    await page.goto("/#settings/account");
    await page.getByRole("button", { name: "Deactivate my account" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate", exact: true }).click();
    await page.waitForURL(/\/login\//);
    await other!.page.locator(".right").getByText("Ada King").waitFor({ state: "detached" });
    // What the page asked for last was refused: the browser says so itself.
    expect(one!.problems.splice(0).every((line) => /status of 40[01]/.test(line))).toBe(true);
  });
});
