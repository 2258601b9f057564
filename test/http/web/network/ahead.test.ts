/** Changes are shown before the server has answered, and taken back where it refuses them. */
import type { Page, Route } from "playwright-core";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("changes ahead of the server", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let page: Page;
  let problems: string[];
  let id: number;
  /** Changes that the page asks for and that are kept back. */
  const held: Route[] = [];
  beforeAll(async () => {
    ({ page, problems } = await test.signIn(ada));
    id = await grace.say(engines, "the first", "rods");
    await page.goto(`/#narrow/channel/${engines.id}-engines/topic/rods`);
    await composeBox(page).waitFor();
  });
  beforeEach(async () => {
    await page.unrouteAll();
    await page.route(/\/json\/(messages|settings|user_groups|users\/me\/subscriptions)/, async (route) => {
      if (route.request().method() === "GET" || /typing|read/.test(route.request().postData() ?? "")) {
        await route.continue();
      } else held.push(route);
    });
  });

  const next = async (): Promise<Route> => {
    await expect.poll(() => held.length, waiting).toBeGreaterThan(0);
    return held.shift()!;
  };
  const refusal = { status: 400, json: { result: "error", msg: "Not today", code: "BAD_REQUEST" } };
  /** The browser tells of answers that the test made up. */
  const forgive = () => expect(problems.splice(0)).toEqual([expect.stringContaining("Failed to load resource")]);
  const first = () => messageWith(page, "the first");
  const star = async () => {
    await first().hover();
    await first()
      .getByRole("button", { name: /^(Star|Remove the star)$/ })
      .click();
  };
  const mark = () => first().locator(".star-mark");
  const gone = { state: "detached" } as const;
  const stored = () => ada.read(id);
  /** Events come in order: what was told before this is known to the page. */
  const catchUp = async (text: string) => {
    await grace.say(engines, text, "rods");
    await messageWith(page, text).waitFor();
  };

  it("a star is there at once, and stays", async () => {
    await star();
    await mark().waitFor();
    expect((await stored())["flags"]).not.toContain("starred");
    await (await next()).continue();
    await expect.poll(async () => (await stored())["flags"], waiting).toContain("starred");
    await catchUp("after the star");
    expect(await mark().count()).toBe(1);
  });

  it("what the server refuses is taken back, and said", async () => {
    await star();
    await mark().waitFor(gone);
    await (await next()).fulfill(refusal);
    await mark().waitFor();
    await page.getByText("Not today").waitFor();
    forgive();
    expect((await stored())["flags"]).toContain("starred");
  });

  it("an answer that was lost takes nothing back that events have told", async () => {
    await star();
    const route = await next();
    await route.fetch();
    await catchUp("after a lost answer");
    await route.abort();
    await page.getByText("The server does not answer").waitFor();
    forgive();
    expect(await mark().count()).toBe(0);
    expect((await stored())["flags"]).not.toContain("starred");
  });

  it("a change that is changed again goes out after it, and its event does not show it once more", async () => {
    const chip = () => first().locator(".reactions").getByRole("button", { pressed: true });
    await grace.client.post(`/messages/${id}/reactions`, { emoji_name: "gear" });
    await first().locator(".reactions").getByRole("button", { pressed: false }).first().click();
    await chip().click();
    await chip().waitFor(gone);
    const adding = await next();
    expect(held).toEqual([]);
    await adding.continue();
    const removing = await next();
    expect([adding, removing].map((route) => route.request().method())).toEqual(["POST", "DELETE"]);
    await catchUp("after a reaction");
    expect((await stored())["reactions"]).toHaveLength(2);
    expect(await chip().count()).toBe(0);
    await removing.continue();
    await expect.poll(async () => (await stored())["reactions"], waiting).toHaveLength(1);
    expect(await chip().count()).toBe(0);
  });

  it("two clicks at once take back what the first one did", async () => {
    await first().hover();
    const button = first().getByRole("button", { name: /^(Star|Remove the star)$/ });
    await button.evaluate((one: HTMLElement) => {
      one.click();
      one.click();
    });
    const asked = [await next()];
    await asked[0]!.continue();
    asked.push(await next());
    await asked[1]!.continue();
    const ops = asked.map((route) => new URLSearchParams(route.request().postData() ?? "").get("op"));
    expect(ops).toEqual(["add", "remove"]);
    await expect.poll(async () => (await stored())["flags"], waiting).not.toContain("starred");
    await catchUp("after two clicks");
    expect(await mark().count()).toBe(0);
  });

  it("a channel is pinned at once, and back where it was when that is refused", async () => {
    const title = page.locator(".left").getByText("Pinned", { exact: true });
    const row = page.locator(".left [data-channel]", { hasText: "engines" });
    await row.hover();
    await row.getByRole("button").click();
    await page.getByRole("menuitem", { name: "Pin", exact: true }).click();
    await title.waitFor();
    await (await next()).fulfill(refusal);
    await title.waitFor(gone);
    forgive();
  });

  it("what is written while a form is under way stays, and a late answer takes nobody back", async () => {
    await page.goto("/#groups");
    const form = page.locator("form", { has: page.getByLabel("Create a group") });
    const name = form.getByLabel("Create a group");
    await name.fill("makers");
    await name.press("Enter");
    const creating = await next();
    await name.fill("movers");
    await creating.continue();
    await page.getByRole("link", { name: "makers" }).waitFor();
    await name.press("Enter");
    await (await next()).continue();
    await page.getByRole("link", { name: "movers" }).click();
    await expect.poll(() => page.evaluate("location.hash"), waiting).toMatch(/^#groups\/\d+$/);

    await page.getByRole("button", { name: "Deactivate the group" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate", exact: true }).click();
    const deactivating = await next();
    await page.goto("/#settings/profile");
    const answered = page.waitForResponse((response) => /deactivate/.test(response.url()));
    await deactivating.continue();
    await (await answered).finished();
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
    expect(await page.evaluate("location.hash")).toBe("#settings/profile");
  });
});
