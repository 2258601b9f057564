/** Incoming webhooks: what each service posts, in the form of its documentation, and what becomes of it. */
import { beforeAll, describe, expect, it } from "vitest";
import { integrations } from "../../../actors/integrations/table.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { type Sample, samples } from "../../support/integrations/samples.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = server.channel("room", [server.owner]);
beforeAll(setUp);

describe("each integration", () => {
  it.each([...integrations.keys()])("%s says what its service posts, under Zulip's topics", async (name) => {
    for (const sample of samples.filter((one) => one.name === name)) {
      const only = sample.event === undefined ? {} : { only_events: JSON.stringify([sample.event]) };
      expect(await post(sample, { stream: "room", ...only })).toMatchObject({
        status: 200,
        body: { result: "success" },
      });
      const message = await newest();
      expect({ event: sample.event, topic: message!["subject"] }).toEqual({ event: sample.event, topic: sample.topic });
      expect(message!["content"]).toMatch(sample.content);
      expect(message).toMatchObject({ sender_id: botId });
    }
  });

  it("is listed in register, and has a payload here for each of its events", async () => {
    const { realm_incoming_webhook_bots: listed } = await server.owner.client.register();
    expect((listed as JsonObject[]).map(({ name }) => name)).toEqual([...integrations.keys()]);
    expect(integrations.size).toBe(52);
    for (const { name, events = [] } of integrations.values()) {
      const own = samples.filter((sample) => sample.name === name);
      expect([name, own.length > 0]).toEqual([name, true]);
      const sent = new Set(own.map(({ event }) => event));
      expect([name, events.filter((event) => !sent.has(event))]).toEqual([name, []]);
    }
  });

  it("makes something of nothing: an error in JSON or a message, never more", async () => {
    const headers = Object.fromEntries(
      [...integrations.values()].flatMap((one) => one.eventHeaders ?? []).map((header) => [header, "push"]),
    );
    const payloads = [
      "null",
      "[]",
      "{}",
      '"x"',
      '{"alerts":[null],"event":1,"issue":[],"commits":{"a":1},"type":[],"messages":[{}]}',
    ];
    for (const name of integrations.keys()) {
      for (const payload of payloads) {
        const { status, body } = await hook(name, payload, { stream: "room" }, headers);
        expect([name, payload, status < 500, typeof body["result"]]).toEqual([name, payload, true, "string"]);
      }
      expect(await hook(name, "{", { stream: "room" })).toMatchObject({ status: 400, body: { code: "INVALID_JSON" } });
      expect(await hook(name, "", { stream: "room" })).toMatchObject({
        status: 400,
        body: { code: "BAD_REQUEST" },
      });
    }
  });
});

