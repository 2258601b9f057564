/** Bodies and paths of directories that mean harm, or know no better: a refusal in SCIM's form, and nothing is done. */

import { beforeAll, describe, expect, it } from "vitest";
import { type Directory, directoryOf, expectRefusal, type ScimResource } from "../../support/client/scim.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
let directory: Directory;
let user: ScimResource;
beforeAll(async () => {
  directory = await directoryOf(server);
  user = await directory.createUser("target@example.com");
});

describe("a body", () => {
  it.each(bodies())("of %s is refused wherever one is taken", async (_what, body, status, scimType) => {
    expectRefusal(await directory.ask("POST", "/Users", body), status, scimType);
    expectRefusal(await directory.ask("PUT", `/Users/${user.id}`, body), status, scimType);
    expectRefusal(await directory.ask("PATCH", `/Users/${user.id}`, body), status, scimType);
    expect(await directory.resource("GET", `/Users/${user.id}`)).toEqual(user);
  });

  it.each(patches())("of a PATCH with %s is refused", async (_what, body, scimType) => {
    expectRefusal(await directory.ask("PATCH", `/Users/${user.id}`, body), 400, scimType);
    expect(await directory.resource("GET", `/Users/${user.id}`)).toEqual(user);
  });

  it("of which one part is wrong does nothing at all", async () => {
    const [good, bad] = [
      { op: "replace", path: "displayName", value: "Half Done" },
      { op: "replace", path: "emails", value: [{ value: "no address" }] },
    ];
    expectRefusal(await directory.patch(`/Users/${user.id}`, good, bad), 400, "invalidValue");
    expect(await directory.resource("GET", `/Users/${user.id}`)).toEqual(user);
  });

  it("with many operations on a list stays within its bounds", async () => {
    const grown = Array.from({ length: 30 }, (_, n) => ({
      op: "add",
      path: "emails",
      value: [{ value: `${n}@example.com` }],
    }));
    expectRefusal(await directory.patch(`/Users/${user.id}`, ...grown), 400, "invalidValue");
  });
});

describe("a path or a method", () => {
  it("that there is not is refused", async () => {
    for (const path of ["", "/", "/Nothing", "/Users/1/2", "/users", "/ServiceProviderConfigs", "/%00", "/Users/%zz"])
      expectRefusal(await directory.ask("GET", path), 404);
    for (const [method, path] of [
      ["DELETE", "/Users"],
      ["POST", `/Users/${user.id}`],
      ["PUT", "/Schemas"],
      ["POST", "/ServiceProviderConfig"],
    ] as const) {
      const answer = await directory.ask(method, path);
      expectRefusal(answer, 405);
      expect(answer.headers.get("allow")).toMatch(/GET|POST/);
    }
  });

  it("that SCIM has and this server has not is refused as such", async () => {
    const bulk = { Operations: [{ method: "POST", path: "/Users", data: { userName: "bulk@example.com" } }] };
    expect(expectRefusal(await directory.ask("POST", "/Bulk", bulk), 501)).toContain("Bulk");
    expectRefusal(await directory.ask("POST", "/.search", {}), 501);
    expectRefusal(await directory.ask("GET", "/Me"), 501);
    expect((await directory.ask("GET", "/ServiceProviderConfig")).body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      etag: { supported: true },
      filter: { supported: true, maxResults: 200 },
    });
  });
});

function bodies(): [what: string, body: unknown, status: number, scimType?: string][] {
  const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
  return [
    ["nothing", undefined, 400, "invalidSyntax"],
    ["an empty text", "", 400, "invalidSyntax"],
    ["half of JSON", '{"Operations": [', 400, "invalidSyntax"],
    ["a list", [], 400, "invalidSyntax"],
    ["null", null, 400, "invalidSyntax"],
    ["a number", 1e308, 400, "invalidSyntax"],
    ["60 levels", `{"userName":${deep(60)}}`, 400, "invalidSyntax"],
    ["a hundred thousand levels", deep(100_000), 400, "invalidSyntax"],
    ["a hundred thousand values", { Operations: Array(100_000).fill(1) }, 400, "invalidSyntax"],
    ["a null character", '{"userName":"a\\u0000@example.com"}', 400, "invalidSyntax"],
    ["half of a character", '{"userName":"\\ud800@example.com"}', 400, "invalidSyntax"],
    ["five megabytes", `{"userName":"${"x".repeat(5e6)}"}`, 413],
  ];
}

function patches(): [what: string, body: unknown, scimType: string][] {
  const operation = (more: object) => ({ Operations: [{ op: "replace", ...more }] });
  return [
    ["no operations", {}, "invalidSyntax"],
    ["an empty list", { Operations: [] }, "invalidSyntax"],
    ["operations that are an object", { Operations: { op: "add" } }, "invalidSyntax"],
    ["an operation that is a text", { Operations: ["add"] }, "invalidSyntax"],
    ["an operation without an op", { Operations: [{ path: "active", value: true }] }, "invalidSyntax"],
    ["an op that there is not", { Operations: [{ op: "move", path: "active" }] }, "invalidSyntax"],
    ["a path that is a number", operation({ path: 5, value: 1 }), "invalidPath"],
    ["a path that is no path", operation({ path: "a b", value: 1 }), "invalidFilter"],
    ["a path of inherited things", operation({ path: "__proto__.polluted", value: 1 }), "invalidFilter"],
    ["an attribute that is inherited", operation({ path: "constructor", value: 1 }), "invalidPath"],
    ["an attribute that there is not", operation({ path: "nothing", value: 1 }), "invalidPath"],
    ["a part that there is not", operation({ path: "name.nothing", value: "x" }), "invalidPath"],
    ["a part of a text", operation({ path: "userName.first", value: "x" }), "invalidPath"],
    ["a filter of what is no list", operation({ path: 'name[formatted eq "x"]', value: {} }), "invalidPath"],
    [
      "a filter that names nothing to make",
      operation({ path: 'emails[value co "zz"].type', value: "work" }),
      "noTarget",
    ],
    ["a name that is a text", operation({ path: "name", value: "x" }), "invalidValue"],
    ["an active that is a list", operation({ path: "active", value: [] }), "invalidValue"],
    ["a userName that is an object", operation({ path: "userName", value: {} }), "invalidValue"],
    ["a long text", operation({ path: "displayName", value: "x".repeat(1001) }), "invalidValue"],
    ["a wrong address", operation({ path: "emails", value: [{ value: "a b@c" }] }), "invalidValue"],
    ["a value without a path that is a text", operation({ value: "x" }), "invalidValue"],
    ["a remove without a path", { Operations: [{ op: "remove" }] }, "noTarget"],
    ["a remove of what has to be", { Operations: [{ op: "remove", path: "userName" }] }, "mutability"],
    ["1,001 operations", { Operations: Array(1001).fill({ op: "add", path: "active", value: true }) }, "invalidValue"],
  ];
}
