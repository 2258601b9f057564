/** Opening the page: with a password, and as somebody who has no account. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { browserPath, patienceMs } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest, password } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("opening the page", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const ada = server.person("Ada Lovelace");
  server.channel("backroom", [ada]);
  let plaza: number;
  beforeAll(async () => {
    await server.owner.setRealm({ enable_spectator_access: true });
    plaza = await server.addChannel("plaza", [ada], { is_web_public: true });
    await ada.say(plaza, "Come in, **everybody**", "welcome");
  });

  it("sign in with a password, and log out", async () => {
    const { page } = await test.visit();
    await server.owner.setRealm({ enable_spectator_access: false });
    await page.goto("/");
    await page.waitForURL(/\/login\//);
    await page.getByLabel("Email").fill(ada.email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator(".left").waitFor();
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.waitForURL(/\/login\//);
    await server.owner.setRealm({ enable_spectator_access: true });
  });

  it("see public channels without an account where the organization is open to spectators", async () => {
    const { page } = await test.visit();
    await page.goto("/");
    await messageWith(page, "Come in, everybody").locator("strong").waitFor();
    await page.locator(".left").getByRole("link", { name: "plaza" }).click();
    await messageWith(page, "Come in, everybody").waitFor();
    await page.locator(".left").getByRole("link", { name: "welcome" }).waitFor();
    expect(await page.getByText("backroom").count()).toBe(0);
    // What takes an account is not offered, and it is said what takes one.
    await page.getByText("Log in to write").waitFor();
    expect(await composeBox(page).count()).toBe(0);
    await messageWith(page, "Come in, everybody").hover();
    expect(await page.locator(".message-tools").count()).toBe(0);
    await page.keyboard.press("c");
    await page.keyboard.press("+");
    await expect.poll(() => page.locator(".reaction").count(), waiting).toBe(0);
    await page.locator(".left").getByRole("link", { name: "Log in" }).click();
    await page.waitForURL(/\/login\//);
  });

  it("a log-in that is over leads to the log-in page, and back to where one was", async () => {
    const { page, problems } = await test.signIn(ada, { hash: `#narrow/channel/${plaza}-plaza/topic/welcome` });
    await messageWith(page, "Come in").waitFor();
    await server.owner.setRealm({ enable_spectator_access: false });
    expectSuccess(await ada.client.patch("/settings", { old_password: password, new_password: `${password} 2` }));
    await page.reload();
    await page.waitForURL(/\/login\/\?next=/);
    // That it was refused is what the browser itself says of it.
    expect(problems.splice(0).every((line) => /401|400|403/.test(line))).toBe(true);
    await page.getByLabel("Email").fill(ada.email);
    await page.getByLabel("Password").fill(`${password} 2`);
    await page.getByRole("button", { name: "Log in" }).click();
    await messageWith(page, "Come in").waitFor();
  });
});
