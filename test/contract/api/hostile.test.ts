/** Hostile requests over HTTP: a clear error or safe output. Their CPU time is in `npm run bench -- hostile`. */
import { beforeAll, describe, expect, it } from "vitest";
import { hostileForms } from "../../../bench/hostile/bodies.ts";
import { hostileMarkdown, maxMessageCharacters } from "../../../bench/hostile/markdown.ts";
import { hostilePatterns, refusedPatterns, textsForPatterns } from "../../../bench/hostile/patterns.ts";
import { routes } from "../../../http/api/routes.ts";
import { assertSafeHtml } from "../../actors/markdown/safe-html.ts";
import { type ApiResponse, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const { owner } = server;
const [mia] = server.people("Mia Member");
const hall = server.channel("hall", [owner, mia]);
beforeAll(setUp);

describe("a catastrophic regular expression as a linkifier", () => {
  it.each(hostilePatterns)("%s", async (pattern) => {
    const answer = await owner.client.post("/realm/filters", { pattern, url_template: "https://example.org/{id}" });
    if (answer.status !== 200) expectError(answer, 400, "BAD_REQUEST");
    for (const text of textsForPatterns) {
      expectSuccess(await send(text));
      assertSafeHtml(expectSuccess(await render(text))["rendered"] as string);
    }
    if (answer.status === 200) expectSuccess(await owner.client.delete(`/realm/filters/${answer.body["id"]}`));
  });

  it.each(refusedPatterns)("%s is refused", async (pattern) => {
    const params = { pattern, url_template: "https://example.org/{id}" };
    expectError(await owner.client.post("/realm/filters", params), 400, "BAD_REQUEST");
  });
});

describe("Markdown", () => {
  it.each(Object.entries(hostileMarkdown))(
    "10,000 code points of %s are rendered, sent and harmless",
    async (_what, make) => {
      const text = make(maxMessageCharacters);
      expect([...text].length).toBeLessThanOrEqual(maxMessageCharacters);
      assertSafeHtml(expectSuccess(await render(text))["rendered"] as string);
      expectSuccess(await send(text));
    },
  );

  it.each(Object.entries(hostileMarkdown))("a megabyte of %s is cut to the limit or refused", async (_what, make) => {
    const content = make(1_000_000);
    // Three bytes of UTF-8, each percent-encoded, are more than a body may have.
    expect([200, 400, 413]).toContain((await render(content)).status);
    const answer = await send(content);
    if (answer.status !== 200) {
      expect(answer.body["code"]).toBe("BAD_REQUEST");
      return;
    }
    const kept = await owner.client.get(`/messages/${answer.body["id"]}`, { apply_markdown: false });
    const { message } = expectSuccess(kept);
    expect([...(message as { content: string }).content].length).toBeLessThanOrEqual(maxMessageCharacters);
  });
});

describe("a megabyte in any kind of body", () => {
  it.each(Object.entries(hostileForms))("%s", async (_what, fields) => {
    const required = { email: "a@example.com", password: "a fine password", full_name: "" };
    const body = typeof fields === "string" ? fields : new URLSearchParams({ ...required, ...fields }).toString();
    const authorization = `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString("base64")}`;
    const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
    const answer = await fetch(`${server.url}/api/v1/users`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as JsonObject)["code"]).toBe("BAD_REQUEST");
  });
});

