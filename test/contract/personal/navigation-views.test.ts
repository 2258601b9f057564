import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [gwen] = server.people(["Gwen Guest", 600]);

describe("POST /navigation_views", () => {
  it("keeps a view with its name and answers the envelope only", async () => {
    const answer = expectSuccess(await post({ fragment: "narrow/is/alerted", is_pinned: true, name: '"Watchwords"' }));
    expect(Object.keys(answer).sort()).toEqual(["msg", "result"]);
    expect(await find("narrow/is/alerted")).toEqual({
      fragment: "narrow/is/alerted",
      is_pinned: true,
      name: "Watchwords",
    });
  });

  it("a blank fragment is BAD_REQUEST", async () => {
    for (const fragment of ["", "  "])
      expectError(await post({ fragment, is_pinned: true, name: '"x"' }), 400, "BAD_REQUEST");
  });

  it("fragment and is_pinned are required", async () => {
    expect(expectError(await post({ is_pinned: true }), 400, "REQUEST_VARIABLE_MISSING")["var_name"]).toBe("fragment");
    expect(expectError(await post({ fragment: "a" }), 400, "REQUEST_VARIABLE_MISSING")["var_name"]).toBe("is_pinned");
  });

  it("a built-in view has no name, and its record leaves it out", async () => {
    expectError(await post({ fragment: "inbox", is_pinned: true, name: '"Mine"' }), 400, "BAD_REQUEST");
    expectSuccess(await post({ fragment: "inbox", is_pinned: false }));
    expectSuccess(await post({ fragment: "recent", is_pinned: true, name: null }));
    expect(await find("inbox")).toEqual({ fragment: "inbox", is_pinned: false });
    expect(await find("recent")).toEqual({ fragment: "recent", is_pinned: true });
  });

  it("a custom view needs a name", async () => {
    for (const name of [undefined, null, '""', '" "'])
      expectError(await post({ fragment: "narrow/is/dm", is_pinned: true, name }), 400, "BAD_REQUEST");
  });

  it("the name is JSON, and one that clients send bare is understood", async () => {
    expectSuccess(await post({ fragment: "bare", is_pinned: true, name: "A bare name" }));
    expect(await find("bare")).toMatchObject({ name: "A bare name" });
    for (const name of ["7", "{}", '["x"]', "true"])
      expectError(await post({ fragment: "wrong", is_pinned: true, name }), 400, "BAD_REQUEST");
  });

  it("a fragment or a name that is there, in whatever case for the name, is refused", async () => {
    expectSuccess(await post({ fragment: "one", is_pinned: true, name: '"Only"' }));
    expectError(await post({ fragment: "one", is_pinned: false, name: '"Other"' }), 400, "BAD_REQUEST");
    expectError(await post({ fragment: "two", is_pinned: false, name: '"ONLY"' }), 400, "BAD_REQUEST");
    expectSuccess(await post({ fragment: "one", is_pinned: true, name: '"Only"' }, gwen));
  });

  it("wrong types, null bytes and endless texts are refused", async () => {
    expectError(await post({ fragment: "b", is_pinned: "maybe", name: '"b"' }), 400, "BAD_REQUEST");
    expectError(await post({ fragment: "b\0", is_pinned: true, name: '"b"' }), 400, "BAD_REQUEST");
    expectError(await post({ fragment: "b".repeat(100_000), is_pinned: true, name: '"b"' }), 400, "BAD_REQUEST");
    expectError(await post({ fragment: "b", is_pinned: true, name: JSON.stringify("b".repeat(101)) }), 400);
  });
});

describe("navigation views", () => {
  it("PATCH finds a fragment with slashes and escapes", async () => {
    const fragment = "narrow/channel/5-a b/topic/50% 50";
    expectSuccess(await post({ fragment, is_pinned: true, name: '"Deep"' }));
    expectSuccess(await owner.client.patch(at(fragment), { is_pinned: false, name: '"Deeper"' }));
    expect(await find(fragment)).toEqual({ fragment, is_pinned: false, name: "Deeper" });
    expectSuccess(await owner.client.delete(at(fragment)));
    expect(await find(fragment)).toBeUndefined();
  });

  it("PATCH refuses another's name, a name for a built-in view, and a view that is not there", async () => {
    expectSuccess(await post({ fragment: "x1", is_pinned: true, name: '"X1"' }));
    expectSuccess(await post({ fragment: "x2", is_pinned: true, name: '"X2"' }));
    expectError(await owner.client.patch(at("x2"), { name: '"x1"' }), 400, "BAD_REQUEST");
    expectSuccess(await owner.client.patch(at("x2"), { name: '"x2"' }));
    expectSuccess(await post({ fragment: "feed", is_pinned: true }));
    expectError(await owner.client.patch(at("feed"), { name: '"F"' }), 400, "BAD_REQUEST");
    expectError(await owner.client.patch(at("nowhere"), { is_pinned: true }), 404, "BAD_REQUEST");
    expectError(await owner.client.delete(at("nowhere")), 404, "BAD_REQUEST");
    expectError(await gwen.client.delete(at("x1")), 404, "BAD_REQUEST");
  });
});

describe("navigation_view", () => {
  it("add, update and remove reach the caller's own queues and no one else's", async () => {
    const observers = [gwen.client, owner.client];
    const view = { fragment: "narrow/has/link", is_pinned: true, name: '"Links"' };
    const added = await assertConverges({ observers, act: () => post(view, gwen) });
    expect(added.eventsOf(gwen.client)).toMatchObject([
      { type: "navigation_view", op: "add", navigation_view: { ...view, name: "Links" } },
    ]);
    expect(added.eventsOf(owner.client)).toEqual([]);
    const updated = await assertConverges({
      observers,
      act: () => gwen.client.patch(at(view.fragment), { is_pinned: false }),
    });
    expect(updated.eventsOf(gwen.client)).toMatchObject([
      { op: "update", fragment: view.fragment, data: { is_pinned: false } },
    ]);
    expect(updated.eventsOf(gwen.client)[0]!["data"]).not.toHaveProperty("name");
    const removed = await assertConverges({ observers, act: () => gwen.client.delete(at(view.fragment)) });
    expect(removed.eventsOf(gwen.client)).toMatchObject([{ op: "remove", fragment: view.fragment }]);
    expect(removed.eventsOf(owner.client)).toEqual([]);
  });

  it("a built-in view converges too", async () => {
    const act = () => post({ fragment: "drafts", is_pinned: true }, gwen);
    await assertConverges({ observers: [gwen.client], act });
  });
});

const post = (params: Record<string, unknown>, person = owner) => person.client.post("/navigation_views", params);
const list = async (person: Person) =>
  expectSuccess(await person.client.get("/navigation_views"))["navigation_views"] as { fragment: string }[];
const find = async (fragment: string) => (await list(owner)).find((view) => view.fragment === fragment);
const at = (fragment: string) => `/navigation_views/${fragment.split("/").map(encodeURIComponent).join("/")}`;
