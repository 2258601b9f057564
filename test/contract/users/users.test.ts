import { assert } from "superstruct";
import { describe, expect, it } from "vitest";
import { newUserRow } from "../../../actors/users/new-row.ts";
import { userRecord } from "../../../actors/users/shapes.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import type { WireEvent } from "../../support/convergence/client-state.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [member] = server.people("Mia Member");

describe("POST /users", () => {
  it("answers the id of an account that can log in", async () => {
    const { user_id } = expectSuccess(
      await owner.client.post("/users", {
        email: "new@example.com",
        password: "a fine password",
        full_name: "New One",
      }),
    );
    const anybody = new ApiClient({ url: server.url });
    const login = expectSuccess(
      await anybody.post("/fetch_api_key", { username: "new@example.com", password: "a fine password" }),
    );
    expect(login["user_id"]).toBe(user_id);
  });

  it("everybody is told of the account, its groups and its channels", async () => {
    const params = { email: "told@example.com", password: "a fine password", full_name: "Told" };
    await assertConverges({
      observers: [owner.client, member.client],
      act: async () => expectSuccess(await owner.client.post("/users", params)),
    });
  });

  it("an email in use, in whatever case, is BAD_REQUEST", async () => {
    const params = { email: "MIA-member@example.com", password: "a fine password", full_name: "Other" };
    expectError(await owner.client.post("/users", params), 400, "BAD_REQUEST");
  });

  it("a password shorter than 6 or longer than 100 is refused", async () => {
    for (const password of ["12345", "x".repeat(101)]) {
      const params = { email: "short@example.com", password, full_name: "Short" };
      expectError(await owner.client.post("/users", params), 400, "BAD_REQUEST");
    }
  });

  it("the address's domain must be allowed, and the name free, where the organization says so", async () => {
    const params = { email: "x@elsewhere.example", password: "a fine password", full_name: "Mia Member" };
    await owner.setRealm({ emails_restricted_to_domains: true });
    expectError(await owner.client.post("/users", params), 400, "BAD_REQUEST");
    await owner.setRealm({ emails_restricted_to_domains: false });
    await owner.setRealm({ require_unique_names: true });
    expectError(await owner.client.post("/users", params), 400, "BAD_REQUEST");
    await owner.setRealm({ require_unique_names: false });
    expectSuccess(await owner.client.post("/users", params));
  });

  it("a name has two letters, none that a mention is written with, and no end like that of a mention", async () => {
    const person = await server.addUser("Nameless");
    const names = [
      "N",
      " N ",
      "N*n",
      "N`n",
      "N\\n",
      "N>n",
      'N"n',
      "N@n",
      "Name|15",
      "Name|0 ",
      "n\u202en",
      "n".repeat(101),
    ];
    const bot = expectSuccess(await person.client.post("/bots", { full_name: "Named", short_name: "named" }));
    for (const full_name of names) {
      const params = { email: "named@example.com", password: "a fine password", full_name };
      for (const answer of [
        await owner.client.post("/users", params),
        await owner.client.patch(`/users/${person.id}`, { full_name }),
        await person.client.patch("/settings", { full_name }),
        await person.client.post("/bots", { full_name, short_name: "other" }),
        await person.client.patch(`/bots/${bot["user_id"] as number}`, { full_name }),
      ])
        expectError(answer, 400, "BAD_REQUEST");
    }
    for (const full_name of ["Ny", "李四", "N|n", "15|x"])
      expectSuccess(await owner.client.patch(`/users/${person.id}`, { full_name }));
  });

  it("each parameter is required", async () => {
    const params = { email: "a@example.com", password: "a fine password", full_name: "A" };
    for (const name of Object.keys(params)) {
      const error = expectError(
        await owner.client.post("/users", { ...params, [name]: undefined }),
        400,
        "REQUEST_VARIABLE_MISSING",
      );
      expect(error["var_name"]).toBe(name);
    }
  });

  it("only administrators with can_create_users may; owners need it too, and the first one has it", async () => {
    const admin = await server.addUser("Ada Admin", { role: 200 });
    const second = await server.addUser("Otto Owner", { role: 100 });
    const params = { email: "by-admin@example.com", password: "a fine password", full_name: "By Admin" };
    expectError(await member.client.post("/users", params), 400, "UNAUTHORIZED_PRINCIPAL");
    for (const { client } of [admin, second]) expectError(await client.post("/users", params), 400, "BAD_REQUEST");
    await (await server.realm()).execute("permitUser", { userId: admin.id, canCreateUsers: true });
    expectSuccess(await admin.client.post("/users", params));
  });
});

