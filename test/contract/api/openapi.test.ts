import { string } from "superstruct";
import { beforeAll, describe, expect, it } from "vitest";
import { sentVariants } from "../../../actors/events/events.ts";
import { isListed, openApiDocument, openApiPath } from "../../../http/api/openapi.ts";
import { routes } from "../../../http/api/routes.ts";
import { ApiClient, type ApiResponse, expectSuccess } from "../../support/client/api.ts";
import { assertContract, schemaProblems } from "../../support/client/contract.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
beforeAll(setUp);

describe("the route table", () => {
  it("names a source and a summary for every endpoint", () => {
    for (const route of routes) {
      const name = `${route.method} ${route.path}`;
      expect(route.doc, name).toMatch(/^(https:\/\/|[A-Z]+\.md$)/);
      expect(route.summary, name).toMatch(/^[A-Z].{10,}\.$/);
      expect(route.auth.length, name).toBeGreaterThan(0);
    }
  });

  it("declares the parts of every path, and no others", () => {
    for (const route of routes) {
      const parts = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
      const declared = Object.entries(route.params).filter(([, param]) => param.isPath);
      expect(declared.map(([name]) => name).sort(), route.path).toEqual(parts.sort());
    }
  });
});

describe("GET /api/v1/openapi.json", () => {
  it("is an OpenAPI 3.1 document with every endpoint in it", () => {
    expect(document["openapi"]).toBe("3.1.0");
    expect(document["info"]).toMatchObject({ title: "Parley", version: expect.stringContaining("496") });
    const listed = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    // Names of parts are not on the wire: paths that differ only in them are one path.
    const expected = routes
      .filter((route) => isListed(route))
      .map(({ method, path }) => `${method} ${documentPath(path)}`);
    const nameless = (path: string) => path.replace(/\{\w+\}/g, "{}");
    expect(listed.map(nameless).sort()).toEqual(expected.map(nameless).sort());
  });

  it("has unique operation ids, and a parameter for each part of a path", () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations()) {
      const parts = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(declared.map(({ name }) => name).sort(), path).toEqual(parts.sort());
      for (const parameter of operation.parameters ?? []) {
        expect(Object.keys(parameter)).toEqual(expect.arrayContaining(["name", "in", "required"]));
        expect(Number("schema" in parameter) + Number("content" in parameter), parameter.name).toBe(1);
        if (parameter.in === "path") expect(parameter.required).toBe(true);
      }
      expect(operation.summary, path).toMatch(/./);
      expect(operation.externalDocs.url, path).toMatch(/./);
      expect(Object.keys(operation.responses), path).toContain("200");
    }
  });

  it("has only types that JSON Schema knows, and references that lead somewhere", () => {
    const known = ["array", "boolean", "integer", "null", "number", "object", "string"];
    for (const [path, object] of objectsIn(document, "")) {
      if (typeof object["$ref"] === "string") {
        const target = object["$ref"].slice(2).split("/");
        expect(
          target.reduce<unknown>((at, key) => (at as Json | undefined)?.[key], document),
          object["$ref"],
        ).toBeDefined();
      }
      const isSchema = /\/(schema|items|additionalProperties)$|\/properties\/[^/]+$|\/(anyOf|oneOf)\/\d+$/.test(path);
      if (!isSchema || !("type" in object)) continue;
      for (const type of [object["type"]].flat()) expect(known, path).toContain(type);
      expect(object, path).not.toHaveProperty("nullable");
    }
  });

  it("says what an endpoint takes, requires and defaults to", () => {
    const presence = operations().find(
      ({ path, method }) => path === "/api/v1/users/me/presence" && method === "post",
    )!;
    const { schema } = presence.operation.requestBody!.content["application/x-www-form-urlencoded"]!;
    expect(schema["required"]).toEqual(["status"]);
    expect(schema["properties"]).toMatchObject({
      status: { type: "string", enum: ["active", "idle"] },
      history_limit_days: { type: "integer", default: 14, minimum: 0 },
    });
    const codes = (document["components"] as { schemas: { Error: { properties: { code: { enum: string[] } } } } })
      .schemas.Error.properties.code.enum;
    expect(codes).toContain("BAD_EVENT_QUEUE_ID");
  });

  it("requires nothing twice", () => {
    for (const [path, { required }] of objectsIn(document, ""))
      if (Array.isArray(required)) expect(new Set(required).size, path).toBe(required.length);
  });

  it("says of each list and object in a form that it is JSON in one field", () => {
    let count = 0;
    for (const { path, method, operation } of operations())
      for (const { schema, encoding = {} } of Object.values(
        (operation.requestBody?.content ?? {}) as unknown as Record<string, Form>,
      )) {
        const isStructured = (one: Form["schema"]): boolean =>
          [one.type].flat().some((type) => type === "array" || type === "object") ||
          [...(one.oneOf ?? []), ...(one.anyOf ?? [])].some(isStructured);
        const structured = Object.keys(schema.properties!).filter((name) => isStructured(schema.properties![name]!));
        expect(Object.keys(encoding), `${method} ${path}`).toEqual(structured);
        for (const { contentType } of Object.values(encoding)) expect(contentType).toBe("application/json");
        count += structured.length;
      }
    expect(count).toBeGreaterThan(200);
  });

  it("says where an answer may be a redirect or a page, and that the server may be unavailable", () => {
    const responses = (path: string) =>
      operations().find((each) => each.path === path && each.method === "get")!.operation.responses;
    for (const path of ["/avatar/{user}", "/api/v1/realm/icon", "/api/v1/realm/logo", "/calls/zoom/register"])
      expect(Object.keys(responses(path)), path).toContain("302");
    expect(responses("/calls/zoom/register")["4XX"]).toEqual({ $ref: "#/components/responses/PageOrError" });
    for (const { path, operation } of operations()) expect(Object.keys(operation.responses), path).toContain("503");
    const webhook = operations().find(({ path }) => path === "/api/v1/external/{integration}")!.operation.responses;
    expect(JSON.stringify(webhook["200"])).toContain("#/components/schemas/Error");
  });

  it("tells the values and lengths that are checked elsewhere", () => {
    const fieldsOf = (path: string, method: string) =>
      operations().find((each) => each.path === path && each.method === method)!.operation.requestBody!.content[
        "application/x-www-form-urlencoded"
      ]!.schema["properties"] as Record<string, Json>;
    const own = fieldsOf("/api/v1/settings", "patch");
    expect(own["full_name"]).toMatchObject({ minLength: 2, maxLength: 100 });
    expect(own["color_scheme"]).toMatchObject({ enum: [1, 2, 3] });
    expect(own["web_font_size_px"]).toMatchObject({ minimum: 10, maximum: 20 });
    const numbers = Object.entries(own).filter(([, { type }]) => type === "integer");
    for (const [name, schema] of numbers) expect("enum" in schema || "minimum" in schema, name).toBe(true);
    expect(fieldsOf("/api/v1/realm", "patch")["name"]).toMatchObject({ maxLength: 40 });
    expect(fieldsOf("/api/v1/bots", "post")["bot_type"]).toMatchObject({ enum: [1, 2, 3] });
  });

  it("has every event that a client may be sent, as a choice that its type tells", () => {
    const { responses } = operations().find(({ operation }) => operation.operationId === "get_events")!.operation;
    const { content } = responses["200"] as { content: Record<string, { schema: Form["schema"] }> };
    const { oneOf } = (content["application/json"]!.schema.properties!["events"] as { items: Form["schema"] }).items;
    const types = oneOf!.flatMap(({ properties }) => (properties!["type"] as Json)["enum"]);
    expect(types).toEqual(sentVariants.map(({ type }) => type));
    expect(new Set(types).size).toBeGreaterThan(40);
  });

  it("every default fits its own schema", () => {
    const doc = openApiDocument(routes, "http://localhost");
    for (const [path, object] of objectsIn(doc, ""))
      if ("default" in object && "type" in object) {
        const { default: value, ...schema } = object;
        expect(schemaProblems(schema, value), path).toEqual([]);
      }
  });
});

