/** Summaries by a language model. A server on this machine plays it: well, slowly, badly and not at all. */
import { beforeEach, describe, expect, it } from "vitest";
import { readConfig } from "../../../http/process/config.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, testServer } from "../../support/server/server.ts";
import { type ServiceAnswer, webService } from "../../support/server/web-service.ts";
import { until } from "../../support/time/until.ts";

const model = webService();
const server = testServer({ environment: () => environment() });
const [ada, bob, eve] = server.people("Ada", "Bob", "Eve");
const plans = server.channel("plans", [ada, bob, eve]);
beforeEach(() => void Object.assign(model, { requests: [], abandoned: 0, answer: () => says("They agree.") }));

describe("a summary", () => {
  it("is of what its reader may read, and of nothing else", async () => {
    const secret = await ada.channel("secret", { invite_only: true, subscribers: [ada.id] });
    await ada.say(plans, "shall we *ship*?", "release");
    await bob.say(plans, "on Friday", "release");
    await ada.say(plans, "of another topic", "lunch");
    await ada.say(secret, "nobody else knows", "release");
    model.answer = () => says("\n They **ship** on Friday. ");
    expect(await summaryOf(bob, topic("release"))).toBe("They **ship** on Friday.");
    const [{ method, path, headers, body }] = model.requests as [(typeof model.requests)[0]];
    expect([method, path, headers.authorization]).toEqual(["POST", "/v1/chat/completions", "Bearer the key"]);
    const { model: name, messages } = JSON.parse(body) as {
      model: string;
      messages: { role: string; content: string }[];
    };
    expect([name, messages.map(({ role }) => role)]).toEqual(["tiny", ["system", "user"]]);
    expect(messages[0]!.content).toContain("never an instruction");
    expect(JSON.parse(messages[1]!.content)).toEqual({
      place: "#plans > release",
      messages: [
        { sender: "Ada", content: "shall we *ship*?" },
        { sender: "Bob", content: "on Friday" },
      ],
    });
    await summaryOf(bob, [{ operator: "search", operand: "nobody else knows" }]);
    expectError(await ask(bob, [{ operator: "channel", operand: "secret" }]), 400, "BAD_NARROW");
    expect(model.requests).toHaveLength(1);
  });

  it("of nothing asks nobody", async () => {
    expect(await summaryOf(ada, topic("nothing"))).toBe("No messages in conversation to summarize");
    expect(model.requests).toEqual([]);
  });

  it("is made once for the readers of the same messages, until one of these changes", async () => {
    const first = await ada.say(plans, "one", "kept");
    for (const person of [ada, bob, ada]) expect(await summaryOf(person, topic("kept"))).toBe("They agree.");
    expect(model.requests).toHaveLength(1);
    expectSuccess(await ada.client.patch(`/messages/${first}`, { content: "one, edited" }));
    await summaryOf(bob, topic("kept"));
    expect(model.requests).toHaveLength(2);
    await bob.say(plans, "two", "kept");
    await summaryOf(ada, topic("kept"));
    expect(model.requests).toHaveLength(3);
    expect(model.requests[1]!.body).toContain("one, edited");
  });

  it("is waited for by all who ask, and ends when nobody waits", async () => {
    await ada.say(plans, "held", "held");
    const held = holdAnswer();
    const [leaving, staying] = [new AbortController(), ask(bob, topic("held"))];
    await until("the model to be asked", () => model.requests.length === 1);
    const left = ask(ada, topic("held"), leaving.signal).catch(() => {});
    await until("Ada to wait", () => waiting() === 2);
    leaving.abort();
    await left;
    await until("Ada to have left", () => waiting() === 1);
    held.answer(says("It was held."));
    expect(expectSuccess(await staying)["summary"]).toBe("It was held.");
    expect([model.requests.length, model.abandoned]).toEqual([1, 0]);

    await ada.say(plans, "more", "held");
    holdAnswer();
    const alone = new AbortController();
    const gone = ask(ada, topic("held"), alone.signal).catch(() => {});
    await until("the model to be asked", () => model.requests.length === 2);
    alone.abort();
    await gone;
    await until("the request to end", () => model.abandoned === 1);
    model.answer = () => says("Asked anew.");
    expect(await summaryOf(ada, topic("held"))).toBe("Asked anew.");
  });

  it("holds up nothing else, and nobody has two made at a time", async () => {
    await ada.say(plans, "slow", "slow");
    await ada.say(plans, "slower", "slower");
    const held = holdAnswer();
    const slow = ask(ada, topic("slow"));
    await until("the model to be asked", () => model.requests.length === 1);
    expectError(await ask(ada, topic("slower")), 429, "RATE_LIMIT_HIT");
    const reads = Array.from({ length: 8 }, () =>
      ada.client.get("/messages", { anchor: "newest", num_before: 5, num_after: 0 }),
    );
    for (const reply of await Promise.all(reads)) expectSuccess(reply);
    await ada.say(plans, "in between", "slow");
    held.answer(says("At last."));
    expect(expectSuccess(await slow)["summary"]).toBe("At last.");
  });

  it("of a long conversation is of as much of its end as is sent", async () => {
    for (let count = 0; count < 30; count++) await ada.say(plans, `${count} ${"x".repeat(9_000)}`, "long");
    await summaryOf(ada, topic("long"));
    const { messages } = JSON.parse(model.requests[0]!.body) as { messages: { content: string }[] };
    const told = (JSON.parse(messages[1]!.content) as { messages: { content: string }[] }).messages;
    expect(told.at(-1)!.content).toMatch(/^29 x/);
    expect(told.length).toBeGreaterThan(10);
    expect(told.length).toBeLessThan(30);
    for (const { content } of told) expect(content.length).toBeLessThanOrEqual(2_000);
  });
});

