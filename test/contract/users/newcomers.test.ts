/** What a new organization begins with, and what somebody finds who joins it. */
import { describe, expect, it } from "vitest";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";

const server = testServer({ environment: { PARLEY_WELCOME: "on", PARLEY_REALM_NAME: "*Bell* @**all** & co" } });
const { owner } = server;

describe("a new organization", () => {
  it("begins with a topic in the default channel and a word to its owner, both unread", async () => {
    const seen = await messagesOf(owner);
    expect(seen.map(({ type, subject, sender_full_name }) => [type, subject, sender_full_name])).toEqual([
      ["stream", "welcome", "Welcome Bot"],
      ["private", "", "Welcome Bot"],
    ]);
    for (const { content, flags } of seen) {
      expect((content as string).length).toBeLessThan(1000);
      expect(flags).toEqual([]);
    }
    const { unread_msgs, subscriptions, realm_name } = (await owner.client.register({})) as unknown as {
      unread_msgs: { count: number };
      subscriptions: { name: string; first_message_id: number }[];
      realm_name: string;
    };
    expect(unread_msgs.count).toBe(2);
    expect(subscriptions[0]!.first_message_id).toBe(seen[0]!["id"]);
    expect(realm_name).toBe("*Bell* @**all** & co");
  });

  it("has texts that read well, whatever its name is", async () => {
    const [first, direct] = await messagesOf(owner, { apply_markdown: true });
    expect(first!["content"]).toContain('<a class="stream" data-stream-id=');
    expect(direct!["content"]).toContain("<strong>*Bell* @**all** &amp; co</strong>");
    expect(direct!["content"]).toContain("Invite people");
    expect(direct!["flags"]).toEqual([]);
  });

  it("begins with nothing where the server's operator wants none, and newcomers are told nothing", async () => {
    const quiet = await startTestServer({ PARLEY_WELCOME: "off" });
    try {
      await quiet.owner.say("general", "before");
      const ada = await quiet.addUser("Ada");
      expect((await messagesOf(quiet.owner)).map(({ content }) => content)).toEqual(["before"]);
      expect(await messagesOf(ada, { narrow: [{ operator: "is", operand: "dm" }] })).toEqual([]);
      expect((await ada.client.register({}))["unread_msgs"]).toMatchObject({ count: 0 });
    } finally {
      await quiet.stop();
    }
  });
});

describe("a newcomer", () => {
  it("is welcomed by Welcome Bot, with the organization's own text after it", async () => {
    await owner.setRealm({ welcome_message_custom_text: "Lunch is at **noon**." });
    const ada = await server.addUser("Ada");
    await owner.setRealm({ welcome_message_custom_text: "" });
    const [welcome, own, ...others] = await directsOf(ada);
    expect(welcome!["content"]).toContain("#**general**");
    expect(welcome!["content"]).not.toContain("Invite people");
    expect([own!["content"], others]).toEqual(["Lunch is at **noon**.", []]);
    expect(await directsOf(await server.addUser("Bob"))).toHaveLength(1);
  });

  it("is told of no channel as a guest, who is in none", async () => {
    const email = "gus@example.com";
    const added = { email, password: "a fine password", full_name: "Gus" };
    const link = expectSuccess(await owner.client.post("/invites/multiuse", { invite_as: 600 }))[
      "invite_link"
    ] as string;
    const form = new URLSearchParams({ ...added, email });
    const answer = await fetch(new URL(new URL(link).pathname, server.url), {
      method: "POST",
      body: form,
      redirect: "manual",
    });
    expect(answer.status).toBe(302);
    const gus = await loggedIn(email);
    const [welcome] = await directsOf(gus);
    expect(welcome!["content"]).not.toContain("#**");
  });

  it("is welcomed once: not again at the first log-in", async () => {
    const cora = await server.addUser("Cora");
    await loggedIn(cora.email);
    expect(await directsOf(cora)).toHaveLength(1);
  });

  it("whom an import brought is welcomed at the first log-in, and converges", async () => {
    const { email, client, id } = await server.addUser("Dora");
    // As an import leaves an account: nobody has written to it, and it never logged in.
    const { sql } = server.database;
    await sql`delete from messages where recipient_id in (
      select recipient_id from direct_conversation_members where user_id = ${id})`;
    const dora = { client } as Person;
    expect(await directsOf(dora)).toEqual([]);
    await assertConverges({
      observers: [client, owner.client],
      profiles: [LEGACY, MODERN],
      act: () => loggedIn(email),
    });
    expect(await directsOf(dora)).toHaveLength(1);
  });

  it("finds what was said last in default channels: twenty unread, what was before read", async () => {
    for (let number = 1; number <= 22; number++) await owner.say("general", `word ${number}`, `topic ${number % 3}`);
    await server.addChannel("elsewhere", [owner]);
    await owner.say("elsewhere", "not for newcomers");
    const { sql } = server.database;
    await sql`update messages set sent_at = sent_at - ${100 * 86_400}::bigint
      where channel_id is not null and id <= (select id from messages where content = 'word 1')`;
    const eve = await server.addUser("Eve");
    const { unread_msgs } = (await eve.client.register({})) as unknown as {
      unread_msgs: { count: number; streams: { unread_message_ids: number[] }[] };
    };
    // And the welcome.
    expect(unread_msgs.count).toBe(21);
    const found = (await messagesOf(eve)).filter(({ type }) => type === "stream");
    const words = found.map(({ content, flags }) => [content, ...(flags as string[])]);
    expect(words.at(-21)).toEqual(["word 2", "read"]);
    expect(words.slice(-20)).toEqual(Array.from({ length: 20 }, (_, index) => [`word ${index + 3}`]));
    expect(words.find(([content]) => content === "word 1")).toEqual(undefined);
  });

  it("converges for those who are there", async () => {
    await assertConverges({ observers: [owner.client], act: () => server.addUser("Fay") });
  });
});

describe("POST /realm/test_welcome_bot_custom_message", () => {
  const test = (person: Person, text: string) =>
    person.client.post("/realm/test_welcome_bot_custom_message", { welcome_message_custom_text: text });

  it("has Welcome Bot write the text to the caller", async () => {
    const { result } = await assertConverges({
      observers: [owner.client],
      act: async () => expectSuccess(await test(owner, "Mind the **cat**")),
    });
    const message = await owner.read(result["message_id"] as number);
    expect(message).toMatchObject({
      type: "private",
      sender_full_name: "Welcome Bot",
      content: "<p>Mind the <strong>cat</strong></p>",
    });
  });

  it("for administrators only, with a text of 1 to 8000 code points", async () => {
    const gil = await server.addUser("Gil");
    expectError(await test(gil, "Hello"), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await test(owner, ""), 400, "BAD_REQUEST");
    expectError(await test(owner, "x".repeat(8001)), 400, "BAD_REQUEST");
    expectSuccess(await test(owner, "👋".repeat(8000)));
  });
});

async function messagesOf({ client }: { client: ApiClient }, params: JsonObject = {}): Promise<JsonObject[]> {
  const range = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  return expectSuccess(await client.get("/messages", { ...range, ...params }))["messages"] as JsonObject[];
}

const directsOf = (person: { client: ApiClient }) =>
  messagesOf(person, { narrow: [{ operator: "is", operand: "dm" }] });

async function loggedIn(email: string): Promise<{ client: ApiClient }> {
  const client = new ApiClient({ url: server.urls });
  const key = expectSuccess(await client.post("/fetch_api_key", { username: email, password: "a fine password" }));
  return { client: new ApiClient({ url: server.urls, email, apiKey: key["api_key"] as string }) };
}
