/** Without a server: the page can be installed, opens with what it showed last, and sends when the server is back. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { browserPath, patienceMs, type Visitor } from "../../../support/web/browser.ts";
import { composeBox, messageWith, send } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

interface Manifest {
  name: string;
  start_url: string;
  display: string;
  icons: { src: string; sizes: string; purpose?: string }[];
}

describe.skipIf(!browserPath)("without a server", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  let visitor: Visitor;
  let page: Page;
  beforeAll(async () => {
    await grace.say(engines, "seen before", "loops");
    const hash = `#narrow/channel/${engines.id}-engines/topic/loops`;
    visitor = await test.signIn(ada, { serviceWorkers: "allow", hash });
    page = visitor.page;
    await messageWith(page, "seen before").waitFor();
  });

  const kept = () =>
    page.evaluate(async () => {
      const paths: string[] = [];
      for (const name of await caches.keys())
        for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
      return paths;
    });
  const received = async () => {
    const params = {
      anchor: "newest",
      num_before: 20,
      num_after: 0,
      narrow: [{ operator: "topic", operand: "loops" }],
    };
    const { body } = await grace.client.get("/messages", { ...params, apply_markdown: false });
    return (body["messages"] as { content: string }[]).map(({ content }) => content);
  };

  it("has a manifest by which it is installed, with icons that exist", async () => {
    const href = await page.locator("link[rel=manifest]").getAttribute("href");
    const manifest = (await (await page.request.get(href!)).json()) as Manifest;
    expect(manifest).toMatchObject({ name: "Parley", start_url: "/", display: "standalone" });
    expect(manifest.icons.map(({ sizes, purpose = "any" }) => `${sizes} ${purpose}`)).toEqual(
      expect.arrayContaining(["192x192 any", "512x512 any", "512x512 maskable"]),
    );
    for (const { src } of manifest.icons) expect((await page.request.get(src)).status()).toBe(200);
    const kept = async (url: string | null) => (await page.request.get(url!)).headers()["cache-control"];
    const script = await page.locator("script[type=module]").first().getAttribute("src");
    expect(await kept(script)).toBe("public, max-age=31536000, immutable");
    // Its name stays when it changes.
    expect(await kept(href)).toBe("public, max-age=3600");
    // What Chromium itself finds wrong with it.
    const session = await visitor.context.newCDPSession(page);
    const { errors } = await session.send("Page.getAppManifest");
    expect(errors).toEqual([]);
  });

  it("opens with what was seen last, keeps what is written, and sends it once when the server is back", async () => {
    await expect.poll(() => page.evaluate("navigator.serviceWorker.controller !== null"), waiting).toBe(true);
    await page.reload();
    await messageWith(page, "seen before").waitFor();
    await expect.poll(kept, waiting).toEqual(expect.arrayContaining(["/", "/kept/register", "/json/messages"]));
    // The parts that are loaded later, too.
    await expect.poll(async () => (await kept()).some((path) => path.includes("/palette-")), waiting).toBe(true);
    await visitor.context.setOffline(true);
    await page.reload();
    await messageWith(page, "seen before").waitFor();
    await page.getByText("Not connected.").waitFor();
    await send(page, "written on a train");
    await page.locator(".message.pending", { hasText: "written on a train" }).waitFor();
    // Also when the page is closed meanwhile.
    await page.reload();
    await page.locator(".message.pending", { hasText: "written on a train" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to…" }).waitFor();
    await page.keyboard.press("Escape");
    await grace.say(engines, "said meanwhile", "loops");
    await visitor.context.setOffline(false);
    await messageWith(page, "said meanwhile").waitFor();
    await messageWith(page, "written on a train").waitFor();
    await page.locator(".message.pending").waitFor({ state: "detached" });
    // In either order: Chromium may start the service worker anew, and lets its first requests through.
    expect((await received()).sort()).toEqual(["said meanwhile", "seen before", "written on a train"]);
    // What the browser says of requests without an answer.
    visitor.problems.splice(0);
    await page.reload();
    await messageWith(page, "written on a train").waitFor();
    expect((await received()).length).toBe(3);
  });

  it("keeps nothing of somebody who logs out", async () => {
    await composeBox(page).waitFor();
    await page.locator(".me-button").click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.waitForURL(/\/login\//);
    expect((await kept()).filter((path) => path.startsWith("/json/") || path.startsWith("/kept/"))).toEqual([]);
  });
});
