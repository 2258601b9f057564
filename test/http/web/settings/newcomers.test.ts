/** What new people begin with: administrators set it, everybody may read it, and who comes has it. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../../support/client/api.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("settings of new people", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, alan] = server.people("Ada Lovelace", ["Alan Turing", 200]);
  let [page, member, admin]: Page[] = [];
  beforeAll(async () => {
    const hash = "#organization/newcomers";
    ({ page } = await test.signIn(server.owner, { hash }));
    ({ page: member } = await test.signIn(ada, { hash }));
    ({ page: admin } = await test.signIn(alan, { hash }));
  });

  const defaults = async () =>
    expectSuccess(await ada.client.get("/realm/user_settings_defaults"))["realm_user_settings_defaults"] as JsonObject;
  const ownOf = async (person: typeof ada) =>
    (await person.client.register({ fetch_event_types: ["user_settings"] })).user_settings as JsonObject;
  const chosen = (of: Page, label: string) =>
    of.getByRole("combobox", { name: label }).evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text);

  it("an administrator sets them, another one sees it, and nobody's own change", async () => {
    await page!.getByLabel("Colours").selectOption({ label: "Dark" });
    await page!.getByLabel("24-hour clock").check();
    await page!.getByLabel("Density of messages").selectOption({ label: "Compact" });
    await page!.getByLabel("Count in the title").selectOption({ label: "None" });
    await page!.getByLabel("Desktop notifications of direct messages and mentions").uncheck();
    await expect.poll(defaults, waiting).toMatchObject({
      color_scheme: 2,
      twenty_four_hour_time: true,
      web_line_height_percent: 114,
      desktop_icon_count_display: 4,
      enable_desktop_notifications: false,
    });
    await expect.poll(() => chosen(admin!, "Colours"), waiting).toBe("Dark");
    await expect.poll(() => chosen(admin!, "Density of messages"), waiting).toBe("Compact");
    await expect.poll(() => admin!.getByLabel("24-hour clock").isChecked(), waiting).toBe(true);
    for (const person of [server.owner, alan])
      expect(await ownOf(person)).toMatchObject({ color_scheme: 1, twenty_four_hour_time: false });
    await page!.goto("/#settings/display");
    await expect.poll(() => chosen(page!, "Colours"), waiting).toBe("As the system");
    // What is the browser's own is offered to whoever sits there.
    await page!.goto("/#settings/notifications");
    await page!.getByLabel("Notify this browser when the page is closed").waitFor();
    await page!.goto("/#organization/newcomers");
    await page!.getByLabel("Colours").waitFor();
    expect(await page!.getByLabel("Notify this browser when the page is closed").count()).toBe(0);
    expect(await page!.getByLabel("Language").count()).toBe(0);
  });

  it("others read them, and are told that they may not change them", async () => {
    await member!.getByText("Only administrators may change this.").waitFor();
    await expect.poll(() => chosen(member!, "Colours"), waiting).toBe("Dark");
    const body = member!.locator(".setting-body");
    expect(await body.locator("input, select").count()).toBeGreaterThan(20);
    expect(await body.locator("input:enabled, select:enabled").count()).toBe(0);
    expect(await page!.locator(".setting-body :is(input, select):disabled").count()).toBe(0);
  });

  it("whoever joins begins with them", async () => {
    const grace = await server.addUser("Grace Hopper");
    expect(await ownOf(grace)).toMatchObject({ color_scheme: 2, twenty_four_hour_time: true });
    const { page: hers } = await test.signIn(grace, { hash: "#settings/display" });
    await hers.locator("html[data-scheme=dark][data-density=compact]").waitFor({ state: "attached" });
    await expect.poll(() => hers.getByLabel("24-hour clock").isChecked(), waiting).toBe(true);
  });
});
