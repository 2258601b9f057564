import { describe, expect, it } from "vitest";
import { type UserSetting, type UserSettingName, userSettings } from "../../../actors/users/settings/settings.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes", "streams"] });
const { owner } = server;
const [admin, member, guest] = server.people(["Ada Admin", 200], "Mia Member", ["Gus Guest", 600]);

describe("PATCH /settings", () => {
  it("6.12: every setting is told with its default", async () => {
    const settings = await settingsOf(member);
    for (const name of names) expect([name, settings[name]]).toEqual([name, userSettings[name].default]);
    expect(settings).toMatchObject({ timezone: "", emojiset_choices: expect.any(Array) });
    expect(settings["available_notification_sounds"]).toContain("zulip");
  });

  it("every setting changes, with an event for each that goes to nobody else", async () => {
    const person = await server.addUser("Sven Settings");
    const { eventsOf } = await assertConverges({
      observers: [person.client, { client: member.client, profiles: [MODERN] }],
      act: async () =>
        expectSuccess(
          await person.client.patch("/settings", Object.fromEntries(names.map((name) => [name, otherValue(name)]))),
        ),
    });
    const told = eventsOf(person.client, MODERN).filter((event) => event.type === "user_settings");
    expect(told.map(({ op, property, value }) => [op, property, value])).toEqual(
      names.map((name) => ["update", name, otherValue(name)]),
    );
    expect(eventsOf(member.client).filter((event) => event.type === "user_settings")).toEqual([]);
    const settings = await settingsOf(person);
    for (const name of names) expect([name, settings[name]]).toEqual([name, otherValue(name)]);
  });

  it("a value that is not accepted is refused, and nothing else of the request happens", async () => {
    for (const name of names) {
      const value = badValue(name);
      if (value === undefined) continue;
      const params = { [name]: value, enter_sends: true, full_name: "Changed" };
      expectError(await member.client.patch("/settings", params), 400, "BAD_REQUEST");
    }
    expect((await settingsOf(member))["enter_sends"]).toBe(false);
    expect(expectSuccess(await member.client.get("/users/me"))["full_name"]).toBe("Mia Member");
  });

  it("a boolean that is none is refused", async () => {
    expectError(await member.client.patch("/settings", { enter_sends: "perhaps" }), 400, "BAD_REQUEST");
  });

  it("the older paths are the same endpoint, texts may come in quotes, unknown names are ignored", async () => {
    expectSuccess(await member.client.patch("/settings/display", { default_language: '"de"' }));
    const answer = expectSuccess(
      await member.client.patch("/settings/notifications", { enable_sounds: false, odd: 1 }),
    );
    expect(answer["ignored_parameters_unsupported"]).toEqual(["odd"]);
    expect(await settingsOf(member)).toMatchObject({ default_language: "de", enable_sounds: false });
  });

  it("default_language comes with its name", async () => {
    const { eventsOf } = await assertConverges({
      observers: [member.client],
      profiles: [MODERN],
      act: async () => expectSuccess(await member.client.patch("/settings", { default_language: "fr" })),
    });
    expect(eventsOf(member.client)[0]).toMatchObject({ value: "fr", language_name: "French" });
  });

  it("timezone: an IANA name; everybody is told", async () => {
    await assertConverges({
      observers: [member.client, owner.client, guest.client],
      act: async () => expectSuccess(await member.client.patch("/settings", { timezone: "Europe/Berlin" })),
    });
    for (const [typed, kept] of [
      ["europe/berlin", "Europe/Berlin"],
      ["AMERICA/NEW_YORK", "America/New_York"],
      ["Asia/Kolkata", "Asia/Kolkata"],
    ] as const) {
      expectSuccess(await member.client.patch("/settings", { timezone: typed }));
      expect(expectSuccess(await member.client.get("/users/me"))["timezone"]).toBe(kept);
    }
    for (const timezone of ["Europe/Atlantis", "+01:00", ""])
      expectError(await member.client.patch("/settings", { timezone }), 400, "BAD_REQUEST");
  });

  it("full_name and email: everybody is told; the address must be free", async () => {
    const person = await server.addUser("Nora Name");
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(await person.client.patch("/settings", { full_name: "Nora Neu", email: "nora-neu@example.com" })),
    });
    expectError(await member.client.patch("/settings", { email: owner.email }), 400, "BAD_REQUEST");
    expectError(await member.client.patch("/settings", { email: "no address" }), 400, "BAD_REQUEST");
  });

  it("where the organization forbids them, only administrators change names and addresses", async () => {
    await owner.setRealm({ name_changes_disabled: true, email_changes_disabled: true });
    expectError(await member.client.patch("/settings", { full_name: "Other" }), 400, "BAD_REQUEST");
    expectError(await member.client.patch("/settings", { email: "other@example.com" }), 400, "BAD_REQUEST");
    expectSuccess(await admin.client.patch("/settings", { full_name: "Ada the Admin" }));
    await owner.setRealm({ name_changes_disabled: false, email_changes_disabled: false });
  });

  it("email_address_visibility: addresses appear and disappear for exactly those who may see them", async () => {
    const person = await server.addUser("Vera Visible");
    for (const visibility of [2, 3, 4, 5, 1]) {
      await assertConverges({
        observers: [person.client, owner.client, member.client, guest.client],
        act: async () =>
          expectSuccess(await person.client.patch("/settings", { email_address_visibility: visibility })),
      });
    }
    await person.client.patch("/settings", { email_address_visibility: 3 });
    const { observations } = await assertConverges({
      observers: [owner.client, member.client],
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await person.client.patch("/settings", { email: "secret-vera@example.com" })),
    });
    for (const { observer, events } of observations)
      expect(JSON.stringify(events).includes("secret-vera")).toBe(observer === owner.client);
  });

  it("a new password needs the old one, logs in afterwards, and ends what was logged in before", async () => {
    const person = await server.addUser("Paul Password");
    const anybody = new ApiClient({ url: server.url });
    const wrong = { old_password: "not it", new_password: "another password" };
    expectError(await person.client.patch("/settings", wrong), 400, "BAD_REQUEST");
    expectError(await person.client.patch("/settings", { new_password: "another password" }), 400, "BAD_REQUEST");
    const short = { old_password: "a fine password", new_password: "12345" };
    expectError(await person.client.patch("/settings", short), 400, "BAD_REQUEST");
    expectSuccess(await person.client.patch("/settings", { ...wrong, old_password: "a fine password" }));
    const login = (password: string) => anybody.post("/fetch_api_key", { username: person.email, password });
    expectError(await login("a fine password"), 401, "AUTHENTICATION_FAILED");
    expectSuccess(await login("another password"));
  });
});

