/** Messages of the Model Context Protocol as they come over the wire, hostile ones too, and what a key may do by it. */
import { describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"], environment: { PARLEY_MCP: "on" } });
const [ada, bob] = server.people("Ada", "Bob");
const plans = server.channel("plans", [ada, bob]);

it("there is no such endpoint where nobody asked for it", async () => {
  const plain = await startTestServer();
  try {
    const { status } = await fetch(`${plain.url}/mcp`, { method: "POST", body: "{}" });
    expect(status).toBe(404);
  } finally {
    await plain.stop();
  }
});

describe("a key", () => {
  it("comes as a bearer token, and is needed", async () => {
    for (const authorization of [
      undefined,
      "",
      "Bearer",
      `Bearer ${"x".repeat(32)}`,
      `Basic ${ada.apiKey}`,
      "Bearer a b",
    ]) {
      const { status, headers, body } = await post(ping(), { authorization });
      expect(status, authorization).toBe(401);
      expect(headers.get("www-authenticate")).toMatch(/^Bearer/);
      expect(body).toMatchObject({ result: "error" });
    }
    expect(await post(ping(), { authorization: `bearer ${ada.apiKey}` })).toMatchObject({ status: 200 });
    const elsewhere = await fetch(`${server.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${ada.apiKey}` },
    });
    expect(elsewhere.status).toBe(401);
  });

  it("of a scope has the tools of that scope, and no others", async () => {
    const message = await bob.say(plans);
    const send = { channel: "plans", topic: "t", content: "hi" };
    const draft = { ...send, content: "a draft" };
    const tools: Record<string, string[]> = {};
    for (const scope of ["read", "send", "all"]) {
      const authorization = `Bearer ${await keyOf(ada, scope)}`;
      const listed = await ask("tools/list", {}, { authorization });
      tools[scope] = (listed["tools"] as { name: string }[]).map(({ name }) => name);
      expect(await callTool("mark_read", { message_ids: [message] }, { authorization })).toMatchObject({
        isError: false,
      });
      for (const [name, given] of [
        ["send_message", send],
        ["save_draft", draft],
      ] as const) {
        const answer = await callTool(name, given, { authorization });
        expect(answer["isError"], `${scope} ${name}`).toBe(scope === "read");
        if (scope === "read") expect(JSON.stringify(answer)).toContain('its scope is \\"read\\"');
      }
    }
    const reading = ["get_messages", "search_messages", "read_topic", "list_channels", "list_topics"];
    const people = ["list_linkifiers", "get_users", "who_is_here"];
    expect(tools["read"]).toEqual([...reading, ...people, "mark_read"]);
    const writing = ["send_message", "save_draft", "add_reaction", "remove_reaction", "mark_read"];
    expect(tools["send"]).toEqual([...reading, ...people, ...writing]);
    expect(tools["all"]).toEqual(tools["send"]);
  });

  it("of an account that has gone is refused", async () => {
    const gone = await server.addUser("Gone");
    const authorization = `Bearer ${gone.apiKey}`;
    expect((await post(ping(), { authorization })).status).toBe(200);
    expectSuccess(await server.owner.client.delete(`/users/${gone.id}`));
    expect((await post(ping(), { authorization })).status).toBe(401);
  });
});

describe("pages of other sites", () => {
  it("may not ask, by whatever name they came", async () => {
    const { origin } = new URL(server.server.app.config.externalUrl);
    expect((await post(ping(), { origin })).status).toBe(200);
    for (const other of ["https://evil.example", "null", origin.replace("http:", "https:"), `${origin}.evil.example`])
      expect((await post(ping(), { origin: other })).status, other).toBe(403);
  });
});