const find = async (person: Person, key: string | number, params = {}) =>
  expectSuccess(await person.client.get(`/users/${encodeURIComponent(key)}`, params))["user"] as JsonObject;

describe("GET /users/{email}", () => {
  it("finds a user by real email, in whatever case, by placeholder and by id", async () => {
    const host = (await server.state()).botDomain;
    for (const key of [
      member.email,
      member.email.toUpperCase(),
      `user${member.id}@${host}`,
      `user${member.id}@${host.replace(/:\d+$/, "")}`,
      member.id,
    ])
      expect((await find(owner, key))["user_id"]).toBe(member.id);
  });

  it("the real email works only where the target lets the caller see it, the placeholder always", async () => {
    const shy = await server.addUser("Shy Sheila");
    const moderator = await server.addUser("Moe Moderator", { role: 300 });
    const admin = await server.addUser("Adam Admin", { role: 200 });
    const guest = await server.addUser("Gail Guest", { role: 600 });
    const host = (await server.state()).botDomain;
    // 1 everyone, 2 members, 3 administrators, 4 nobody, 5 moderators.
    const seers: [number, Person[]][] = [
      [1, [owner, admin, moderator, member, guest]],
      [2, [owner, admin, moderator, member]],
      [5, [owner, admin, moderator]],
      [3, [owner, admin]],
      [4, []],
    ];
    for (const [visibility, those] of seers) {
      expectSuccess(await shy.client.patch("/settings", { email_address_visibility: visibility }));
      for (const person of [owner, admin, moderator, member, guest]) {
        const byEmail = await person.client.get(`/users/${shy.email}`);
        if (those.includes(person)) expectSuccess(byEmail);
        else expectError(byEmail, 400, "BAD_REQUEST");
        const user = await find(person, `user${shy.id}@${host}`);
        expect(user["delivery_email"]).toBe(those.includes(person) ? shy.email : null);
        expect(user["email"]).toBe(visibility === 1 ? shy.email : `user${shy.id}@${host}`);
      }
      expect((await find(shy, shy.email))["delivery_email"]).toBe(shy.email);
    }
  });

  it("what does not exist and what may not be seen answer alike", async () => {
    const unknown = expectError(await owner.client.get("/users/nobody@example.com"), 400, "BAD_REQUEST");
    const id = expectError(await owner.client.get("/users/999999"), 400, "BAD_REQUEST");
    expect(unknown["msg"]).toBe(id["msg"]);
  });

  it("client_gravatar is true by default: avatar_url is null for a gravatar whose email the caller sees", async () => {
    expect((await find(owner, member.id))["avatar_url"]).toBeNull();
    const url = (await find(owner, member.id, { client_gravatar: false }))["avatar_url"];
    expect(url).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\/[0-9a-f]{64}\?/);
  });

  it("profile_data comes only when asked for, and never for bots", async () => {
    expect(await find(owner, member.id)).not.toHaveProperty("profile_data");
    const params = { include_custom_profile_fields: true };
    expect((await find(owner, member.id, params))["profile_data"]).toEqual({});
    const bot = expectSuccess(await member.client.post("/bots", { full_name: "Bot", short_name: "b" }));
    const shown = await find(owner, bot["user_id"] as number, params);
    expect(shown).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: member.id });
    expect(shown).not.toHaveProperty("profile_data");
    expect(shown["delivery_email"]).toBe(shown["email"]);
  });

  it("client_gravatar: where the address is not shown, or the picture is no gravatar, avatar_url is always there", async () => {
    const person = await server.addUser("Pia Pictured");
    expectSuccess(await person.client.patch("/settings", { email_address_visibility: 4 }));
    expect((await find(owner, person.id))["avatar_url"]).toMatch(/identicon/);
    expect((await find(person, person.id))["avatar_url"]).toMatch(/gravatar/);
    expectSuccess(await person.client.patch("/settings", { email_address_visibility: 1 }));
    const version = (await find(owner, person.id))["avatar_version"] as number;
    const content = Uint8Array.from(Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64"));
    expectSuccess(
      await person.client.post("/users/me/avatar", {}, { files: { file: { filename: "me.gif", content } } }),
    );
    const pictured = await find(owner, person.id);
    expect(pictured["avatar_url"]).toMatch(/^\/user_avatars\//);
    expect(pictured["avatar_version"]).toBe(version + 1);
  });

  it("both parameters are booleans, and what is unknown is named", async () => {
    for (const params of [{ client_gravatar: "perhaps" }, { include_custom_profile_fields: "1" }])
      expectError(await owner.client.get(`/users/${member.id}`, params), 400, "BAD_REQUEST");
    const reply = expectSuccess(await owner.client.get(`/users/${member.email}`, { email: member.email }));
    expect(reply["ignored_parameters_unsupported"]).toEqual(["email"]);
    expect(Object.keys(reply).sort()).toEqual(["ignored_parameters_unsupported", "msg", "result", "user"]);
  });

  it.each([
    [100, { is_owner: true, is_admin: true, is_guest: false }],
    [200, { is_owner: false, is_admin: true, is_guest: false }],
    [300, { is_owner: false, is_admin: false, is_guest: false }],
    [400, { is_owner: false, is_admin: false, is_guest: false }],
    [600, { is_owner: false, is_admin: false, is_guest: true }],
  ])("role %i and the booleans that follow from it", async (role, flags) => {
    const person = await server.addUser(`Role ${role}`, { role });
    expect(await find(member, person.id)).toMatchObject({
      user_id: person.id,
      role,
      ...flags,
      is_bot: false,
      bot_type: null,
      bot_owner_id: null,
      timezone: "",
      is_active: true,
      is_imported_stub: false,
    });
  });

  it("somebody deactivated is found, and is_active is false", async () => {
    const person = await server.addUser("Dora Deactivated");
    expectSuccess(await owner.client.delete(`/users/${person.id}`));
    expect(await find(member, person.email)).toMatchObject({ user_id: person.id, is_active: false });
    expect(await find(member, person.email)).not.toHaveProperty("is_deleted");
  });

  it("a bot's delivery_email is always there, for guests too", async () => {
    const guest = await server.addUser("Gert Guest", { role: 600 });
    const { user_id } = expectSuccess(await owner.client.post("/bots", { full_name: "Shown", short_name: "shown" }));
    const bot = await find(guest, user_id as number);
    expect(bot).toMatchObject({ is_bot: true, bot_type: 1, bot_owner_id: owner.id, delivery_email: bot["email"] });
    expect((await find(guest, bot["email"] as string))["user_id"]).toBe(user_id);
  });

  it("the user object has the fields of the specification", async () => {
    const user = await find(owner, owner.id);
    assert({ ...user }, userRecord);
    expect(user).toMatchObject({ role: 100, is_owner: true, is_admin: true, is_guest: false, bot_type: null });
  });
});

