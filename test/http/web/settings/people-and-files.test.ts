/** What administrators change of others, whom invitations put where, who sees an address, and one's own files. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { ApiClient, expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs } from "../../../support/web/browser.ts";
import { pageTest, password } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("people and files", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace] = server.people("Ada Lovelace", "Grace Hopper");
  const engines = server.channel("engines", [ada, grace]);
  const looms = server.channel("looms", [grace]);
  let page: Page;
  let theirs: Page;
  beforeAll(async () => {
    ({ page } = await test.signIn(server.owner));
    ({ page: theirs } = await test.signIn(ada));
  });

  const rows = (of: Page, text: string) => of.locator(".setting-rows li", { hasText: text });

  it("an administrator renames somebody, fills in their profile, and changes their channels", async () => {
    const { id } = expectSuccess(
      await server.owner.client.post("/realm/profile_fields", { name: "Motto", field_type: 1 }),
    );
    await page.goto("/#organization/people");
    await page.locator(".settings").getByRole("link", { name: "Ada Lovelace" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Ada King");
    await page.getByLabel("Name", { exact: true }).press("Enter");
    await page.getByRole("heading", { name: "Ada King" }).waitFor();
    await page.getByLabel("Motto").fill("to the engine");
    await page.getByLabel("Motto").press("Enter");
    const fields = async () => (await ada.client.get("/users/me")).body["profile_data"];
    await expect.poll(fields, waiting).toMatchObject({ [String(id)]: { value: "to the engine" } });
    await rows(page, "engines").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel("Add to a channel").selectOption({ label: "looms" });
    await rows(page, "looms").waitFor();
    await rows(page, "engines").getByRole("button", { name: "Remove" }).click();
    await rows(page, "engines").waitFor({ state: "detached" });
    const channels = async () => (await ada.client.get(`/users/${ada.id}/channels`)).body["subscribed_channel_ids"];
    await expect.poll(channels, waiting).not.toContain(engines.id);
    expect(await channels()).toContain(looms.id);
  });

  it("an invitation puts people into channels and groups, and has a welcome of its own", async () => {
    const makers = { name: "makers", description: "", members: [grace.id] };
    expectSuccess(await server.owner.client.post("/user_groups/create", makers));
    await page.goto("/#organization/invitations");
    await page.getByLabel("Subscribe them to the default channels").uncheck();
    await page.getByLabel("And to these channels").selectOption({ label: "engines" });
    await rows(page, "engines").waitFor();
    await page.getByLabel("They join these groups").selectOption({ label: "makers" });
    await rows(page, "makers").waitFor();
    await page.getByLabel("Welcome message of this invitation").selectOption({ label: "One of its own" });
    await page.getByLabel("Its welcome message").fill("The looms are **downstairs**.");
    await page.getByRole("button", { name: "Make a link" }).click();
    const link = await page.locator(".made-link code").first().innerText();
    const form = { full_name: "Kay McNulty", email: "kay@example.com", password };
    const anybody = new ApiClient({ url: server.urls });
    expect((await anybody.post(new URL(link).pathname, form, { root: true })).status).toBe(302);
    const { members } = (await server.owner.client.get("/users")).body as { members: Record<string, unknown>[] };
    const kay = members.find((one) => one["full_name"] === "Kay McNulty")?.["user_id"];
    const { subscribers } = (await grace.client.get(`/streams/${engines.id}/members`)).body as {
      subscribers: number[];
    };
    expect(subscribers).toContain(kay);
    const { user_groups } = (await grace.client.get("/user_groups")).body as {
      user_groups: { name: string; members: number[] }[];
    };
    expect(user_groups.find(({ name }) => name === "makers")?.members).toContain(kay);
    const { api_key } = (await anybody.post("/fetch_api_key", { username: form.email, password })).body;
    const theirs = new ApiClient({ url: server.urls, email: form.email, apiKey: String(api_key) });
    const { messages } = (await theirs.get("/messages", { anchor: "newest", num_before: 10, num_after: 0 })).body;
    expect(JSON.stringify(messages)).toContain("The looms are <strong>downstairs</strong>.");
  });

  it("who sees one's address is one's own choice", async () => {
    const seen = async () => {
      const { user } = (await grace.client.get(`/users/${ada.id}`)).body as { user: Record<string, unknown> };
      return user["delivery_email"];
    };
    expect(await seen()).toBe(ada.email);
    await theirs.goto("/#settings/account");
    await theirs.getByLabel("Who sees your address").selectOption({ label: "Administrators" });
    await expect.poll(seen, waiting).toBe(null);
    await theirs.getByLabel("Who sees your address").selectOption({ label: "Everybody" });
    await expect.poll(seen, waiting).toBe(ada.email);
  });

  it("one's own files: how large, in which messages, and deleted", async () => {
    const upload = async (name: string, text: string) => {
      const form = new FormData();
      form.append("filename", new File([text], name));
      const answer = await fetch(`${server.url}/api/v1/user_uploads`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${ada.email}:${ada.apiKey}`).toString("base64")}` },
        body: form,
      });
      return ((await answer.json()) as { url: string }).url;
    };
    const used = await upload("plan.txt", "x".repeat(2500));
    await upload("spare.txt", "y");
    await ada.say(looms, `the [plan](${used})`, "files");
    await theirs.goto("/#settings/uploads");
    await rows(theirs, "plan.txt").getByText("2.5 kB").waitFor();
    await rows(theirs, "spare.txt").getByText("in no message").waitFor();
    expect(await violations(theirs)).toEqual([]);
    await rows(theirs, "spare.txt").getByRole("button", { name: "Delete the file" }).click();
    await theirs.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await rows(theirs, "spare.txt").waitFor({ state: "detached" });
    await rows(theirs, "plan.txt").locator("p a").click();
    await theirs.locator("article.message", { hasText: "the plan" }).waitFor();
  });
});
