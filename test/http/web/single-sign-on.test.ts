/** Logging in by a real provider in a real browser, and in one that stands for the desktop application. */
import { createDecipheriv } from "node:crypto";
import { describe, expect, it } from "vitest";
import { claimsOf } from "../../support/identities/newcomer.ts";
import { openIdProvider } from "../../support/identities/open-id-provider.ts";
import { violations } from "../../support/web/axe.ts";
import { browserPath } from "../../support/web/browser.ts";
import { pageTest } from "../../support/web/page-test.ts";

describe.skipIf(!browserPath)("single sign-on", { timeout: 180_000 }, () => {
  const provider = openIdProvider();
  const test = pageTest(() => ({
    PARLEY_OIDC: JSON.stringify({ "*": [{ ...provider.setting, joining: "everybody" }] }),
  }));
  const { server } = test;
  const ada = server.person("Ada Lovelace");

  it("brings somebody from the button on the log-in page into the chat", async () => {
    provider.person = claimsOf("nora", "nora@example.net");
    const { page } = await test.visit();
    await page.goto("/login/");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Log in with Main & Co" }).click();
    await page.locator(".left").waitFor();
    expect(new URL(page.url()).origin).toBe(server.url);
  });

  it("asks whose account it is, and lets in whoever knows its password", async () => {
    provider.person = claimsOf("ada", ada.email);
    const { page } = await test.visit();
    await page.goto("/login/");
    await page.getByRole("link", { name: "Log in with Main & Co" }).click();
    await page.getByRole("heading", { name: "Whose account is it?" }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Password").fill("a fine password");
    await page.getByRole("button", { name: "Link it and log in" }).click();
    await page.locator(".left").waitFor();
  });

  it("logs the desktop application in by what its person copies in their own browser", async () => {
    provider.person = claimsOf("nora", "nora@example.net");
    const { page, context } = await test.visit();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    // What the application gives to a server's pages; here the clipboard is handed over by the test.
    await page.addInitScript(() => {
      const key = new Uint8Array(32).fill(7);
      const pasted = new Promise((resolve) => Object.assign(window, { paste: resolve }));
      Object.assign(window, { electron_bridge: { decrypt_clipboard: () => ({ key, pasted }) } });
    });
    await page.goto("/login/");
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Log in with Main & Co" }).click();
    const browser = await opened;
    await browser.getByRole("button", { name: "Copy" }).click();
    await browser.getByRole("button", { name: "go back to the application" }).waitFor();
    expect(await violations(browser)).toEqual([]);
    const sealed = Buffer.from(await browser.evaluate(() => navigator.clipboard.readText()), "hex");
    const decipher = createDecipheriv("aes-256-gcm", Buffer.alloc(32, 7), sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const token = decipher.update(sealed.subarray(12, -16), undefined, "utf8") + decipher.final("utf8");
    await page.evaluate((text) => (window as unknown as { paste(text: string): void }).paste(text), token);
    await page.locator(".left").waitFor();
  });
});