describe("GET /users", () => {
  it("lists everybody, system bots excepted, with the same fields", async () => {
    const { members } = expectSuccess(await member.client.get("/users")) as { members: JsonObject[] };
    expect(members.some((user) => user["user_id"] === owner.id)).toBe(true);
    expect(members.every((user) => user["is_system_bot"] !== true)).toBe(true);
    expect(members.find((user) => user["user_id"] === owner.id)).toEqual(await find(member, owner.id));
  });

  it("user_ids limits the list; who is not there is left out", async () => {
    const { members } = expectSuccess(await member.client.get("/users", { user_ids: [owner.id, 999_999] }));
    expect((members as JsonObject[]).map((user) => user["user_id"])).toEqual([owner.id]);
  });
});

describe("GET /users/me", () => {
  it("is the caller, flat, with max_message_id", async () => {
    const me = expectSuccess(await member.client.get("/users/me"));
    expect(me).toMatchObject({ user_id: member.id, email: member.email, full_name: "Mia Member", max_message_id: -1 });
    expect(me["profile_data"]).toEqual({});
    const { id } = expectSuccess(
      await member.client.post("/messages", { type: "direct", to: [member.id], content: "note" }),
    );
    expect(expectSuccess(await member.client.get("/users/me"))["max_message_id"]).toBe(id);
  });
});

