/** Incoming webhooks: what each service posts, in the form of its documentation, and what becomes of it. */
import { beforeAll, describe, expect, it } from "vitest";
import { integrations } from "../../../actors/integrations/table.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const room = server.channel("room", [server.owner]);
beforeAll(setUp);

describe("each integration", () => {
  it.each(samples())("%s: %j", async (name, payload, topic, content, headers = {}) => {
    expect(await hook(name, payload, { stream: "room" }, headers)).toMatchObject({
      status: 200,
      body: { result: "success" },
    });
    const message = await newest();
    expect(message).toMatchObject({ sender_id: botId });
    expect(topic.startsWith(message!["subject"] as string)).toBe(true);
    expect(message!["content"]).toMatch(content);
  });

  it("is listed in register, and has a payload here", async () => {
    const { realm_incoming_webhook_bots: listed } = await server.owner.client.register();
    const names = (listed as JsonObject[]).map(({ name }) => name);
    expect(names).toEqual([...integrations.keys()]);
    expect(new Set(samples().map(([name]) => name))).toEqual(new Set(names));
  });

  it("makes something of nothing: an error in JSON or no message, never more", async () => {
    for (const name of integrations.keys()) {
      for (const payload of ["null", "[]", "{}", '"x"', '{"alerts":[null],"event":1,"issue":[],"commits":{"a":1}}']) {
        const { status, body } = await hook(name, payload, { stream: "room" }, { "X-GitHub-Event": "push" });
        expect([name, payload, status < 500, typeof body["result"]]).toEqual([name, payload, true, "string"]);
      }
      expect(await hook(name, "{", { stream: "room" })).toMatchObject({ status: 400, body: { code: "INVALID_JSON" } });
    }
  });
});

describe("the address", () => {
  const say = (query: Record<string, string>) =>
    hook("uptimekuma", samples().find(([name]) => name === "uptimekuma")![1], query);

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
    const isTold = async (query: Record<string, string>) => {
      const before = (await newest())!["id"];
      expect((await say({ stream: "room", ...query })).status).toBe(200);
      return (await newest())!["id"] !== before;
    };
    expect(await isTold({ only_events: '["up"]' })).toBe(false);
    expect(await isTold({ only_events: '["up","do*"]' })).toBe(true);
    expect(await isTold({ exclude_events: '["d*n"]' })).toBe(false);
    expect(await isTold({ exclude_events: '["do*own"]' })).toBe(true);
  });

  it("needs a key that is good, of a service that is known; an unknown event is left out in peace", async () => {
    expect((await hook("json", {}, { api_key: "x".repeat(32), stream: "room" })).status).toBe(401);
    expect((await hook("nothing", {})).status).toBe(404);
    expect((await hook("constructor", {})).status).toBe(404);
    const before = (await newest())!["id"];
    expect(await hook("github", {}, { stream: "room" }, { "X-GitHub-Event": "meta" })).toMatchObject({
      status: 200,
      body: { result: "error", code: "UNSUPPORTED_WEBHOOK_EVENT_TYPE" },
    });
    expect((await newest())!["id"]).toBe(before);
  });

  it("takes a form with a payload as well", async () => {
    const body = new URLSearchParams({ payload: JSON.stringify({ text: "from a form", channel: "f" }) });
    const address = `${server.url}/api/v1/external/slack_incoming?api_key=${key}&stream=room`;
    expect((await fetch(address, { method: "POST", body })).status).toBe(200);
    expect(await newest()).toMatchObject({ subject: "f", content: "from a form" });
  });
});

