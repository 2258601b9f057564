/** A company's door, walked through: set up by its owner, joined, made safer, and closed by the directory. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { eventQueues } from "../../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../../actors/realm/memory.ts";
import { expectSuccess, type JsonObject } from "../../../support/client/api.ts";
import { type Directory, directoryOf } from "../../../support/client/scim.ts";
import { claimsOf } from "../../../support/identities/newcomer.ts";
import { openIdProvider } from "../../../support/identities/open-id-provider.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

describe.skipIf(!browserPath)("a company's door", { timeout: 240_000 }, () => {
  const provider = openIdProvider();
  const test = pageTest({ PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" });
  const { server } = test;
  let directory: Directory;
  let owner: Visitor;
  let nora: Visitor;
  beforeAll(async () => {
    directory = await directoryOf(server);
  });

  it("is opened by the owner, who tries the provider first", async () => {
    owner = await test.signIn(server.owner, { hash: "#organization/single-sign-on" });
    const { page } = owner;
    await page.getByRole("button", { name: "Add a provider" }).click();
    await page.getByLabel("What people see").fill("Company");
    await page.getByLabel("Name in addresses").fill("company");
    await page.getByLabel("Issuer").fill(provider.issuer);
    await page.getByLabel("Client ID").fill(provider.clientId);
    await page.getByLabel("Client secret").fill("a wrong one");
    await page.getByLabel("Who gets an account").selectOption({ label: "Everybody of the provider" });
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("does not know the client ID, or the client secret is another one").waitFor();
    await page.getByLabel("Client secret").fill(provider.clientSecret);
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByText("The provider answers, and knows this server.").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Save the provider" }).click();
    await page.getByText("/complete/company/").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    expect(await page.getByLabel("Client secret").inputValue()).toBe("");
    await page.getByLabel("What people see").fill("The Company");
    await page.getByRole("button", { name: "Save the provider" }).click();
    await page.getByText("The Company").waitFor();
  });

  it("lets somebody in by the provider, who adds a passkey", async () => {
    provider.person = claimsOf("nora", "nora@example.net");
    nora = await test.visit({ baseURL: server.url.replace("127.0.0.1", "localhost") });
    const { page } = nora;
    await withPasskeys(page);
    await page.goto("/login/");
    await page.getByRole("link", { name: "Log in with The Company" }).click();
    await page.locator(".page").waitFor();
    await page.goto("/#settings/account");
    await page.getByRole("link", { name: "Choose a password" }).waitFor();
    expect(await page.getByLabel("Current password").count()).toBe(0);
    await page.getByLabel("Name of the new passkey").fill("This laptop");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("10 recovery codes are left").waitFor();
  });

  it("asks for it, once the owner requires a second factor of everybody", async () => {
    await owner.page.goto("/#organization/profile");
    await owner.page.getByLabel("Required of").selectOption({ label: "Everybody" });
    const required = async () => (await server.owner.client.get("/realm/second_factor")).body["required_second_factor"];
    await expect.poll(required, { timeout: patienceMs }).toMatchObject({ of: "everyone" });
    await nora.context.clearCookies();
    const { page } = nora;
    await page.goto("/login/");
    await page.getByRole("link", { name: "Log in with The Company" }).click();
    await page.getByRole("button", { name: "Use a passkey" }).click();
    await page.locator(".page").waitFor();
    nora.problems.splice(0);
  });

  it("is closed by the directory: every queue of theirs ends, and the page asks to log in", async () => {
    const realm = await server.realm();
    const id = realm.state.userByEmail("nora@example.net")!.id;
    const queues = () => memoryOf(realm, eventQueues).fanOut.queuesOf(id).length;
    await expect.poll(queues, { timeout: patienceMs }).toBeGreaterThan(0);
    await directory.patch(`/Users/${id}`, { op: "replace", path: "active", value: false });
    await expect.poll(queues, { timeout: patienceMs }).toBe(0);
    await nora.page.waitForURL("**/login/**");
    // The poll that ended so is refused.
    nora.problems.splice(0);
    await nora.page.getByRole("link", { name: "Log in with The Company" }).click();
    await nora.page.getByText("deactivated").waitFor();
    nora.problems.splice(0);
  });

  it("is all in the audit log", async () => {
    const told = async () =>
      expectSuccess(await server.owner.client.get("/realm/audit_log", { anchor: "newest", num_before: 100 }))[
        "audit_log"
      ] as JsonObject[];
    const types = async () => (await told()).map(({ event_type }) => event_type);
    // Refusals are noted in the background.
    await expect.poll(types, { timeout: patienceMs }).toEqual(expect.arrayContaining(walked));
    expect(JSON.stringify(await told())).not.toContain(provider.clientSecret);
    await owner.page.goto("/#organization/audit-log");
    const rows = owner.page.locator(".setting-rows > li");
    await rows.getByText("Organization identity provider added").first().waitFor();
    const deactivated = rows.filter({ hasText: "User deactivated" }).filter({ hasText: "a directory (SCIM)" });
    await deactivated.filter({ hasText: "Nora Newcomer" }).waitFor();
    await rows.filter({ hasText: "User log in refused" }).filter({ hasText: "Nora Newcomer" }).waitFor();
  });
});

const walked = [
  "realm_identity_provider_added",
  "realm_identity_provider_changed",
  "user_created",
  "user_identity_linked",
  "user_passkey_added",
  "user_logged_in",
  "user_deactivated",
  "user_log_in_refused",
];

async function withPasskeys(page: Page): Promise<void> {
  const devices = await page.context().newCDPSession(page);
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
}
