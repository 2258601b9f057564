/** Settings of other people: PATCH /settings with target_users. https://zulip.com/api/update-settings */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [admin, mia, otto] = server.people(["Adam Admin", 200], "Mia Member", "Otto Other");

describe("PATCH /settings with target_users", () => {
  it("changes the named people's settings, of groups' members too, and the caller's own alone are left", async () => {
    const { group_id } = expectSuccess(
      await admin.client.post("/user_groups/create", { name: "crew", description: "", members: [otto.id] }),
    );
    await assertConverges({
      observers: [admin.client, mia.client, otto.client],
      act: async () =>
        expectSuccess(
          await change(admin, { user_ids: [mia.id], group_ids: [group_id] }, { twenty_four_hour_time: true }),
        ),
    });
    for (const [person, value] of [
      [admin, false],
      [mia, true],
      [otto, true],
    ] as const)
      expect(await settingOf(person, "twenty_four_hour_time")).toBe(value);
  });

  it("is for administrators, and changes nothing otherwise", async () => {
    for (const targets of [{ user_ids: [otto.id] }, { user_ids: [mia.id] }]) {
      const answer = await change(mia, targets, { starred_message_counts: false });
      expectError(answer, 400, "UNAUTHORIZED_PRINCIPAL");
    }
    for (const person of [mia, otto]) expect(await settingOf(person, "starred_message_counts")).toBe(true);
  });

  it("refuses whom it cannot be about, what people alone decide, and what it does not understand", async () => {
    const bot = await server.addBot(mia, "settingless");
    for (const targets of [
      {},
      { user_ids: [999_999] },
      { user_ids: [bot.id] },
      { group_ids: [999_999] },
      { user_ids: "all" },
      { everybody: true },
      [mia.id],
    ])
      expectError(await change(admin, targets, { starred_message_counts: false }), 400, "BAD_REQUEST");
    const onMia = { user_ids: [mia.id] };
    for (const settings of [
      { full_name: "Renamed" },
      { email: "mine@example.com" },
      { new_password: "a very fine password", old_password: "a fine password" },
      { email_address_visibility: 1 },
      { allow_private_data_export: true },
      { enable_drafts_synchronization: false },
    ])
      expectError(await change(admin, onMia, settings), 400, "BAD_REQUEST");
    expectError(await change(admin, onMia, { color_scheme: 7 }), 400, "BAD_REQUEST");
  });

  it("skip_if_already_edited leaves alone what people have chosen themselves, even if it is the default again", async () => {
    const [fresh, back] = [await server.addUser("Fay Fresh"), await server.addUser("Bea Back")];
    for (const value of [false, true])
      expectSuccess(await back.client.patch("/settings", { starred_message_counts: value }));
    const targets = { user_ids: [fresh.id, back.id], skip_if_already_edited: true };
    expectSuccess(await change(admin, targets, { starred_message_counts: false, left_side_userlist: true }));
    expect(await settingOf(fresh, "starred_message_counts")).toBe(false);
    expect(await settingOf(back, "starred_message_counts")).toBe(true);
    expect(await settingOf(back, "left_side_userlist")).toBe(true);
    // What an administrator set is nobody's own choice.
    expectSuccess(await change(admin, targets, { starred_message_counts: true, left_side_userlist: false }));
    expect(await settingOf(fresh, "starred_message_counts")).toBe(true);
    expect(await settingOf(back, "left_side_userlist")).toBe(false);
  });
});

it("a parameter that says whom a change is about is never ignored", async () => {
  const before = await settingOf(admin, "color_scheme");
  for (const [method, path, params] of [
    ["PATCH", "/settings", { color_scheme: 2, user_ids: [mia.id] }],
    ["PATCH", "/realm/user_settings_defaults", { color_scheme: 2, target_users: { user_ids: [mia.id] } }],
    ["POST", "/users/me/status", { status_text: "away", target_users: { user_ids: [mia.id] } }],
    ["POST", "/users/me/api_key/regenerate", { user_ids: [mia.id] }],
    ["POST", "/messages", { type: "stream", to: "general", topic: "t", content: "x", sender: mia.email, forged: true }],
  ] as const)
    expectError(await admin.client.request(method, path, params), 400, "BAD_REQUEST");
  expect(await settingOf(admin, "color_scheme")).toBe(before);
  expectSuccess(await admin.client.get("/users/me"));
});

const settingOf = async (person: Person, name: string) => {
  const { user_settings } = await person.client.register({ fetch_event_types: ["user_settings"] });
  return (user_settings as JsonObject)[name];
};
const change = (by: Person, target_users: unknown, settings: JsonObject) =>
  by.client.patch("/settings", { ...settings, target_users });
