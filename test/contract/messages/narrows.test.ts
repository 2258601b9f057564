/** Narrows: which messages each operator finds, and what is refused. https://zulip.com/api/construct-narrow */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { narrowRoom } from "../../support/rooms/narrows.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { ann, bob, cid, open, closed, ids } = narrowRoom(server);

describe("Which messages", () => {
  it("without a narrow: what the user received, in channels and directly", async () => {
    expect(await found(ann)).toEqual(Object.keys(ids));
    expect(await found(bob)).toEqual(["dm", "group"]);
    expect(await found(cid)).toEqual(Object.keys(ids).filter((name) => !["dm", "self"].includes(name)));
  });

  it("with a channel whose history may be read: all of it, flagged read and historical", async () => {
    const { messages } = expectSuccess(await fetch(bob, [["channel", "open"]])) as {
      messages: { id: number; flags: string[]; type: string }[];
    };
    const channelMessages = messages.filter(({ id }) => Object.values(ids).includes(id));
    expect(channelMessages).toHaveLength(7);
    for (const message of channelMessages) expect(message.flags).toEqual(["read", "historical"]);
  });

  it("a private channel that the user cannot see is an unknown one", async () => {
    for (const operand of ["closed", closed.id, "there is none", 999_999]) {
      const error = expectError(await fetch(bob, [["channel", operand]]), 400, "BAD_NARROW");
      expect(error["desc"]).toBe(`unknown channel: ${operand}`);
    }
    expect(await found(cid, ["channel", closed.id])).toEqual(["secret"]);
  });
});

