/** Channels with all that is chosen as they are made, everybody of a group or channel at once, and groups in groups. */
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess } from "../../../support/client/api.ts";
import { violations } from "../../../support/web/axe.ts";
import { browserPath, patienceMs, type Visitor } from "../../../support/web/browser.ts";
import { pageTest } from "../../../support/web/page-test.ts";

const waiting = { timeout: patienceMs };

describe.skipIf(!browserPath)("channels and groups", { timeout: 180_000 }, () => {
  const test = pageTest();
  const { server } = test;
  const [ada, grace, alan] = server.people("Ada Lovelace", "Grace Hopper", "Alan Turing");
  const engines = server.channel("engines", [ada]);
  const looms = server.channel("looms", [grace, alan]);
  let [boss, other]: Visitor[] = [];
  let page: Page;
  let makers = 0;
  beforeAll(async () => {
    const made = await server.owner.client.post("/user_groups/create", {
      name: "makers",
      description: "",
      members: [grace.id],
    });
    makers = Number(expectSuccess(made)["group_id"]);
    boss = await test.signIn(server.owner);
    other = await test.signIn(ada);
    page = boss.page;
  });

  const line = (text: string) => page.locator(".person-line", { hasText: text });
  const add = (text: string) => line(text).getByRole("button", { name: "Add", exact: true }).click();
  const channel = async (name: string) => {
    const { streams } = expectSuccess(await server.owner.client.get("/streams")) as {
      streams: Record<string, unknown>[];
    };
    return streams.find((one) => one["name"] === name);
  };
  const group = async (id: number) => {
    const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups")) as {
      user_groups: Record<string, unknown>[];
    };
    return user_groups.find((one) => one["id"] === id);
  };

  it("a channel begins with its folder, whoever may write, and everybody of a group", async () => {
    const folder = { name: "Machines", description: "" };
    const { channel_folder_id } = expectSuccess(await server.owner.client.post("/channel_folders/create", folder));
    await page.goto("/#channels/new");
    await page.getByLabel("Name").fill("kites");
    await page.getByLabel("Who may write").selectOption({ label: "Administrators" });
    await page.getByLabel("Folder").selectOption({ label: "Machines" });
    await page.getByLabel("Add people").fill("makers");
    await page.getByLabel("Add people").press("Enter");
    await add("Everybody of @makers");
    await page.getByLabel("Add people").fill("");
    await line("Grace Hopper").waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "kites" }).waitFor();
    const made = await channel("kites");
    expect(made).toMatchObject({ folder_id: channel_folder_id, subscriber_count: 2 });
    const { user_groups } = expectSuccess(await server.owner.client.get("/user_groups")) as {
      user_groups: { id: number; name: string }[];
    };
    const writers = user_groups.find(({ id }) => id === made?.["can_send_message_group"]);
    expect(writers?.name).toBe("role:administrators");
  });

  it("everybody of a channel is subscribed to another one", async () => {
    await page.goto(`/#channels/${engines.id}/subscribers`);
    await page.getByLabel("Add people").fill("looms");
    await add("Everybody of #looms");
    await expect.poll(async () => (await channel("engines"))?.["subscriber_count"], waiting).toBe(3);
    expect((await channel("looms"))?.["stream_id"]).toBe(looms.id);
  });

  it("what holds for a channel's messages: history, topics, and how long they are kept", async () => {
    expectSuccess(await server.owner.client.post("/users/me/subscriptions", { subscriptions: [{ name: "engines" }] }));
    expectSuccess(await server.owner.client.patch(`/streams/${engines.id}`, { is_private: true }));
    await page.goto(`/#channels/${engines.id}/permissions`);
    const history = page.getByLabel("New subscribers see what was written before");
    const before = await history.isChecked();
    await history.setChecked(!before);
    await page.getByLabel("Messages without a topic").selectOption({ label: "Not allowed" });
    await page.getByLabel("How long messages are kept").selectOption({ label: "90 days" });
    await expect
      .poll(() => channel("engines"), waiting)
      .toMatchObject({
        history_public_to_subscribers: !before,
        topics_policy: "disable_empty_topic",
        message_retention_days: 90,
      });
    await page.getByLabel("How long messages are kept").selectOption({ label: "As the organization" });
    await expect.poll(() => channel("engines"), waiting).toMatchObject({ message_retention_days: null });
  });

  it("a group has groups in it, and people who join and leave as it allows", async () => {
    const { group_id } = expectSuccess(
      await server.owner.client.post("/user_groups/create", { name: "weavers", description: "", members: [alan.id] }),
    );
    await page.goto(`/#groups/${makers}`);
    await page.getByLabel("Add a group").selectOption({ label: "weavers" });
    await page.locator(".setting-rows").getByRole("link", { name: "weavers" }).waitFor();
    await expect.poll(() => group(makers), waiting).toMatchObject({ direct_subgroup_ids: [group_id] });
    await page.getByLabel("Join by themselves").selectOption({ label: "Members" });
    const theirs = other!.page;
    await theirs.goto(`/#groups/${makers}`);
    await theirs.getByRole("button", { name: "Join", exact: true }).click();
    await expect.poll(async () => (await group(makers))?.["members"], waiting).toContain(ada.id);
    await theirs.getByRole("button", { name: "Leave", exact: true }).click();
    await expect.poll(async () => (await group(makers))?.["members"], waiting).not.toContain(ada.id);
    await page.locator(".setting-rows").getByRole("button", { name: "Remove" }).click();
    await expect.poll(() => group(makers), waiting).toMatchObject({ direct_subgroup_ids: [] });
    expect(await violations(page)).toEqual([]);
  });
});
