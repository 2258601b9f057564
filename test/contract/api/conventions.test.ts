/** What all endpoints have in common. https://zulip.com/api/rest */

import { beforeAll, describe, expect, it, vi } from "vitest";
import { presenceMemory } from "../../../actors/presence/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import type { Endpoint } from "../../../http/api/route.ts";
import { routes } from "../../../http/api/routes.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const { owner } = server;
const [member] = server.people("Mia Member");
beforeAll(setUp);

describe("parameters", () => {
  it("are fields of the body with POST, PATCH and DELETE, and of the query with GET", async () => {
    const name = newName();
    const { id } = expectSuccess(await owner.client.post("/channels/create", { name, subscribers: [owner.id] }));
    expectSuccess(await owner.client.patch(`/streams/${id as number}`, { description: "told" }));
    const subscriptions = { subscriptions: [name] };
    expect(expectSuccess(await owner.client.delete("/users/me/subscriptions", subscriptions))["removed"]).toEqual([
      name,
    ]);
    const off = { include_public: false, include_subscribed: false };
    expect(expectSuccess(await owner.client.get("/streams", off))["streams"]).toEqual([]);
  });

  it("lists, objects and what may be null are JSON in one field", async () => {
    for (const subscribers of [`${owner.id}`, `${owner.id},${member.id}`, "", "null", "{}", `["${owner.id}"]`])
      expectError(await owner.client.post("/channels/create", { name: newName(), subscribers }), 400, "BAD_REQUEST");
    const twice = await post("/channels/create", `name=${newName()}&subscribers[]=${owner.id}&subscribers[]=1`);
    expect(await twice.json()).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "subscribers" });
    const id = await server.addChannel(newName(), [owner]);
    const folder = expectSuccess(await owner.client.post("/channel_folders/create", { name: newName() }));
    expectSuccess(await owner.client.patch(`/streams/${id}`, { folder_id: folder["channel_folder_id"] }));
    expectSuccess(await owner.client.patch(`/streams/${id}`, { folder_id: "null" }));
    expect((await owner.channelOf(id))["folder_id"]).toBe(null);
    for (const folder_id of ["", "none", '"1"', "[1]", "1.5"])
      expectError(await owner.client.patch(`/streams/${id}`, { folder_id }), 400, "BAD_REQUEST");
  });

  it("null leaves a parameter out that may be left out, also where a word or a number would do", async () => {
    const id = expectSuccess(
      await owner.client.post("/channels/create", { name: newName(), subscribers: [], message_retention_days: null }),
    )["id"] as number;
    expect((await owner.channelOf(id))["message_retention_days"]).toBeNull();
    expectSuccess(await owner.client.patch(`/streams/${id}`, { message_retention_days: 7 }));
    expectSuccess(await owner.client.patch(`/streams/${id}`, { message_retention_days: null, topics_policy: null }));
    expect((await owner.channelOf(id))["message_retention_days"]).toBe(7);
    const limit = { message_content_edit_limit_seconds: 1200 };
    await owner.setRealm(limit);
    await owner.setRealm({ message_content_edit_limit_seconds: null });
    expectSuccess(await owner.client.patch("/settings", { emojiset: null }));
    const state = await owner.client.register({ fetch_event_types: ["realm"], idle_queue_timeout: null });
    expect(state).toMatchObject({ realm_message_content_edit_limit_seconds: 1200, idle_queue_timeout_secs: 600 });
  });

  it("booleans are true or false, and nothing else that may stand for them", async () => {
    const id = await server.addChannel(newName(), [owner]);
    for (const is_private of ["yes", "1", "0", "", '"true"', "[]", "on"])
      expectError(await owner.client.patch(`/streams/${id}`, { is_private }), 400, "BAD_REQUEST");
    expect((await owner.channelOf(id))["invite_only"]).toBe(false);
  });

  it("sent twice, the last one counts", async () => {
    const [first, last] = [newName(), newName()];
    const reply = (await (await post("/channels/create", `name=${first}&name=${last}&subscribers=[]`)).json()) as {
      id: number;
    };
    expect((await owner.channelOf(reply.id))["name"]).toBe(last);
  });

  it("each one that is required and missing is named", async () => {
    const failures: string[] = [];
    for (const { route, path, name } of endpoints) {
      // Who asks comes before what is asked: a page's log-in is not what this client has.
      if (route.auth.every((way) => way === "cookie")) continue;
      const [missing] = requiredFields(route)[0] ?? [];
      if (missing === undefined) continue;
      const { status, body } = await owner.client.request(route.method, path);
      const { code, var_name } = body;
      if (status !== 400 || code !== "REQUEST_VARIABLE_MISSING" || var_name !== missing)
        failures.push(`${name}: ${status} ${JSON.stringify(body).slice(0, 200)}`);
    }
    expect(failures).toEqual([]);
  });
});

