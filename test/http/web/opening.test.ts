/** Opening the page: with a password, and as somebody who has no account. */
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../support/client/api.ts";
import { linkIn, testSmtp } from "../../support/server/smtp.ts";
import { until } from "../../support/time/until.ts";
import { browserPath, patienceMs } from "../../support/web/browser.ts";
import { composeBox, messageWith } from "../../support/web/page.ts";
import { pageTest, password } from "../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("opening the page", { timeout: 180_000 }, () => {
  const smtp = testSmtp();
  const test = pageTest(() => ({ PARLEY_SMTP_URL: smtp.url, PARLEY_MAIL_FROM: "chat@example.org" }));
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

  it("with a forgotten password: by a link that comes by email", async () => {
    const grace = await server.addUser("Grace Hopper");
    const { page } = await test.visit();
    await page.goto("/login/");
    await page.getByRole("link", { name: "Forgot your password?" }).click();
    await page.getByLabel("Email").fill(grace.email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByRole("heading", { name: "Look into your mail" }).waitFor();
    const sent = () => smtp.mails.find(({ to, text }) => to === grace.email && text.includes("/accounts/reset/"));
    await until("the email", () => sent() !== undefined, patienceMs);
    await page.goto(new URL(linkIn(sent()!.text, "/accounts/reset/")).pathname);
    await page.getByLabel("New password").fill("a much finer one");
    await page.getByRole("button", { name: "Set the password" }).click();
    await page.getByRole("link", { name: "Log in" }).click();
    await page.getByLabel("Email").fill(grace.email);
    await page.getByLabel("Password").fill("a much finer one");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.locator(".left").waitFor();
  });

  it("in an application's browser: the key goes back to it, and only it can read it", async () => {
    const kay = await server.addUser("Kay McNulty");
    const { page } = await test.visit();
    const pad = randomBytes(32);
    await page.goto(`/login/?mobile_flow_otp=${pad.toString("hex")}`);
    await page.getByText("You return to your application afterwards.").waitFor();
    await page.getByLabel("Email").fill(kay.email);
    await page.getByLabel("Password").fill(password);
    const answered = page.waitForResponse((response) => response.request().method() === "POST");
    await page.getByRole("button", { name: "Log in" }).click();
    const location = new URL((await (await answered).headerValue("location"))!);
    expect(location.href).toMatch(/^zulip:\/\/login\?/);
    const sealed = Buffer.from(location.searchParams.get("otp_encrypted_api_key")!, "hex");
    expect(Buffer.from(sealed.map((byte, index) => byte ^ pad[index]!)).toString("latin1")).toBe(kay.apiKey);
    expect(location.searchParams.get("email")).toBe(kay.email);
    expect((await page.context().cookies()).some(({ name }) => name === "sessionid")).toBe(false);
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
