import { describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const channelId = server.channel("hall", [server.owner]);

describe("parameters that were retired before level 496 are unsupported", () => {
  it.each<[level: number, method: string, path: string, params: JsonObject, retired: JsonObject]>([
    [1, "POST", "/channels/create", { name: "one", subscribers: [] }, { is_announcement_only: true }],
    [8, "PATCH", "/users/:owner", {}, { is_admin: true, is_guest: false }],
    [126, "POST", "/invites/multiuse", {}, { invite_expires_in_days: 3 }],
    [
      176,
      "POST",
      "/realm/filters",
      { pattern: "#(?P<id>[0-9]+)", url_template: "https://example.org/{id}" },
      { url_format_string: "https://example.org/%(id)s" },
    ],
    [
      196,
      "POST",
      "/realm/playgrounds",
      { name: "p", pygments_language: "C", url_template: "https://example.org/{code}" },
      { url_prefix: "https://example.org/" },
    ],
    [197, "PATCH", "/streams/:channel", {}, { can_remove_subscribers_group_id: 1 }],
    [333, "PATCH", "/streams/:channel", {}, { is_announcement_only: true, stream_post_policy: 2 }],
  ])("level %i, %s %s", async (_level, method, path, params, retired) => {
    const target = path.replace(":owner", String(server.owner.id)).replace(":channel", String(channelId.id));
    const answer = expectSuccess(await call(method, target, { ...params, ...retired }));
    expect(answer["ignored_parameters_unsupported"]).toEqual(Object.keys(retired).sort());
  });

  it("level 91: unlimited replaces forever", async () => {
    const path = `/streams/${channelId.id}`;
    expectError(await call("PATCH", path, { message_retention_days: "forever" }), 400, "BAD_REQUEST");
    expectSuccess(await call("PATCH", path, { message_retention_days: "unlimited" }));
  });

  it("level 167: ignored_parameters_unsupported names what was sent and is unknown, and is else not there", async () => {
    const answer = expectSuccess(await call("GET", "/users/me", { odd: 1, "a b": 2, user_id: 3 }));
    expect(answer["ignored_parameters_unsupported"]).toEqual(["a b", "odd", "user_id"]);
    expect(expectSuccess(await call("GET", "/users/me", {}))).not.toHaveProperty("ignored_parameters_unsupported");
    const queue = await server.owner.client.register({ fetch_event_types: [], odd: 1 });
    expect(queue["ignored_parameters_unsupported"]).toEqual(["odd"]);
    expect(expectError(await call("POST", "/users", { odd: 1 }), 400)).not.toHaveProperty(
      "ignored_parameters_unsupported",
    );
  });

  it("level 439: there are no events of the older kinds for settings", async () => {
    const client = server.owner.client;
    const event_types = ["update_display_settings", "update_global_notifications", "user_settings"];
    const queue = cursorOf(await client.register({ event_types, fetch_event_types: [] }));
    expectSuccess(await client.patch("/settings", { high_contrast_mode: true, enable_sounds: false }));
    const types = (await client.drain(queue)).map(({ type }) => type);
    expect(types).toEqual(["user_settings", "user_settings"]);
  });

  it("level 439: zulip-terminal 0.7.0, which names the older kinds, still finds its settings", async () => {
    const client = server.owner.client;
    const older = ["update_display_settings", "update_global_notifications"];
    const settings = { twenty_four_hour_time: expect.any(Boolean), pm_content_in_desktop_notifications: true };
    for (const type of older) expect(await client.register({ fetch_event_types: [type] })).toMatchObject(settings);
    const client_capabilities = { user_settings_object: true };
    for (const params of [
      {},
      { fetch_event_types: ["user_settings"] },
      { fetch_event_types: older, client_capabilities },
    ])
      expect(await client.register(params)).not.toHaveProperty("twenty_four_hour_time");
  });

  it("level 468: device_id replaces push_account_id, which names no device any more", async () => {
    const answer = await call("POST", "/mobile_push/e2ee/test_notification", { push_account_id: 1 });
    expectError(answer, 400, "NO_ACTIVE_PUSH_DEVICE");
  });
});

describe("the path prefix /api/v1", () => {
  it("nothing is served without it", async () => {
    for (const path of ["/users/me", "/v1/users/me", "/api/users/me", "/api/v2/users/me"])
      expect((await server.owner.client.get(path, {}, { root: true })).status).toBe(404);
  });
});

const call = (method: string, path: string, params: JsonObject) => server.owner.client.request(method, path, params);
