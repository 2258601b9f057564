/** The first steps of a new organization's owner: done one by one, or closed for good. */
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";
import { tooSmall } from "../../../support/web/too-small.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("first run", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  let page: Page;
  beforeAll(async () => {
    ({ page } = await test.signIn(server.owner, { hash: "#inbox" }));
  });
  const card = () => page.getByRole("region", { name: "Three steps to begin with" });
  const done = () => card().locator(".is-done h3").allInnerTexts();

  it("three steps, of which none is done, are accessible in every look", async () => {
    await card().waitFor();
    expect(await card().getByRole("heading", { level: 3 }).allInnerTexts()).toEqual([
      "Add a picture of yourself",
      "Invite people",
      "Create a channel",
    ]);
    expect(await done()).toEqual([]);
    const found: string[] = [];
    for (const colorScheme of ["light", "dark"] as const)
      for (const contrast of ["no-preference", "more"] as const) {
        await page.emulateMedia({ colorScheme, contrast, reducedMotion: "reduce" });
        found.push(...(await violations(page)));
      }
    expect(found).toEqual([]);
  });

  it("on a phone all steps are in reach of a finger, with what is written below", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const visitor = await test.signIn(server.owner, { ...phone, hash: "#inbox" });
    const steps = visitor.page.getByRole("region", { name: "Three steps to begin with" });
    await steps.waitFor();
    expect(await tooSmall(visitor.page)).toEqual([]);
    expect(await violations(visitor.page)).toEqual([]);
    const { y, height } = (await steps.boundingBox())!;
    expect(y + height).toBeLessThan((await visitor.page.locator(".compose").boundingBox())!.y);
    expect(await steps.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
    await steps.getByRole("link", { name: "Create a channel" }).tap();
    await visitor.page.getByRole("dialog", { name: "Channels" }).waitFor();
    await visitor.close();
  });

  it("a picture is the first", async () => {
    const picture = await sharp({ create: { width: 50, height: 50, channels: 3, background: "teal" } })
      .png()
      .toBuffer();
    await card().locator("input[type=file]").setInputFiles({ name: "me.png", mimeType: "image/png", buffer: picture });
    await expect.poll(done, waiting).toEqual(["Add a picture of yourself"]);
  });

  it("a link is made by keys, shown as a QR code as well, and lets people in", async () => {
    await card().getByRole("button", { name: "Make a link" }).focus();
    await page.keyboard.press("Enter");
    await card().getByRole("img", { name: "The link as a QR code" }).waitFor();
    const link = await card().locator("code").innerText();
    expect((await fetch(link)).status).toBe(200);
    expect(await violations(page)).toEqual([]);
    await server.addUser("Grace Hopper");
    await expect.poll(done, waiting).toEqual(["Add a picture of yourself", "Invite people"]);
  });

  it("goes when the first channel is there", async () => {
    await card().getByRole("link", { name: "Create a channel" }).click();
    await page.waitForURL(/#channels\/new/);
    await page.goto("/#inbox");
    await card().waitFor();
    await server.addChannel("engines", [server.owner]);
    await card().waitFor({ state: "detached" });
  });

  it("is not shown to others than owners", async () => {
    const ada = await server.addUser("Ada Lovelace");
    const other = await test.signIn(ada, { hash: "#inbox" });
    await other.page.locator("main .empty, main .list-view").first().waitFor();
    expect(await other.page.locator(".first-run").count()).toBe(0);
  });
});

describe.skipIf(!browserPath)("first run, closed", { timeout: 180_000 }, () => {
  const test = pageTest();

  it("stays away on every device", async () => {
    const { owner } = test.server;
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, hash: "#inbox" };
    const { page } = await test.signIn(owner, phone);
    const card = page.locator(".first-run");
    await card.waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await card.getByRole("button", { name: "Close" }).tap();
    await card.waitFor({ state: "detached" });
    const steps = async () =>
      (await owner.client.register({ fetch_event_types: ["onboarding_steps"], event_types: [] }))["onboarding_steps"];
    await expect.poll(steps, waiting).not.toContainEqual({ type: "one_time_notice", name: "first_run" });
    const other = await test.signIn(owner, { hash: "#inbox" });
    await other.page.locator("main .empty").waitFor();
    expect(await other.page.locator(".first-run").count()).toBe(0);
    expectSuccess(await owner.client.post("/users/me/onboarding_steps", { onboarding_step: "first_run" }));
  });
});
