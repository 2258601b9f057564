/** Channels are put into folders, and folders in order, on the left side: by dragging, by keys and by menus. */
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("folders of channels", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const { owner } = server;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [owner, ada, grace]);
  const kites = server.channel("kites", [owner, ada, grace]);
  const sails = server.channel("sails", [owner, ada, grace]);
  const ids = new Map<string, number>();
  let page: Page;
  beforeAll(async () => {
    for (const name of ["Machines", "Weather", "Old"]) {
      const made = expectSuccess(await owner.client.post("/channel_folders/create", { name, description: "" }));
      ids.set(name, Number(made["channel_folder_id"]));
    }
    expectSuccess(await owner.client.patch(`/channel_folders/${ids.get("Old")}`, { is_archived: true }));
    expectSuccess(await owner.client.patch(`/streams/${engines.id}`, { folder_id: ids.get("Machines") }));
    expectSuccess(await owner.client.patch(`/streams/${kites.id}`, { folder_id: ids.get("Weather") }));
    ({ page } = await test.signIn(owner));
  });

  const title = (at: Page, name: string): Locator => at.locator(".left .side-title-row", { hasText: name });
  const row = (at: Page, name: string): Locator => at.locator(`.left [data-channel]`, { hasText: name });
  /** The channels of these tests and what they stand below. */
  const shown = async (at: Page): Promise<string[]> => {
    const all = await at.locator(".left :is(.side-title, [data-channel] .label)").allInnerTexts();
    const wanted = ["machines", "weather", "other", "pinned", "channels", "engines", "kites", "sails"];
    return all.map((text) => text.trim().toLowerCase()).filter((text) => wanted.includes(text));
  };
  /** By the mouse. What can be dropped on shows itself once the drag has begun. */
  const drag = async (at: Page, what: Locator, to: () => Locator, y = 0.5): Promise<void> => {
    await what.hover();
    await at.mouse.down();
    const { x, y: top } = (await what.boundingBox())!;
    await at.mouse.move(x + 20, top + 4, { steps: 4 });
    await to().waitFor();
    const box = (await to().boundingBox())!;
    await at.mouse.move(box.x + box.width / 3, box.y + box.height * y, { steps: 4 });
    // The browser tells of the first step into something as an entry alone.
    await at.mouse.move(box.x + box.width / 3 + 2, box.y + box.height * y);
  };
  const folderOf = async (id: number): Promise<unknown> =>
    (await ada.client.register({ fetch_event_types: ["subscription"] })).subscriptions?.find(
      (one) => one.stream_id === id,
    )?.folder_id;
  const folderOrder = async (): Promise<unknown> =>
    (await ada.client.register({ fetch_event_types: ["channel_folders"] })).channel_folders
      ?.filter(({ is_archived }) => !is_archived)
      .map(({ name }) => name);

  it("a channel is dragged into a folder, out of it, and to what is pinned", async () => {
    const { page: other } = await test.signIn(ada);
    await drag(page, row(page, "sails"), () => title(page, "Weather"));
    await page.locator(".left .drops-in", { hasText: "Weather" }).waitFor();
    // Nothing is pinned yet, and no other channel is in no folder: there is something to drop on all the same.
    await title(page, "Pinned").waitFor();
    await page.mouse.up();
    await expect.poll(() => folderOf(sails.id), waiting).toBe(ids.get("Weather"));
    // What is open for everybody else, too.
    await expect.poll(() => shown(other), waiting).toEqual(expect.arrayContaining(["weather", "kites", "sails"]));
    await title(page, "Pinned").waitFor({ state: "detached" });

    // On a channel of the folder as well as on its name.
    await drag(page, row(page, "sails"), () => row(page, "engines"));
    await page.mouse.up();
    await expect.poll(() => folderOf(sails.id), waiting).toBe(ids.get("Machines"));

    await drag(page, row(page, "sails"), () => title(page, "Other"));
    await page.mouse.up();
    await expect.poll(() => folderOf(sails.id), waiting).toBeNull();

    await drag(page, row(page, "kites"), () => title(page, "Pinned"));
    await page.mouse.up();
    await expect.poll(() => shown(page), waiting).toEqual(expect.arrayContaining(["pinned", "kites", "machines"]));
    expect(await folderOf(kites.id)).toBe(ids.get("Weather"));
    await drag(page, row(page, "kites"), () => title(page, "Weather"));
    await page.mouse.up();
    await title(page, "Pinned").waitFor({ state: "detached" });
    await row(page, "kites").waitFor();
    await other.context().close();
  });

  it("a folder is dragged before and after another", async () => {
    await drag(page, title(page, "Weather"), () => title(page, "Machines"), 0.2);
    await page.locator(".left .drops-before", { hasText: "Machines" }).waitFor();
    await page.mouse.up();
    await expect.poll(folderOrder, waiting).toEqual(["Weather", "Machines"]);
    await expect.poll(async () => (await shown(page)).indexOf("weather"), waiting).toBe(0);
    await drag(page, title(page, "Weather"), () => row(page, "engines"));
    await page.locator(".left .drops-after", { hasText: "Machines" }).waitFor();
    await page.mouse.up();
    await expect.poll(folderOrder, waiting).toEqual(["Machines", "Weather"]);
  });

  it("what is dropped outside of the side leaves all as it was", async () => {
    const before = await shown(page);
    await drag(page, row(page, "engines"), () => title(page, "Weather"));
    await page.mouse.move(800, 300, { steps: 4 });
    expect(await page.locator(".left .drops-in").count()).toBe(0);
    await page.mouse.up();
    await title(page, "Pinned").waitFor({ state: "detached" });
    expect(await shown(page)).toEqual(before);
    expect(await folderOf(engines.id)).toBe(ids.get("Machines"));
  });

  it("Alt with the arrows moves the channel and the folder that have the focus, and says so", async () => {
    const held = () => page.evaluate("document.activeElement.closest('[data-section]')?.textContent ?? ''");
    const said = page.locator(".visually-hidden[role=status]");
    await row(page, "engines").getByRole("link").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(() => folderOf(engines.id), waiting).toBe(ids.get("Weather"));
    await said.getByText("engines is now in Weather").waitFor();
    await expect.poll(held, waiting).toContain("engines");
    await page.keyboard.press("Alt+ArrowUp");
    // The folder that had nothing in it was not shown, and is come to all the same.
    await expect.poll(() => folderOf(engines.id), waiting).toBe(ids.get("Machines"));
    await said.getByText("engines is now in Machines").waitFor();
    await title(page, "Weather").getByRole("button").first().focus();
    await page.keyboard.press("Alt+ArrowUp");
    await expect.poll(folderOrder, waiting).toEqual(["Weather", "Machines"]);
    await said.getByText("Weather is now 1 of 2").waitFor();
    await expect.poll(held, waiting).toContain("Weather");
  });

  it("menus move them, too, opened by a click and by the key for menus", async () => {
    await row(page, "engines").hover();
    await row(page, "engines").getByRole("button").click();
    await page.getByRole("menuitem", { name: "Move to folder" }).click();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "No folder" }).click();
    await expect.poll(() => folderOf(engines.id), waiting).toBeNull();
    await row(page, "engines").getByRole("link").focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menuitem", { name: "Move to folder" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("menuitem", { name: "Machines" }).click();
    await expect.poll(() => folderOf(engines.id), waiting).toBe(ids.get("Machines"));
    await title(page, "Machines").hover();
    await title(page, "Machines").getByRole("button", { name: "Actions of the folder: Machines" }).click();
    await page.getByRole("menuitem", { name: "Move up" }).click();
    await expect.poll(folderOrder, waiting).toEqual(["Machines", "Weather"]);
  });

  it("somebody without the rights moves neither, and pins all the same", async () => {
    const { page: hers } = await test.signIn(grace);
    await row(hers, "engines").hover();
    await row(hers, "engines").getByRole("button").click();
    await hers.getByRole("menuitem", { name: "Pin" }).waitFor();
    expect(await hers.getByRole("menuitem", { name: "Move to folder" }).count()).toBe(0);
    await hers.keyboard.press("Escape");
    expect(await title(hers, "Machines").getByRole("button").count()).toBe(1);
    await drag(hers, row(hers, "engines"), () => title(hers, "Weather"));
    expect(await hers.locator(".left [class*=drops-]").count()).toBe(0);
    await hers.mouse.up();
    await drag(hers, row(hers, "engines"), () => title(hers, "Pinned"));
    await hers.locator(".left .drops-in", { hasText: "Pinned" }).waitFor();
    await hers.mouse.up();
    await expect.poll(async () => (await shown(hers)).indexOf("engines"), waiting).toBe(1);
    expect(await folderOf(engines.id)).toBe(ids.get("Machines"));
    // By keys it goes back below its own folder, and no further.
    await row(hers, "engines").getByRole("link").focus();
    await hers.keyboard.press("Alt+ArrowDown");
    await title(hers, "Pinned").waitFor({ state: "detached" });
    await hers.keyboard.press("Alt+ArrowDown");
    await title(hers, "Machines").getByRole("button").focus();
    await hers.keyboard.press("Alt+ArrowDown");
    // What the server had refused would have left a note.
    expect(await folderOrder()).toEqual(["Machines", "Weather"]);
    expect(await hers.locator(".note").count()).toBe(0);
    await hers.context().close();
  });
});