describe("ids", () => {
  const ids = [
    "9007199254740993",
    `1${"0".repeat(30)}`,
    "-1",
    "1e3",
    "1.0",
    "0x1",
    "NaN",
    "1%20",
    "%D9%A1",
    "1;2",
    "null",
  ];
  const withNumber = routes.filter(
    (route) =>
      !route.path.startsWith("^") &&
      // A browser alone may call the others.
      route.auth.includes("apiKey") &&
      Object.values(route.params).some((p) => p.isPath && p.schema.type === "integer"),
  );

  it.each(withNumber.map((route) => [`${route.method} ${route.path}`, route] as const))("%s", async (_name, route) => {
    for (const id of ids) {
      const answer = await owner.client.request(route.method, route.path.replace(/:[a-z_]+\*?/g, id));
      expect([400, 404], `${id}: ${answer.text}`).toContain(answer.status);
      expect(answer.body["result"]).toBe("error");
      expect(answer.body["code"]).toBeTypeOf("string");
    }
  });

  it.each<[string, (id: number | string) => Promise<ApiResponse>]>([
    [
      "principals",
      (id) => owner.client.delete("/users/me/subscriptions", { subscriptions: ["hall"], principals: `[${id}]` }),
    ],
    ["subscribers", (id) => owner.client.post("/channels/create", { name: "ids", subscribers: `[${id}]` })],
    ["folder_id", (id) => owner.client.patch(`/streams/${hall.id}`, { folder_id: String(id) })],
    ["group members", (id) => owner.client.post(`/user_groups/${group}/members`, { add: `[${id}]` })],
    ["subgroups", (id) => owner.client.post(`/user_groups/${group}/subgroups`, { add: `[${id}]` })],
    ["a group setting", (id) => owner.client.patch(`/streams/${hall.id}`, { can_send_message_group: `{"new":${id}}` })],
    [
      "draft recipients",
      (id) => owner.client.post("/drafts", { drafts: `[{"type":"private","to":[${id}],"topic":"","content":"c"}]` }),
    ],
    ["direct recipients", (id) => owner.client.post("/messages", { type: "direct", to: `[${id}]`, content: "c" })],
    [
      "a channel to send to",
      (id) => owner.client.post("/messages", { type: "channel", to: String(id), topic: "t", content: "c" }),
    ],
    [
      "messages to flag",
      (id) => owner.client.post("/messages/flags", { messages: `[${id}]`, op: "add", flag: "nothing" }),
    ],
    ["an anchor", (id) => owner.client.get("/messages", { anchor: `"${id}"`, num_before: 1, num_after: 1 })],
    ["an invitation's channels", (id) => owner.client.post("/invites/multiuse", { stream_ids: `[${id}]` })],
    ["an invitation's groups", (id) => owner.client.post("/invites/multiuse", { group_ids: `[${id}]` })],
    ["a profile field", (id) => owner.client.patch(`/users/${mia.id}`, { profile_data: `[{"id":${id},"value":"x"}]` })],
    ["a device", (id) => owner.client.post("/mobile_push/e2ee/test_notification", { device_id: String(id) })],
    ["a queue's position", (id) => owner.client.get("/events", { queue_id: "x", last_event_id: String(id) })],
    ["an order", (id) => owner.client.patch("/realm/linkifiers", { ordered_linkifier_ids: `[${id}]` })],
  ])("%s", async (_what, call) => {
    for (const id of ["9007199254740993", `1${"0".repeat(30)}`, -1, 1.5, '"1"', "true", "{}"]) {
      const answer = await call(id);
      expect(answer.status, `${id}: ${answer.text}`).toBe(400);
      expect(answer.body["code"]).toBeTypeOf("string");
    }
  });
});

describe("parts of widgets", () => {
  it("a type that every object has is no type, and nesting exhausts nothing", async () => {
    const message_id = expectSuccess(await send("no widget"))["id"];
    const part = (content: string) => owner.client.post("/submessage", { message_id, msg_type: "widget", content });
    expectSuccess(await part('{"widget_type":"constructor"}'));
    for (const type of ["assign", "name", "prototype"]) expectSuccess(await part(`{"type":"${type}"}`));
    expectError(await part(`{"type":${"[".repeat(4000)}${"]".repeat(4000)}}`), 400, "BAD_REQUEST");
    const widget_content = `{"widget_type":"poll","extra_data":{"question":"","options":[],"x":${"[".repeat(4000)}${"]".repeat(4000)}}}`;
    const params = { type: "channel", to: hall.id, topic: "t", content: "c", widget_content };
    expectError(await owner.client.post("/messages", params), 400, "BAD_REQUEST");
  });
});

async function setUp(): Promise<void> {
  const params = { name: "group", description: "", members: [] };
  group = expectSuccess(await owner.client.post("/user_groups/create", params))["group_id"] as number;
}

let group: number;

const send = (content: string) => owner.client.post("/messages", { type: "channel", to: hall.id, topic: "t", content });
const render = (content: string) => owner.client.post("/messages/render", { content });