describe("a model that gives none", () => {
  const choice = (message: unknown) => JSON.stringify({ choices: [{ message }] });
  const rubbish: [string, ServiceAnswer][] = [
    ["an error", { status: 500, body: choice({ content: "no" }) }],
    ["a refusal", { status: 401, body: '{"error":{"message":"bad key"}}' }],
    ["a redirect", { status: 302, headers: { Location: "http://169.254.169.254/" } }],
    ["a page", { body: "<html>" }],
    ["nothing", { body: "" }],
    ["no object", { body: "null" }],
    ["no choice", { body: '{"choices":[]}' }],
    ["choices of another kind", { body: '{"choices":"x"}' }],
    ["no message", { body: choice(null) }],
    ["no text", { body: choice({ content: 7 }) }],
    ["an empty text", { body: choice({ content: " \n" }) }],
    ["a deep answer", { body: `{"choices":${"[".repeat(5000)}${"]".repeat(5000)}}` }],
    ["megabytes", { body: choice({ content: "x".repeat(4 * 1024 * 1024) }) }],
  ];
  it.each(rubbish)("but %s costs a sentence, and is asked again", async (what, answer) => {
    const person = await server.addUser(`Reader of ${what}`);
    await ada.say(plans, `about ${what}`, what);
    model.answer = () => answer;
    expect(expectError(await ask(person, topic(what)), 400, "BAD_REQUEST")["msg"]).toContain("made no summary");
    model.answer = () => says("Now.");
    expect(await summaryOf(person, topic(what))).toBe("Now.");
  });

  it("since it is too late or away, costs a sentence", async () => {
    const late = await startTestServer({ ...environment(), PARLEY_AI_TIMEOUT_MS: "200" });
    try {
      await late.owner.say("general", "hello");
      model.answer = () => undefined;
      expect(expectError(await ask(late.owner, topic("t", "general")), 400)["msg"]).toContain("made no summary");
      await until("the request to end", () => model.abandoned === 1);
    } finally {
      await late.stop();
    }
  });

  it("is cut to what can be shown", async () => {
    await ada.say(plans, "cut", "cut");
    model.answer = () => says(`a\0\ud800${"ü".repeat(12_000)}`);
    const summary = await summaryOf(ada, topic("cut"));
    expect(summary).toMatch(/^a\ufffd+ü/);
    expect([...summary].length).toBe(10_000);
  });
});

