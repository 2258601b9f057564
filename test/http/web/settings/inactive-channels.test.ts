/** Channels in which nobody writes stand last, where somebody wants that or is in many, and move like others. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { channelActivityJob } from "../../../../actors/channels/changes/activity-job.ts";
import { expectSuccess } from "../../../support/client/api.ts";
import { ownJob } from "../../../support/time/own-job.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
const now = () => Math.floor(Date.now() / 1000);
const countActivity = ownJob(channelActivityJob);

describe.skipIf(!browserPath)("inactive channels", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const { owner } = server;
  const [ada] = server.people("Ada Lovelace");
  const aviaries = server.channel("aviaries", [owner, ada]);
  const boilers = server.channel("boilers", [owner, ada]);
  const cranks = server.channel("cranks", [owner, ada]);
  const names = ["aviaries", "boilers", "cranks"];
  let page: Page;
  let folderId: number;
  beforeAll(async () => {
    const made = expectSuccess(
      await owner.client.post("/channel_folders/create", { name: "Machines", description: "" }),
    );
    folderId = Number(made["channel_folder_id"]);
    for (const { id } of [boilers, cranks])
      expectSuccess(await owner.client.patch(`/streams/${id}`, { folder_id: folderId }));
    // It has been there for a year, and nobody has ever written to it.
    for (const { state } of await server.realms())
      state.apply([
        {
          table: "channels",
          put: [{ ...state.channels.get(aviaries.id)!, date_created: now() - 400 * 86_400 }],
        },
      ]);
    await countActivity(await server.realm(), now());
    // All channels are in view, so that all of their rows are there.
    ({ page } = await test.signIn(owner, { viewport: { width: 1280, height: 2400 } }));
  });

  const row = (name: string): Locator => page.locator(".left [data-channel]", { hasText: name });
  const shown = async (): Promise<string[]> => {
    const all = await page.locator(".left :is(.side-title, [data-channel] .label)").allInnerTexts();
    return all
      .map((text) => text.trim().toLowerCase())
      .filter((text) => [...names, "machines", "other"].includes(text));
  };
  const set = async (policy: number) =>
    expectSuccess(await owner.client.patch("/settings", { demote_inactive_streams: policy }));
  const isDemoted = async (name: string) => ((await row(name).getAttribute("class")) ?? "").includes("is-demoted");

  it("stand among the others while there are few, and last for whoever always wants that", async () => {
    for (const { id } of [boilers, cranks])
      expectSuccess(await owner.client.patch(`/streams/${id}`, { folder_id: null }));
    await expect.poll(async () => (await shown()).filter((name) => names.includes(name)), waiting).toEqual(names);
    expect(await isDemoted("aviaries")).toBe(false);
    await page.goto("/#settings/display");
    await page.getByLabel("List inactive channels last").selectOption({ label: "Always" });
    await page.keyboard.press("Escape");
    await expect
      .poll(async () => (await shown()).filter((name) => names.includes(name)), waiting)
      .toEqual(["boilers", "cranks", "aviaries"]);
    expect(await isDemoted("aviaries")).toBe(true);
    expect(await isDemoted("boilers")).toBe(false);
    await row("aviaries").getByTitle("Nobody has written here lately.").waitFor();
    expect(await violations(page)).toEqual([]);
  });

  it("are moved by keys to a folder, where they stand last as well", async () => {
    for (const { id } of [boilers, cranks])
      expectSuccess(await owner.client.patch(`/streams/${id}`, { folder_id: folderId }));
    await expect.poll(shown, waiting).toEqual(["machines", "boilers", "cranks", "other", "aviaries"]);
    await row("aviaries").getByRole("link").focus();
    await page.keyboard.press("Alt+ArrowUp");
    await page.locator(".visually-hidden[role=status]").getByText("aviaries is now in Machines").waitFor();
    await expect.poll(async () => (await shown()).indexOf("aviaries"), waiting).toBe(3);
  });

  it("are active again with the first message", async () => {
    await ada.say(aviaries, "a bird");
    await expect.poll(async () => (await shown()).slice(0, 4), waiting).toEqual(["machines", ...names]);
    expect(await isDemoted("aviaries")).toBe(false);
  });

  it("stand among the others for whoever never wants that, and last by themselves where there are many", async () => {
    const quiet = await server.addChannel("a quiet one", [owner]);
    for (const { state } of await server.realms())
      state.apply([
        { table: "channels", put: [{ ...state.channels.get(quiet)!, date_created: now() - 400 * 86_400 }] },
      ]);
    await countActivity(await server.realm(), now());
    await expect.poll(() => isDemoted("a quiet one"), waiting).toBe(true);
    await set(3);
    await expect.poll(() => isDemoted("a quiet one"), waiting).toBe(false);
    await set(2);
    await expect.poll(() => isDemoted("a quiet one"), waiting).toBe(true);
    await set(1);
    await expect.poll(() => isDemoted("a quiet one"), waiting).toBe(false);
    await owner.subscribe(...Array.from({ length: 30 }, (_, index) => `further ${index}`));
    await expect.poll(() => isDemoted("a quiet one"), waiting).toBe(true);
  });
});