describe("can_access_all_users_group", () => {
  it("guests who may not know of everybody see the people of their channels, and bots", async () => {
    const guest = await server.addUser("Greta Guest", { role: 600 });
    expectSuccess(await guest.client.delete("/users/me/subscriptions", { subscriptions: ["general"] }));
    const friend = await server.addUser("Fred Friend");
    await server.addChannel("with greta", [guest, friend]);
    const groups = expectSuccess(await owner.client.get("/user_groups"))["user_groups"] as JsonObject[];
    const idOf = (name: string) => groups.find((group) => group["name"] === name)!["id"];
    await owner.setRealm({ can_access_all_users_group: { new: idOf("role:members") } });
    const { members } = expectSuccess(await guest.client.get("/users")) as { members: JsonObject[] };
    const people = members.filter((user) => !user["is_bot"]).map((user) => user["user_id"]);
    expect(new Set(people)).toEqual(new Set([guest.id, friend.id]));
    const host = (await server.state()).botDomain;
    for (const key of [member.id, member.email, `user${member.id}@${host}`])
      expectError(await guest.client.get(`/users/${key}`), 400, "BAD_REQUEST");

    // What happens to people nobody of theirs knows of reaches guests only so far as groups and channels show it.
    const stranger = await server.addUser("Sam Stranger");
    const anyone = (events: readonly WireEvent[]) =>
      events.filter(({ type }) => type === "realm_user").map(({ person }) => (person as JsonObject)["user_id"]);
    for (const act of [
      () => owner.client.patch(`/users/${stranger.id}`, { full_name: "Sam the Stranger" }),
      () => owner.client.delete(`/users/${stranger.id}`),
      () => owner.client.post(`/users/${stranger.id}/reactivate`),
      () => owner.client.delete(`/users/${friend.id}`),
      () => owner.client.post(`/users/${friend.id}/reactivate`),
    ]) {
      const { eventsOf } = await assertConverges({
        observers: [guest.client],
        profiles: [MODERN, LEGACY],
        act: async () => expectSuccess(await act()),
      });
      expect(anyone(eventsOf(guest.client, MODERN))).not.toContain(stranger.id);
    }
    for (const role of [400, 600]) {
      await assertConverges({
        observers: [guest.client],
        profiles: [MODERN, LEGACY],
        act: async () => expectSuccess(await owner.client.patch(`/users/${guest.id}`, { role })),
      });
    }
    // user_list_incomplete: who has not declared it is told of a person without qualities.
    await assertConverges({
      observers: [guest.client],
      profiles: [MODERN, LEGACY],
      act: () => server.addUser("Nina Nobody"),
    });
    const { realm_users } = await guest.client.register({ fetch_event_types: ["realm_user"] });
    expect(realm_users!.find(({ user_id }) => user_id === stranger.id)).toMatchObject({
      full_name: "Unknown user",
      delivery_email: null,
    });
    expect(JSON.stringify(realm_users)).not.toContain("stranger");
  });
});

describe("client_capabilities: user_avatar_url_field_optional", () => {
  it("leaves addresses of gravatars out of a long list, for those who can do without", async () => {
    const realms = await server.realms();
    const avatarOf = async (capabilities: JsonObject) => {
      const params = { fetch_event_types: ["realm_user"], client_gravatar: false, client_capabilities: capabilities };
      const { realm_users } = await owner.client.register(params);
      return realm_users!.find(({ user_id }) => user_id === member.id)!.avatar_url;
    };
    const optional = { user_avatar_url_field_optional: true };
    const address = expect.stringContaining("gravatar") as unknown;
    expect([await avatarOf({}), await avatarOf(optional)]).toEqual([address, address]);
    const crowd = Array.from({ length: 5000 }, (_, index) =>
      newUserRow({
        id: 1_000_000 + index,
        realm_id: realms[0]!.id,
        delivery_email: `crowd${index}@example.com`,
        full_name: `Crowd ${index}`,
        role: 400,
        date_joined: 1_700_000_000,
      }),
    );
    // Into the replicas only: no other test of this file follows.
    for (const { state } of realms) state.applyRows("users", crowd);
    expect([await avatarOf({}), await avatarOf(optional)]).toEqual([address, undefined]);
  });
});