describe("nothing that is posted is lost under a success", () => {
  const post = async (name: string, body: string, headers: Record<string, string> = {}) => {
    const address = `${server.url}/api/v1/external/${name}?api_key=${key}&stream=room`;
    const before = (await newest())?.["id"];
    const { status } = await fetch(address, { method: "POST", body: Buffer.from(body), headers });
    const after = await newest();
    return { status, content: after?.["id"] === before ? undefined : after!["content"] };
  };
  const form = "application/x-www-form-urlencoded";

  it.each(samples())(
    "%s is told the same, whatever the body is called: %j",
    async (name, payload, _, content, headers = {}) => {
      const text = JSON.stringify(payload);
      for (const [type, body] of [
        [form, text],
        [`${form}; charset=utf-8`, ` \r\n${text}`],
        ["text/plain", text],
        ["", text],
        [form, new URLSearchParams({ payload: text }).toString()],
      ] as const) {
        const told = await post(name, body, { ...headers, "Content-Type": type });
        expect([type, told]).toEqual([type, { status: 200, content: expect.stringMatching(content) }]);
      }
    },
  );

  it("what begins like JSON and is none, an empty body, and a form without a payload are refused", async () => {
    for (const name of integrations.keys())
      for (const type of [form, "application/json", "text/plain"])
        for (const body of ["", "{", '[{"a":1}', " {a=b}", ...(type === form ? ["a=b", "=", "%7B%7D"] : ["a=b"])])
          expect([name, type, body, await post(name, body, { "Content-Type": type })]).toEqual([
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
        expect([body, await post(name, body)]).toEqual([body, { status: 400, content: undefined }]);
    },
  );
});

async function setUp(): Promise<void> {
  const fields = { full_name: "Hook", short_name: "hook", bot_type: 2 };
  const made = expectSuccess(await server.owner.client.post("/bots", fields));
  key = made["api_key"] as string;
  botId = made["user_id"] as number;
}

let key: string;
let botId: number;

type Sample = [name: string, payload: unknown, topic: string, content: RegExp, headers?: Record<string, string>];

/** What each service posts. */
function samples(): Sample[] {
  const forgeIssue = {
    action: "opened",
    issue: { number: 7, title: "It leaks", html_url: "https://forge.example/r/issues/7", body: "A lot. @**all**" },
    repository: { name: "kettle" },
    sender: { login: "mia" },
  };
  const alert = {
    status: "firing",
    labels: { alertname: "HighLoad", instance: "web-1" },
    annotations: { description: "Load is 9", summary: "Busy" },
    generatorURL: "https://prom.example/graph",
  };
  return [
    ["json", { a: [1, "x"] }, "JSON", /^```json\n\{\n {2}"a": \[\n/],
    [
      "slack_incoming",
      { channel: "#dev", text: "*Done*, see <https://a.example/|here>" },
      "dev",
      /^\*\*Done\*\*, see \[here\]\(https:\/\/a\.example\/\)$/,
    ],
    [
      "github",
      forgeIssue,
      "kettle / issue #7 It leaks",
      /^mia opened \[issue #7\]\(https:.*\): It leaks\n~~~ quote\nA lot\. @_\*\*all\*\*\n~~~$/,
      { "X-GitHub-Event": "issues" },
    ],
    [
      "github",
      {
        ref: "refs/heads/main",
        after: "a1b2c3",
        compare: "https://github.example/c",
        commits: [{ id: "a1b2c3d4e5f6a7", message: "Fix\n\nmore", url: "https://github.example/1" }],
        pusher: { name: "mia" },
        repository: { name: "kettle" },
      },
      "kettle / main",
      /^mia \[pushed\]\(https:\/\/github\.example\/c\) 1 commit to main\.\n\n\* Fix \(\[a1b2c3d4e5f\]\(https:\/\/github\.example\/1\)\)$/,
      { "X-GitHub-Event": "push" },
    ],
    ["gitea", forgeIssue, "kettle / issue #7 It leaks", /^mia opened/, { "X-Gitea-Event": "issues" }],
    [
      "forgejo",
      { ref: "v1", ref_type: "tag", repository: { name: "kettle" }, sender: { login: "mia" } },
      "kettle / v1",
      /^mia created the tag v1\.$/,
      { "X-Forgejo-Event": "create" },
    ],
    [
      "gitlab",
      {
        object_kind: "merge_request",
        user: { name: "Mia" },
        project: { name: "kettle" },
        object_attributes: { iid: 3, title: "Mend it", action: "merge", url: "https://gitlab.example/3" },
      },
      "kettle / MR !3 Mend it",
      /^Mia merged \[MR !3\]\(https:\/\/gitlab\.example\/3\): Mend it$/,
    ],
    [
      "grafana",
      { status: "firing", groupLabels: { alertname: "HighLoad" }, alerts: [alert] },
      "HighLoad",
      /^:alert: \*\*Firing\*\*: \[HighLoad\]\(.*\): Load is 9$/,
    ],
    [
      "alertmanager",
      { alerts: [alert, { ...alert, status: "resolved" }] },
      "web-1",
      /Firing[\s\S]*\n\* :check: \*\*Resolved\*\*/,
    ],
    [
      "sentry",
      {
        action: "created",
        data: { issue: { title: "Boom", web_url: "https://sentry.example/1", project: { name: "api" } } },
      },
      "api",
      /^\[Boom\]\(https:\/\/sentry\.example\/1\) was created\.$/,
    ],
    [
      "jira",
      {
        webhookEvent: "jira:issue_created",
        user: { displayName: "Mia" },
        issue: { key: "K-1", self: "https://jira.example/rest/api/2/issue/1", fields: { summary: "Kettle" } },
      },
      "K-1: Kettle",
      /^Mia created \[K-1\]\(https:\/\/jira\.example\/browse\/K-1\): Kettle$/,
    ],
    [
      "pagerduty",
      {
        event: {
          event_type: "incident.triggered",
          data: { number: 9, title: "Down", html_url: "https://pd.example/9", assignees: [{ summary: "Mia" }] },
        },
      },
      "Incident 9",
      /^\[Incident 9\]\(https:\/\/pd\.example\/9\) was triggered: Down \(assigned to Mia\)$/,
    ],
    [
      "uptimekuma",
      { heartbeat: { status: 0, msg: "timeout" }, monitor: { name: "Site", url: "https://s.example" }, msg: "x" },
      "Site",
      /is \*\*down\*\*: timeout$/,
    ],
    [
      "statuspage",
      { component: { name: "API" }, component_update: { old_status: "operational", new_status: "major_outage" } },
      "API: major outage",
      /^\*\*API\*\* went from operational to major outage\.$/,
    ],
    ["zapier", { topic: "zap", content: "hello" }, "zap", /^hello$/],
    ["ifttt", { topic: "if", content: "that" }, "if", /^that$/],
  ];
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
  const body = typeof payload === "string" ? payload : JSON.stringify(payload);
  const answer = await fetch(address, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json", ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as JsonObject };
}

/** The newest message, as its source. */
async function newest(narrow: unknown[] = [["channel", "room"]]) {
  const params = { anchor: "newest", num_before: 1, num_after: 0, apply_markdown: false, narrow };
  const { messages } = expectSuccess(await server.owner.client.get("/messages", params)) as { messages: JsonObject[] };
  return messages[0];
}
