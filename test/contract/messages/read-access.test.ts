/** Which messages somebody may read. https://zulip.com/api/get-message */
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { type ReadMessages, readingRoom } from "../../support/rooms/reading.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { owner, ann, bob, team, ten, ask, get, post, idsOf } = readingRoom(server);

describe("GET /messages/{id}", () => {
  it("gives the message with flags, and its source", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "", content: "*x*" });
    const reply = expectSuccess(await bob.client.get(`/messages/${id}`));
    expect(reply).toMatchObject({
      raw_content: "*x*",
      message: { id, content: "<p><em>x</em></p>", flags: [], subject: "general chat" },
    });
    const raw = expectSuccess(
      await bob.client.get(`/messages/${id}`, { apply_markdown: false, allow_empty_topic_name: true }),
    );
    expect(raw).toMatchObject({ message: { content: "*x*", content_type: "text/x-markdown", subject: "" } });
  });

  it("one that does not exist answers like one that may not be read", async () => {
    const direct = await post(ann, { type: "direct", to: [ann.id] });
    const errors = [];
    for (const id of [direct, 999_999_999])
      errors.push(expectError(await bob.client.get(`/messages/${id}`), 400, "BAD_REQUEST"));
    expect(errors[0]).toEqual(errors[1]);
  });
});

describe("protected history", () => {
  it("only what was received is there, and by any way of asking", async () => {
    const vault = await server.addChannel("vault", [ann], { invite_only: true, history_public_to_subscribers: false });
    const before = await post(ann, { type: "channel", to: vault, topic: "v", content: "early words" });
    expectSuccess(
      await ann.client.post("/users/me/subscriptions", { subscriptions: [{ name: "vault" }], principals: [bob.id] }),
    );
    const after = await post(ann, { type: "channel", to: vault, topic: "v", content: "late words" });
    const narrows = [
      [["channel", "vault"]],
      [
        ["channel", "vault"],
        ["topic", "v"],
      ],
      [["search", "words"]],
      [
        ["channel", vault],
        ["search", "words"],
      ],
      [["topic", "v"]],
    ];
    for (const narrow of narrows)
      expect(idsOf(await get(bob, { anchor: "newest", num_before: 10, narrow }))).toEqual([after]);
    for (const narrow of narrows)
      expect(idsOf(await get(ann, { anchor: "newest", num_before: 10, narrow }))).toEqual([before, after]);
    expectError(await bob.client.get(`/messages/${before}`), 400, "BAD_REQUEST");
    expect(
      idsOf(
        expectSuccess(await bob.client.get("/messages", { message_ids: [before, after] })) as unknown as ReadMessages,
      ),
    ).toEqual([after]);
    expect(idsOf(await get(bob, { anchor: before, narrow: [["with", before]], num_before: 5, num_after: 5 }))).toEqual(
      [],
    );
    expectSuccess(await bob.client.delete("/users/me/subscriptions", { subscriptions: ["vault"] }));
    expectError(await bob.client.get(`/messages/${after}`), 400, "BAD_REQUEST");
    for (const narrow of narrows.slice(2, 3))
      expect(idsOf(await get(bob, { anchor: "newest", num_before: 10, narrow }))).toEqual([]);
    expectError(
      await ask(bob, { anchor: "newest", num_before: 10, narrow: [["channel", "vault"]] }),
      400,
      "BAD_NARROW",
    );
  });
});

describe("spectators", () => {
  it("read web-public channels, when the organization lets them, and nothing else", async () => {
    const open = await server.addChannel("window", [owner]);
    await owner.setRealm({ enable_spectator_access: true });
    expectSuccess(await owner.client.patch(`/streams/${open}`, { is_web_public: true }));
    const id = await post(owner, { type: "channel", to: open, topic: "p", content: "for everyone" });
    const nobody = new ApiClient({ url: server.url });
    const look = (narrow: unknown[]) =>
      nobody.get("/messages", { anchor: "newest", num_before: 9, num_after: 0, narrow });
    for (const narrow of [
      [["channels", "web-public"]],
      [["channel", open]],
      [
        ["channel", open],
        ["search", "everyone"],
      ],
    ]) {
      const found = idsOf(expectSuccess(await look(narrow)) as unknown as ReadMessages);
      expect(found).toContain(id);
      for (const hidden of ten) expect(found).not.toContain(hidden);
    }
    for (const narrow of [
      [],
      [["is", "dm"]],
      [
        ["channel", open],
        ["is", "starred"],
      ],
      [["sender", ann.id]],
    ])
      expectError(await look(narrow), 401, "UNAUTHENTICATED_USER");
    expectError(await look([["channel", team.id]]), 400, "BAD_NARROW");
    expectSuccess(await nobody.get(`/messages/${id}`));
    expectError(await nobody.get(`/messages/${ten[0]}`), 400, "BAD_REQUEST");
    await owner.setRealm({ enable_spectator_access: false });
    expectError(await look([["channels", "web-public"]]), 401, "UNAUTHENTICATED_USER");
    expectError(await nobody.get(`/messages/${id}`), 400, "BAD_REQUEST");
  });
});

describe("matches_narrow and render", () => {
  it("matches_narrow: the ids that fit, with highlights", async () => {
    const id = await post(ann, { type: "channel", to: team.id, topic: "match me", content: "some **needle** here" });
    const reply = expectSuccess(
      await bob.client.get("/messages/matches_narrow", {
        msg_ids: [id, ten[0], 999_999_999],
        narrow: [["search", "needles"]],
      }),
    );
    expect(reply["messages"]).toEqual({
      [id]: {
        match_content: '<p>some <strong><span class="highlight">needle</span></strong> here</p>',
        match_subject: "match me",
      },
    });
    expectError(
      await bob.client.get("/messages/matches_narrow", { msg_ids: [id], narrow: [["x", "y"]] }),
      400,
      "BAD_NARROW",
    );
  });

  it("render: the HTML that a message would have", async () => {
    expect(expectSuccess(await bob.client.post("/messages/render", { content: "**x** <b>" }))["rendered"]).toBe(
      "<p><strong>x</strong> &lt;b&gt;</p>",
    );
    expectError(await bob.client.post("/messages/render"), 400, "REQUEST_VARIABLE_MISSING");
  });
});
