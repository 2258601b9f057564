/** A message's edit history and who has read it. https://zulip.com/api/get-message-history */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["native build"] });
const { owner } = server;
const [ann, bob] = server.people("Ann", "Bob");
const team = server.channel("team", [owner, ann, bob]);
const other = server.channel("other", [owner, ann, bob]);
const closed = server.channel("closed", [owner, ann], { invite_only: true });

describe("a snapshot of an edit", () => {
  it("a message that was never edited has one snapshot with five fields", async () => {
    const id = await send(ann, {});
    expect(await history(bob, id)).toEqual([
      {
        topic: "t",
        content: "first",
        rendered_content: "<p>first</p>",
        timestamp: expect.any(Number),
        user_id: ann.id,
      },
    ]);
  });

  it("content edits: prev_content, prev_rendered_content and the diff; oldest first", async () => {
    const id = await send(ann, {});
    await edit(ann, id, { content: "second" });
    await edit(ann, id, { content: "second **third**" });
    const snapshots = await history(bob, id);
    expect(snapshots.map(({ content }) => content)).toEqual(["first", "second", "second **third**"]);
    expect(snapshots[0]).not.toHaveProperty("prev_content");
    expect(snapshots[1]).toEqual({
      topic: "t",
      content: "second",
      rendered_content: "<p>second</p>",
      timestamp: expect.any(Number),
      user_id: ann.id,
      prev_content: "first",
      prev_rendered_content: "<p>first</p>",
      content_html_diff:
        '<p><span class="highlight_text_deleted">first</span><span class="highlight_text_inserted">second</span></p>',
    });
    expect(snapshots[2]).toMatchObject({
      prev_content: "second",
      rendered_content: "<p>second <strong>third</strong></p>",
    });
  });

  it("topic edits: prev_topic, and nothing about content or channel", async () => {
    const id = await send(ann, {});
    await edit(ann, id, { topic: "renamed" });
    const snapshots = await history(bob, id);
    expect(snapshots.map(({ topic }) => topic)).toEqual(["t", "renamed"]);
    expect(snapshots[1]).toMatchObject({ prev_topic: "t", content: "first", user_id: ann.id });
    for (const field of ["prev_content", "prev_rendered_content", "content_html_diff", "stream", "prev_stream"])
      expect(snapshots[1]).not.toHaveProperty(field);
  });

  it("channel edits: stream and prev_stream", async () => {
    const id = await send(ann, {});
    await edit(owner, id, { stream_id: other.id });
    const snapshots = await history(bob, id);
    expect(snapshots[1]).toMatchObject({ stream: other.id, prev_stream: team.id, topic: "t", user_id: owner.id });
    expect(snapshots[1]).not.toHaveProperty("prev_topic");
    await edit(owner, id, { stream_id: team.id, topic: "back" });
    expect((await history(bob, id))[2]).toMatchObject({
      stream: team.id,
      prev_stream: other.id,
      topic: "back",
      prev_topic: "t",
    });
  });

  it("content and topic in one edit are one snapshot", async () => {
    const id = await send(ann, {});
    await edit(ann, id, { content: "both", topic: "u" });
    const snapshots = await history(bob, id);
    expect(snapshots).toHaveLength(2);
    expect(snapshots[1]).toMatchObject({ content: "both", prev_content: "first", topic: "u", prev_topic: "t" });
    expect(snapshots[0]).toMatchObject({ content: "first", topic: "t" });
  });

  it("allow_empty_topic_name=false shows empty topics under their display name", async () => {
    const id = await send(ann, { topic: "" });
    await edit(ann, id, { topic: "named" });
    await edit(ann, id, { topic: "" });
    const topics = (snapshots: Snapshot[]) => snapshots.map(({ topic, prev_topic }) => [topic, prev_topic]);
    expect(topics(await history(ann, id))).toEqual([
      ["general chat", undefined],
      ["named", "general chat"],
      ["general chat", "named"],
    ]);
    expect(topics(await history(ann, id, { allow_empty_topic_name: true }))).toEqual([
      ["", undefined],
      ["named", ""],
      ["", "named"],
    ]);
  });

  it("a direct message has its edits too, under the empty topic", async () => {
    const id = await send(ann, { type: "direct", to: [bob.id] });
    await edit(ann, id, { content: "changed" });
    expect(await history(bob, id)).toMatchObject([
      { topic: "", content: "first" },
      { topic: "", content: "changed", prev_content: "first" },
    ]);
  });

  it("a message that does not exist or cannot be read is BAD_REQUEST", async () => {
    const hidden = await send(ann, { to: closed.id });
    const direct = await send(ann, { type: "direct", to: [owner.id] });
    for (const id of [999_999_999, hidden, direct]) {
      const error = expectError(await bob.client.get(`/messages/${id}/history`), 400, "BAD_REQUEST");
      expect(error["msg"]).toBe("Invalid message(s)");
    }
    expectError(await bob.client.get("/messages/abc/history"), 400, "BAD_REQUEST");
  });

  it("the organization decides whether all, only moves or nothing is shown", async () => {
    const id = await send(ann, {});
    await edit(ann, id, { content: "second" });
    await edit(ann, id, { content: "third", topic: "moved" });
    const shown = async () =>
      expectSuccess(await bob.client.get(`/messages/${id}`))["message"] as Record<string, unknown>;
    expect((await shown())["edit_history"]).toHaveLength(2);

    await owner.setRealm({ message_edit_history_visibility_policy: "moves" });
    expect((await shown())["edit_history"]).toEqual([
      { user_id: ann.id, timestamp: expect.any(Number), topic: "moved", prev_topic: "t" },
    ]);
    const snapshots = await history(bob, id);
    expect(snapshots).toHaveLength(2);
    expect(snapshots[1]).not.toHaveProperty("prev_content");

    await owner.setRealm({ message_edit_history_visibility_policy: "none" });
    expect(await shown()).not.toHaveProperty("edit_history");
    expectError(await bob.client.get(`/messages/${id}/history`), 400, "BAD_REQUEST");
    await owner.setRealm({ message_edit_history_visibility_policy: "all" });
  });

  it("edit_history of a message is newest first, and last_edit_timestamp is of content alone", async () => {
    const id = await send(ann, {});
    await edit(ann, id, { topic: "moved" });
    let message = expectSuccess(await bob.client.get(`/messages/${id}`))["message"] as Record<string, unknown>;
    expect(message).toMatchObject({ last_moved_timestamp: expect.any(Number) });
    expect(message).not.toHaveProperty("last_edit_timestamp");
    await edit(ann, id, { content: "edited" });
    message = expectSuccess(await bob.client.get(`/messages/${id}`))["message"] as Record<string, unknown>;
    expect(message).toMatchObject({
      last_edit_timestamp: expect.any(Number),
      edit_history: [{ prev_content: "first" }, { prev_topic: "t", topic: "moved" }],
    });
  });
});