describe("the address", () => {
  const down = samples.find(({ name, event }) => name === "uptimekuma" && event === "down")!;
  const say = (query: Record<string, string>) => post(down, query);
  const isTold = async (tell: () => Promise<{ status: number }>) => {
    const before = (await newest())!["id"];
    expect((await tell()).status).toBe(200);
    return (await newest())!["id"] !== before;
  };

  it("names channel by name or id, and topic; without a channel the bot's owner is told", async () => {
    await say({ stream: String(room.id), topic: "chosen" });
    expect(await newest()).toMatchObject({ subject: "chosen" });
    await say({});
    const direct = await newest([["dm", botId]]);
    expect(direct).toMatchObject({ type: "private", sender_id: botId });
    expect(direct!["content"]).toMatch(/^\*\*Site\*\*\n\n/);
    expect(await say({ stream: "nowhere" })).toMatchObject({ status: 400, body: { code: "STREAM_DOES_NOT_EXIST" } });
  });

  it("leaves events out: only_events, exclude_events, with *", async () => {
    const isSaid = (query: Record<string, string>) => isTold(() => say({ stream: "room", ...query }));
    expect(await isSaid({ only_events: '["up"]' })).toBe(false);
    expect(await isSaid({ only_events: '["up","do*"]' })).toBe(true);
    expect(await isSaid({ exclude_events: '["d*n"]' })).toBe(false);
    expect(await isSaid({ exclude_events: '["do*own"]' })).toBe(true);
  });

  it("names the branches whose pushes are told, for every forge", async () => {
    const pushes = ["push", "push_commits", "Push Hook", "git.push", "repo:refs_changed"];
    const forges = [...integrations.values()].filter(({ urlOptions }) =>
      urlOptions?.some(({ key }) => key === "branches"),
    );
    expect(forges.length).toBe(8);
    for (const { name } of forges) {
      const push = samples.find(
        (one) => one.name === name && pushes.includes(one.event!) && one.topic.endsWith("/ main"),
      )!;
      expect([name, await isTold(() => post(push, { stream: "room", branches: "dev, main" }))]).toEqual([name, true]);
      expect([name, await isTold(() => post(push, { stream: "room", branches: "mainly" }))]).toEqual([name, false]);
    }
  });

  it("leaves private repositories out, and titles of merge requests", async () => {
    const star = samples.find(({ name, event }) => name === "github" && event === "star")!;
    const hidden = { ...star, payload: { ...(star.payload as object), repository: { name: "secret", private: true } } };
    expect(await isTold(() => post(hidden, { stream: "room" }))).toBe(true);
    expect(await isTold(() => post(hidden, { stream: "room", ignore_private_repositories: "true" }))).toBe(false);
    const merge = samples.find(({ event }) => event === "Merge Request Hook close")!;
    await post(merge, { stream: "room", use_merge_request_title: "false" });
    expect(await newest()).toMatchObject({ subject: "kettle / MR #3" });
  });

  it("names the repository in messages: for GitHub where it says so, for GitLab under a topic of one's own", async () => {
    const star = samples.find(({ name, event }) => name === "github" && event === "star")!;
    await post(star, { stream: "room", topic: "all", include_repository_name: "true" });
    expect((await newest())!["content"]).toMatch(/^\[tea\/kettle\]\(https:\/\/gh\.example\/tea\/kettle\): \[mia\]/);
    const merge = samples.find(({ event }) => event === "Merge Request Hook close")!;
    await post(merge, { stream: "room", topic: "all" });
    expect((await newest())!["content"]).toMatch(/^\[kettle\]\(https:\/\/gl\.example\/tea\/kettle\): Mia closed/);
  });

  it("may be escaped twice by services that do so", async () => {
    const jira = samples.find(({ name }) => name === "jira")!;
    await post(jira, { stream: "room", topic: "a%20topic" });
    expect(await newest()).toMatchObject({ subject: "a topic" });
    await say({ stream: "room", topic: "100%25" });
    expect(await newest()).toMatchObject({ subject: "100%25" });
  });

  it("needs a key that is good, of a service that is known; an event that is not known is said so", async () => {
    expect((await hook("json", {}, { api_key: "x".repeat(32), stream: "room" })).status).toBe(401);
    expect((await hook("nothing", {})).status).toBe(404);
    expect((await hook("constructor", {})).status).toBe(404);
    const answers = async (headers: Record<string, string>) =>
      (await hook("github", {}, { stream: "room" }, headers)).body;
    const before = (await newest())!["id"];
    expect(await answers({ "X-GitHub-Event": "meta" })).toMatchObject({ result: "success" });
    expect(await answers({ "X-GitHub-Event": "tea_time" })).toMatchObject({
      result: "error",
      code: "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
      webhook_name: "GitHub",
      event_type: "tea_time",
    });
    expect(await answers({ "X-Gitlab-Event": "Push Hook" })).toMatchObject({
      code: "MISSING_HTTP_EVENT_HEADER",
      header: "X-GitHub-Event",
    });
    expect((await newest())!["id"]).toBe(before);
  });

  it("takes address and key of the bot by basic authentication, for services that have no room for a key", async () => {
    const authorization = `Basic ${Buffer.from(`${botEmail}:${key}`).toString("base64")}`;
    const query = new URLSearchParams({ stream: "room", ticket_id: "7", ticket_title: "In the address" });
    const send = (headers: Record<string, string>) =>
      fetch(`${server.url}/api/v1/external/zendesk?${query}`, {
        method: "POST",
        headers,
        body: new URLSearchParams({ message: "hi" }),
      });
    expect((await send({ Authorization: authorization })).status).toBe(200);
    expect(await newest()).toMatchObject({ subject: "#7: In the address", content: "hi" });
    expect((await send({ Authorization: "Basic eDp5" })).status).toBe(401);
    expect((await (await send({})).json()) as JsonObject).toMatchObject({
      code: "REQUEST_VARIABLE_MISSING",
      var_name: "api_key",
    });
  });

  it("takes the fields of a multipart form, as Jotform sends them", async () => {
    const body = new FormData();
    for (const [field, value] of Object.entries({ formTitle: "Order", submissionID: "3", pretty: "Tea:green" }))
      body.set(field, value);
    expect(
      (await fetch(`${server.url}/api/v1/external/jotform?api_key=${key}&stream=room`, { method: "POST", body }))
        .status,
    ).toBe(200);
    expect(await newest()).toMatchObject({ subject: "Order", content: "Submission 3:\n\n* Tea: green" });
  });

  it("is verified by services that ask: Dropbox's challenge, Trello's and Intercom's HEAD", async () => {
    const ask = (name: string, method: string, query = "") =>
      fetch(`${server.url}/api/v1/external/${name}?api_key=${key}${query}`, { method });
    const answer = await ask("dropbox", "GET", "&challenge=%3Cb%3E1");
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([
      200,
      "text/plain",
      "<b>1",
    ]);
    expect((await ask("trello", "HEAD")).status).toBe(200);
    expect((await ask("intercom", "HEAD")).status).toBe(200);
    expect((await ask("github", "GET")).status).toBe(405);
    expect(
      (await fetch(`${server.url}/api/v1/external/trello?api_key=${"x".repeat(32)}`, { method: "HEAD" })).status,
    ).toBe(401);
  });

  it("answers what posts to Slack as Slack does, or it would post again", async () => {
    expect((await hook("slack_incoming", { text: "hi" })).body).toMatchObject({ result: "success", ok: true });
    // A topic of a service's own is made one line.
    expect((await hook("ifttt", { topic: "a\u202eb\u2028c", content: "hi" })).body).toMatchObject({
      result: "success",
    });
    expect((await hook("slack_incoming", {})).body).toMatchObject({ result: "error", ok: false, error: "no_text" });
  });

  it("tells Zapier whose key it has", async () => {
    expect((await hook("zapier", { type: "auth" })).body).toMatchObject({
      full_name: "Hook",
      email: botEmail,
      id: botId,
    });
  });
});