describe("Narrow elements", () => {
  it("channel and stream: by name without regard to case, or by id; as pairs and as objects", async () => {
    const expected = ["plain", "linked", "mention", "everyone", "done", "empty", "words"];
    for (const term of [
      ["channel", "open"],
      ["stream", "OPEN"],
      ["channel", open.id],
      { operator: "stream", operand: open.id },
      { operator: "channel", operand: "open", negated: false },
      { operator: "channel", operand: "open", negated: null },
    ])
      expect(await found(ann, term)).toEqual(expected);
  });

  it("topic: without regard to case, in a channel or in all", async () => {
    expect(await found(ann, ["channel", "open"], ["topic", "GREETINGS"])).toEqual(["plain", "mention", "everyone"]);
    expect(await found(ann, ["topic", "plans"])).toEqual(["secret"]);
    expect(await found(bob, ["topic", "plans"])).toEqual([]);
  });

  it("topic: the empty topic is found by both its names", async () => {
    expect(await found(ann, ["channel", open.id], ["topic", ""])).toEqual(["empty"]);
    expect(await found(ann, ["channel", open.id], ["topic", "general chat"])).toEqual(["empty"]);
  });

  it("channels and streams: public ones are read whole, also by people who are not in them", async () => {
    const expected = ["plain", "linked", "mention", "everyone", "done", "empty", "words"];
    expect(await found(bob, ["channels", "public"])).toEqual(expected);
    expect(await found(bob, ["streams", "public"])).toEqual(expected);
    expect(await found(bob, ["channels", "web-public"])).toEqual([]);
    expect(await found(bob, { operator: "channels", operand: "public", negated: true })).toEqual(["dm", "group"]);
    expect(await found(bob, ["channels", "public"], ["channel", "open"])).toEqual(expected);
  });

  it("dm and pm-with: id, ids, address, addresses; exactly those people", async () => {
    for (const operand of [bob.id, [bob.id], [bob.id, ann.id], bob.email, `${bob.email}, ${ann.email}`])
      for (const operator of ["dm", "pm-with", "pm_with"])
        expect(await found(ann, [operator, operand])).toEqual(["dm"]);
    expect(await found(ann, ["dm", [bob.id, cid.id]])).toEqual(["group"]);
    expect(await found(ann, ["dm", `${cid.email}, ${bob.email}`])).toEqual(["group"]);
    expect(await found(ann, ["dm", [ann.id]])).toEqual(["self"]);
    expect(await found(bob, ["dm", cid.id])).toEqual([]);
  });

  it("dm-with and dm-including: every conversation with that person; group-pm-with: only groups", async () => {
    for (const operator of ["dm-with", "dm-including"]) {
      expect(await found(ann, [operator, bob.id])).toEqual(["dm", "group"]);
      expect(await found(ann, [operator, [bob.id, cid.id]])).toEqual(["group"]);
    }
    expect(await found(ann, ["group-pm-with", bob.email])).toEqual(["group"]);
    expect(await found(ann, ["group_pm_with", bob.id])).toEqual(["group"]);
  });

  it("sender: by id or address", async () => {
    expect(await found(ann, ["sender", bob.id])).toEqual(["dm"]);
    expect(await found(ann, ["sender", cid.email], ["channel", "open"])).toEqual(["mention", "everyone", "done"]);
    expect(await found(bob, ["sender", cid.id])).toEqual(["group"]);
  });

  it("is:dm and is:private", async () => {
    for (const operand of ["dm", "private"]) {
      expect(await found(ann, ["is", operand])).toEqual(["dm", "group", "self"]);
      expect(await found(bob, { operator: "is", operand, negated: true })).toEqual([]);
    }
  });

  it("is:mentioned: by name and by wildcard", async () => {
    expect(await found(ann, ["is", "mentioned"])).toEqual(["mention", "everyone"]);
    expect(await found(cid, ["is", "mentioned"])).toEqual(["everyone"]);
    expect(await found(bob, ["is", "mentioned"], ["channel", "open"])).toEqual([]);
  });

  it("is:mentioned: by topic, also when the message was lost and came back", async () => {
    const move = async (id: number, stream_id: number) =>
      expectSuccess(await server.owner.client.patch(`/messages/${id}`, { stream_id, propagate_mode: "change_one" }));
    const cellar = await server.addChannel("cellar", [server.owner], { invite_only: true });
    const park = await server.addChannel("park", [server.owner, ann, cid]);
    await ann.say(park, "I am in it", "walks");
    const id = await cid.say(park, "@**topic** come", "walks");
    const inPark = async (...terms: unknown[]) =>
      (expectSuccess(await fetch(ann, [["channel", park], ...terms]))["messages"] as { id: number }[]).map((m) => m.id);
    expect(await inPark(["is", "mentioned"])).toEqual([id]);
    await move(id, cellar);
    expect(await inPark(["is", "mentioned"])).toEqual([]);
    await move(id, park);
    expect(await inPark(["is", "mentioned"])).toEqual([id]);
    expect(await inPark(["is", "mentioned"], ["topic", "walks"])).toEqual([id]);
  });

  it("mentions: messages that name somebody, and not their group, nor silently", async () => {
    const { client } = server.owner;
    const group = { name: "readers", description: "", members: `[${ann.id}]` };
    expectSuccess(await client.post("/user_groups/create", group));
    const terms = [
      ["mentions", ann.id],
      ["near", 1],
    ];
    const before = await found(cid, ...terms);
    expect(before).toEqual(["mention"]);
    expect(await found(ann, ["mentions", ann.email], ["sender", cid.id])).toEqual(["mention"]);
    expect(await found(bob, ["mentions", ann.id])).toEqual([]);
    expect(await found(bob, ["mentions", ann.id], ["channel", "open"])).toEqual(["mention"]);
    expect(await found(ann, ["mentions", cid.id])).toEqual([]);
    const others = Object.keys(ids).filter((name) => name !== "mention");
    expect(await found(ann, { operator: "mentions", operand: ann.id, negated: true })).toEqual(others);
    const [named, grouped, silent] = await Promise.all(
      [`@**Ann|${ann.id}**`, "@*readers*", `@_**Ann|${ann.id}**`].map((content) => cid.say(open, content, "names")),
    );
    const { messages } = expectSuccess(
      await fetch(cid, [
        ["mentions", ann.id],
        ["topic", "names"],
      ]),
    ) as {
      messages: { id: number }[];
    };
    expect([messages.map(({ id }) => id), grouped, silent]).toEqual([[named], expect.any(Number), expect.any(Number)]);
  });

  it("channels:archived: what was received in archived channels", async () => {
    const attic = await server.addChannel("attic", [server.owner, ann]);
    const id = await ann.say(attic, "an old chair", "things");
    const inArchived = async (reader: Person, ...terms: unknown[]) =>
      (expectSuccess(await fetch(reader, [["channels", "archived"], ...terms]))["messages"] as { id: number }[]).map(
        (message) => message.id,
      );
    expect(await inArchived(ann)).toEqual([]);
    expectSuccess(await server.owner.client.delete(`/streams/${attic}`));
    expect((await inArchived(ann, ["sender", ann.id])).at(0)).toBe(id);
    expect(await inArchived(cid)).toEqual([]);
    const left = { operator: "channels", operand: "archived", negated: true };
    expect(await found(ann, left)).toEqual(Object.keys(ids));
  });

  it("with a direct message in a narrow to public channels finds nothing", async () => {
    for (const which of ["public", "web-public"])
      expect(await found(ann, ["with", ids["dm"]], ["channels", which])).toEqual([]);
    expect(await found(ann, ["with", ids["dm"]])).toEqual(["dm"]);
  });

  it("is:unread and its reverse", async () => {
    const unread = ["mention", "everyone", "done", "dm", "group"];
    expect(await found(ann, ["is", "unread"])).toEqual(unread);
    expect(await found(ann, { operator: "is", operand: "unread", negated: true })).toEqual(
      Object.keys(ids).filter((name) => !unread.includes(name)),
    );
    expect(await found(bob, ["is", "unread"], ["channel", "open"])).toEqual([]);
    expect(await found(ann, ["is", "unread"], ["channel", "open"], ["topic", "greetings"])).toEqual([
      "mention",
      "everyone",
    ]);
  });

  it("is:resolved", async () => {
    expect(await found(ann, ["is", "resolved"])).toEqual(["done"]);
  });

  it("has: link, image, attachment, reaction", async () => {
    expect(await found(ann, ["has", "link"])).toEqual(["linked"]);
    expect(await found(ann, ["has", "image"])).toEqual([]);
    expect(await found(ann, ["has", "attachment"])).toEqual([]);
    expect(await found(ann, ["has", "reaction"])).toEqual([]);
  });

  it("in:all finds everything, in:home what is not muted", async () => {
    expect(await found(ann, ["in", "all"])).toEqual(Object.keys(ids));
    expect(await found(ann, ["in", "home"])).toEqual(Object.keys(ids));
    expect(await found(ann, ["is", "muted"])).toEqual([]);
    expect(await found(ann, ["is", "followed"], ["channel", "closed"])).toEqual(["secret"]);
  });

  it("is:muted, in:home and is:followed follow the reader's own policies", async () => {
    const policy = async (stream_id: number, topic: string, visibility_policy: number) =>
      expectSuccess(await cid.client.post("/user_topics", { stream_id, topic, visibility_policy }));
    const muteOpen = async (value: boolean) =>
      expectSuccess(
        await cid.client.post("/users/me/subscriptions/properties", {
          subscription_data: [{ stream_id: open.id, property: "is_muted", value }],
        }),
      );
    const all = await found(cid);
    await policy(open.id, "Links", 1);
    expect(await found(cid, ["is", "muted"])).toEqual(["linked"]);
    expect(await found(cid, ["in", "home"])).toEqual(all.filter((name) => name !== "linked"));
    await muteOpen(true);
    await policy(open.id, "searching", 3);
    // Cid began the topic of "done", and so follows it.
    const unmuted = ["done", "secret", "group", "words"];
    expect(await found(cid, ["in", "home"])).toEqual(unmuted);
    expect(await found(cid, { operator: "is", operand: "muted", negated: true })).toEqual(unmuted);
    expect(await found(cid, ["is", "muted"])).toEqual(all.filter((name) => !unmuted.includes(name)));
    expect(await found(cid, ["is", "followed"])).toContain("words");
    expect(await found(cid, ["is", "followed"], ["is", "muted"])).not.toContain("words");
    await muteOpen(false);
    await policy(open.id, "Links", 0);
    expect(await found(cid, ["is", "muted"])).toEqual([]);
  });

  it("has:reaction, and reactions in the message", async () => {
    expectSuccess(await cid.client.post(`/messages/${ids["plain"]}/reactions`, { emoji_name: "tada" }));
    expect(await found(ann, ["has", "reaction"])).toEqual(["plain"]);
    const { messages } = expectSuccess(await fetch(ann, [["id", ids["plain"]]])) as {
      messages: { reactions: unknown }[];
    };
    expect(messages[0]!.reactions).toEqual([
      { emoji_name: "tada", emoji_code: "1f389", reaction_type: "unicode_emoji", user_id: cid.id },
    ]);
  });

  it("has: image, by what rendering found", async () => {
    const { sql } = server.database;
    await sql`update messages set has_image = true where id = ${ids["done"]!}`;
    await sql`update messages set has_attachment = true where id in (${ids["done"]!}, ${ids["dm"]!})`;
    expect(await found(ann, ["has", "image"])).toEqual(["done"]);
    expect(await found(ann, ["has", "attachments"])).toEqual(["done", "dm"]);
    expect(await found(bob, ["has", "attachment"])).toEqual(["dm"]);
    expect(await found(ann, ["has", "attachment"], ["dm", bob.id])).toEqual(["dm"]);
    expect(await found(ann, ["has", "attachment"], ["has", "image"], ["search", "done"])).toEqual(["done"]);
  });

  it("near asks nothing of a message; id finds one, as number or text", async () => {
    expect(await found(ann, ["near", ids["plain"]], ["is", "resolved"])).toEqual(["done"]);
    expect(await found(ann, ["id", ids["dm"]])).toEqual(["dm"]);
    expect(await found(ann, ["id", String(ids["dm"])])).toEqual(["dm"]);
    expect(await found(cid, ["id", ids["dm"]])).toEqual([]);
    expect(await found(bob, ["channel", open.id], ["id", ids["plain"]])).toEqual(["plain"]);
  });

  it("with: the present conversation of the message takes the place of the others", async () => {
    const greetings = ["plain", "mention", "everyone"];
    expect(await found(ann, ["with", ids["plain"]])).toEqual(greetings);
    expect(await found(ann, ["channel", "closed"], ["topic", "old name"], ["with", String(ids["plain"])])).toEqual(
      greetings,
    );
    expect(await found(ann, ["with", ids["group"]])).toEqual(["group"]);
    expect(await found(ann, ["with", ids["plain"]], ["sender", ann.id])).toEqual(["plain"]);
  });

  it("with: a message that cannot be read leaves the others alone, and alone finds nothing", async () => {
    expect(await found(bob, ["channel", "open"], ["topic", "✔ finished"], ["with", ids["secret"]])).toEqual(["done"]);
    expect(await found(bob, ["with", ids["secret"]])).toEqual([]);
    expect(await found(bob, ["with", 123_456_789], ["sender", ann.id])).toEqual([]);
  });

  it("search: words by stem, phrases, all of them; only in what may be read", async () => {
    expect(await found(ann, ["search", "jumping dog"])).toEqual(["words"]);
    expect(await found(ann, ["search", '"quick brown"'])).toEqual(["words"]);
    expect(await found(ann, ["search", '"brown quick"'])).toEqual([]);
    expect(await found(ann, ["search", "quick absent"])).toEqual([]);
    expect(await found(ann, ["search", "searching"])).toEqual(["words"]);
    expect(await found(bob, ["search", "quick"])).toEqual([]);
    expect(await found(bob, ["search", "quick"], ["channel", "open"])).toEqual(["words"]);
    expect(await found(ann, { operator: "search", operand: "fox", negated: true }, ["topic", "searching"])).toEqual([]);
    expect(await found(ann, ["search", "the"])).toEqual(["words"]);
  });

  it("search: signs of query languages mean nothing", async () => {
    expect(await found(ann, ["search", "quick -dogs or !& | fox:* 'x'"])).toEqual([]);
    expect(await found(ann, ["search", 'quick "brown'])).toEqual(["words"]);
    expect(await found(ann, ["search", "#0"])).toEqual([]);
  });

  it("search: a minus before a word or a phrase leaves out messages with it", async () => {
    expect(await found(ann, ["search", "quick -dogs"])).toEqual([]);
    expect(await found(ann, ["search", 'quick -"brown foxes"'])).toEqual([]);
    expect(await found(ann, ["search", 'quick -"fox brown" -absent'])).toEqual(["words"]);
    expect(await found(ann, ["search", "-quick"], ["topic", "searching"])).toEqual([]);
    expect(await found(ann, ["search", "-absent"], ["topic", "searching"])).toEqual(["words"]);
    expect(await found(ann, ["search", "- quick --"])).toEqual(["words"]);
    // In a negated term it means nothing, as there a message may match none of the words together.
    const negated = { operator: "search", operand: "quick -dogs", negated: true };
    expect(await found(ann, negated, ["topic", "searching"])).toEqual([]);
    const { messages } = expectSuccess(await fetch(ann, [["search", "fox -absent -missing"]])) as {
      messages: { match_content: string }[];
    };
    expect(messages.map(({ match_content }) => match_content.match(/highlight/g))).toEqual([["highlight"]]);
  });

  it("search: matches are highlighted, in content and topic", async () => {
    const { messages } = expectSuccess(await fetch(ann, [["search", "searching jump"]])) as {
      messages: { match_content: string; match_subject: string }[];
    };
    expect(messages[0]!.match_subject).toBe('<span class="highlight">Searching</span>');
    expect(messages[0]!.match_content).toContain('<strong><span class="highlight">jumped</span></strong>');
  });

  it("several terms all have to fit, and each may be negated", async () => {
    expect(await found(ann, ["channel", "open"], ["is", "mentioned"], ["sender", cid.id])).toEqual([
      "mention",
      "everyone",
    ]);
    expect(
      await found(ann, ["channel", "open"], { operator: "topic", operand: "greetings", negated: true }, [
        "is",
        "unread",
      ]),
    ).toEqual(["done"]);
    expect(await found(cid, { operator: "channel", operand: "open", negated: true })).toEqual(["secret", "group"]);
    expect(await found(ann, { operator: "dm", operand: bob.id, negated: true }, ["is", "dm"])).toEqual([
      "group",
      "self",
    ]);
  });

  it.each([
    ["an unknown operator", ["flavour", "sweet"]],
    ["an unknown operand of is", ["is", "purple"]],
    ["an endless search", ["search", "x ".repeat(501)]],
    ["an unknown operand of has", ["has", "money"]],
    ["an unknown operand of in", ["in", "space"]],
    ["an unknown kind of channels", ["channels", "private"]],
    ["an unknown user", ["sender", "nobody@example.com"]],
    ["an unknown user id", ["dm", [999_999]]],
    ["a topic that is no text", ["topic", 5]],
    ["no people", ["dm", []]],
    ["a null operand", ["channel", null]],
    ["an object", ["sender", {}]],
    ["an id that is none", ["id", "x"]],
    ["a negative id", ["id", -1]],
    ["a with that is none", ["with", "x"]],
    ["a negated with", { operator: "with", operand: 1, negated: true }],
    ["an object's own word", ["__proto__", "x"]],
  ])("BAD_NARROW with desc for %s", async (_, term) => {
    const error = expectError(await fetch(ann, [term]), 400, "BAD_NARROW");
    expect(error["desc"]).toEqual(expect.any(String));
    expect(Object.keys(error).sort()).toEqual(["code", "desc", "msg", "result"]);
  });

  it("BAD_NARROW for channel and direct message operators together", async () => {
    for (const direct of [
      ["dm", bob.id],
      ["is", "dm"],
      ["dm-including", bob.id],
    ])
      for (const channel of [
        ["channel", "open"],
        ["topic", "greetings"],
        ["channels", "public"],
      ])
        expectError(await fetch(ann, [direct, channel]), 400, "BAD_NARROW");
  });

  it("a narrow that is no list of terms is BAD_REQUEST", async () => {
    for (const narrow of ["x", "{}", '[{"operand":1}]', "[5]"])
      expectError(
        await ann.client.get("/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow }),
        400,
        "BAD_REQUEST",
      );
  });

  it("a spectator reads nothing without web-public channels", async () => {
    const nobody = new (ann.client.constructor as typeof import("../../support/client/api.ts").ApiClient)({
      url: server.url,
    });
    for (const narrow of [[], [["channel", "open"]], [["channels", "web-public"]], [["is", "dm"]]]) {
      expectError(
        await nobody.get("/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow }),
        401,
        "UNAUTHENTICATED_USER",
      );
    }
  });
});

const fetch = (reader: Person, narrow: unknown[], params: Record<string, unknown> = {}) =>
  reader.client.get("/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow, ...params });

/** Names of what a narrow finds, oldest first. */
async function found(reader: Person, ...narrow: unknown[]): Promise<string[]> {
  const { messages } = expectSuccess(await fetch(reader, narrow)) as { messages: { id: number }[] };
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  return messages.map(({ id }) => names.get(id) ?? `#${id}`).filter((name) => !name.startsWith("#"));
}