describe("GET /messages/{id}/read_receipts", () => {
  const receipts = async (who: Person, id: number) =>
    expectSuccess(await who.client.get(`/messages/${id}/read_receipts`))["user_ids"];

  it("is refused where the organization does not show them", async () => {
    await owner.setRealm({ enable_read_receipts: false });
    expectError(await ann.client.get(`/messages/${await send(ann, {})}/read_receipts`), 400, "BAD_REQUEST");
    await owner.setRealm({ enable_read_receipts: true });
  });

  it("names those who read it, without the sender", async () => {
    const id = await send(ann, {});
    expect(await receipts(ann, id)).toEqual([]);
    expectSuccess(await ann.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    expect(await receipts(ann, id)).toEqual([bob.id]);
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "remove", flag: "read" }));
    expect(await receipts(ann, id)).toEqual([]);
  });

  it("of a direct message too; and everything marked read counts", async () => {
    const id = await send(ann, { type: "direct", to: [bob.id, owner.id] });
    expectSuccess(await bob.client.post("/mark_all_as_read"));
    expect(await receipts(ann, id)).toEqual([bob.id]);
  });

  it("leaves out who keeps it to themselves, and who muted or is muted", async () => {
    const id = await send(ann, {});
    expectSuccess(await bob.client.post("/messages/flags", { messages: [id], op: "add", flag: "read" }));
    expect(await receipts(ann, id)).toEqual([bob.id]);
    expectSuccess(await ann.client.post(`/users/me/muted_users/${bob.id}`));
    expect(await receipts(ann, id)).toEqual([]);
    expect(await receipts(owner, id)).toEqual([bob.id]);
    expectSuccess(await ann.client.delete(`/users/me/muted_users/${bob.id}`));
    expectSuccess(await bob.client.patch("/settings", { send_read_receipts: false }));
    expect(await receipts(ann, id)).toEqual([]);
  });

  it("a message that cannot be read is BAD_REQUEST", async () => {
    expectError(
      await bob.client.get(`/messages/${await send(ann, { to: closed.id })}/read_receipts`),
      400,
      "BAD_REQUEST",
    );
  });
});

type Snapshot = Record<string, unknown>;

const send = async (from: Person, params: Record<string, unknown>): Promise<number> =>
  expectSuccess(
    await from.client.post("/messages", { content: "first", type: "channel", to: team.id, topic: "t", ...params }),
  )["id"] as number;
const edit = async (who: Person, id: number, params: Record<string, unknown>) =>
  expectSuccess(await who.client.patch(`/messages/${id}`, params));
const history = async (who: Person, id: number, params: Record<string, unknown> = {}): Promise<Snapshot[]> =>
  expectSuccess(await who.client.get(`/messages/${id}/history`, params))["message_history"] as Snapshot[];