describe("a message", () => {
  it("that is none is refused by the codes of JSON-RPC", async () => {
    const refusals: [body: string, status: number, code: number][] = [
      ["{", 400, -32700],
      ["nonsense", 400, -32700],
      ["1", 400, -32600],
      ["null", 400, -32600],
      ["{}", 400, -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":1}', 400, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":7}', 400, -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":{},"method":"ping"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600],
      ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"constructor"}', 200, -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"__proto__"}', 200, -32601],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 200, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toString"}}', 200, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_users","arguments":[]}}', 200, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', 200, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":{}}}', 200, -32602],
      ['{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":5}}', 200, -32602],
      ["[]", 400, -32600],
      [`[${Array(21).fill('{"jsonrpc":"2.0","method":"x"}').join()}]`, 400, -32600],
    ];
    for (const [body, status, code] of refusals) {
      const answer = await post(body);
      expect([answer.status, (answer.body["error"] as JsonObject)["code"]], body).toEqual([status, code]);
    }
  });

  it("that is hostile is refused, whatever it is", async () => {
    for (const body of ["", "[".repeat(100_000), `[${"1,".repeat(30_000)}1]`, '{"jsonrpc":"2.0","id":1,"\0":1}'])
      expect((await post(body)).status, body.slice(0, 20)).toBe(400);
    expect((await post(`"${"x".repeat(600_000)}"`)).status).toBe(413);
    for (const text of ["\0", "\ud800", "x".repeat(10_001)]) {
      expect(await callTool("send_message", { channel: "plans", topic: "t", content: text })).toMatchObject({
        isError: true,
      });
      expect(await callTool("search_messages", { query: text })).toMatchObject({ isError: true });
    }
    for (const uri of ["parley://channel/1/topic/%ff", "parley://channel/1e3", "file:///etc/passwd", ""])
      expect((await rpc("resources/read", { uri })).body).toMatchObject({ error: { code: -32002 } });
  });

  it("that wants no answer gets none", async () => {
    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/nothing", params: [] },
      { jsonrpc: "2.0", id: 7, result: {} },
    ]) {
      const { status, text } = await post(message);
      expect([status, text]).toEqual([202, ""]);
    }
  });

  it("may come in a batch of the revision that had batches, and of no other", async () => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const batch = [ping(1), notification, "nonsense", ping("b")];
    for (const version of [undefined, "2025-03-26"]) {
      const { body } = await post(batch, { "mcp-protocol-version": version });
      expect(body).toMatchObject([{ id: 1, result: {} }, { error: { code: -32600 } }, { id: "b", result: {} }]);
    }
    expect((await post([notification])).status).toBe(202);
    for (const version of ["2025-06-18", "2025-11-25", "2026-07-28"])
      expect(await post(batch, { "mcp-protocol-version": version })).toMatchObject({
        status: 400,
        body: { error: { code: -32600 } },
      });
  });

  it("is answered by POST alone", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const headers = { authorization: `Bearer ${ada.apiKey}` };
      const { status } = await fetch(`${server.url}/mcp`, { method, headers });
      expect(status).toBe(405);
    }
  });
});

describe("a revision", () => {
  it("of a handshake is the one that is asked for, or the newest", async () => {
    for (const [asked, agreed] of [
      ["2025-03-26", "2025-03-26"],
      ["2025-06-18", "2025-06-18"],
      ["2025-11-25", "2025-11-25"],
      ["2024-11-05", "2025-11-25"],
      ["2026-07-28", "2025-11-25"],
      [7, "2025-11-25"],
    ])
      expect(await ask("initialize", { protocolVersion: asked })).toMatchObject({ protocolVersion: agreed });
    const unknown = await post(ping(), { "mcp-protocol-version": "2031-01-01" });
    expect(unknown).toMatchObject({
      status: 400,
      body: { error: { code: -32022, data: { requested: "2031-01-01" } } },
    });
  });

  it("without one stands in every request, in its body and its headers alike", async () => {
    const version = "2026-07-28";
    const good = { "mcp-protocol-version": version, "mcp-method": "tools/call", "mcp-name": "get_users" };
    const meta = (told: JsonObject) => ({
      _meta: Object.fromEntries(Object.entries(told).map(([key, value]) => [`io.modelcontextprotocol/${key}`, value])),
    });
    const full = { protocolVersion: version, clientCapabilities: {} };
    const callWith = (headers: Record<string, string | undefined>, told: JsonObject = full) =>
      rpc("tools/call", { name: "get_users", arguments: {}, ...meta(told) }, { ...good, ...headers });
    const { status, body } = await callWith({});
    expect([status, body]).toMatchObject([200, { result: { resultType: "complete", isError: false } }]);
    const encoded = `=?base64?${Buffer.from("get_users").toString("base64")}?=`;
    expect((await callWith({ "mcp-name": encoded })).status).toBe(200);
    for (const [headers, told, code] of [
      [{ "mcp-name": "send_message" }, full, -32020],
      [{ "mcp-name": undefined }, full, -32020],
      [{ "mcp-method": "tools/list" }, full, -32020],
      [{ "mcp-method": undefined }, full, -32020],
      [{ "mcp-protocol-version": "2025-11-25" }, full, -32020],
      [{ "mcp-protocol-version": undefined }, full, -32020],
      [{}, {}, -32602],
      [{}, { protocolVersion: version }, -32602],
      [{ "mcp-protocol-version": "1900-01-01" }, { ...full, protocolVersion: "1900-01-01" }, -32022],
    ] as const)
      expect(await callWith(headers, told), JSON.stringify([headers, told])).toMatchObject({
        status: 400,
        body: { error: { code } },
      });
    const missing = { "mcp-protocol-version": version, "mcp-method": "prompts/list" };
    expect(await rpc("prompts/list", meta(full), missing)).toMatchObject({
      status: 404,
      body: { error: { code: -32601 } },
    });
    const list = { "mcp-protocol-version": version, "mcp-method": "tools/list" };
    expect((await rpc("tools/list", meta(full), list)).body).toMatchObject({
      result: { cacheScope: "private", ttlMs: expect.any(Number) },
    });
  });
});

