/** "What did I miss" in the inbox, by a language model that a server on this machine plays. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { webService } from "../../../support/server/web-service.ts";
import { until } from "../../../support/time/until.ts";
import { browserPath } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const model = webService();

describe.skipIf(!browserPath)("what did I miss", { timeout: 180_000 }, () => {
  const test = pageTest(() => ({
    PARLEY_AI_URL: `${model.url}/v1`,
    PARLEY_AI_MODEL: "tiny",
    PARLEY_ALLOWED_ADDRESSES: "127.0.0.1",
  }));
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  beforeAll(async () => {
    await grace.say(engines, "the cards are ready", "cards");
  });

  it("summarizes what is unread, as text and never as HTML", async () => {
    const content = "The cards are **ready**. <img src=x onerror=alert(1)>";
    model.answer = () => ({ body: JSON.stringify({ choices: [{ message: { content } }] }) });
    const { page } = await test.signIn(ada, { hash: "#inbox" });
    await page.getByRole("button", { name: "What did I miss?" }).click();
    await page.locator(".missed strong", { hasText: "ready" }).waitFor();
    expect(await page.locator(".missed img").count()).toBe(0);
    expect(model.requests.at(-1)!.body).toContain("the cards are ready");
  });

  it("says why there is none, and ends when its person leaves", async () => {
    model.answer = () => ({ status: 500, body: "" });
    await grace.say(engines, "one more", "cards");
    const { page, problems } = await test.signIn(ada, { hash: "#inbox" });
    const button = page.getByRole("button", { name: "What did I miss?" });
    await button.click();
    await page.locator(".missed", { hasText: "made no summary" }).waitFor();
    expect(problems.splice(0).every((line) => /status of 400/.test(line))).toBe(true);
    model.answer = () => undefined;
    const asked = model.requests.length;
    await button.click();
    await until("the model to be asked", () => model.requests.length > asked);
    await page.evaluate(() => (location.hash = "#recent"));
    await until("the request to end", () => model.abandoned === 1);
  });

  it("is not offered to whoever hides it, and again to whoever does not", async () => {
    const { page } = await test.signIn(ada, { hash: "#inbox" });
    const offered = page.getByRole("button", { name: "What did I miss?" });
    const hide = async (isHidden: boolean) => {
      await page.evaluate(() => (location.hash = "#settings/display"));
      await page.getByLabel("Hide what language models do").setChecked(isHidden);
      await until("the setting to be stored", async () => {
        const { user_settings } = expectSuccess(await ada.client.post("/register", { event_types: ["user_settings"] }));
        return (user_settings as Record<string, unknown>)["hide_ai_features"] === isHidden;
      });
      await page.evaluate(() => (location.hash = "#inbox"));
      await page.locator(".inbox-row").first().waitFor();
    };
    await offered.waitFor();
    await hide(true);
    await offered.waitFor({ state: "detached" });
    await hide(false);
    await offered.waitFor();
  });
});