describe("PATCH /json/settings", () => {
  it("a browser changes its password and stays logged in; another browser does not", async () => {
    const dev = await startTestServer({ PARLEY_DEV: "1" });
    try {
      const login = async () => {
        const params = new URLSearchParams({ username: dev.owner.email });
        const answer = await fetch(`${dev.url}/api/v1/dev_fetch_api_key`, { method: "POST", body: params });
        return cookiesOf(answer);
      };
      const [mine, other] = [await login(), await login()];
      const patch = (cookies: Map<string, string>, params: Record<string, string>) =>
        fetch(`${dev.url}/json/settings`, {
          method: "PATCH",
          body: new URLSearchParams(params),
          headers: {
            Cookie: [...cookies].map((cookie) => cookie.join("=")).join("; "),
            "X-CSRFToken": cookies.get("csrftoken")!,
          },
        });
      expect((await patch(mine, { enter_sends: "true" })).status).toBe(200);
      const changed = await patch(mine, { old_password: "correct horse", new_password: "battery staple" });
      expect(changed.status).toBe(200);
      expect((await patch(cookiesOf(changed), { enter_sends: "false" })).status).toBe(200);
      expect((await patch(other, { enter_sends: "true" })).status).toBe(401);
    } finally {
      await dev.stop();
    }
  });
});

/** Name and value of each cookie that an answer sets. */
function cookiesOf(answer: Response): Map<string, string> {
  return new Map(
    answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!.split("=", 2) as [string, string]),
  );
}

describe("realm_user_settings_defaults", () => {
  it("administrators change what accounts begin with; everybody is told; new accounts begin with it", async () => {
    await assertConverges({
      observers: [owner.client, guest.client],
      act: async () =>
        expectSuccess(
          await admin.client.patch("/realm/user_settings_defaults", { twenty_four_hour_time: true, color_scheme: 2 }),
        ),
    });
    const defaults = expectSuccess(await member.client.get("/realm/user_settings_defaults"));
    expect(defaults["realm_user_settings_defaults"]).toMatchObject({ twenty_four_hour_time: true, color_scheme: 2 });
    const person = await server.addUser("Newt New");
    expect(await settingsOf(person)).toMatchObject({ twenty_four_hour_time: true, color_scheme: 2 });
    expect(await settingsOf(member)).toMatchObject({ twenty_four_hour_time: false, color_scheme: 1 });
  });

  it("nobody else may, and values are checked", async () => {
    const path = "/realm/user_settings_defaults";
    for (const person of [member, guest])
      expectError(await person.client.patch(path, { enter_sends: true }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await admin.client.patch(path, { color_scheme: 9 }), 400, "BAD_REQUEST");
  });
});

const names = Object.keys(userSettings) as UserSettingName[];
const settingsOf = async (person: Person) =>
  (await person.client.register({ fetch_event_types: ["user_settings"] }))["user_settings"] as JsonObject;

/** An accepted value other than the default. */
function otherValue(name: UserSettingName): boolean | number | string {
  const setting: UserSetting = userSettings[name];
  if (typeof setting.default === "boolean") return !setting.default;
  if (setting.oneOf) return setting.oneOf.find((value) => value !== setting.default)!;
  if (name === "default_language") return "de";
  return (setting.default as number) + 1;
}

/** A value of the right type that is not accepted, where there is one. */
function badValue(name: UserSettingName): number | string | undefined {
  const setting: UserSetting = userSettings[name];
  if (typeof setting.default === "number") return 999_999_999;
  return typeof setting.default === "string" ? "no such thing" : undefined;
}