describe("the page of the API", () => {
  it("shows every endpoint without JavaScript, under a policy that lets only its own script run", async () => {
    const page = await anybody.get("/api/", {}, { root: true });
    expect(page.status).toBe(200);
    const policy = page.headers.get("content-security-policy")!;
    expect(policy).toMatch(/default-src 'none'.*script-src 'sha256-/);
    expect(policy).not.toContain("unsafe");
    // Nothing is loaded from elsewhere; links are only followed by people.
    expect(page.text.match(/\ssrc=|<link|@import|url\(/g)).toBeNull();
    for (const route of routes) {
      const shown = page.text.includes(`<code>${openApiPath(route.path)}</code>`);
      if (!route.path.startsWith("^") && isListed(route)) expect(shown, route.path).toBe(true);
    }
  });
});

it("the page of the API shows the types of events in one row, and leaves their fields to the document", async () => {
  const { text } = await anybody.get("/api/", {}, { root: true });
  const events = /<details id="get_events">.*?<\/details>/s.exec(text)![0];
  expect(events).toMatch(/events\[\]\.type<\/code><\/td><td>message or update_message or .* or has_webex_token or /);
  expect([...events.matchAll(/<code>events[^<]*/g)].map(([name]) => name.slice("<code>".length))).toEqual([
    "events",
    "events[].id",
    "events[].type",
  ]);
});

describe("the contract that every answer is held against", () => {
  const answer = (body: Json): ApiResponse => ({
    status: 200,
    body: { result: "success", msg: "", ...body },
    headers: new Headers(),
    text: "",
    request: "",
  });

  it("notices a field that is missing, of a wrong type, or not declared", () => {
    const path = "/register_client_device";
    expect(() => assertContract("POST", path, answer({ device_id: 1 }))).not.toThrow();
    expect(() =>
      assertContract("POST", path, answer({ device_id: 1, ignored_parameters_unsupported: ["x"] })),
    ).not.toThrow();
    for (const wrong of [{}, { device_id: "1" }, { device_id: 1, other: 2 }, { device_id: null }])
      expect(() => assertContract("POST", path, answer(wrong))).toThrow("otherwise than it declares");
    const errorAnswer = { ...answer({}), status: 400, body: { result: "error" } };
    expect(() => assertContract("POST", path, errorAnswer)).not.toThrow();
  });

  it("tells of an event what differs from the nearest declaration of its kind", () => {
    const poll = (event: Json) => () => assertContract("GET", "/events", answer({ queue_id: "q", events: [event] }));
    expect(poll({ id: 1, type: "drafts", op: "remove", draft_id: 2 })).not.toThrow();
    expect(poll({ id: 1, type: "drafts", op: "remove", draft_id: "2" })).toThrow(/draft_id: "2" is no integer$/);
    expect(poll({ id: 1, type: "drafts", op: "remove", draft_id: 2, to: 3 })).toThrow(/to: not declared$/);
    for (const event of [{ type: "drafts", op: "other" }, { type: "other" }, {}, { type: "heartbeat", op: "add" }])
      expect(poll({ id: 1, ...event })).toThrow("fits none of the choices");
  });

  it("is behind the clients of the suite", async () => {
    expectSuccess(await server.owner.client.post("/register_client_device"));
    const route = routes.find(({ path }) => path === "/register_client_device")!;
    const declared = route.returns!;
    route.returns = { device_id: string() };
    try {
      await expect(server.owner.client.post("/register_client_device")).rejects.toThrow("device_id");
    } finally {
      route.returns = declared;
    }
  });

  it("covers the API, but for what is no JSON, or leads elsewhere", () => {
    const untold = routes.filter(({ path, returns }) => !path.startsWith("^") && !returns).map(({ path }) => path);
    // tus answers in headers.
    const others = [...new Set(untold)].filter((path) => !path.startsWith("/tus")).sort();
    expect(others).toEqual(["/external/:asking_integration", "/openapi.json", "/realm/icon", "/realm/logo"]);
  });
});

it("tells how long each text may be", () => {
  const untold = operations().flatMap(({ path, method, operation: { parameters = [], requestBody } }) => {
    const form = requestBody?.content["application/x-www-form-urlencoded"]?.schema["properties"] as Record<
      string,
      Json
    >;
    const schemas = [...parameters.map(({ name, schema }) => [name, schema] as const), ...Object.entries(form ?? {})];
    return schemas
      .filter(([, schema]) => schema?.["type"] === "string" && !schema["enum"] && schema["maxLength"] === undefined)
      .map(([name]) => `${method} ${path}: ${name}`);
  });
  expect(untold).toEqual([]);
});

async function setUp(): Promise<void> {
  anybody = new ApiClient({ url: server.url });
  document = (await anybody.get("/openapi.json")).body;
}

type Json = Record<string, unknown>;
type Operation = Json & {
  operationId: string;
  summary: string;
  externalDocs: { url: string };
  parameters?: { name: string; in: string; required: boolean; schema?: Json; content?: Json }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Json;
};
interface Form {
  schema: Json & { type?: string | string[]; oneOf?: Form["schema"][]; anyOf?: Form["schema"][] } & {
    properties?: Record<string, Form["schema"]>;
  };
  encoding?: Record<string, { contentType: string }>;
}
let document: Json;
let anybody: ApiClient;

function operations(): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document["paths"] as Record<string, Record<string, unknown>>).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => ["get", "post", "put", "patch", "delete"].includes(method))
      .map(([method, operation]) => ({ path, method, operation: operation as Operation })),
  );
}

const documentPath = (path: string) => (path.startsWith("^") ? "" : "/api/v1") + openApiPath(path);

/** Every object inside, with the path to it. */
function* objectsIn(value: unknown, path: string): Generator<[string, Json]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Json];
  for (const [key, entry] of Object.entries(value)) yield* objectsIn(entry, `${path}/${key}`);
}
