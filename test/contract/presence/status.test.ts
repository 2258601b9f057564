import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [member, guest] = server.people("Mia Member", ["Gus Guest", 600]);

describe("user_status", () => {
  it("text and emoji are set, told to everybody with only what changed, and cleared by empty texts", async () => {
    const steps: [change: JsonObject, status: JsonObject][] = [
      [{ status_text: " on vacation " }, { status_text: "on vacation" }],
      [
        { emoji_name: "car" },
        { status_text: "on vacation", emoji_name: "car", emoji_code: "1f697", reaction_type: "unicode_emoji" },
      ],
      [{ status_text: "" }, { emoji_name: "car", emoji_code: "1f697", reaction_type: "unicode_emoji" }],
      [
        { status_text: "back", emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" },
        { status_text: "back", emoji_name: "zulip", emoji_code: "zulip", reaction_type: "zulip_extra_emoji" },
      ],
      [{ status_text: "", emoji_name: "" }, {}],
    ];
    for (const [change, status] of steps) {
      const { eventsOf } = await assertConverges({
        observers: [member.client, guest.client],
        profiles: [LEGACY, MODERN],
        act: async () => expectSuccess(await member.client.post("/users/me/status", change)),
      });
      expect(await statusOf(member)).toEqual(status);
      const [event] = eventsOf(guest.client);
      expect(event).toMatchObject({ type: "user_status", user_id: member.id });
      expect("status_text" in event!).toBe("status_text" in change);
      for (const field of ["emoji_name", "emoji_code", "reaction_type"])
        expect(field in event!).toBe("emoji_name" in change);
    }
  });

  it("a text above 60 code points, an unknown emoji, an emoji without a name and nothing at all are refused", async () => {
    const bad: JsonObject[] = [
      { status_text: "😀".repeat(61) },
      { emoji_name: "no such emoji" },
      { emoji_name: "car", emoji_code: "1f600" },
      { emoji_code: "1f697" },
      {},
    ];
    for (const params of bad) expectError(await member.client.post("/users/me/status", params), 400, "BAD_REQUEST");
    expect(await statusOf(member)).toEqual({});
    expectSuccess(await member.client.post("/users/me/status", { status_text: "😀".repeat(60) }));
  });

  it("away, from older clients, is presence turned off", async () => {
    for (const away of [true, false]) {
      await assertConverges({
        observers: [member.client],
        profiles: [MODERN],
        act: async () => expectSuccess(await member.client.post("/users/me/status", { away })),
      });
      const { user_settings } = await member.client.register({ fetch_event_types: ["user_settings"] });
      expect((user_settings as JsonObject)["presence_enabled"]).toBe(!away);
    }
  });

  it("administrators change anybody's, nobody else does", async () => {
    expectSuccess(await owner.client.post(`/users/${guest.id}/status`, { status_text: "ill" }));
    expect(await statusOf(guest)).toEqual({ status_text: "ill" });
    const params = { status_text: "well" };
    expectError(await member.client.post(`/users/${guest.id}/status`, params), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await owner.client.post("/users/999999/status", params), 400, "BAD_REQUEST");
  });
});

describe("alert words", () => {
  it("are added and removed; the whole list is answered and told to their owner only", async () => {
    const { result, eventsOf } = await assertConverges({
      observers: [member.client, guest.client],
      profiles: [LEGACY, MODERN],
      act: async () =>
        expectSuccess(
          await member.client.post("/users/me/alert_words", { alert_words: ["Fire", " lunch ", "fire", ""] }),
        ),
    });
    expect(result["alert_words"]).toEqual(["Fire", "lunch"]);
    expect(eventsOf(guest.client)).toEqual([]);
    await assertConverges({
      observers: [member.client],
      act: async () =>
        expectSuccess(await member.client.delete("/users/me/alert_words", { alert_words: ["FIRE", "unknown"] })),
    });
    expect(expectSuccess(await member.client.get("/users/me/alert_words"))["alert_words"]).toEqual(["lunch"]);
  });

  it("a word above 100 code points is refused", async () => {
    const params = { alert_words: ["fine", "x".repeat(101)] };
    expectError(await member.client.post("/users/me/alert_words", params), 400, "BAD_REQUEST");
    expect(expectSuccess(await member.client.get("/users/me/alert_words"))["alert_words"]).toEqual(["lunch"]);
  });
});

describe("muted users", () => {
  it("muting marks what the muted person wrote as read; only the one who mutes is told", async () => {
    const noisy = await server.addUser("Nico Noisy");
    await server.addChannel("noise", [noisy, member]);
    const send = async (params: JsonObject) =>
      expectSuccess(await noisy.client.post("/messages", { content: "hey", ...params }))["id"] as number;
    const ids = [
      await send({ type: "direct", to: [member.id] }),
      await send({ type: "channel", to: "noise", topic: "loud" }),
    ];
    const { observations } = await assertConverges({
      observers: [member.client, noisy.client],
      act: async () => expectSuccess(await member.client.post(`/users/me/muted_users/${noisy.id}`)),
    });
    for (const { observer, events } of observations) {
      const kinds = events.map((event) => event.type);
      expect(kinds).toEqual(observer === member.client ? ["muted_users", "update_message_flags"] : []);
      if (observer === member.client) expect(events[1]).toMatchObject({ flag: "read", op: "add", messages: ids });
    }
    const queue = await member.queue({ event_types: ["message"] });
    await send({ type: "direct", to: [member.id] });
    const event = await member.client.nextEvent(queue, ({ type }) => type === "message");
    expect(event["flags"]).toContain("read");
    await assertConverges({
      observers: [member.client],
      act: async () => expectSuccess(await member.client.delete(`/users/me/muted_users/${noisy.id}`)),
    });
  });

  it("oneself, somebody unknown, somebody muted already and somebody not muted are BAD_REQUEST", async () => {
    const path = (id: number) => `/users/me/muted_users/${id}`;
    for (const id of [member.id, 999_999]) expectError(await member.client.post(path(id)), 400, "BAD_REQUEST");
    expectSuccess(await member.client.post(path(guest.id)));
    expectError(await member.client.post(path(guest.id)), 400, "BAD_REQUEST");
    expectSuccess(await member.client.delete(path(guest.id)));
    expectError(await member.client.delete(path(guest.id)), 400, "BAD_REQUEST");
  });
});

describe("POST /users/me/api_key/regenerate", () => {
  it("gives a new key, and the old one is refused at once", async () => {
    const person = await server.addUser("Kim Key");
    const key = expectSuccess(await person.client.post("/users/me/api_key/regenerate"))["api_key"] as string;
    expect(key).toMatch(/^[A-Za-z0-9]{32}$/);
    expectError(await person.client.get("/users/me"), 401, "INVALID_API_KEY");
    const renewed = new ApiClient({ url: server.url, email: person.email, apiKey: key });
    expectSuccess(await renewed.get("/users/me"));
  });
});

const statusOf = async (person: Person) =>
  expectSuccess(await guest.client.get(`/users/${person.id}/status`))["status"] as JsonObject;