describe("what strangers write", () => {
  const evil = "@**all** @*everyone* [click](https://evil.example/) `x\n```\n/poll me @";

  it("calls nobody and hides no address, whatever field it is in", async () => {
    const { id: before } = (await newest()) as { id: number };
    for (const sample of samples) {
      const topic: Record<string, string> = integrations.get(sample.name)!.hasOwnTexts ? { topic: "own text" } : {};
      await post({ ...sample, payload: poisoned(sample.payload) }, { stream: "room", ...topic });
    }
    const params = { anchor: before, num_before: 0, num_after: 2000, narrow: [["channel", "room"]] };
    const { messages } = expectSuccess(await server.owner.client.get("/messages", params)) as {
      messages: JsonObject[];
    };
    expect(messages.length).toBeGreaterThan(300);
    for (const { subject, content, flags } of messages) {
      expect([subject, (flags as string[]).filter((flag) => /mention/.test(flag))]).toEqual([subject, []]);
      expect(content).not.toMatch(/class="user-(?:group-)?mention"(?![^>]*silent)/);
      // Links in quotes are the author's own, and are shown as such.
      const outside = (content as string).replaceAll(/<blockquote>[\s\S]*?<\/blockquote>/g, "");
      if (subject !== "own text") expect(outside).not.toMatch(/<a href="https:\/\/evil\.example\/"[^>]*>click/);
    }
  });

  /** Every text of it with the evil one behind, but for what says which event it is, and addresses. */
  function poisoned(value: unknown, name = ""): unknown {
    if (Array.isArray(value)) return value.map((item) => poisoned(item, name));
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, poisoned(item, key)]));
    const decides =
      /^(?:action|type|event|eventType|eventKey|webhookEvent|object_kind|noteable_type|ref|ref_type|state|status|hook|topic|phase|check_type|alert_type_friendly_name|triggered_event|issue_event_type_name|reference_type|event_type|payload)$/;
    return typeof value !== "string" || decides.test(name) || value.startsWith("https://") ? value : `${value} ${evil}`;
  }
});

