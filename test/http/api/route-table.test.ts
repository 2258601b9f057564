import { describe, expect, it } from "vitest";
import { pathInt, text } from "../../../http/api/params.ts";
import { nodeRoute, route } from "../../../http/api/route.ts";
import { endpointsOf } from "../../../http/api/route-table.ts";
import { routes } from "../../../http/api/routes.ts";

const right = { doc: "https://zulip.com/api/get-message", summary: "Returns a message.", auth: ["apiKey"] as const };
const handle = () => ({});
const withId = route({ ...right, params: { message_id: pathInt() }, handle });
const withoutId = route({ ...right, params: {}, handle });

describe("what is wrong with a route stops the start", () => {
  it("a path parameter without a decoder", () => {
    expect(() => endpointsOf({ "GET /messages/:message_id": withoutId })).toThrow(
      "GET /messages/:message_id: :message_id has no decoder",
    );
  });

  it("a path parameter with the decoder of a field", () => {
    const asField = route({ ...right, params: { message_id: text() }, handle });
    expect(() => endpointsOf({ "GET /messages/:message_id": asField })).toThrow(":message_id has no decoder");
  });

  it("a decoder of a path parameter that the path does not have", () => {
    expect(() => endpointsOf({ "GET /messages": withId })).toThrow("GET /messages: message_id is no part of its path");
  });

  it("a path that another route has, whatever its parameters are called", () => {
    const other = route({ ...right, params: { id: pathInt() }, handle });
    const table = { "GET /messages/:message_id": withId, "GET /messages/:id": other };
    expect(() => endpointsOf(table)).toThrow("GET /messages/:id: its path is that of GET /messages/:message_id");
    expect(() => endpointsOf({ "GET /messages": withoutId, "POST /messages": withoutId })).not.toThrow();
  });

  it("no link to its documentation, no sentence about it, nobody who may call it", () => {
    for (const [wrong, problem] of [
      [{ doc: "" }, "doc is no link to its documentation"],
      [{ summary: "messages" }, "summary is no sentence"],
      [{ auth: [] }, "nobody may call it"],
    ] as const)
      expect(() => endpointsOf({ "GET /messages": { ...withoutId, ...wrong } })).toThrow(problem);
  });

  it("names everything that is wrong at once", () => {
    const table = { "GET /a": { ...withoutId, doc: "" }, "GET /b/:id": withoutId };
    expect(() => endpointsOf(table)).toThrow(/GET \/a: .*\n.*GET \/b\/:id: /);
  });
});

describe("the table of routes", () => {
  it("gives each entry its method and path, and one route may have several", () => {
    const page = nodeRoute({ doc: "README.md", summary: "A page for people.", handle });
    const entries = endpointsOf({ "GET ^/page": page, "GET ^/page/": page });
    expect(entries.map(({ method, path }) => [method, path])).toEqual([
      ["GET", "^/page"],
      ["GET", "^/page/"],
    ]);
    expect(routes.length).toBeGreaterThan(150);
  });
});
