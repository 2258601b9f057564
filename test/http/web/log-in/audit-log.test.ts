/** The audit log in the page. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { auditTypes } from "../../../../actors/audit/types.ts";
import type { Way } from "../../../../actors/realm/commit/audit.ts";
import { auditKinds, auditWays } from "../../../../http/web/languages/en/audit-kinds.ts";
import { browserPath } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

it("has words for each kind that the server tells of", () => {
  expect(Object.keys(auditKinds)).toEqual(Object.keys(auditTypes));
});

it("has words for each way by which people come", () => {
  const ways: Record<Way, true> = {
    api_key: true,
    further_key: true,
    session: true,
    nobody: true,
    scim: true,
    ldap: true,
    oidc: true,
    command_line: true,
    server: true,
  };
  expect(Object.keys(auditWays)).toEqual(Object.keys(ways));
});

describe.skipIf(!browserPath)("the page's audit log", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, bob] = server.people("Ada Lovelace", "Bob Babbage");
  let page: Page;
  const rows = () => page.locator(".setting-rows > li");

  beforeAll(async () => {
    await server.owner.client.patch(`/users/${bob.id}`, { role: 300 });
    for (let number = 0; number < 60; number++) await server.owner.client.patch("/realm", { name: `Name ${number}` });
    page = (await test.signIn(server.owner, { hash: "#organization/audit-log" })).page;
  });

  it("shows the newest first, and older ones when they are asked for", async () => {
    await rows().nth(49).waitFor();
    expect(await rows().count()).toBe(50);
    await page.getByRole("button", { name: "Show older ones" }).click();
    await expect.poll(() => rows().count()).toBeGreaterThan(50);
  });

  it("is narrowed by person and kind, with before and after", async () => {
    await page.getByLabel("Done to").selectOption({ label: "Bob Babbage" });
    await page.getByLabel("What").selectOption("user_role_changed");
    await expect.poll(() => rows().count()).toBe(1);
    await rows().getByText("Before and after").click();
    expect(await rows().locator("pre").textContent()).toMatch(/"role": 400[\s\S]*"role": 300/);
    expect(
      await rows()
        .locator("pre")
        .evaluate((pre) => getComputedStyle(pre).whiteSpace),
    ).toBe("pre-wrap");
    await page.getByLabel("Done to").selectOption({ label: "Ada Lovelace" });
    await page.getByText("Nothing").first().waitFor();
  });

  it("is a file, of what is shown", async () => {
    await page.getByLabel("Done to").selectOption({ label: "Bob Babbage" });
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download as CSV" }).click(),
    ]);
    const lines = (await readFile(await file.path(), "utf8")).trim().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain("user_role_changed");
  });

  it("is for administrators", async () => {
    const other = (await test.signIn(ada, { hash: "#organization/audit-log" })).page;
    await other.getByText("Only administrators").first().waitFor();
    expect(await other.locator(".setting-rows > li").count()).toBe(0);
  });
});
