/** Settings of channels, groups and the organization: what an administrator sets, others see at once. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { browserPath, patienceMs, type Visitor } from "../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../support/web/page.ts";
import { pageTest } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("settings of channels, groups and the organization", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace, alan] = server.people("Ada Lovelace", "Grace Hopper", ["Alan Turing", 200]);
  const engines = server.channel("engines", [ada]);
  let [boss, other]: Visitor[] = [];
  let page: Page;
  beforeAll(async () => {
    boss = await test.signIn(server.owner);
    other = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
    page = boss.page;
  });

  const region = (name: string) => page.getByRole("region", { name });
  const change = async (label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).fill(text);
    await page.getByLabel(label, { exact: true }).press("Enter");
  };
  const picture = () =>
    sharp({ create: { width: 64, height: 64, channels: 3, background: "teal" } })
      .png()
      .toBuffer();

  describe("channels", () => {
    it("create, describe and rename", async () => {
      await page.goto("/#channels/new");
      await page.getByLabel("Name").fill("kites");
      await page.getByRole("button", { name: "Create" }).click();
      await page.getByRole("heading", { name: "kites" }).waitFor();
      await page.getByLabel("Description").fill("What flies");
      await page.getByRole("button", { name: "Change" }).click();
      await change("Name", "gliders");
      await page.getByRole("heading", { name: "gliders" }).waitFor();
      await other!.page.goto("/#channels");
      const line = other!.page.locator(".channel-line", { hasText: "gliders" });
      await line.getByText("What flies").waitFor();
      await other!.page.keyboard.press("Escape");
    });

    it("subscribers: add and remove", async () => {
      await page.goto(`/#channels/${engines.id}/subscribers`);
      await page.getByLabel("Add people").fill("Grace");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await expect.poll(async () => (await grace.channelOf(engines.id))["subscriber_count"], waiting).toBe(2);
      await page.getByLabel("Add people").fill("");
      const line = page.locator(".person-line", { hasText: "Grace Hopper" });
      await line.getByRole("button", { name: "Remove" }).click();
      await line.waitFor({ state: "detached" });
    });

    it("permissions: who may write", async () => {
      await page.goto(`/#channels/${engines.id}/permissions`);
      await page.getByRole("combobox", { name: "Write", exact: true }).selectOption({ label: "Administrators" });
      await other!.page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
      await other!.page.getByText("You may read this channel, but not write to it.").waitFor();
      await page.getByRole("combobox", { name: "Write", exact: true }).selectOption({ label: "Everyone" });
      await composeBox(other!.page).waitFor();
    });

    it("colour, email address and what is set for oneself", async () => {
      const mine = other!.page;
      await mine.goto(`/#channels/${engines.id}/personal`);
      await mine.getByLabel("Colour").fill("#aa0000");
      await mine.getByText("Email address: none, as this server receives no email").waitFor();
      await mine.getByLabel("Pinned to the top").check();
      await mine.keyboard.press("Escape");
      await mine.locator(".left").getByRole("button", { name: "PINNED" }).waitFor();
      const color = () =>
        mine
          .locator(".left .side-row", { hasText: "engines" })
          .locator(".channel-mark")
          .evaluate((mark) => (mark as HTMLElement).style.getPropertyValue("--channel"));
      await expect.poll(color, waiting).toBe("#aa0000");
    });

    it("notifications of one channel, which begin as the person's settings say", async () => {
      const mine = other!.page;
      await mine.goto(`/#channels/${engines.id}/personal`);
      const everybody = mine.getByLabel("Mentions of everybody");
      expect(await everybody.isChecked()).toBe(true);
      expect(await mine.getByLabel("Emails").isChecked()).toBe(false);
      await everybody.uncheck();
      await mine.getByLabel("Emails").check();
      await mine.getByLabel("Push notifications").check();
      const chosen = async () =>
        (await ada.client.register({ fetch_event_types: ["subscription"] })).subscriptions?.find(
          ({ stream_id }) => stream_id === engines.id,
        );
      const wanted = { wildcard_mentions_notify: false, email_notifications: true, push_notifications: true };
      await expect.poll(chosen, waiting).toMatchObject(wanted);
      await mine.keyboard.press("Escape");
    });

    it("folders: made, renamed, ordered and removed", async () => {
      await page.goto("/#organization/folders");
      for (const name of ["Later", "Sooner"]) {
        await page.getByLabel("New folder").fill(name);
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await expect.poll(() => page.getByLabel("Name").last().inputValue(), waiting).toBe(name);
      }
      await page.getByRole("button", { name: "Move up" }).click();
      await expect.poll(() => page.getByLabel("Name").first().inputValue(), waiting).toBe("Sooner");
      await page.getByLabel("Name").first().fill("Soon");
      await page.getByLabel("Name").first().press("Enter");
      await page.goto(`/#channels/${engines.id}/general`);
      await page.getByRole("combobox", { name: "Folder", exact: true }).selectOption({ label: "Soon" });
      await other!.page.goto(`/#channels/${engines.id}/general`);
      await expect
        .poll(
          () =>
            other!.page.getByRole("combobox", { name: "Folder", exact: true }).locator("option:checked").innerText(),
          waiting,
        )
        .toBe("Soon");
      await other!.page.keyboard.press("Escape");
      await page.goto("/#organization/folders");
      await page.getByRole("button", { name: "Remove" }).last().click();
      await expect.poll(() => page.getByLabel("Name").count(), waiting).toBe(1);
    });

    it("archive, and bring back", async () => {
      await page.goto(`/#channels/${engines.id}/general`);
      await page.getByRole("button", { name: "Archive the channel" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Archive the channel" }).last().click();
      await page.locator(".setting-head").getByText("Archived", { exact: true }).waitFor();
      await other!.page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
      await other!.page.getByText("This channel is archived").waitFor();
      await page.getByRole("button", { name: "Bring the channel back" }).click();
      await composeBox(other!.page).waitFor();
    });
  });

  it("groups: create, describe, members, deactivate", async () => {
    await page.goto("/#groups");
    await page.getByLabel("Create a group").fill("makers");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("link", { name: "makers" }).click();
    await change("Description", "Who builds it");
    await page.getByLabel("Add people").fill("Ada");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByLabel("Add people").fill("");
    await page.locator(".person-line", { hasText: "Ada Lovelace" }).waitFor();
    await other!.page.goto("/#groups");
    await other!.page.locator(".setting-rows li", { hasText: "makers" }).getByText("Who builds it").waitFor();
    await other!.page.getByRole("link", { name: "makers" }).click();
    await other!.page.getByText("You may not change this.").waitFor();
    await page.getByRole("button", { name: "Deactivate the group" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate", exact: true }).click();
    await other!.page.goto("/#groups");
    await other!.page.getByRole("link", { name: "makers" }).waitFor({ state: "detached" });
    await other!.page.keyboard.press("Escape");
  });

  describe("the organization", () => {
    it("profile: name, description, icon and logo", async () => {
      await page.goto("/#organization/profile");
      await change("Name", "Difference Engines");
      await other!.page.locator(".side-head", { hasText: "Difference Engines" }).waitFor();
      const file = { name: "icon.png", mimeType: "image/png", buffer: await picture() };
      await page.getByLabel("Icon").setInputFiles(file);
      await expect
        .poll(() => other!.page.locator(".side-head img").first().getAttribute("src"), waiting)
        .toMatch(/user_avatars|realm/);
      await page.getByLabel("Logo").setInputFiles(file);
      await expect.poll(() => page.getByRole("button", { name: "Remove the picture" }).count(), waiting).toBe(2);
      for (const left of [1, 0]) {
        await page.getByRole("button", { name: "Remove the picture" }).first().click();
        await expect.poll(() => page.getByRole("button", { name: "Remove the picture" }).count(), waiting).toBe(left);
      }
    });

    it("permissions: what is not allowed any more is not offered", async () => {
      await page.goto("/#organization/permissions");
      await page.getByLabel("Create groups").selectOption({ label: "Administrators" });
      await other!.page.goto("/#groups");
      await other!.page.getByText("You may not change this.").waitFor();
      expect(await other!.page.getByLabel("Create a group").count()).toBe(0);
      await page.getByLabel("Create groups").selectOption({ label: "Members" });
      await other!.page.getByLabel("Create a group").waitFor();
      await other!.page.keyboard.press("Escape");
    });

    it("how long messages may be edited: in words, without an end, and what another program set", async () => {
      const { client } = server.owner;
      const limit = async () =>
        (await client.register({ fetch_event_types: ["realm"] }))["realm_message_content_edit_limit_seconds"];
      expectSuccess(await client.patch("/realm", { message_content_edit_limit_seconds: 5400 }));
      await page.goto("/#organization/profile");
      const choice = page.getByLabel("How long a message may be edited");
      const shown = () => choice.evaluate((one: HTMLSelectElement) => one.selectedOptions[0]?.text);
      await expect.poll(shown, waiting).toBe("90 minutes");
      await choice.selectOption({ label: "7 days" });
      await expect.poll(limit, waiting).toBe(604_800);
      await choice.selectOption({ label: "At any time" });
      await expect.poll(limit, waiting).toBe(null);
      await choice.selectOption({ label: "10 minutes" });
      await expect.poll(limit, waiting).toBe(600);
    });

    it("log-ins: length, passwords, networks; and logging somebody out everywhere", async () => {
      await page.goto("/#organization/profile");
      const logIns = page
        .locator(".setting-section")
        .filter({ has: page.getByRole("heading", { name: "Log-ins and passwords" }) });
      const set = async (label: string, text: string) => {
        const field = logIns.locator("form", { has: page.getByLabel(label) });
        await field.getByLabel(label).fill(text);
        await field.getByRole("button", { name: "Change" }).click();
      };
      const policy = async () => (await server.owner.client.get("/realm/log_in_policy")).body["log_in_policy"];
      await set("Days that a log-in lasts", "7");
      await expect.poll(policy, waiting).toMatchObject({ session_days: 7, idle_minutes: null });
      await set("Minutes until one that nobody uses ends", "30");
      await expect.poll(policy, waiting).toMatchObject({ idle_minutes: 30 });
      await logIns.getByLabel("New passwords are").selectOption({ label: "Strong: a million guesses" });
      await expect.poll(policy, waiting).toMatchObject({ password_strength: "strong" });
      await set("Networks from which people come", "10.1.0.0/16");
      await page.getByText("you would lock yourself out").waitFor();
      boss!.problems.splice(0);
      await set("Networks from which people come", "127.0.0.0/8, ::1");
      await expect.poll(policy, waiting).toMatchObject({ allowed_networks: ["127.0.0.0/8", "::1"] });
      const guest = await test.signIn(grace);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Profile: Grace Hopper" }).click();
      await page.getByRole("menuitem", { name: "Log them out everywhere" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Log out" }).click();
      await guest.page.waitForURL("**/login/**", waiting);
      // The page's poll is refused, which the browser reports.
      guest.problems.splice(0);
      await guest.close();
    });

    it("people and roles: search, another role, deactivate and bring back", async () => {
      await page.goto("/#organization/people");
      await page.getByLabel("Find", { exact: true }).fill("grace");
      const line = page.locator(".settings .person-line", { hasText: "Grace Hopper" });
      await line.getByLabel("Role: Grace Hopper").selectOption({ label: "Moderator" });
      await expect.poll(async () => (await grace.client.get("/users/me")).body["role"], waiting).toBe(300);
      await line.getByRole("button", { name: "Deactivate" }).click();
      await page.getByRole("dialog").getByText("can no longer log in").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).last().click();
      await line.waitFor({ state: "detached" });
      await page.getByLabel("Deactivated").check();
      await line.getByRole("button", { name: "Reactivate" }).click();
      await line.waitFor({ state: "detached" });
      await other!.page.locator(".right").getByRole("button", { name: "Everybody" }).click();
      await other!.page.locator(".right").getByText("Grace Hopper").waitFor();
    });

    it("invitations: by a link and by address, and taken back", async () => {
      await page.goto("/#organization/invitations");
      await page.getByLabel("They join as").selectOption({ label: "Guest" });
      await page.getByLabel("Good for").selectOption({ label: "For ever" });
      await page.getByRole("button", { name: "Make a link" }).click();
      await page.locator(".made-link code").first().waitFor();
      await page.getByLabel("Good for").selectOption({ label: "A week" });
      await page.getByLabel("Email addresses").fill("kay@example.com");
      await page.getByRole("button", { name: "Send the invitations" }).click();
      await page.locator(".made-link", { hasText: "kay@example.com" }).waitFor();
      const rows = page.locator(".setting-rows li");
      await expect.poll(() => rows.count(), waiting).toBe(2);
      await rows.filter({ hasText: "kay@example.com" }).getByText("until ").waitFor();
      await rows.filter({ hasText: "/join/" }).getByText("For ever").waitFor();
      await rows.filter({ hasText: "kay@example.com" }).getByRole("button", { name: "Take back" }).click();
      await expect.poll(() => rows.count(), waiting).toBe(1);
    });

    it("bots and emoji", async () => {
      await server.addBot(ada, "whistle");
      await page.goto("/#organization/bots");
      const bot = page.locator(".settings .person-line", { hasText: "whistle" });
      await bot.getByText("of Ada Lovelace").waitFor();
      await bot.getByRole("button", { name: "Deactivate" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).last().click();
      await bot.waitFor({ state: "detached" });
      await page.goto("/#organization/emoji");
      await page.getByLabel("Name").fill("teal");
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText("Choose a picture first.").waitFor();
      await page
        .getByLabel("Image")
        .setInputFiles({ name: "teal.png", mimeType: "image/png", buffer: await picture() });
      await page.getByText("teal.png").waitFor();
      await page.getByRole("button", { name: "Add", exact: true }).click();
      await page.getByText(":teal:").waitFor();
      // Another name needs another picture.
      await page.getByText("teal.png").waitFor({ state: "detached" });
      await other!.page.goto(`/#narrow/channel/${engines.id}-engines/topic/loops`);
      await send(other!.page, "all :teal:");
      await messageWith(other!.page, "all").locator("img.emoji").waitFor();
    });

    it("linkifiers, playgrounds, domains and default channels", async () => {
      const add = async (tab: string, values: Record<string, string>, shown: string) => {
        await page.goto(`/#organization/${tab}`);
        await page.locator(".setting-section > .soft").first().waitFor();
        for (const [label, value] of Object.entries(values))
          await page.getByRole("textbox", { name: label }).fill(value);
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await page.locator(".setting-rows li", { hasText: shown }).waitFor();
      };
      const remove = async (shown: string) => {
        const line = page.locator(".setting-rows li", { hasText: shown });
        await line.getByRole("button", { name: "Remove" }).click();
        await line.waitFor({ state: "detached" });
      };
      await add("linkifiers", { Pattern: "#(?P<id>[0-9]+)", Address: "https://bugs.example.com/{id}" }, "bugs.example");
      await send(other!.page, "see #12");
      await messageWith(other!.page, "see #12").locator('a[href="https://bugs.example.com/12"]').waitFor();
      await remove("bugs.example");
      await add(
        "playgrounds",
        { Name: "Try", Language: "Python", Address: "https://play.example.com/{code}" },
        "play.example",
      );
      await remove("play.example");
      await add("domains", { Domain: "example.org" }, "example.org");
      await page.getByLabel("with subdomains").check();
      await expect
        .poll(async () => (await server.owner.client.get("/realm/domains")).body["domains"], waiting)
        .toMatchObject([{ domain: "example.org", allow_subdomains: true }]);
      await remove("example.org");
      await page.goto("/#organization/default-channels");
      await page.getByRole("combobox", { name: "Add", exact: true }).selectOption({ label: "engines" });
      await page.locator(".setting-rows li", { hasText: "#engines" }).waitFor();
      const left = page.getByRole("combobox", { name: "Add", exact: true }).locator("option:checked");
      await expect.poll(() => left.innerText(), waiting).toBe("—");
      await remove("#engines");
    });

    it("profile fields: a list of options, ordered and removed", async () => {
      await page.goto("/#organization/fields");
      for (const name of ["Motto", "Power"]) {
        if (name === "Power") await page.getByLabel("Kind").selectOption({ label: "List of choices" });
        await region("Profile fields").getByLabel("Name").fill(name);
        if (name === "Power") await page.getByLabel("Options, one a line").fill("Steam\nWater");
        await page.getByRole("button", { name: "Add", exact: true }).click();
        await page.locator(".setting-rows li", { hasText: name }).waitFor();
      }
      await other!.page.goto("/#settings/profile");
      await other!.page.getByLabel("Power").selectOption({ label: "Steam" });
      await other!.page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Move up" }).click();
      await expect.poll(() => page.locator(".setting-rows li").first().innerText(), waiting).toContain("Power");
      await page.locator(".setting-rows li", { hasText: "Power" }).getByRole("button", { name: "Remove" }).click();
      await expect.poll(() => page.locator(".setting-rows li").count(), waiting).toBe(1);
    });

    it("data export: who agreed, started, downloaded and deleted, which another administrator sees", async () => {
      const third = await test.signIn(alan, { hash: "#organization/exports" });
      const theirs = third.page.locator(".setting-rows li");
      await third.page.getByText("Nothing yet.").waitFor();
      await third.page.getByLabel("What it holds").selectOption({ label: "Also what is private to people who agreed" });
      await third.page.getByText(/^0 of \d+ people agreed/).waitFor();
      await other!.page.goto("/#organization/exports");
      await other!.page.getByText("Only administrators may change this.").waitFor();
      expect(await other!.page.getByRole("button", { name: "Start an export" }).count()).toBe(0);
      await page.goto("/#settings/account");
      await page.getByLabel("Let administrators export what is private to me").check();
      await third.page.getByText(/^1 of \d+ people agreed/).waitFor();
      await page.goto("/#organization/exports");
      await page.getByLabel("What it holds").selectOption({ label: "Also what is private to people who agreed" });
      await page.getByRole("button", { name: "Start an export" }).click();
      await theirs.filter({ hasText: "Also what is private to people who agreed" }).waitFor();
      const downloading = third.page.waitForEvent("download");
      await theirs.getByRole("link", { name: "Download" }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toMatch(/^zulip-export-.*\.tar\.gz$/);
      const bytes = await readFile((await download.path())!);
      expect([...bytes.subarray(0, 2)]).toEqual([0x1f, 0x8b]);
      const { exports } = (await server.owner.client.get("/export/realm")).body as {
        exports: { export_type: string }[];
      };
      expect(exports.map(({ export_type }) => export_type)).toEqual(["full_with_consent"]);
      await theirs.getByRole("button", { name: "Delete" }).click();
      await third.page.getByRole("dialog").getByRole("button", { name: "Delete" }).last().click();
      await page.locator(".setting-rows li").getByText("Deleted").waitFor();
      expect(await page.getByRole("link", { name: "Download" }).count()).toBe(0);
      await page.getByRole("button", { name: "Start an export", disabled: false }).waitFor();
      await third.close();
    });

    it("deactivation, which only owners are offered", async () => {
      await other!.page.goto("/#organization/profile");
      await other!.page.getByText("Only administrators may change this.").first().waitFor();
      expect(await other!.page.getByRole("button", { name: "Deactivate the organization" }).count()).toBe(0);
      await page.goto("/#organization/profile");
      await page.getByRole("button", { name: "Deactivate the organization" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Deactivate", exact: true }).click();
      await expect.poll(async () => (await server.owner.client.get("/users/me")).status, waiting).not.toBe(200);
      for (const { problems } of [boss!, other!])
        expect(problems.splice(0).every((line) => /status of 40[0-9]/.test(line))).toBe(true);
    });
  });
});
