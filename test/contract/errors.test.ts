import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { routes } from "../../http/routes.ts";
import { ApiClient, type ApiResponse, expectError, expectSuccess } from "../support/api.ts";
import { startTestServer, type TestPerson, type TestServer } from "../support/server.ts";

let server: TestServer;
let owner: TestPerson;
let mia: TestPerson;
let gwen: TestPerson;
let gone: TestPerson;
let hall: number;
let message: number;

beforeAll(async () => {
  server = await startTestServer();
  owner = server.owner;
  mia = await server.addUser("Mia Member");
  gwen = await server.addUser("Gwen Guest", { role: 600 });
  gone = await server.addUser("Gone Gustav");
  hall = await server.addChannel("hall", [owner, mia]);
  const sent = { type: "channel", to: hall, topic: "t", content: "hello" };
  message = expectSuccess(await owner.client.post("/messages", sent))["id"] as number;
  expectSuccess(await owner.client.delete(`/users/${gone.id}`));
});
afterAll(() => server?.stop());

/** Changes who may subscribe others. */
async function setAdders(group: string): Promise<void> {
  const { state } = await server.server.app.system.realmByHost("localhost");
  const value = { new: state.groups.findByName(group)!.id };
  expectSuccess(await owner.client.patch("/realm", { can_add_subscribers_group: value }));
}

/** Calls that the table of the specification answers with BAD_REQUEST. */
const refused: [when: string, call: () => Promise<ApiResponse>, says: RegExp][] = [
  [
    "invalid folder ID",
    () => owner.client.patch("/channel_folders/999999", { name: "n" }),
    /invalid channel folder id/i,
  ],
  ["invalid message ID", () => mia.client.get("/messages/999999/history"), /invalid message/i],
  ["a message to delete that does not exist", () => mia.client.delete("/messages/999999"), /invalid message/i],
  ["no permission to delete a message", () => mia.client.delete(`/messages/${message}`), /permission to delete/],
  ["insufficient permission to invite", () => mia.client.post("/invites/multiuse"), /permission/],
  [
    "invalid channel ID in invitation",
    () => owner.client.post("/invites/multiuse", { stream_ids: [999_999] }),
    /invalid channel id.*no invites were sent/i,
  ],
  [
    "no permission to subscribe others",
    async () => {
      await setAdders("role:nobody");
      const answer = await owner.client.post("/invites/multiuse", { stream_ids: [hall] });
      await setAdders("role:members");
      return answer;
    },
    /permission to subscribe other/,
  ],
  [
    "blank fragment",
    () => mia.client.post("/navigation_views", { fragment: " ", is_pinned: true }),
    /fragment cannot be blank/,
  ],
  [
    "email already in use",
    () => owner.client.post("/users", { email: mia.email, password: "123456", full_name: "Other" }),
    /already in use/,
  ],
  ["guest made administrator", () => owner.client.patch(`/users/${gwen.id}`, { role: 200 }), /guests cannot/i],
  [
    "channel draft without exactly one channel ID",
    () => mia.client.post("/drafts", { drafts: [{ type: "stream", to: [], topic: "t", content: "c" }] }),
    /exactly 1 channel/,
  ],
  [
    "missing moderation request channel",
    () => mia.client.post(`/messages/${message}/report`, { report_type: "spam" }),
    /moderation request channel/i,
  ],
  [
    "unsubscribing a deactivated user",
    () => owner.client.delete("/users/me/subscriptions", { subscriptions: ["hall"], principals: [gone.id] }),
    /./,
  ],
  [
    "unsubscribing a nonexistent user",
    () => owner.client.delete("/users/me/subscriptions", { subscriptions: ["hall"], principals: [999_999] }),
    /./,
  ],
];

describe("http-api Errors: BAD_REQUEST, HTTP 400", () => {
  it.each(refused)("%s", async (_when, call, says) => {
    const error = expectError(await call(), 400, "BAD_REQUEST");
    expect(error["msg"]).toMatch(says);
    expect(Object.keys(error).sort()).toEqual(["code", "msg", "result"]);
  });
});

describe("http-api Errors: every error has result, a code and a text", () => {
  it.each<[string, number, () => Promise<ApiResponse>]>([
    ["a missing parameter", 400, () => owner.client.post("/users", {})],
    ["no credentials", 401, () => new ApiClient({ url: server.url }).get("/users/me")],
    ["an unknown path", 404, () => owner.client.get("/no/such/path")],
    ["a path below another version", 404, () => owner.client.get("/api/v2/users", {}, { root: true })],
    ["a wrong method", 405, () => owner.client.put("/users/me", {})],
    ["a body that is too large", 413, () => owner.client.post("/drafts", { drafts: "x".repeat(5_000_000) })],
  ])("%s", async (_what, status, call) => {
    const answer = await call();
    expect(expectError(answer, status)["code"]).toMatch(/^[A-Z_]+$/);
    expect(answer.headers.get("content-type")).toContain("application/json");
  });

  it("a wrong method is told the right ones", async () => {
    const answer = await owner.client.put(`/users/${mia.id}`);
    expect(answer.body["allowed_methods"]).toEqual(["DELETE", "GET", "PATCH"]);
    expect(answer.headers.get("allow")).toBe("DELETE, GET, PATCH, HEAD, OPTIONS");
  });

  it("a bug answers 500, says nothing of itself, and the next request is served", async () => {
    const { system, log } = server.server.app;
    const silenced = vi.spyOn(log, "error").mockReturnValue(undefined);
    const broken = vi.spyOn(system, "readyRealm").mockImplementationOnce(() => {
      throw new Error("a secret detail");
    });
    const answer = await owner.client.get("/users/me");
    broken.mockRestore();
    silenced.mockRestore();
    expect(expectError(answer, 500)["code"]).toBe("INTERNAL_SERVER_ERROR");
    expect(answer.text).not.toContain("secret");
    expectSuccess(await owner.client.get("/users/me"));
  });
});

describe("Decided 11: a missing parameter is REQUEST_VARIABLE_MISSING with var_name", () => {
  const isNeeded = ([, param]: [string, (typeof routes)[number]["params"][string]]) =>
    param.isRequired && !param.isPath;
  const withNeeds = routes.filter((route) => Object.entries(route.params).some(isNeeded));

  it.each(withNeeds.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", async (_name, route) => {
    const path = route.path.replace(/:[a-z_]+\*?/g, "1");
    const error = expectError(await owner.client.request(route.method, path), 400, "REQUEST_VARIABLE_MISSING");
    const names = Object.entries(route.params)
      .filter(isNeeded)
      .map(([name]) => name);
    expect(names).toContain(error["var_name"]);
    expect(error["msg"]).toContain(error["var_name"]);
    expect(Object.keys(error).sort()).toEqual(["code", "msg", "result", "var_name"]);
  });
});

describe("http-api Conventions 1: where parameters come from", () => {
  it("a form in the body, the query, or both; the last of several wins", async () => {
    const path = `/users/${mia.id}`;
    expectSuccess(await owner.client.patch(path, { full_name: "From Query" }, { encoding: "query" }));
    expectSuccess(await owner.client.patch(`${path}?full_name=Query`, { full_name: "From Body" }));
    const { user } = expectSuccess(await owner.client.get(path)) as { user: { full_name: string } };
    expect(user.full_name).toBe("From Body");
    expectSuccess(await owner.client.patch(path, { full_name: "Mia Member" }));
  });
});
