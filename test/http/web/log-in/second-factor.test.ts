/** A second factor, from the settings to the next log-in. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { totpCode } from "../../../../actors/users/second-factors/totp.ts";
import { browserPath, type Visitor } from "../../../support/web/browser.ts";
import { pageTest, password } from "../../../support/web/page-test.ts";

describe.skipIf(!browserPath)("a second factor", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada] = server.people("Ada Lovelace");
  let visitor: Visitor;
  let page: Page;
  let secret: string;
  let codes: string[];
  beforeAll(async () => {
    visitor = await test.signIn(ada);
    page = visitor.page;
  });

  const section = (on: Page, title: string) =>
    on.locator(".setting-section").filter({ has: on.getByRole("heading", { name: title, exact: true }) });

  it("is set up with an application, and comes with recovery codes", async () => {
    await page.goto("/#settings/account");
    const factor = section(page, "Second factor");
    await factor.getByRole("button", { name: "Set up" }).click();
    await factor.getByRole("img", { name: "Picture for an authenticator application" }).waitFor();
    secret = (await factor.locator("code").textContent())!.replace(/\s/g, "");
    await factor.getByLabel("Code").fill("000000");
    await factor.getByRole("button", { name: "Turn it on" }).click();
    await page.getByText("This is not the code that your application shows now.").waitFor();
    await factor.getByLabel("Code").fill(codeNow());
    await factor.getByRole("button", { name: "Turn it on" }).click();
    await factor.getByText("10 recovery codes are left").waitFor();
    codes = (await factor.locator("pre").textContent())!.trim().split("\n");
    expect(codes).toHaveLength(10);
    // The wrong code on purpose answers 400, which the browser reports.
    visitor.problems.splice(0);
  });

  it("is asked for at the next log-in, where a wrong code lets nobody in", async () => {
    const other = await test.visit();
    await other.page.goto("/login/");
    await other.page.getByLabel("Email").fill(ada.email);
    await other.page.getByLabel("Password").fill(password);
    await other.page.getByRole("button", { name: "Log in" }).click();
    await other.page.getByLabel("Code").fill("aaaa-aaaa-aaaa-aaaa");
    await other.page.getByRole("button", { name: "Go on" }).click();
    expect(await other.page.getByRole("alert").textContent()).toContain("This code is wrong");
    other.problems.splice(0);
    await other.page.getByLabel("Code").fill(codes[0]!);
    await other.page.getByRole("button", { name: "Go on" }).click();
    await other.page.locator(".page").waitFor();
    await other.close();
  });

  it("or the password is asked for before a key is shown, some time after the log-in", async () => {
    const long = async () => server.database.sql`update sessions set confirmed_at = 0 where user_id = ${ada.id}`;
    const keys = section(page, "API key");
    const dialog = page.getByRole("dialog", { name: "Is it you?" });
    await long();
    await keys.getByRole("button", { name: "Show the key" }).click();
    await dialog.getByLabel("Password").fill("wrong password");
    await dialog.getByRole("button", { name: "Go on" }).click();
    await dialog.getByText("Wrong password!").waitFor();
    await dialog.getByLabel("Or a code").fill(codes[1]!);
    await dialog.getByRole("button", { name: "Go on" }).click();
    expect(await keys.locator("code").textContent()).toBe(ada.apiKey);
    await long();
    await keys.getByRole("button", { name: "Make a new key" }).click();
    await dialog.getByLabel("Password").fill(password);
    await dialog.getByRole("button", { name: "Go on" }).click();
    await expect.poll(() => keys.locator("code").textContent()).not.toBe(ada.apiKey);
    // Refusals that are asked about answer 400 and 403, which the browser reports.
    visitor.problems.splice(0);
  });

  it("is turned off by an administrator for whoever lost it", async () => {
    const admin = await test.signIn(server.owner);
    await admin.page.getByRole("button", { name: "Profile: Ada Lovelace" }).click();
    await admin.page.getByRole("menuitem", { name: "Turn off their second factor" }).click();
    await admin.page.getByRole("dialog").getByRole("button", { name: "Turn it off" }).click();
    await expect
      .poll(async () => (await server.database.sql`select from totp_factors where user_id = ${ada.id}`).length)
      .toBe(0);
    await page.reload();
    await section(page, "Second factor").getByRole("button", { name: "Set up" }).waitFor();
  });

  it("is required by an owner, and set up in the log-in of whoever has none", async () => {
    const owner = await test.signIn(server.owner, { hash: "#organization/profile" });
    const rule = section(owner.page, "Second factor");
    await rule.getByLabel("Days until it is needed").fill("0");
    await rule.getByRole("button", { name: "Change" }).click();
    await rule.getByRole("button", { name: "Change" }).waitFor({ state: "detached" });
    await rule.getByLabel("Required of").selectOption({ label: "All but guests" });
    const { client } = server.owner;
    const decided = async () => (await client.get("/realm/second_factor")).body["required_second_factor"];
    await expect.poll(decided).toMatchObject({ of: "members", grace_days: 0 });
    const late = await test.visit({ javaScriptEnabled: false });
    await late.page.goto("/login/");
    await late.page.getByLabel("Email").fill(ada.email);
    await late.page.getByLabel("Password").fill(password);
    await late.page.getByRole("button", { name: "Log in" }).click();
    await late.page.getByRole("img", { name: "Picture for an authenticator application" }).waitFor();
    secret = (await late.page.locator("code").textContent())!.replace(/\s/g, "");
    await late.page.getByLabel("Code that it shows").fill(codeNow());
    await late.page.getByRole("button", { name: "Go on" }).click();
    expect((await late.page.locator("pre").textContent())!.split("\n")).toHaveLength(10);
    await late.page.getByRole("button", { name: "I have kept them" }).click();
    await late.page.waitForURL(/\/(?:#.*)?$/);
    await late.page.goto("/about/");
    expect(await late.page.textContent("main")).toContain("Ada Lovelace");
  });

  const codeNow = () => totpCode(secret, Math.floor(Date.now() / 30_000));
});
