import { describe, expect, it } from "vitest";
import { cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner } = server;
const [mia, gwen] = server.people("Mia Member", ["Gwen Guest", 600]);
const channel = server.channel("drafting", [owner, mia]);
const hidden = server.channel("hidden", [owner], { invite_only: true });

describe("a draft", () => {
  it("POST /drafts answers an id for each draft, in order, and GET returns them oldest edit first", async () => {
    const ids = await add(
      mia,
      draft({ content: "older", timestamp: 1000 }),
      draft({ content: "newer", timestamp: 2000 }),
    );
    expect(ids).toHaveLength(2);
    const mine = await list(mia);
    expect(mine.map(({ content }) => content)).toEqual(["older", "newer"]);
    expect(mine.map(({ id }) => id)).toEqual(ids);
  });

  it("a channel draft is kept with its channel and topic", async () => {
    const [id] = await add(mia, draft({ timestamp: 1234 }));
    expect(await find(mia, id!)).toEqual({ id, ...draft(), timestamp: 1234 });
  });

  it("a draft for people keeps their ids and no topic", async () => {
    const [id] = await add(mia, draft({ type: "private", to: [owner.id, mia.id, owner.id], topic: "ignored" }));
    expect(await find(mia, id!)).toMatchObject({ type: "private", to: [owner.id, mia.id], topic: "" });
  });

  it("an unaddressed draft ignores to and topic", async () => {
    const [id] = await add(mia, draft({ type: "", to: [1, -5, 999_999], topic: "ignored" }));
    expect(await find(mia, id!)).toMatchObject({ type: "", to: [], topic: "" });
  });

  it("the server fills in the time of the edit", async () => {
    const before = Math.floor(Date.now() / 1000);
    const [id] = await add(mia, draft());
    expect((await find(mia, id!))!.timestamp).toBeGreaterThanOrEqual(before);
  });

  it("a time that the client gives is kept", async () => {
    const [id] = await add(mia, draft({ timestamp: 1_595_479_019 }));
    expect((await find(mia, id!))!.timestamp).toBe(1_595_479_019);
  });

  it("a channel draft needs exactly one channel", async () => {
    for (const to of [[], [channel.id, hidden.id]]) {
      expectError(await owner.client.post("/drafts", { drafts: [draft({ to })] }), 400, "BAD_REQUEST");
    }
  });

  it("a channel that does not exist and one that may not be seen are refused alike", async () => {
    const absent = expectError(await mia.client.post("/drafts", { drafts: [draft({ to: [999_999] })] }), 400);
    const unseen = expectError(await mia.client.post("/drafts", { drafts: [draft({ to: [hidden.id] })] }), 400);
    expect(unseen).toEqual(absent);
    expectError(await gwen.client.post("/drafts", { drafts: [draft()] }), 400, "BAD_REQUEST");
  });

  it("people who do not exist are refused", async () => {
    const drafts = [draft({ type: "private", to: [owner.id, 999_999] })];
    expectError(await mia.client.post("/drafts", { drafts }), 400, "BAD_REQUEST");
  });

  it("null bytes in topic or content are refused", async () => {
    for (const change of [{ topic: "a\0b" }, { content: "a\0b" }]) {
      expectError(await mia.client.post("/drafts", { drafts: [draft(change)] }), 400, "BAD_REQUEST");
    }
  });

  it("one bad draft among good ones adds none", async () => {
    const before = await list(mia);
    const drafts = [draft(), draft({ to: [] }), draft()];
    expectError(await mia.client.post("/drafts", { drafts }), 400, "BAD_REQUEST");
    expect(await list(mia)).toEqual(before);
  });

  it("what is no draft is refused", async () => {
    const wrong = [
      draft({ type: "channel" }),
      draft({ to: "3" }),
      draft({ to: [1.5] }),
      draft({ to: [-1] }),
      draft({ content: 7 }),
      draft({ timestamp: "soon" }),
      draft({ timestamp: -5 }),
      draft({ timestamp: 1e300 }),
      draft({ color: "red" }),
      { type: "stream" },
      "draft",
      null,
    ];
    for (const one of wrong) {
      expectError(await mia.client.post("/drafts", { drafts: [one] }), 400, "BAD_REQUEST");
    }
    expectError(await mia.client.post("/drafts", { drafts: "{" }), 400, "BAD_REQUEST");
    expectError(await mia.client.post("/drafts", { drafts: draft() }), 400, "BAD_REQUEST");
  });

  it("every field but timestamp is required", async () => {
    const { type, to, topic, content } = draft() as unknown as Record<string, unknown>;
    const whole: Record<string, unknown> = { type, to, topic, content };
    for (const name of Object.keys(whole)) {
      const { [name]: _, ...rest } = whole;
      expectError(await mia.client.post("/drafts", { drafts: [rest] }), 400, "BAD_REQUEST");
    }
    expect(expectSuccess(await mia.client.post("/drafts", { drafts: [whole] }))["ids"]).toHaveLength(1);
  });

  it("no drafts are no error", async () => {
    expect(await add(gwen)).toEqual([]);
  });

  it("PATCH /drafts/{id} replaces a draft, its kind too", async () => {
    const [id] = await add(mia, draft());
    const changed = draft({ type: "private", to: [owner.id], topic: "", content: "moved", timestamp: 4321 });
    expectSuccess(await mia.client.patch(`/drafts/${id}`, { draft: changed }));
    expect(await find(mia, id!)).toEqual({ id, ...changed });
  });

  it("PATCH with a bad draft changes nothing", async () => {
    const [id] = await add(mia, draft());
    expectError(await mia.client.patch(`/drafts/${id}`, { draft: draft({ to: [hidden.id] }) }), 400, "BAD_REQUEST");
    expect(await find(mia, id!)).toMatchObject(draft());
    expectError(await mia.client.patch(`/drafts/${id}`), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("DELETE /drafts/{id} removes it, once", async () => {
    const [id] = await add(mia, draft());
    expectSuccess(await mia.client.delete(`/drafts/${id}`));
    expect(await find(mia, id!)).toBeUndefined();
    expectError(await mia.client.delete(`/drafts/${id}`), 404, "BAD_REQUEST");
  });

  it("another's draft answers like one that does not exist", async () => {
    const [id] = await add(mia, draft());
    const absent = expectError(await owner.client.delete("/drafts/999999999"), 404);
    expect(expectError(await owner.client.delete(`/drafts/${id}`), 404)).toEqual(absent);
    expectError(await owner.client.patch(`/drafts/${id}`, { draft: draft() }), 404, "BAD_REQUEST");
    expect(await find(mia, id!)).toBeDefined();
    expect(await find(owner, id!)).toBeUndefined();
    for (const wild of ["1e9", "-1", "99999999999999999999", "x"])
      expectError(await owner.client.delete(`/drafts/${wild}`), 400, "BAD_REQUEST");
  });

  it("a draft of more than 10000 code points is cut like a message", async () => {
    const [id] = await add(mia, draft({ content: "x".repeat(12_000), topic: "t".repeat(100) }));
    const kept = (await find(mia, id!))!;
    expect([...kept.content]).toHaveLength(10_000);
    expect([...kept.topic]).toHaveLength(60);
  });
});

describe("enable_drafts_synchronization", () => {
  it("turned off, the server forgets the drafts, and clients are not told to", async () => {
    const lena = await server.addUser("Lena Late");
    await add(lena, draft({ type: "", to: [], topic: "" }));
    const queue = await lena.client.register({ event_types: ["drafts"], fetch_event_types: [] });
    expectSuccess(await lena.client.patch("/settings", { enable_drafts_synchronization: false }));
    expect(await list(lena)).toEqual([]);
    expect(await lena.drain(cursorOf(queue))).toEqual([]);
    expect(await list(mia)).not.toEqual([]);
  });

  it("while it is off, the server keeps none", async () => {
    const otto = await server.addUser("Otto Off");
    const one = draft({ type: "", to: [], topic: "" });
    expectSuccess(await otto.client.patch("/settings", { enable_drafts_synchronization: false }));
    expectError(await otto.client.post("/drafts", { drafts: [one] }), 400, "BAD_REQUEST");
    expect((await otto.client.register({ fetch_event_types: ["drafts"] }))["drafts"]).toEqual([]);
    expectSuccess(await otto.client.patch("/settings", { enable_drafts_synchronization: true }));
    expect(await add(otto, one)).toHaveLength(1);
  });
});

describe("drafts", () => {
  it("add, update and remove reach the caller's own queues and no one else's", async () => {
    let id = 0;
    const added = await assertConverges({
      observers: [mia.client, owner.client],
      act: async () => {
        id = (await add(mia, draft({ timestamp: 5000 }), draft({ type: "", to: [], topic: "" })))[0]!;
      },
    });
    expect(added.eventsOf(mia.client)).toMatchObject([
      { type: "drafts", op: "add", drafts: [{ id, timestamp: 5000 }, { type: "" }] },
    ]);
    expect(added.eventsOf(owner.client)).toEqual([]);
    const updated = await assertConverges({
      observers: [mia.client, owner.client],
      act: () => mia.client.patch(`/drafts/${id}`, { draft: draft({ content: "further" }) }),
    });
    expect(updated.eventsOf(mia.client)).toMatchObject([{ type: "drafts", op: "update", draft: { id } }]);
    const removed = await assertConverges({
      observers: [mia.client, owner.client],
      act: () => mia.client.delete(`/drafts/${id}`),
    });
    expect(removed.eventsOf(mia.client)).toMatchObject([{ type: "drafts", op: "remove", draft_id: id }]);
    expect(removed.eventsOf(owner.client)).toEqual([]);
  });

  it("register lists at most 1000, the newest edits", async () => {
    const many = Array.from({ length: 600 }, (_, index) => draft({ content: `n${index}`, timestamp: 10_000 + index }));
    await add(gwen, ...many.map((one) => ({ ...one, type: "", to: [] })));
    await add(gwen, ...many.map((one) => ({ ...one, type: "", to: [], timestamp: 20_000 })));
    const state = await gwen.client.register({ fetch_event_types: ["drafts"], event_types: [] });
    const drafts = state["drafts"] as Draft[];
    expect(drafts).toHaveLength(1000);
    expect(drafts[0]!.timestamp).toBe(20_000);
    expect(drafts.at(-1)!.timestamp).toBe(10_200);
  });
});

interface Draft {
  id: number;
  type: string;
  to: number[];
  topic: string;
  content: string;
  timestamp: number;
}

const draft = (change: Record<string, unknown> = {}) => ({
  type: "stream",
  to: [channel.id],
  topic: "plans",
  content: "so far",
  ...change,
});
const add = async (person: Person, ...drafts: unknown[]) =>
  expectSuccess(await person.client.post("/drafts", { drafts }))["ids"] as number[];
const list = async (person: Person) => expectSuccess(await person.client.get("/drafts"))["drafts"] as Draft[];
const find = async (person: Person, id: number) => (await list(person)).find((one) => one.id === id);
