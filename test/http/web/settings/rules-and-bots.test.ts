/** What is edited of the organization: its rules, linkifiers and fields; and bots of each kind. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("rules and bots", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada] = server.people("Ada Lovelace");
  const engines = server.channel("engines", [ada]);
  let page: Page;
  beforeAll(async () => {
    ({ page } = await test.signIn(server.owner));
  });

  const rows = () => page.locator(".setting-rows li");
  const realm = () => server.owner.client.register({ fetch_event_types: ["realm"] });

  it("rules: announcements, moving, previews, names, language, and a welcome", async () => {
    await page.goto("/#organization/profile");
    await page.getByRole("combobox", { name: "New channels", exact: true }).selectOption({ label: "engines" });
    await page.getByRole("combobox", { name: "New people", exact: true }).selectOption({ label: "engines" });
    await page.getByLabel("How long a message may be moved to another topic").selectOption({ label: "At any time" });
    await page.getByLabel("How long a message may be moved to another channel").selectOption({ label: "1 day" });
    await page.getByLabel("Show previews of linked websites").check();
    await page.getByLabel("People cannot change their names").check();
    await page.getByLabel("Where calls are held").selectOption({ label: "None" });
    await page.getByLabel("What kind of organization it is").selectOption({ label: "Research" });
    await page.getByLabel("Language of new accounts").selectOption({ label: "Deutsch" });
    await page.getByLabel("Welcome message to new people").fill("Have a look around.");
    await page.getByRole("button", { name: "Change" }).click();
    await expect.poll(realm, waiting).toMatchObject({
      realm_new_stream_announcements_stream_id: engines.id,
      realm_signup_announcements_stream_id: engines.id,
      realm_move_messages_within_stream_limit_seconds: null,
      realm_move_messages_between_streams_limit_seconds: 86_400,
      realm_inline_url_embed_preview: true,
      realm_name_changes_disabled: true,
      realm_video_chat_provider: 0,
      realm_org_type: 40,
      realm_default_language: "de",
      realm_welcome_message_custom_text: "Have a look around.",
    });
    expect(await violations(page)).toEqual([]);
  });

  it("linkifiers are edited and ordered", async () => {
    for (const name of ["bugs", "plans"])
      expectSuccess(
        await server.owner.client.post("/realm/filters", {
          pattern: `${name}#(?P<id>[0-9]+)`,
          url_template: `https://${name}.example.com/{id}`,
        }),
      );
    await page.goto("/#organization/linkifiers");
    const bugs = rows().filter({ hasText: "bugs.example" });
    await bugs.getByRole("button", { name: "Edit" }).click();
    const form = rows().locator("form");
    await form.getByLabel("Address").fill("https://tracker.example.com/{id}");
    await form.getByRole("button", { name: "Save" }).click();
    await rows().filter({ hasText: "tracker.example" }).waitFor();
    await rows().filter({ hasText: "plans" }).getByRole("button", { name: "Move up" }).click();
    await expect.poll(() => rows().first().innerText(), waiting).toContain("plans");
    const { linkifiers } = (await server.owner.client.get("/realm/linkifiers")).body as {
      linkifiers: { url_template: string }[];
    };
    expect(linkifiers.map((one) => one.url_template)).toEqual([
      "https://plans.example.com/{id}",
      "https://tracker.example.com/{id}",
    ]);
  });

  it("a profile field is edited, and what people chose stays chosen", async () => {
    const options = { 0: { text: "Steam", order: "1" }, 1: { text: "Water", order: "2" } };
    const { id } = expectSuccess(
      await server.owner.client.post("/realm/profile_fields", { name: "Power", field_type: 3, field_data: options }),
    );
    expectSuccess(await ada.client.patch("/users/me/profile_data", { data: [{ id, value: "1" }] }));
    await page.goto("/#organization/fields");
    await rows().filter({ hasText: "Power" }).getByRole("button", { name: "Edit" }).click();
    const form = rows().locator("form");
    await form.getByLabel("Name").fill("Drive");
    await form.getByLabel("Options, one a line").fill("Wind\nWater\nSteam");
    await form.getByRole("button", { name: "Save" }).click();
    await rows().filter({ hasText: "Drive" }).getByRole("button", { name: "Edit" }).waitFor();
    await page.goto(`/#user/${ada.id}`);
    await expect.poll(() => page.locator("dt:text-is('Drive') + dd").innerText(), waiting).toBe("Water");
  });

  it("bots: an incoming webhook with its address, an outgoing one, renamed, deactivated and brought back", async () => {
    await page.goto("/#settings/bots");
    const make = async (kind: string, name: string, url?: string) => {
      await page.getByLabel("Kind of bot").selectOption({ label: kind });
      await page.getByLabel("Name of the bot").last().fill(name);
      await page.getByLabel("Short name").fill(name.toLowerCase());
      if (url) await page.getByLabel("Address that is called").last().fill(url);
      await page.getByRole("button", { name: "Make a bot" }).click();
      await rows().filter({ hasText: name }).waitFor();
    };
    await make("Incoming webhook: a service writes here", "Whistle");
    const whistle = rows().filter({ hasText: "whistle-bot" });
    await whistle.getByRole("button", { name: "Show the key" }).click();
    await whistle.getByRole("combobox", { name: "Service", exact: true }).selectOption({ label: "GitHub" });
    await whistle.getByLabel("Channel that it writes to").selectOption({ label: "engines" });
    const address = await whistle.locator(".made-link code").innerText();
    expect(new URL(address).pathname).toBe("/api/v1/external/github");
    expect(new URL(address).searchParams.get("stream")).toBe(String(engines.id));
    expect(await violations(page)).toEqual([]);
    await whistle.getByRole("button", { name: "Edit" }).click();
    await whistle.getByLabel("Name of the bot").fill("Kettle");
    await whistle.getByRole("button", { name: "Change" }).click();
    await rows().filter({ hasText: "Kettle" }).waitFor();
    await make("Outgoing webhook: a service answers", "Oracle", "https://oracle.example.com/ask");
    const oracle = rows().filter({ hasText: "oracle-bot" });
    await oracle.getByRole("button", { name: "Edit" }).click();
    await expect
      .poll(() => oracle.getByLabel("Address that is called").inputValue(), waiting)
      .toBe("https://oracle.example.com/ask");
    await oracle.getByRole("button", { name: "Deactivate" }).click();
    await oracle.getByRole("button", { name: "Reactivate" }).click();
    await oracle.getByRole("button", { name: "Deactivate" }).waitFor();
  });
});