describe("the envelope", () => {
  it("of a success: result and an empty msg, nothing else unless the endpoint says so", async () => {
    const id = await server.addChannel(newName(), [owner]);
    const response = await owner.client.patch(`/streams/${id}`, { description: "new" });
    expect(response.body).toEqual({ result: "success", msg: "" });
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it("of an error, whatever its status: result, a text for people and a code", async () => {
    const faults = (await server.realms()).map((realm) =>
      vi.spyOn(memoryOf(realm, presenceMemory), "of").mockImplementation(() => {
        throw new Error("as if there were a bug");
      }),
    );
    const refusals: [number, Response][] = [];
    const refused = async (status: number, path: string, init: RequestInit = {}) =>
      refusals.push([
        status,
        await fetch(`${server.url}/api/v1${path}`, { headers: { authorization: authorization() }, ...init }),
      ]);
    try {
      await refused(400, "/streams?include_all=perhaps");
      await refused(400, "/streams?include_all=%zz");
      await refused(400, "/streams/999999");
      await refused(401, "/streams", { headers: {} });
      await refused(401, "/streams", { headers: { authorization: "Bearer x" } });
      await refused(404, "/no/such/endpoint");
      await refused(405, "/streams", { method: "DELETE" });
      await refused(413, "/messages", { method: "POST", body: `content=${"x".repeat(5_000_000)}` });
      await refused(500, `/users/${owner.id}/presence`);
    } finally {
      for (const fault of faults) fault.mockRestore();
    }
    for (const [status, response] of refusals) {
      expect(response.status).toBe(status);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json(), response.url).toMatchObject({
        result: "error",
        msg: expect.stringMatching(/./),
        code: expect.stringMatching(/^[A-Z]+(_[A-Z]+)*$/),
      });
    }
  });

  it("405 names the methods that there are", async () => {
    const error = expectError(await owner.client.delete("/streams"), 405);
    expect(error["allowed_methods"]).toEqual(["GET"]);
  });

  it("ignored_parameters_unsupported: each name that the endpoint does not know, once, and only then", async () => {
    const id = await server.addChannel(newName(), [owner]);
    const path = `/streams/${id}`;
    const ignoredBy = async (params: JsonObject) =>
      expectSuccess(await owner.client.patch(path, params))["ignored_parameters_unsupported"];
    expect(await ignoredBy({ description: "known" })).toBeUndefined();
    expect(await ignoredBy({ zebra: 1, description: "known", aardvark: "" })).toEqual(["aardvark", "zebra"]);
    // A part of the path is no field, and what was retired before this feature level is unknown.
    expect(await ignoredBy({ stream_id: 5, stream_post_policy: 2, is_announcement_only: true })).toEqual([
      "is_announcement_only",
      "stream_id",
      "stream_post_policy",
    ]);
    expect((await owner.channelOf(id))["stream_post_policy"]).toBe(1);
    const twice = await fetch(`${server.url}/api/v1/server_settings?who=1&who=2`);
    expect(((await twice.json()) as JsonObject)["ignored_parameters_unsupported"]).toEqual(["who"]);
    const error = expectError(await owner.client.patch(path, { zebra: 1, is_private: "perhaps" }), 400, "BAD_REQUEST");
    expect(error).not.toHaveProperty("ignored_parameters_unsupported");
  });
});

describe("a group-setting value", () => {
  const bad = [
    null,
    1.5,
    "role:everyone",
    [],
    {},
    { direct_members: [] },
    { direct_subgroups: [] },
    { direct_members: ["1"], direct_subgroups: [] },
    { direct_members: null, direct_subgroups: [] },
    { direct_members: [], direct_subgroups: [1.5] },
    { direct_members: [], direct_subgroups: [999_999] },
    { direct_members: [999_999], direct_subgroups: [] },
    { direct_members: [], direct_subgroups: [], further: [] },
    999_999,
    -1,
  ];

  it("is the id of a group, or an object of two lists of ids, and nothing else", async () => {
    const id = await server.addChannel(newName(), [owner]);
    const before = await owner.channelOf(id);
    for (const value of bad) {
      const update = { can_send_message_group: { new: value } };
      expectError(await owner.client.patch(`/streams/${id}`, update), 400, "BAD_REQUEST");
      // Not given at all is what null means there.
      if (value === null) continue;
      const create = { name: newName(), subscribers: [], can_send_message_group: value };
      expectError(await owner.client.post("/channels/create", create), 400, "BAD_REQUEST");
    }
    expect(await owner.channelOf(id)).toEqual(before);
  });

  it("of a change: new is required, old is optional and may be null", async () => {
    const id = await server.addChannel(newName(), [owner]);
    const current = (await owner.channelOf(id))["can_send_message_group"] as number;
    const change = (value: unknown) => owner.client.patch(`/streams/${id}`, { can_send_message_group: value });
    for (const wrong of [{ old: current }, {}, [], current, { new: current, old: "x" }, { new: current, further: 1 }])
      expectError(await change(wrong), 400, "BAD_REQUEST");
    const alone = { direct_members: [member.id], direct_subgroups: [] };
    expectSuccess(await change({ new: alone, old: null }));
    expect((await owner.channelOf(id))["can_send_message_group"]).toEqual(alone);
  });
});

/** Endpoints below /api/v1, with a number in each place of the path that takes something. */
const endpoints = routes
  .filter(({ path }) => !path.startsWith("^"))
  .map((route) => ({ route, path: route.path.replace(/:\w+\*?/g, "1"), name: `${route.method} ${route.path}` }));

describe("authentication", () => {
  const closed = endpoints.filter(({ route }) => !(route.auth as readonly string[]).includes("anybody"));

  it("is required by every endpoint that does not say otherwise", async () => {
    expect(closed.length).toBeGreaterThan(120);
    const failures: string[] = [];
    for (const { route, path, name } of closed) {
      const { status, body } = await anybody.request(route.method, path);
      if (status !== 401 || body["code"] !== "UNAUTHENTICATED_USER") failures.push(`${name}: ${status}`);
    }
    expect(failures).toEqual([]);
  });

  it("does not go on without the account when what was sent is wrong", async () => {
    const { email, apiKey } = owner;
    const gone = await server.addUser("Gone");
    expectSuccess(await owner.client.delete(`/users/${gone.id}`));
    for (const wrong of [
      { email, apiKey: "x".repeat(32) },
      { email, apiKey: "" },
      { email: member.email, apiKey },
      { email: "", apiKey },
      { email: "nobody@example.com", apiKey },
    ]) {
      const client = new ApiClient({ url: server.url, ...wrong });
      expectError(await client.get("/streams"), 401, "INVALID_API_KEY");
      expectError(await client.post("/register"), 401, "INVALID_API_KEY");
    }
    expectError(await gone.client.get("/streams"), 401, "USER_DEACTIVATED");
    expectError(await gone.client.post("/register"), 401, "USER_DEACTIVATED");
  });
});

async function setUp(): Promise<void> {
  anybody = new ApiClient({ url: server.url });
}

let anybody: ApiClient;

let names = 0;

const newName = () => `agreed ${++names}`;

const authorization = () => `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString("base64")}`;

/** Sends a body just as it is. */
const post = (path: string, body: string) =>
  fetch(`${server.url}/api/v1${path}`, {
    method: "POST",
    headers: { authorization: authorization(), "content-type": "application/x-www-form-urlencoded" },
    body,
  });

const requiredFields = (route: Endpoint) =>
  Object.entries(route.params).filter(([, param]) => param.isRequired && !param.isPath);
