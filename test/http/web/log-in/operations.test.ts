/** The operator's console of an organization in the page. */
import { describe, expect, it } from "vitest";
import { browserPath } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

describe.skipIf(!browserPath)("the page's operations", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada] = server.people(["Ada Lovelace", 200]);

  it("show owners who serves, and what waits, and try it again", async () => {
    const { sql } = server.database;
    const later = Math.floor(Date.now() / 1000) + 5000;
    await sql`
      insert into emails (realm_id, kind, recipient, letter, created_at, expires_at, attempts, next_attempt_at)
      select id, 'test', 'a@example.com', '{}', ${later - 5500}, ${later}, 2, ${later} from realms`;
    const { page } = await test.signIn(server.owner, { hash: "#organization/operations" });
    await page.getByText(/writes, \d+ event queues/).waitFor();
    await page.getByText("1 waiting, 1 after a failure").waitFor();
    const again = page
      .getByRole("listitem")
      .filter({ hasText: "Emails" })
      .getByRole("button", { name: "Try again now" });
    await again.click();
    const left = async () => (await sql`select from emails where next_attempt_at = ${later}`).count;
    await expect.poll(left, { timeout: 60_000 }).toBe(0);
  });

  it("show nobody else anything, administrators neither", async () => {
    const { page } = await test.signIn(ada, { hash: "#organization/operations" });
    await page.getByText("Only owners see this.").waitFor();
    expect(await page.getByText("Emails", { exact: true }).count()).toBe(0);
    expect(await page.getByText(/event queues/).count()).toBe(0);
  });
});
