/** Passkeys in a browser, whose authenticator is Chromium's virtual one. */
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { browserPath, type Visitor } from "../../../support/web/browser.ts";
import { pageTest, password } from "../../../support/web/page-test.ts";

describe.skipIf(!browserPath)("passkeys", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada] = server.people("Ada Lovelace");
  let visitor: Visitor;
  let page: Page;

  const section = () =>
    page.locator(".setting-section").filter({ has: page.getByRole("heading", { name: "Second factor", exact: true }) });
  const passkeys = () => server.database.sql<{ name: string }[]>`
    select name from passkeys where user_id = ${ada.id}`;

  async function typePassword(): Promise<void> {
    await page.goto("/login/");
    await page.getByLabel("Email").fill(ada.email);
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Log in", exact: true }).click();
  }

  it("are added in the settings, and bring recovery codes", async () => {
    // Browsers have no passkeys at a number.
    visitor = await test.visit({ baseURL: server.url.replace("127.0.0.1", "localhost") });
    page = visitor.page;
    const devices = await visitor.context.newCDPSession(page);
    await devices.send("WebAuthn.enable");
    await devices.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    await typePassword();
    await page.locator(".page").waitFor();
    await page.goto("/#settings/account");
    await section().getByLabel("Name of the new passkey").fill("This laptop");
    await section().getByRole("button", { name: "Add a passkey" }).click();
    await section().getByText("10 recovery codes are left").waitFor();
    expect((await section().locator("pre").textContent())!.trim().split("\n")).toHaveLength(10);
    expect(await section().getByLabel("Name", { exact: true }).inputValue()).toBe("This laptop");
  });

  it("are named anew", async () => {
    await section().getByLabel("Name", { exact: true }).fill("Old laptop");
    await section().getByRole("button", { name: "Change" }).click();
    await expect.poll(passkeys).toEqual([{ name: "Old laptop" }]);
  });

  it("show again who is there, before keys are shown", async () => {
    await server.database.sql`update sessions set confirmed_at = 0 where user_id = ${ada.id}`;
    await page.getByRole("button", { name: "Show the key" }).click();
    await page.getByRole("dialog", { name: "Is it you?" }).getByRole("button", { name: "Use a passkey" }).click();
    await page.locator(".setting-section").getByText(ada.apiKey).waitFor();
    // The refusal that is asked about answers 403, which the browser reports.
    visitor.problems.splice(0);
  });

  it("are asked for after the password", async () => {
    await visitor.context.clearCookies();
    await typePassword();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.waitForURL(/\/(?:#.*)?$/);
    await page.locator(".page").waitFor();
  });

  it("log in alone, without a name or a password", async () => {
    await visitor.context.clearCookies();
    await page.goto("/login/?next=%23settings/account");
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.waitForURL(/#settings\/account$/);
    await section().getByText("10 recovery codes are left").waitFor();
  });

  it("are removed in the settings", async () => {
    await section().getByRole("button", { name: "Remove the passkey" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove the passkey" }).last().click();
    await expect.poll(passkeys).toEqual([]);
    await section().getByRole("button", { name: "Set up an authenticator application" }).waitFor();
  });
});
