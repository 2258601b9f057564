/**
 * Hostile requests over HTTP: a clear error or safe output, and the event loop held up for no more than 100 ms. What one decoder
 * makes of anything is in test/http/params.test.ts, what the Markdown renderer makes of it in test/actors/markdown.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../http/routes.ts";
import { assertSafeHtml } from "../actors/markdown/safe-html.ts";
import { type ApiResponse, expectError, expectSuccess, type JsonObject } from "../support/api.ts";
import { startTestServer, type TestPerson, type TestServer } from "../support/server.ts";
import { assertNoStall } from "../support/stall.ts";

let server: TestServer;
let owner: TestPerson;
let mia: TestPerson;
let hall: number;
let group: number;

beforeAll(async () => {
  server = await startTestServer();
  owner = server.owner;
  mia = await server.addUser("Mia Member");
  hall = await server.addChannel("hall", [owner, mia]);
  const params = { name: "group", description: "", members: [] };
  group = expectSuccess(await owner.client.post("/user_groups/create", params))["group_id"] as number;
});
afterAll(() => server?.stop());

const send = (content: string) => owner.client.post("/messages", { type: "channel", to: hall, topic: "t", content });
const render = (content: string) => owner.client.post("/messages/render", { content });

/** Posts a body that was encoded before: a megabyte takes its time, and the test runs in the server's process. */
async function postEncoded(path: string, fields: Record<string, string> | string): Promise<() => Promise<Response>> {
  const body = Buffer.from(typeof fields === "string" ? fields : new URLSearchParams(fields).toString());
  const authorization = `Basic ${Buffer.from(`${owner.email}:${owner.apiKey}`).toString("base64")}`;
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  return () => fetch(`${server.url}/api/v1${path}`, { method: "POST", headers, body });
}

describe("issue 3, hostile input: a catastrophic regular expression as a linkifier", () => {
  it.each([
    "(?P<id>(a+)+)$",
    "(?P<id>(a|aa)+)!",
    "(?P<id>(a|a?)+)b",
    "(?P<id>([a-zA-Z]+)*)1",
    "(?P<id>(.*)*(.*)*(.*)*)x",
    "(?P<id>a.*b|a)",
    "(?P<id>a{1,200}b)",
    "(?P<id>(?:a?){99}a{99})",
  ])("%s", async (pattern) => {
    const url_template = "https://example.org/{id}";
    let id: number | undefined;
    await assertNoStall(`adding ${pattern}`, async () => {
      const answer = await owner.client.post("/realm/filters", { pattern, url_template });
      if (answer.status === 200) id = answer.body["id"] as number;
      else expectError(answer, 400, "BAD_REQUEST");
    });
    for (const text of ["a".repeat(10_000), "a ".repeat(5000), `${"aaaaaaaaaaaaaaaaaaaaaaaaa!".repeat(300)}b`]) {
      await assertNoStall(`sending under ${pattern}`, async () => expectSuccess(await send(text)));
      await assertNoStall(`rendering under ${pattern}`, async () => expectSuccess(await render(text)));
    }
    if (id !== undefined) expectSuccess(await owner.client.delete(`/realm/filters/${id}`));
  });

  it("one that is too large is refused", async () => {
    for (const pattern of ["(?P<id>a{1000})", "(?P<id>((a{100}){100}){100})", `(?P<id>${"a|".repeat(2000)}a)`]) {
      const params = { pattern, url_template: "https://example.org/{id}" };
      await assertNoStall(pattern, async () =>
        expectError(await owner.client.post("/realm/filters", params), 400, "BAD_REQUEST"),
      );
    }
  });
});

const limit = 10_000;
const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
const markdown: Record<string, (length: number) => string> = {
  "nested quotations": (length) => fill("> ", length),
  "open brackets": (length) => fill("[", length),
  "open images": (length) => fill("![a](", length),
  "brackets, open and closed": (length) => fill("[", length / 2) + fill("]", length / 2),
  asterisks: (length) => fill("*", length),
  "open emphasis": (length) => fill("**a _b ", length),
  backticks: (length) => fill("` `` ``` ", length),
  "nested lists": (length) => {
    let text = "";
    for (let depth = 0; text.length + 2 * depth + 4 < Math.min(length, 200_000); depth++)
      text += `${"  ".repeat(depth)}- a\n`;
    return text;
  },
  "lists in quotations": (length) => fill("> - ", length),
  fences: (length) => fill("```quote\n", length),
  spoilers: (length) => fill("```spoiler a\n", length),
  "a wide table": (length) => `${fill("|a", length / 3)}|\n${fill("|-", length / 3)}|\n${fill("|b", length / 3 - 10)}|`,
  "a long table": (length) => `|a|b|\n|-|-|\n${fill("|c|d|\n", length - 20)}`,
  mentions: (length) => fill("@**Mia Member** @*group* #**hall>t** ", length),
  formulas: (length) => fill("$$\\frac{1}{2}$$ ", length),
  links: (length) => fill("https://a.example/( www.b.example ", length),
  "emoji and joiners": (length) => fill("😀\u200d", length / 2),
  entities: (length) => fill("&lt;&#60;<", length),
  "marks of direction": (length) => fill("\u202e\u200f\u2066", length),
};

