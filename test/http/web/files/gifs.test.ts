/** GIFs of a provider, which a server on this machine plays: found, looked at, put into a message by keys alone. */
import type { Page } from "playwright-core";
import sharp from "sharp";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { klipyAnswer } from "../../../support/files/gif-answers.ts";
import { type ServiceAnswer, webService } from "../../../support/server/web-service.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../../support/web/browser.ts";
import { composeBox, messageWith } from "../../../support/web/page.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };
const provider = webService();

describe.skipIf(!browserPath)("GIFs", { timeout: 180_000 }, () => {
  const test = pageTest(() => ({
    PARLEY_GIF_PROVIDER: "klipy",
    PARLEY_GIF_KEY: "the key",
    PARLEY_GIF_URL: provider.url,
    PARLEY_ALLOWED_ADDRESSES: "127.0.0.1",
    PARLEY_RATE_LIMIT_GIFS_BY_USER: "1000/300",
  }));
  const { server } = test;
  const ada = server.person("Ada Lovelace");
  const engines = server.channel("engines", [ada]);
  let one: Visitor;
  let page: Page;
  let gif: Buffer;
  /** Where the browser went besides this server. */
  const elsewhere: string[] = [];
  let answer: (words: string, from: string) => ServiceAnswer;
  beforeAll(async () => {
    const flat = (background: string) => sharp({ create: { width: 220, height: 124, channels: 3, background } });
    const frames = await Promise.all(["red", "blue"].map((colour) => flat(colour).png().toBuffer()));
    gif = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer();
    provider.answer = ({ path }) => {
      const { pathname, searchParams } = new URL(path, provider.url);
      if (pathname.endsWith(".gif")) return { headers: { "Content-Type": "image/gif" }, body: gif };
      return answer(searchParams.get("q") ?? "", searchParams.get("pos") ?? "");
    };
    one = await test.signIn(ada, { hash: `#narrow/channel/${engines.id}-engines/topic/loops` });
    page = one.page;
    page.on("request", (request) => {
      if (new URL(request.url()).origin !== new URL(server.url).origin) elsewhere.push(request.url());
    });
    await composeBox(page).waitFor();
  });
  beforeEach(async () => {
    answer = (words) => klipyAnswer(provider.url, [`${words || "many"} one`, `${words || "many"} two`, "three"]);
    await composeBox(page).fill("");
  });

  const button = () => page.getByRole("button", { name: "Add a GIF" });
  const picker = () => page.getByRole("dialog", { name: "Add a GIF" });
  const field = () => picker().getByRole("searchbox", { name: "Search KLIPY" });
  const shown = () =>
    picker()
      .getByRole("img")
      .evaluateAll((all) => all.map((image) => (image as HTMLImageElement).alt));
  const found = (...names: string[]) => expect.poll(shown, waiting).toEqual(names);
  const isInField = () =>
    expect.poll(() => page.evaluate(() => document.activeElement?.ariaLabel), waiting).toBe("Search KLIPY");
  const text = () => composeBox(page).inputValue();
  const close = async () => {
    await page.keyboard.press("Escape");
    await picker().waitFor({ state: "detached" });
  };

  it("are found by words, or of those that many send, and no provider hears of the browser", async () => {
    await button().click();
    await found("many one", "many two", "three");
    await picker().getByText("Powered by KLIPY").waitFor();
    const first = picker().getByRole("img").first();
    const isDrawn = () => first.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth);
    await expect.poll(isDrawn, waiting).toBe(220);
    expect(await first.getAttribute("src")).toMatch(/^\/external_content\//);
    expect(await violations(page)).toEqual([]);
    await field().fill("tea");
    await found("tea one", "tea two", "three");
    answer = () => klipyAnswer(provider.url, []);
    await field().fill("nothing of the kind");
    await picker().getByText("Nothing found.").waitFor();
    await close();
    expect(elsewhere).toEqual([]);
  });

  it("are put into what was written by keys alone, which undo takes back, and shown in the message", async () => {
    await composeBox(page).fill("look ");
    await button().press("Enter");
    await found("many one", "many two", "three");
    await isInField();
    const at = () => page.evaluate("document.activeElement.dataset.at ?? document.activeElement.type");
    for (const [key, place] of [
      ["ArrowDown", "0"],
      ["ArrowRight", "1"],
      ["ArrowLeft", "0"],
      ["ArrowDown", "2"],
      ["ArrowUp", "0"],
      ["ArrowUp", "search"],
      ["ArrowDown", "0"],
      ["ArrowRight", "1"],
    ]) {
      await page.keyboard.press(key!);
      await expect.poll(at, waiting).toBe(place);
    }
    await page.keyboard.press("Enter");
    const markdown = `[many two](${provider.url}/1-medium.gif) `;
    await expect.poll(text, waiting).toBe(`look ${markdown}`);
    await expect.poll(() => page.evaluate("document.activeElement.id"), waiting).toBe("compose-text");
    await page.keyboard.press("Control+z");
    expect(await text()).toBe("look ");
    await button().press("Enter");
    await isInField();
    await page.keyboard.type("cat");
    await found("cat one", "cat two", "three");
    await page.keyboard.press("Enter");
    await expect.poll(text, waiting).toBe(`look [cat one](${provider.url}/0-medium.gif) `);
    await composeBox(page).press("Control+Enter");
    const picture = messageWith(page, "look").locator(".message_inline_image img");
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth), waiting).toBe(220);
    expect(elsewhere).toEqual([]);
  });

  it("stand still until somebody points at them, as other pictures do", async () => {
    await button().click();
    const first = picker().getByRole("img").first();
    const source = () => first.getAttribute("src");
    await expect.poll(source, waiting).toMatch(/\?still=true$/);
    await first.hover();
    await expect.poll(source, waiting).not.toContain("?");
    await field().hover();
    await expect.poll(source, waiting).toMatch(/\?still=true$/);
    await close();
    expectSuccess(await ada.client.patch("/settings", { web_animate_image_previews: "always" }));
    await button().click();
    await expect.poll(source, waiting).not.toContain("?");
    await close();
    expectSuccess(await ada.client.patch("/settings", { web_animate_image_previews: "on_hover" }));
  });

  it("come page after page, each once", async () => {
    answer = (words, from) =>
      klipyAnswer(provider.url, from === "" ? ["a", "b"] : ["a", "b", "c"], from === "" && words !== "" ? "more" : "");
    await button().click();
    await field().fill("pages");
    await found("a", "b");
    await picker().getByRole("button", { name: "Show more GIFs" }).click();
    await found("a", "b", "c");
    await picker().getByRole("button", { name: "Show more GIFs" }).waitFor({ state: "detached" });
    await close();
  });

  it("of a provider that is away are told of in words, and looked for again", async () => {
    answer = () => ({ status: 503, body: "<h1>Maintenance</h1>" });
    await button().click();
    await field().fill("away");
    await picker().getByText("KLIPY can’t be reached right now.").waitFor();
    answer = () => klipyAnswer(provider.url, ["back"]);
    await picker().getByRole("button", { name: "Try again" }).click();
    await found("back");
    await picker().getByText("KLIPY can’t be reached right now.").waitFor({ state: "detached" });
    await close();
    expect(one.problems.splice(0).every((line) => /status of 502/.test(line))).toBe(true);
  });

  it("have descriptions that mention nobody and link nowhere", async () => {
    answer = () => klipyAnswer(provider.url, ["@**all** [x](javascript:alert(1)) <img src=x> `a` :tada: $$b$$", "**"]);
    await button().click();
    await field().fill("hostile");
    await found("all x javascript alert 1 img src x a tada b", "GIF");
    await page.keyboard.press("Enter");
    await expect
      .poll(text, waiting)
      .toBe(`[all x javascript alert 1 img src x a tada b](${provider.url}/0-medium.gif) `);
  });

  it("are looked for up to the rating that the organization chose, or not at all", async () => {
    const boss = await test.signIn(server.owner, { hash: "#organization/profile" });
    const rating = boss.page.getByLabel("GIFs that people find here");
    await rating.selectOption({ label: "Up to R: for adults" });
    const policy = async () => (await ada.client.register({ fetch_event_types: ["realm"] }))["realm_gif_rating_policy"];
    await expect.poll(policy, waiting).toBe(4);
    await button().click();
    await field().fill("adult");
    await found("adult one", "adult two", "three");
    const asked = provider.requests.findLast(({ path }) => path.includes("q=adult"))!;
    expect(asked.path).toContain("contentfilter=off");
    await close();
    await rating.selectOption({ label: "None" });
    await button().waitFor({ state: "detached" });
    await rating.selectOption({ label: "Rated G: for everybody" });
    await button().waitFor();
    await server.owner.setRealm({ inline_image_preview: false });
    await button().waitFor({ state: "detached" });
    await server.owner.setRealm({ inline_image_preview: true });
    await button().waitFor();
  });
});
