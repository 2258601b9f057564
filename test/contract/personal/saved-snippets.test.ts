import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [gwen] = server.people(["Gwen Guest", 600]);

describe("saved snippets", () => {
  it("POST answers saved_snippet_id, and GET returns {id, title, content, date_created}", async () => {
    const before = Math.floor(Date.now() / 1000);
    const id = await add(gwen, "Welcome", "**Welcome** to us");
    const [snippet] = await list(gwen);
    expect(snippet).toEqual({ id, title: "Welcome", content: "**Welcome** to us", date_created: expect.any(Number) });
    expect((snippet as unknown as { date_created: number }).date_created).toBeGreaterThanOrEqual(before);
  });

  it("a title has at most 60 code points, a content at most 10000", async () => {
    await add(owner, "🙂".repeat(60), "🙂".repeat(10_000));
    const post = (title: string, content: string) => owner.client.post("/saved_snippets", { title, content });
    expectError(await post("x".repeat(61), "y"), 400, "BAD_REQUEST");
    expectError(await post("x", "y".repeat(10_001)), 400, "BAD_REQUEST");
  });

  it("a blank title or content is refused, and so is one that is missing or has null bytes", async () => {
    const post = (params: Record<string, unknown>) => owner.client.post("/saved_snippets", params);
    for (const params of [
      { title: " ", content: "x" },
      { title: "x", content: "\n" },
      { title: "a\0", content: "x" },
      { title: "a", content: "x\0" },
    ])
      expectError(await post(params), 400, "BAD_REQUEST");
    expectError(await post({ title: "x" }), 400, "REQUEST_VARIABLE_MISSING");
    expectError(await post({ content: "x" }), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("PATCH changes what is given and leaves the rest", async () => {
    const id = await add(owner, "Before", "text");
    expectSuccess(await owner.client.patch(`/saved_snippets/${id}`, { title: "After" }));
    expect((await list(owner)).find((one) => one.id === id)).toMatchObject({ title: "After", content: "text" });
    expectError(await owner.client.patch(`/saved_snippets/${id}`, { title: "x".repeat(61), content: "n" }), 400);
    expect((await list(owner)).find((one) => one.id === id)).toMatchObject({ title: "After", content: "text" });
    expectError(await owner.client.patch(`/saved_snippets/${id}`), 400, "BAD_REQUEST");
  });

  it("another's snippet answers like one that does not exist", async () => {
    const id = await add(gwen, "Mine", "mine");
    const absent = expectError(await owner.client.patch("/saved_snippets/999999", { title: "x" }), 404);
    expect(expectError(await owner.client.patch(`/saved_snippets/${id}`, { title: "x" }), 404)).toEqual(absent);
    expectError(await owner.client.delete(`/saved_snippets/${id}`), 404, "BAD_REQUEST");
    expect((await list(gwen)).map((one) => one.id)).toContain(id);
  });

  it("needs an account", async () => {
    expectError(await new ApiClient({ url: server.url }).get("/saved_snippets"), 401);
  });
});

describe("saved_snippets", () => {
  it("add, update and remove reach the caller's own queues and no one else's", async () => {
    let id = 0;
    const observers = [gwen.client, owner.client];
    const added = await assertConverges({ observers, act: async () => (id = await add(gwen, "T", "C")) });
    expect(added.eventsOf(gwen.client)).toMatchObject([{ type: "saved_snippets", op: "add", saved_snippet: { id } }]);
    expect(added.eventsOf(owner.client)).toEqual([]);
    const updated = await assertConverges({
      observers,
      act: () => gwen.client.patch(`/saved_snippets/${id}`, { content: "D" }),
    });
    expect(updated.eventsOf(gwen.client)).toMatchObject([
      { type: "saved_snippets", op: "update", saved_snippet: { id, title: "T", content: "D" } },
    ]);
    const removed = await assertConverges({ observers, act: () => gwen.client.delete(`/saved_snippets/${id}`) });
    expect(removed.eventsOf(gwen.client)).toMatchObject([{ op: "remove", saved_snippet_id: id }]);
    expect(removed.eventsOf(owner.client)).toEqual([]);
  });
});

const add = async (person: Person, title: string, content: string) =>
  expectSuccess(await person.client.post("/saved_snippets", { title, content }))["saved_snippet_id"] as number;
const list = async (person: Person) =>
  expectSuccess(await person.client.get("/saved_snippets"))["saved_snippets"] as { id: number }[];
