import { describe, expect, it } from "vitest";
import { ApiClient, cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [member, other, guest] = server.people("Mia Member", "Otto Other", ["Gus Guest", 600]);

describe("bots", () => {
  it("a person makes a bot that works; its managers are told, and nobody of its key", async () => {
    const { result, observations } = await assertConverges({
      observers: [member.client, owner.client, other.client, guest.client],
      act: () => make(member, "echo"),
    });
    const key = result["api_key"] as string;
    expect(JSON.stringify(observations.map(({ events }) => events))).not.toContain(key);
    const seers = observations.filter(({ events }) => events.some(({ type }) => type === "realm_bot"));
    expect(new Set(seers.map(({ observer }) => observer))).toEqual(new Set([member.client, owner.client]));
    const { bots } = expectSuccess(await member.client.get("/bots")) as { bots: JsonObject[] };
    expect(bots).toHaveLength(1);
    const bot = new ApiClient({ url: server.url, email: bots[0]!["username"] as string, apiKey: key });
    expect(expectSuccess(await bot.get("/users/me"))).toMatchObject({ is_bot: true, bot_owner_id: member.id });
    expectSuccess(await bot.post("/messages", { type: "direct", to: [member.id], content: "beep" }));
    expect(expectSuccess(await other.client.get("/bots"))["bots"]).toEqual([]);
  });

  it("can_create_bots_group decides who may; a taken name and an unknown type are refused", async () => {
    const params = { full_name: "No", short_name: "no" };
    expectError(await guest.client.post("/bots", params), 400, "BAD_REQUEST");
    expectError(await other.client.post("/bots", { ...params, short_name: "echo" }), 400, "BAD_REQUEST");
    expectError(await other.client.post("/bots", { ...params, short_name: "a b" }), 400, "BAD_REQUEST");
    expectError(await other.client.post("/bots", { ...params, bot_type: 4 }), 400, "BAD_REQUEST");
    expectError(await other.client.post("/bots", params, file("no picture")), 400, "BAD_IMAGE");
    expect(expectSuccess(await other.client.get("/bots"))["bots"]).toEqual([]);
  });

  it("its owner and administrators change, deactivate and re-key it, nobody else", async () => {
    const { user_id: id } = await make(member, "tool");
    const path = `/bots/${id}`;
    for (const answer of [
      await other.client.patch(path, { full_name: "Mine" }),
      await other.client.delete(path),
      await other.client.post(`${path}/api_key/regenerate`),
    ])
      expectError(answer, 400, "BAD_REQUEST");
    const observers = [member.client, owner.client, other.client];
    await assertConverges({
      observers,
      act: async () =>
        expectSuccess(
          await member.client.patch(path, {
            full_name: "Better tool",
            default_sending_stream: "general",
            default_all_public_streams: true,
          }),
        ),
    });
    await assertConverges({
      observers,
      act: async () => expectSuccess(await member.client.post(`${path}/api_key/regenerate`)),
    });
    await assertConverges({
      observers,
      act: async () => expectSuccess(await owner.client.patch(path, { bot_owner_id: other.id })),
    });
    expectError(await member.client.patch(path, { full_name: "Still mine" }), 400, "BAD_REQUEST");
    await assertConverges({ observers, act: async () => expectSuccess(await other.client.delete(path)) });
    await assertConverges({
      observers,
      act: async () => expectSuccess(await owner.client.post(`/users/${id}/reactivate`)),
    });
  });

  it("writes and listens to the channels it was given, unless it says otherwise", async () => {
    await server.addChannel("bot's own", [member]);
    const { user_id: id, api_key: apiKey } = await make(member, "quiet");
    const { bots } = expectSuccess(await member.client.get("/bots")) as {
      bots: { username: string; api_key: string }[];
    };
    const email = bots.find(({ api_key }) => api_key === apiKey)!.username;
    const bot = new ApiClient({ url: server.url, email, apiKey: apiKey as string });
    const unaddressed = { type: "channel", topic: "t", content: "beep" };
    const missing = expectError(await bot.post("/messages", unaddressed), 400, "REQUEST_VARIABLE_MISSING");
    expect(missing["var_name"]).toBe("to");
    const given = { default_sending_stream: "bot's own", default_events_register_stream: "bot's own" };
    expectSuccess(await member.client.patch(`/bots/${id as number}`, given));
    expectSuccess(await bot.post("/users/me/subscriptions", { subscriptions: [{ name: "bot's own" }] }));
    expectSuccess(await bot.post("/users/me/subscriptions", { subscriptions: [{ name: "general" }] }));

    // The Python library sends an empty narrow when it is given none.
    const queue = cursorOf(await bot.register({ event_types: ["message"], narrow: [] }));
    const narrowed = cursorOf(await bot.register({ event_types: ["message"], narrow: [["stream", "general"]] }));
    expectSuccess(await bot.post("/messages", unaddressed));
    expectSuccess(await bot.post("/messages", { ...unaddressed, to: "general" }));
    const heard = async (cursor: typeof queue) =>
      (await bot.drain(cursor)).map(({ message }) => (message as JsonObject)["display_recipient"]);
    expect(await heard(queue)).toEqual(["bot's own"]);
    expect(await heard(narrowed)).toEqual(["general"]);
    expectError(await bot.post("/messages", { type: "direct", content: "beep" }), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("its owner hears no name of a channel that they may not know of, in any answer or event", async () => {
    const attic = await server.addChannel("attic", [member], { invite_only: true });
    await server.addChannel("cellar", [], { invite_only: true });
    const { user_id: id } = await make(member, "janitor");
    const path = `/bots/${id}`;
    const both = (name: string) => ({ default_sending_stream: name, default_events_register_stream: name });
    expect(expectSuccess(await member.client.patch(path, both("attic")))).toMatchObject(both("attic"));
    const gone = { subscriptions: ["attic"], principals: [member.id] };
    expectSuccess(await owner.client.delete("/users/me/subscriptions", gone));
    expectSuccess(await owner.client.patch(`/streams/${attic}`, { new_name: "secret attic" }));

    const registered = async ({ client }: Person) =>
      ((await client.register({ fetch_event_types: ["realm_bot"] }))["realm_bots"] as unknown as JsonObject[]).find(
        ({ user_id }) => user_id === id,
      );
    const none = { default_sending_stream: null, default_events_register_stream: null };
    expect(await registered(member)).toMatchObject(none);
    expect(await registered(owner)).toMatchObject(both("secret attic"));
    const { bots } = expectSuccess(await member.client.get("/bots")) as { bots: JsonObject[] };
    expect(bots.find(({ username }) => String(username).startsWith("janitor-bot@"))).toMatchObject(none);

    const { observations } = await assertConverges({
      observers: [member.client, owner.client],
      act: async () => expectSuccess(await owner.client.patch(path, both("cellar"))),
    });
    const told = (person: Person) => JSON.stringify(observations.filter(({ observer }) => observer === person.client));
    expect(told(owner)).toContain("cellar");
    expect(told(member)).not.toContain("cellar");
    expect(expectSuccess(await member.client.patch(path, { full_name: "Porter" }))).toMatchObject(none);
  });

  it("a bot's owner must be a person, and active", async () => {
    const { user_id: id } = await make(member, "orphan");
    const gone = await server.addUser("Gone Gustav");
    expectSuccess(await owner.client.delete(`/users/${gone.id}`));
    for (const bot_owner_id of [id, gone.id, 999_999])
      expectError(await owner.client.patch(`/bots/${id}`, { bot_owner_id }), 400, "BAD_REQUEST");
  });

  it("people are no bots", async () => {
    for (const path of [`/bots/${other.id}`, "/bots/999999"])
      expectError(await owner.client.delete(path), 400, "BAD_REQUEST");
  });
});

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

const file = (content: Buffer | string, filename = "me.png") => ({
  files: { file: { filename, content: typeof content === "string" ? content : Uint8Array.from(content) } },
});

describe("avatars", () => {
  it("a picture is shown to everybody, and redirected to", async () => {
    const { result } = await assertConverges({
      observers: [member.client, guest.client],
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await member.client.post("/users/me/avatar", {}, file(png))),
    });
    const url = result["avatar_url"] as string;
    expect(url).toMatch(/^\/user_avatars\//);
    const answer = await fetch(server.url + url);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/png"]);
    const redirect = await guest.client.get(`/avatar/${member.id}`, {}, { root: true });
    expect([redirect.status, redirect.headers.get("location")]).toEqual([302, url]);
    const medium = await guest.client.get(`/avatar/${member.id}/medium`, {}, { root: true });
    expect((await fetch(server.url + medium.headers.get("location"))).status).toBe(200);

    await assertConverges({
      observers: [member.client, guest.client],
      profiles: [LEGACY, MODERN],
      act: async () => expectSuccess(await member.client.delete("/users/me/avatar")),
    });
    expect((await fetch(server.url + url)).status).toBe(404);
  });

  it("what is no PNG, JPEG, GIF or WebP is BAD_IMAGE, whatever its name; more than 5 MiB is refused", async () => {
    for (const content of ["<svg onload='alert(1)'/>", "<html>", ""])
      expectError(await member.client.post("/users/me/avatar", {}, file(content)), 400, "BAD_IMAGE");
    const large = Buffer.concat([png, Buffer.alloc(5 * 1024 * 1024)]);
    expectError(await member.client.post("/users/me/avatar", {}, file(large)), 400, "BAD_REQUEST");
    expectError(await member.client.post("/users/me/avatar"), 400, "BAD_REQUEST");
  });

  it("where the organization forbids it, only administrators change theirs", async () => {
    await owner.setRealm({ avatar_changes_disabled: true });
    expectError(await member.client.post("/users/me/avatar", {}, file(png)), 400, "BAD_REQUEST");
    expectSuccess(await owner.client.post("/users/me/avatar", {}, file(png)));
    await owner.setRealm({ avatar_changes_disabled: false });
  });

  it("somebody's picture cannot be asked for without logging in, nor somebody unknown's", async () => {
    const anybody = new ApiClient({ url: server.url });
    expect((await anybody.get(`/avatar/${member.id}`, {}, { root: true })).status).toBe(401);
    expect((await member.client.get("/avatar/999999", {}, { root: true })).status).toBe(400);
    expect((await fetch(`${server.url}/user_avatars/1/2/..%2f..%2fowner.zuliprc`)).status).toBe(404);
  });

  it("a bot gets its picture from its owner", async () => {
    const { user_id: id } = await make(member, "pretty");
    await assertConverges({
      observers: [member.client, owner.client, guest.client],
      act: async () => expectSuccess(await member.client.patch(`/bots/${id}`, {}, file(png))),
    });
  });
});

const make = async (by: Person, shortName: string, params: JsonObject = {}) =>
  expectSuccess(await by.client.post("/bots", { full_name: `Bot ${shortName}`, short_name: shortName, ...params }));