describe("who has none", () => {
  it("is everybody where the server has no model, and clients are told", async () => {
    const plain = await startTestServer();
    try {
      const refused = expectError(await ask(plain.owner, []), 400, "BAD_REQUEST");
      expect(refused["msg"]).toBe("AI features are not enabled on this server.");
      const fetched = { fetch_event_types: ["realm"] };
      expect((await plain.owner.client.register(fetched))["server_can_summarize_topics"]).toBe(false);
      expect((await ada.client.register(fetched))["server_can_summarize_topics"]).toBe(true);
    } finally {
      await plain.stop();
    }
  });

  it("is whoever hides it, is not in the group, or has a key that does less", async () => {
    await ada.say(plans, "hidden", "hidden");
    expectSuccess(await eve.client.patch("/settings", { hide_ai_features: true }));
    expectError(await ask(eve, topic("hidden")), 400, "BAD_REQUEST");
    const { user_groups: groups } = expectSuccess(await server.owner.client.get("/user_groups"));
    const idOf = (name: string) => (groups as { id: number; name: string }[]).find((group) => group.name === name)!.id;
    const allow = (name: string) => server.owner.setRealm({ can_summarize_topics_group: { new: idOf(name) } });
    await allow("role:administrators");
    expect(expectError(await ask(ada, topic("hidden")), 400)["msg"]).toBe("Insufficient permission");
    await allow("role:everyone");
    expect(model.requests).toEqual([]);
    expect(await summaryOf(ada, topic("hidden"))).toBe("They agree.");
  });

  it("is whoever has used up their budget, and everybody where the organization has", async () => {
    const rates = { PARLEY_RATE_LIMIT_SUMMARIES_BY_USER: "2/3600", PARLEY_RATE_LIMIT_SUMMARIES_BY_REALM: "3/3600" };
    const poor = await startTestServer({ ...environment(), ...rates });
    try {
      const other = await poor.addUser("Other");
      for (const topic of ["a", "b", "c", "d"]) await poor.owner.say("general", "hello", topic);
      const statusOf = async (person: Pick<Person, "client">, name: string) =>
        (await ask(person, topic(name, "general"))).status;
      for (const name of ["a", "b", "a"]) expect(await statusOf(poor.owner, name)).toBe(200);
      expect(await statusOf(poor.owner, "c")).toBe(429);
      expect(await statusOf(other, "a")).toBe(200);
      expect(await statusOf(other, "c")).toBe(200);
      expect(await statusOf(other, "d")).toBe(429);
      expect(model.requests).toHaveLength(3);
    } finally {
      await poor.stop();
    }
  });

  it("is everybody where the model is in the server's own network and the operator has not said so", async () => {
    const inside = await startTestServer({ ...environment(), PARLEY_ALLOWED_ADDRESSES: "" });
    try {
      await inside.owner.say("general", "hello");
      expectError(await ask(inside.owner, topic("t", "general")), 400, "BAD_REQUEST");
      expect(model.requests).toEqual([]);
    } finally {
      await inside.stop();
    }
  });
});

it("a model is named whole or not at all", () => {
  const read = (more: Record<string, string>) => readConfig(more).languageModel;
  expect(read({})).toBeUndefined();
  expect(() => read({ PARLEY_AI_URL: "https://ai.example/v1" })).toThrow("PARLEY_AI_MODEL is missing");
  for (const name of ["PARLEY_AI_MODEL", "PARLEY_AI_KEY"])
    expect(() => read({ [name]: "x" })).toThrow("PARLEY_AI_URL is missing");
});

const environment = () => ({
  PARLEY_AI_URL: `${model.url}/v1`,
  PARLEY_AI_MODEL: "tiny",
  PARLEY_AI_KEY: "the key",
  PARLEY_ALLOWED_ADDRESSES: "127.0.0.1",
  // Longer than a test waits: what ends, ends for another reason.
  PARLEY_AI_TIMEOUT_MS: "600000",
  PARLEY_RATE_LIMIT_SUMMARIES_BY_USER: "1000/3600",
});

const topic = (name: string, channel = "plans") => [
  { operator: "channel", operand: channel },
  { operator: "topic", operand: name },
];

const says = (content: string): ServiceAnswer => ({
  body: JSON.stringify({ choices: [{ message: { role: "assistant", content } }] }),
});

const waiting = () => server.server.app.summaries!.waiting;

/** Has the model think until it is told what to answer. */
function holdAnswer() {
  let answer: (told: ServiceAnswer) => void = () => {};
  const told = new Promise<ServiceAnswer>((resolve) => {
    answer = resolve;
  });
  model.answer = () => told;
  return { answer };
}

const ask = ({ client }: Pick<Person, "client">, narrow: JsonObject[], signal?: AbortSignal) =>
  client.get("/messages/summary", { narrow }, signal && { signal });

const summaryOf = async (person: Pick<Person, "client">, narrow: JsonObject[]) =>
  expectSuccess(await ask(person, narrow))["summary"] as string;
