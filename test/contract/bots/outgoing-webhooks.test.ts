/** Bots that are services somewhere else: called with a message, and what they answer is said. */
import { describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { webService } from "../../support/server/web-service.ts";
import { until } from "../../support/time/until.ts";

const service = webService();
const server = testServer({ alsoOn: ["two nodes"], environment: { PARLEY_ALLOWED_ADDRESSES: "127.0.0.1" } });
const { owner } = server;
const [mia, otto] = server.people("Mia Member", "Otto Other");
const secret = server.channel("secret", [mia], { invite_only: true });
const general = "general";

describe("an outgoing webhook", () => {
  it("is called where it is mentioned, with the message, and says there what it answers", async () => {
    const bot = await make(mia, "echo");
    service.answer = () => json({ content: "I heard **you**" });
    const id = await otto.say(general, "@**echo** are you there?", "calls");
    const answer = await answerTo(otto, id);
    expect(answer).toMatchObject({
      sender_id: bot.id,
      subject: "calls",
      content: "<p>I heard <strong>you</strong></p>",
    });
    const [request, ...others] = service.at("/echo");
    expect(others).toEqual([]);
    expect(request!.headers["content-type"]).toBe("application/json");
    const payload = JSON.parse(request!.body) as JsonObject;
    expect(payload).toMatchObject({
      bot_email: bot.email,
      bot_full_name: "echo",
      data: "@**echo** are you there?",
      trigger: "mention",
      token: bot.token,
      message: { id, sender_id: otto.id, type: "stream", display_recipient: general, subject: "calls" },
    });
    const { message } = payload as { message: JsonObject };
    expect(message["rendered_content"]).toContain(`data-user-id="${bot.id}"`);
    expect(message["content"]).toBe("@**echo** are you there?");
    expect(Object.keys(message)).not.toContain("gravatar");
    expect(typeof message["avatar_url"]).toBe("string");
  });

  it("in a private channel too, where it says what its owner may say", async () => {
    await make(mia, "insider");
    await make(otto, "stranger");
    service.answer = ({ path }) => json({ content: `from ${path}` });
    const id = await mia.say(secret, "@**insider** and @**stranger**, go on", "calls");
    expect((await answerTo(mia, id))["content"]).toBe("<p>from /insider</p>");
    expect(await toldBy(otto)).toContain("**stranger** did not take a message: its answer could not be sent");
    expect(service.at("/stranger")).toHaveLength(1);
  });

  it("is called in direct conversations, with the legacy answer too", async () => {
    const bot = await make(mia, "talker");
    service.answer = () => json({ response_string: "old words" });
    const id = await otto.say([{ id: bot.id } as Person, mia], "hello");
    const answer = await answerTo(otto, id);
    expect(answer).toMatchObject({ sender_id: bot.id, type: "private", content: "<p>old words</p>" });
    expect((answer["display_recipient"] as JsonObject[]).map((person) => person["id"])).toEqual(
      [mia.id, otto.id, bot.id].sort((a, b) => a - b),
    );
    expect(JSON.parse(service.at("/talker")[0]!.body)).toMatchObject({ trigger: "direct_message", data: "hello" });
  });

  it("that answers half of a surrogate pair says a sign of replacement there, and the organization goes on", async () => {
    await make(mia, "halved");
    service.answer = () => json({ content: "half \ud83d" });
    const id = await otto.say(general, "@**halved** cut it", "calls");
    expect((await answerTo(otto, id))["content"]).toBe("<p>half \ufffd</p>");
    expect(service.at("/halved")).toHaveLength(1);
  });

  it("says nothing where it says that it has nothing to say", async () => {
    const bot = await make(mia, "silent");
    const answers = [json({ response_not_required: true }), {}, json(""), json({}), json({ content: " " })];
    for (const answer of answers) {
      service.answer = () => answer;
      const before = service.at("/silent").length;
      await mia.say([{ id: bot.id } as Person], "hello");
      await until("the call", () => service.at("/silent").length > before);
    }
    await until("all calls to end", async () => (await waiting()) === 0);
    const said = expectSuccess(
      await mia.client.get("/messages", {
        anchor: "newest",
        num_before: 20,
        num_after: 0,
        narrow: [{ operator: "sender", operand: bot.id }],
      }),
    );
    expect(said["messages"]).toEqual([]);
  });

  it("is sent what Slack sends, and says its text", async () => {
    const bot = await make(mia, "slacker", { interface_type: 2 });
    service.answer = () => json({ text: "as on Slack" });
    const id = await otto.say(general, "@**slacker** do it", "calls");
    expect((await answerTo(otto, id))["content"]).toBe("<p>as on Slack</p>");
    const [request] = service.at("/slacker");
    expect(request!.headers["content-type"]).toBe("application/x-www-form-urlencoded");
    const fields = Object.fromEntries(new URLSearchParams(request!.body));
    expect(fields).toMatchObject({
      token: bot.token,
      channel_name: general,
      user_id: `U${otto.id}`,
      user_name: "Otto Other",
      text: "@**slacker** do it",
      trigger_word: "mention",
      service_id: String(bot.id),
    });
    await otto.say([{ id: bot.id } as Person], "hello");
    expect(await toldBy(mia, "slacker")).toContain("its interface has no direct messages");
  });

  it("is not called by bots, silently, or when it is deactivated", async () => {
    const bot = await make(mia, "quiet");
    const other = await server.addBot(mia, "other");
    await other.say(general, "@**quiet** from a bot");
    await mia.say(general, "@_**quiet** is only named");
    const gone = await make(mia, "gone");
    expectSuccess(await mia.client.delete(`/bots/${gone.id}`));
    await mia.say(general, "@**gone** is gone");
    service.answer = () => ({});
    await mia.say([{ id: bot.id } as Person], "last");
    await until("the last call", () => service.at("/quiet").length > 0);
    expect(service.at("/quiet").map(({ body }) => (JSON.parse(body) as JsonObject)["data"])).toEqual(["last"]);
    expect(service.at("/gone")).toEqual([]);
  });
});

describe("a call that fails", () => {
  it("is made again, and answered once", async () => {
    await make(mia, "flaky");
    service.answer = ({ path }) => (service.at(path).length < 2 ? { status: 503 } : json({ content: "at last" }));
    const id = await otto.say(general, "@**flaky** again", "calls");
    expect((await answerTo(otto, id))["content"]).toBe("<p>at last</p>");
    const keys = service.at("/flaky").map(({ headers }) => headers["idempotency-key"]);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
  });

  it("three times, and then its owner is told", async () => {
    await make(mia, "broken");
    service.answer = () => ({ status: 500 });
    await otto.say(general, "@**broken** again", "calls");
    for (let attempts = 1; attempts <= 3; attempts++) {
      await until("an attempt", () => service.at("/broken").length === attempts);
      await until("its end", async () => (await waiting("not is_under_way")) === 1 || (await waiting()) === 0);
      await hurry();
    }
    expect(await toldBy(mia, "broken")).toContain("it answered with the status 500");
    expect(service.at("/broken")).toHaveLength(3);
    expect(await waiting()).toBe(0);
  });

  it.each([
    ["refusing", { status: 404 }, "it answered with the status 404"],
    ["moving", { status: 302, headers: { Location: "/elsewhere" } }, "it answered with the status 302"],
    ["babbling", { body: "<html>" }, "its answer is no JSON"],
    ["listing", { body: "[1]" }, "its answer is no JSON object"],
    ["counting", { body: '{"content": 7}' }, "what it answered is no text"],
    ["flooding", { body: "x".repeat(300_000) }, "its answer has more than 256 KiB"],
  ])("%s: its owner is told why, and it is not made again", async (name, answer, reason) => {
    await make(mia, name);
    service.answer = () => answer;
    await otto.say(general, `@**${name}**`, "calls");
    expect(await toldBy(mia, name)).toContain(`Your bot **${name}** did not take a message: ${reason}`);
    expect(service.at(`/${name}`)).toHaveLength(1);
    expect(service.at("/elsewhere")).toEqual([]);
    // Told once in ten minutes.
    await otto.say(general, `@**${name}**`, "calls");
    await until("the other call to end", async () => service.at(`/${name}`).length === 2 && (await waiting()) === 0);
    expect(await toldBy(mia, name)).not.toBe("");
    expect(await countTold(mia, name)).toBe(1);
  });

  it("is made again where whoever made it died, and what comes of the lost one is not said", async () => {
    await make(mia, "lost");
    service.answer = () => undefined;
    const id = await otto.say(general, "@**lost**", "calls");
    await until("the first attempt", () => service.at("/lost").length === 1);
    const { sql } = server.database;
    const [{ id: callId }] = (await sql`select id from webhook_calls`) as unknown as [{ id: number }];
    service.answer = () => json({ content: "once" });
    await hurry();
    await answerTo(otto, id);
    const [realm] = await server.realms();
    await realm!.execute("endServiceCall", { id: callId, attempt: 1, outcome: { content: "twice" } });
    const found = expectSuccess(await otto.client.get("/messages", { anchor: id, num_before: 0, num_after: 20 }));
    const said = (found["messages"] as JsonObject[]).map(({ content }) => content);
    expect(said.filter((content) => /once|twice/.test(content as string))).toEqual(["<p>once</p>"]);
  });
});

describe("what the server's own network has", () => {
  it.each([
    ["loop", "http://127.0.0.2:PORT/inside"],
    ["number", "http://2130706434:PORT/inside"],
    ["six", "http://[::1]:PORT/inside"],
    ["metadata", "http://169.254.169.254/inside"],
  ])("is not asked by %s", async (name, url) => {
    await make(mia, name, { payload_url: JSON.stringify(url.replace("PORT", String(service.port))) });
    await otto.say(general, `@**${name}**`, "calls");
    expect(await toldBy(mia, name)).toContain("its address is inside this server's own network");
    expect(service.at("/inside")).toEqual([]);
  });

  it("is asked by name where the operator allows its address", async () => {
    await make(mia, "named", { payload_url: JSON.stringify(`http://localhost:${service.port}/named`) });
    service.answer = () => json({ content: "inside" });
    const id = await otto.say(general, "@**named**", "calls");
    expect((await answerTo(otto, id))["content"]).toBe("<p>inside</p>");
  });
});

describe("without the operator's leave", () => {
  const strict = testServer();

  it.each([
    ["by name", "localhost"],
    ["by address", "127.0.0.1"],
    ["mapped", "[::ffff:127.0.0.1]"],
  ])("nothing leads to this machine: %s", async (name, host) => {
    const payload_url = JSON.stringify(`http://${host}:${service.port}/strict`);
    const params = { full_name: name, short_name: name.replace(" ", "-"), bot_type: 3, payload_url };
    expectSuccess(await strict.owner.client.post("/bots", params));
    await strict.owner.say(general, `@**${name}**`, "calls");
    expect(await toldBy(strict.owner, name)).toContain("its address is inside this server's own network");
    expect(service.at("/strict")).toEqual([]);
  });
});

describe("the settings of an outgoing webhook", () => {
  it("are shown to its managers, in the state and in events, and may be changed", async () => {
    const { observations } = await assertConverges({
      observers: [mia.client, owner.client, otto.client],
      profiles: [LEGACY, MODERN],
      act: () => make(mia, "shown"),
    });
    const seers = observations.filter(({ events }) => JSON.stringify(events).includes('"services":[{"base_url"'));
    expect(new Set(seers.map(({ observer }) => observer))).toEqual(new Set([mia.client, owner.client]));
    const bot = await botNamed(mia, "shown");
    const changed = await assertConverges({
      observers: [mia.client, owner.client, otto.client],
      profiles: [LEGACY, MODERN],
      act: async () =>
        expectSuccess(
          await mia.client.patch(`/bots/${bot["user_id"]}`, {
            service_payload_url: JSON.stringify("https://bots.example.com/new"),
            service_interface: 2,
          }),
        ),
    });
    expect(changed.result).toMatchObject({ service_payload_url: "https://bots.example.com/new", service_interface: 2 });
    const [before] = bot["services"] as [JsonObject];
    expect(before).toEqual({
      base_url: `${service.url}/shown`,
      interface: 1,
      token: expect.stringMatching(/^\w{32}$/),
    });
    expect((await botNamed(mia, "shown"))["services"]).toEqual([
      { base_url: "https://bots.example.com/new", interface: 2, token: before["token"] },
    ]);
  });

  it("are checked; embedded bots are refused, and other bots have none", async () => {
    const params = { full_name: "Bad", short_name: "bad", bot_type: 3 };
    for (const wrong of [
      {},
      { payload_url: '""' },
      { payload_url: "ftp://example.com/" },
      { payload_url: "file:///etc/passwd" },
      { payload_url: '"nowhere"' },
      { payload_url: `https://example.com/${"x".repeat(3000)}` },
      { payload_url: '"https://example.com"', interface_type: 3 },
    ])
      expectError(await mia.client.post("/bots", { ...params, ...wrong }), 400, "BAD_REQUEST");
    const embedded = await mia.client.post("/bots", { ...params, bot_type: 4, service_name: "converter" });
    expect([embedded.status, embedded.body["msg"]]).toEqual([400, "Embedded bots are not enabled."]);
    const generic = await server.addBot(mia, "generic");
    const url = { service_payload_url: '"https://example.com"' };
    expectError(await mia.client.patch(`/bots/${generic.id}`, url), 400, "BAD_REQUEST");
    const shown = (await botNamed(mia, "shown"))["user_id"] as number;
    expectError(await otto.client.patch(`/bots/${shown}`, url), 400, "BAD_REQUEST");
    expectError(await mia.client.patch(`/bots/${shown}`, { service_payload_url: '"x"' }), 400, "BAD_REQUEST");
    expectError(await mia.client.patch(`/bots/${shown}`, { service_interface: 9 }), 400, "BAD_REQUEST");
    expect(JSON.stringify(await botsOf(mia))).not.toContain("https://example.com");
  });
});

const json = (value: unknown) => ({ body: JSON.stringify(value) });

interface Bot {
  id: number;
  email: string;
  token: string;
}

async function make(by: Person, name: string, params: JsonObject = {}): Promise<Bot> {
  const payload_url = JSON.stringify(`${service.url}/${name}`);
  const bot = { full_name: name, short_name: name, bot_type: 3, payload_url, ...params };
  const { user_id: id } = expectSuccess(await by.client.post("/bots", bot)) as { user_id: number };
  const record = await botNamed(by, name);
  const [{ token }] = record["services"] as [{ token: string }];
  return { id, email: record["email"] as string, token };
}

async function botsOf(person: Person): Promise<JsonObject[]> {
  return (await person.client.register({ event_types: ["realm_bot"] }))["realm_bots"] as JsonObject[];
}

const botNamed = async (person: Person, name: string): Promise<JsonObject> =>
  (await botsOf(person)).find((bot) => bot["full_name"] === name)!;

/** The next message of the conversation. */
async function answerTo(person: Person, id: number): Promise<JsonObject> {
  let found: JsonObject[] = [];
  const narrow = [{ operator: "with", operand: id }];
  await until("an answer", async () => {
    const answer = await person.client.get("/messages", { anchor: id, num_before: 0, num_after: 5, narrow });
    found = expectSuccess(answer)["messages"] as JsonObject[];
    return found.length > 1;
  });
  return found[1]!;
}

const tellings = async (person: Person, name: string): Promise<string[]> => {
  const range = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
  const narrow = [{ operator: "is", operand: "dm" }];
  const { messages } = expectSuccess(await person.client.get("/messages", { ...range, narrow })) as {
    messages: { sender_full_name: string; content: string }[];
  };
  return messages
    .filter(({ sender_full_name, content }) => sender_full_name === "Notification Bot" && content.includes(name))
    .map(({ content }) => content);
};

async function toldBy(person: Person, name = ""): Promise<string> {
  let told: string | undefined;
  await until("word of a failure", async () => (told = (await tellings(person, name)).at(-1)) !== undefined);
  return told!;
}

const countTold = async (person: Person, name: string) => (await tellings(person, name)).length;

async function waiting(which = "true"): Promise<number> {
  const { sql } = server.database;
  const rows = (await sql.unsafe(`select count(*)::int as count from webhook_calls where ${which}`)) as unknown as [
    { count: number },
  ];
  return rows[0].count;
}

/** Has what waits be due now. The message makes the job look. */
async function hurry(): Promise<void> {
  await server.database.sql`update webhook_calls set due_at = 0`;
  await owner.say(general, "tick", "clock");
}