describe("an answer", () => {
  it("has no more messages than fit, and says that there are more", async () => {
    const ids: number[] = [];
    for (let count = 0; count < 12; count++) ids.push(await bob.say(plans, `${count} ${"ü".repeat(9_900)}`, "long"));
    const page = (given: JsonObject) =>
      callTool("get_messages", { narrow: [{ operator: "topic", operand: "long" }], ...given });
    const newest = valueIn(await page({ num_before: 50 }));
    const kept = (newest["messages"] as { id: number }[]).map(({ id }) => id);
    expect(kept).toEqual(ids.slice(-kept.length));
    expect(kept.length).toBeLessThan(12);
    expect(newest).toMatchObject({ found_oldest: false, found_newest: true });
    const rest = valueIn(await page({ anchor: kept[0], include_anchor: false, num_before: 50 }));
    expect((rest["messages"] as { id: number }[]).map(({ id }) => id)).toEqual(ids.slice(0, -kept.length));
    expect(rest).toMatchObject({ found_oldest: true });
  });

  it("has pages of people and topics", async () => {
    const walked: number[] = [];
    for (let after_id = 0, more = true; more; ) {
      const { users, has_more } = valueIn(await callTool("get_users", { limit: 1, after_id }));
      const [{ user_id }] = users as [{ user_id: number }];
      walked.push((after_id = user_id));
      more = has_more as boolean;
    }
    expect(walked).toEqual([...walked].sort((a, b) => a - b));
    expect(walked).toEqual(expect.arrayContaining([server.owner.id, ada.id, bob.id]));
    const last = await bob.say(plans, "x", "one more");
    const first = valueIn(await callTool("list_topics", { channel: "plans", limit: 1 }));
    expect(first).toMatchObject({ topics: [{ name: "one more", max_message_id: last }], has_more: true });
    const next = valueIn(await callTool("list_topics", { channel: "plans", before_id: last }));
    expect(JSON.stringify(next)).not.toContain("one more");
  });
});

describe("limits", () => {
  it("count each message of a batch", async () => {
    const limited = await startTestServer({
      PARLEY_MCP: "on",
      PARLEY_RATE_LIMITS: "on",
      PARLEY_RATE_LIMIT_API_BY_USER: "10/600",
    });
    try {
      const send = (body: unknown) =>
        fetch(`${limited.url}/mcp`, {
          method: "POST",
          headers: { authorization: `Bearer ${limited.owner.apiKey}`, "content-type": "application/json" },
          body: JSON.stringify(body),
        });
      expect((await send([1, 2, 3, 4, 5, 6].map((id) => ping(id)))).status).toBe(200);
      const refused = await send([1, 2, 3, 4, 5, 6].map((id) => ping(id)));
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    } finally {
      await limited.stop();
    }
  });
});

const ping = (id: number | string = 1) => ({ jsonrpc: "2.0", id, method: "ping" });

type Headers = Record<string, string | undefined>;

async function post(message: unknown, headers: Headers = {}) {
  const told = { authorization: `Bearer ${ada.apiKey}`, "content-type": "application/json", ...headers };
  const sent = Object.entries(told).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const body = typeof message === "string" ? message : JSON.stringify(message);
  const reply = await fetch(`${server.url}/mcp`, { method: "POST", headers: sent, body });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    text,
    body: (text === "" ? {} : JSON.parse(text)) as JsonObject,
  };
}

const rpc = (method: string, params: JsonObject, headers?: Headers) =>
  post({ jsonrpc: "2.0", id: 1, method, params }, headers);

async function ask(method: string, params: JsonObject, headers?: Headers): Promise<JsonObject> {
  const { status, body } = await rpc(method, params, headers);
  expect([status, body["error"]]).toEqual([200, undefined]);
  return body["result"] as JsonObject;
}

const callTool = (name: string, given: JsonObject, headers?: Headers) =>
  ask("tools/call", { name, arguments: given }, headers);

function valueIn({ isError, content, structuredContent }: JsonObject): JsonObject {
  expect(isError, JSON.stringify(content)).toBe(false);
  return structuredContent as JsonObject;
}

async function keyOf(person: Person, scope: string): Promise<string> {
  const made = await person.client.post("/users/me/api_keys", { name: scope, scope, password: "a fine password" });
  return expectSuccess(made)["api_key"] as string;
}