describe("nothing that is posted is lost under a success", () => {
  const postRaw = async (name: string, body: string, headers: Record<string, string> = {}) => {
    const address = `${server.url}/api/v1/external/${name}?api_key=${key}&stream=room`;
    const before = (await newest())?.["id"];
    const { status } = await fetch(address, { method: "POST", body: Buffer.from(body), headers });
    const after = await newest();
    return { status, content: after?.["id"] === before ? undefined : after!["content"] };
  };
  const form = "application/x-www-form-urlencoded";

  it.each([...integrations.keys()])("%s is told the same, whatever the body is called", async (name) => {
    const sample = samples.find((one) => one.name === name)!;
    const { content, headers } = sample;
    const text = JSON.stringify(sample.payload);
    for (const [type, body] of [
      [form, text],
      [`${form}; charset=utf-8`, ` \r\n${text}`],
      ["text/plain", text],
      ["", text],
      [form, new URLSearchParams({ payload: text }).toString()],
    ] as const) {
      const told = await postRaw(name, body, { ...headers, "Content-Type": type });
      expect([type, told]).toEqual([type, { status: 200, content: expect.stringMatching(content) }]);
    }
  });

  it("what begins like JSON and is none, an empty body, and a form without a payload are refused", async () => {
    for (const name of integrations.keys())
      for (const type of [form, "application/json", "text/plain"])
        for (const body of ["", "{", '[{"a":1}', " {a=b}", "a=b", "=", "%7B%7D"])
          expect([name, type, body, await postRaw(name, body, { "Content-Type": type })]).toEqual([
            name,
            type,
            body,
            { status: 400, content: undefined },
          ]);
  });

  it.each(["ifttt", "zapier", "slack_incoming", "uptimekuma", "alertmanager"])(
    "a payload in which %s finds nothing is refused",
    async (name) => {
      for (const body of ["{}", "[]", '{"other":"text"}', '{"content":""}', '{"alerts":[]}'])
        expect([body, await postRaw(name, body)]).toEqual([body, { status: 400, content: undefined }]);
    },
  );
});

async function setUp(): Promise<void> {
  const fields = { full_name: "Hook", short_name: "hook", bot_type: 2 };
  const made = expectSuccess(await server.owner.client.post("/bots", fields));
  key = made["api_key"] as string;
  botId = made["user_id"] as number;
  const { members } = expectSuccess(await server.owner.client.get("/users", {})) as { members: JsonObject[] };
  botEmail = members.find(({ user_id }) => user_id === botId)!["email"] as string;
}

let key: string;
let botId: number;
let botEmail: string;

/** Posts a sample in its own way. */
function post({ name, payload, headers = {}, isForm }: Sample, query: Record<string, string>) {
  return isForm
    ? hook(name, new URLSearchParams(payload as Record<string, string>), query)
    : hook(name, payload, query, headers);
}

/** Posts to the hook; the answer's status and body. */
async function hook(
  name: string,
  payload: unknown,
  query: Record<string, string> = { stream: "room" },
  headers: Record<string, string> = {},
) {
  const address = new URL(`${server.url}/api/v1/external/${name}`);
  for (const [field, value] of Object.entries({ api_key: key, ...query })) address.searchParams.set(field, value);
  const isForm = payload instanceof URLSearchParams;
  const body = typeof payload === "string" || isForm ? payload : JSON.stringify(payload);
  const type: Record<string, string> = isForm ? {} : { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", body, headers: { ...type, ...headers } });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

/** The newest message, as its source. */
async function newest(narrow: unknown[] = [["channel", "room"]]) {
  const params = { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false, narrow };
  const { messages } = expectSuccess(await server.owner.client.get("/messages", params)) as { messages: JsonObject[] };
  return messages[0];
}