describe("issue 3, hostile input: Markdown", () => {
  it.each(Object.keys(markdown))("10,000 code points of %s are rendered, sent and harmless", async (what) => {
    const text = markdown[what]!(limit);
    expect([...text].length).toBeLessThanOrEqual(limit);
    let html = "";
    await assertNoStall(`rendering ${what}`, async () => {
      html = expectSuccess(await render(text))["rendered"] as string;
    });
    assertSafeHtml(html);
    await assertNoStall(`sending ${what}`, async () => expectSuccess(await send(text)));
  });

  it.each(Object.keys(markdown))("a megabyte of %s is cut to the limit or refused", async (what) => {
    const content = markdown[what]!(1_000_000);
    const rendering = await postEncoded("/messages/render", { content });
    const sending = await postEncoded("/messages", { type: "channel", to: String(hall), topic: "t", content });
    let id: number | undefined;
    await assertNoStall(`rendering a megabyte of ${what}`, async () => {
      const { status } = await rendering();
      // Three bytes of UTF-8, each percent-encoded, are more than a body may have.
      expect([200, 400, 413]).toContain(status);
    });
    await assertNoStall(`sending a megabyte of ${what}`, async () => {
      const answer = (await (await sending()).json()) as { result: string; id?: number; code?: string };
      if (answer.result === "success") id = answer.id;
      else expect(answer.code).toBe("BAD_REQUEST");
    });
    if (id === undefined) return;
    const { message } = expectSuccess(await owner.client.get(`/messages/${id}`, { apply_markdown: false }));
    expect([...(message as { content: string }).content].length).toBeLessThanOrEqual(limit);
  });
});

describe("issue 3, hostile input: a megabyte in any kind of body", () => {
  it.each<[string, Record<string, string> | string]>([
    ["of one field", { full_name: "x".repeat(1_000_000) }],
    ["that is percent-encoded throughout", { full_name: "<".repeat(1_000_000) }],
    ["of very many fields", Object.fromEntries(Array.from({ length: 80_000 }, (_, n) => [`field${n}`, String(n)]))],
    ["of nothing but separators", "&".repeat(1_000_000)],
    ["of lists in lists", { profile_data: "[".repeat(1_000_000) }],
    ["of one list", { profile_data: `[${"{},".repeat(300_000)}{}]` }],
  ])("%s", async (what, fields) => {
    const required = { email: "a@example.com", password: "123456", full_name: "" };
    const post = await postEncoded("/users", typeof fields === "string" ? fields : { ...required, ...fields });
    await assertNoStall(what, async () => {
      const answer = await post();
      expect(answer.status).toBe(400);
      expect(((await answer.json()) as JsonObject)["code"]).toBe("BAD_REQUEST");
    });
  });
});

describe("issue 3, hostile input: ids", () => {
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
      !route.path.startsWith("^") && Object.values(route.params).some((p) => p.isPath && p.schema.type === "integer"),
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
    ["folder_id", (id) => owner.client.patch(`/streams/${hall}`, { folder_id: String(id) })],
    ["group members", (id) => owner.client.post(`/user_groups/${group}/members`, { add: `[${id}]` })],
    ["subgroups", (id) => owner.client.post(`/user_groups/${group}/subgroups`, { add: `[${id}]` })],
    ["a group setting", (id) => owner.client.patch(`/streams/${hall}`, { can_send_message_group: `{"new":${id}}` })],
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

describe("issue 3, hostile input: parts of widgets", () => {
  it("a type that every object has is no type, and nesting exhausts nothing", async () => {
    const message_id = expectSuccess(await send("no widget"))["id"];
    const part = (content: string) => owner.client.post("/submessage", { message_id, msg_type: "widget", content });
    expectSuccess(await part('{"widget_type":"constructor"}'));
    for (const type of ["assign", "name", "prototype"]) expectSuccess(await part(`{"type":"${type}"}`));
    expectError(await part(`{"type":${"[".repeat(4000)}${"]".repeat(4000)}}`), 400, "BAD_REQUEST");
    const widget_content = `{"widget_type":"poll","extra_data":{"question":"","options":[],"x":${"[".repeat(4000)}${"]".repeat(4000)}}}`;
    const params = { type: "channel", to: hall, topic: "t", content: "c", widget_content };
    expectError(await owner.client.post("/messages", params), 400, "BAD_REQUEST");
  });
});
