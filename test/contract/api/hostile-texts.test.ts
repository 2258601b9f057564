/** Hostile texts in every field that people write: lengths, null bytes, broken Unicode, scripts, deceptive names. */
import { beforeAll, describe, expect, it } from "vitest";
import { routes } from "../../../http/api/routes.ts";
import { assertSafeHtml } from "../../actors/markdown/safe-html.ts";
import { type ApiResponse, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [mia] = server.people("Mia Member");
const hall = server.channel("hall", [owner, mia]);
beforeAll(setUp);

describe.each(textFields())("$what", ({ limit, isCut, send }) => {
  it("lengths count code points: the limit is where it is said to be", async () => {
    expectSuccess(await send(ofLength(limit)));
    const longer = await send(ofLength(limit + 1));
    if (isCut) expectSuccess(longer);
    else expect(expectError(longer, 400, "BAD_REQUEST")["msg"]).toMatch(/too long|exceed|limit|at most/i);
  });

  it("null bytes are refused", async () => {
    expectError(await send("a\0b"), 400, "BAD_REQUEST");
  });

  it("halves of surrogate pairs are no text, and break nothing", async () => {
    const answer = await send(`a\ud800b\udc00${unique()}`);
    expect(answer.status === 200 || answer.body["code"] === "BAD_REQUEST", answer.text).toBe(true);
    expect(answer.text).not.toContain("\\ud8");
  });

  it("script is refused, or kept and escaped wherever it is shown as HTML", async () => {
    const script = `<script>alert(${unique()})</script>`;
    const answer = await send(script);
    if (answer.status !== 200) expectError(answer, 400, "BAD_REQUEST");
    else expectSuccess(answer);
  });
});

describe("what was kept of it", () => {
  it("is safe in every HTML of a register answer, a message, a history and a profile", async () => {
    const query = { anchor: "newest", num_before: 1000, num_after: 0, narrow: [["search", "alert"]] };
    const answers = [
      await owner.client.register({ apply_markdown: true, client_capabilities: { archived_channels: true } }),
      ...(
        await Promise.all([
          owner.client.get("/messages", { ...query, narrow: [] }),
          owner.client.get("/messages", query),
          owner.client.get(`/messages/${reported}/history`),
          owner.client.get(`/users/${mia.id}`, { include_custom_profile_fields: true }),
          owner.client.get("/streams"),
          owner.client.get("/channel_folders"),
          owner.client.get("/scheduled_messages"),
        ])
      ).map(expectSuccess),
    ];
    const pieces = answers.map((answer) => [...htmlIn(answer)]);
    for (const piece of pieces.flat()) assertSafeHtml(piece);
    // A message, its history, a profile and a description say it, escaped.
    expect(pieces.flat().filter((piece) => piece.includes("&lt;script&gt;alert(")).length).toBeGreaterThan(5);
  });

  it("is escaped on the page behind an invitation and on the page that logs in", async () => {
    await owner.setRealm({ name: "<script>alert(1)</script>", description: "<b>&" });
    const { invite_link } = expectSuccess(await owner.client.post("/invites/multiuse"));
    for (const path of [new URL(invite_link as string).pathname, "/login/", "/about/"]) {
      const page = await owner.client.get(path, {}, { root: true });
      expect(page.text, path).toContain("&#60;script&#62;alert(1)&#60;/script&#62;");
      expect(page.text).not.toMatch(/<script>alert|<b>&/);
    }
  });
});

describe("names that cannot be seen or mislead", () => {
  const names = textFields().filter(({ what }) =>
    [
      "full_name",
      "full_name of somebody new",
      "bot name",
      "channel name",
      "folder name",
      "group name",
      "organization name",
    ].includes(what),
  );

  it.each(names)("$what", async ({ send }) => {
    for (const name of [
      "",
      "  ",
      "\u200b",
      "\u200d\u200c",
      "gen\u200beral",
      "\u202ename",
      "a\u2066b",
      "a\ufeffb",
      "a\nb",
      "\u3164",
    ])
      expectError(await send(name), 400, "BAD_REQUEST");
    // What scripts and emoji are made of is no deception.
    expectSuccess(await send(`می‌خواهم 👩‍💻 ${unique()}`));
  });
});

describe("texts of one line", () => {
  const lines = textFields().filter(({ what }) =>
    [
      "topic",
      "snippet title",
      "name of a view",
      "alert word",
      "status",
      "name of a profile field",
      "hint of a profile field",
      "name of a playground",
    ].includes(what),
  );

  it.each(lines)("$what", async ({ send }) => {
    for (const text of ["a\nb", "a\u007fb", "a\u202eb", "a\u2067b", "a\u2028b", "a\ufdd0b"])
      expectError(await send(text), 400, "BAD_REQUEST");
    expectSuccess(await send(`می‌خواهم 👩‍💻 \u200f(א) ${unique()}`));
  });
});

describe("halves of characters and null bytes", () => {
  const broken = ['"a\\ud800b"', '"\\udc00"', '"a\\u0000"', '{"\\ud83d":"x"}', '[{"a\\u0000":["x"]}]', '[["\\udfff"]]'];
  const places = routes.flatMap((route) =>
    Object.entries(route.params)
      .filter(([, param]) => !param.isPath && param.maxLength !== undefined)
      .map(([name, param]) => [`${route.method} ${route.path} ${name}`, name, param] as const),
  );

  it("are refused in every JSON parameter of every route", () => {
    expect(places.length).toBeGreaterThan(200);
    for (const [place, name, param] of places)
      for (const text of broken) {
        let read: unknown;
        try {
          read = param.read(name, new Map([[name, text]]));
        } catch (error) {
          expect(error, place).toMatchObject({ status: 400 });
          continue;
        }
        // It is a text, and was taken as it is: this JSON as such.
        expect(read, place).toBe(text);
      }
  });

  it("are refused in the keys of a bot's storage, in polls and in widgets", async () => {
    const ask = (storage: string) => owner.client.put("/bot_storage", { storage });
    for (const storage of ['{"\\ud800":"x"}', '{"a\\u0000":"x"}']) expectError(await ask(storage), 400, "BAD_REQUEST");
    const poll = expectSuccess(await send("/poll Tea?"))["id"] as number;
    const vote = (option: string) =>
      owner.client.post("/submessage", {
        message_id: poll,
        msg_type: "widget",
        content: `{"type":"new_option","idx":1,"option":${option}}`,
      });
    for (const option of ['"a\\u0000b"', '"a\\ud800"']) expectError(await vote(option), 400, "BAD_REQUEST");
    expectSuccess(await vote('"a\\ud83d\\ude00"'));
  });
});

async function setUp(): Promise<void> {
  const make = async (path: string, params: JsonObject, id: string) =>
    expectSuccess(await owner.client.post(path, params))[id] as number;
  folder = await make("/channel_folders/create", { name: "Folder", description: "" }, "channel_folder_id");
  group = await make("/user_groups/create", { name: "group", description: "", members: [] }, "group_id");
  shortTextField = await make("/realm/profile_fields", { field_type: 1, name: "Motto" }, "id");
  reported = await make("/messages", { type: "channel", to: hall.id, topic: "t", content: "bad" }, "id");
  const desk = await server.addChannel("desk", [owner], { invite_only: true });
  await owner.setRealm({ moderation_request_channel_id: desk });
}

/** A text that people give: how it is sent, how many code points it may have, and whether a longer one is cut. */
interface TextField {
  what: string;
  limit: number;
  isCut?: true;
  send(text: string): Promise<ApiResponse>;
}

/** As long as wanted in code points, each but the last few two code units; unlike every other. */
function ofLength(codePoints: number): string {
  const end = `x${unique()}`;
  return "😀".repeat(codePoints - end.length) + end;
}

let folder: number;
let group: number;
let shortTextField: number;
let reported: number;
let serial = 0;
const send = (content: string, topic = "t") =>
  owner.client.post("/messages", { type: "channel", to: hall.id, topic, content });
const unique = () => ++serial;
const asJson = (text: string) => JSON.stringify(text);

function textFields(): TextField[] {
  return [
    { what: "full_name", limit: 100, send: (full_name) => owner.client.patch(`/users/${mia.id}`, { full_name }) },
    { what: "own full_name", limit: 100, send: (full_name) => mia.client.patch("/settings", { full_name }) },
    {
      what: "full_name of somebody new",
      limit: 100,
      send: (full_name) =>
        owner.client.post("/users", { email: `p${unique()}@example.com`, password: "a fine password", full_name }),
    },
    {
      what: "bot name",
      limit: 100,
      send: (full_name) => owner.client.post("/bots", { full_name, short_name: `bot${unique()}` }),
    },
    {
      what: "channel name",
      limit: 60,
      send: (name) => owner.client.post("/channels/create", { name, subscribers: [] }),
    },
    {
      what: "new channel name",
      limit: 60,
      send: (new_name) => owner.client.patch(`/streams/${hall.id}`, { new_name }),
    },
    {
      what: "channel description",
      limit: 1024,
      send: (description) => owner.client.patch(`/streams/${hall.id}`, { description }),
    },
    { what: "folder name", limit: 100, send: (name) => owner.client.patch(`/channel_folders/${folder}`, { name }) },
    {
      what: "folder description",
      limit: 1024,
      send: (description) => owner.client.patch(`/channel_folders/${folder}`, { description }),
    },
    { what: "group name", limit: 100, send: (name) => owner.client.patch(`/user_groups/${group}`, { name }) },
    {
      what: "group description",
      limit: 1024,
      send: (description) => owner.client.patch(`/user_groups/${group}`, { description }),
    },
    { what: "organization name", limit: 40, send: (name) => owner.client.patch("/realm", { name }) },
    {
      what: "organization description",
      limit: 1000,
      send: (description) => owner.client.patch("/realm", { description }),
    },
    { what: "topic", limit: 60, isCut: true, send: (topic) => send("c", topic) },
    { what: "message", limit: 10_000, isCut: true, send: (content) => send(content) },
    {
      what: "edited message",
      limit: 10_000,
      isCut: true,
      send: (content) => owner.client.patch(`/messages/${reported}`, { content }),
    },
    {
      what: "draft",
      limit: 10_000,
      isCut: true,
      send: (content) =>
        owner.client.post("/drafts", { drafts: [{ type: "stream", to: [hall.id], topic: "t", content }] }),
    },
    {
      what: "scheduled message",
      limit: 10_000,
      isCut: true,
      send: (content) =>
        owner.client.post("/scheduled_messages", {
          type: "stream",
          to: hall.id,
          topic: "t",
          content,
          scheduled_delivery_timestamp: 4_000_000_000,
        }),
    },
    {
      what: "snippet title",
      limit: 60,
      send: (title) => owner.client.post("/saved_snippets", { title, content: "c" }),
    },
    {
      what: "snippet",
      limit: 10_000,
      send: (content) => owner.client.post("/saved_snippets", { title: "t", content }),
    },
    {
      what: "name of a view",
      limit: 100,
      send: (name) =>
        owner.client.post("/navigation_views", { fragment: `f${unique()}`, is_pinned: true, name: asJson(name) }),
    },
    {
      what: "alert word",
      limit: 100,
      send: (word) => owner.client.post("/users/me/alert_words", { alert_words: [word] }),
    },
    { what: "status", limit: 60, send: (status_text) => owner.client.post("/users/me/status", { status_text }) },
    {
      what: "name of a profile field",
      limit: 40,
      send: (name) => owner.client.patch(`/realm/profile_fields/${shortTextField}`, { name }),
    },
    {
      what: "hint of a profile field",
      limit: 80,
      send: (hint) => owner.client.patch(`/realm/profile_fields/${shortTextField}`, { hint }),
    },
    {
      what: "value of a profile field",
      limit: 50,
      send: (value) => owner.client.patch(`/users/${mia.id}`, { profile_data: [{ id: shortTextField, value }] }),
    },
    {
      what: "welcome text",
      limit: 8000,
      send: (text) => owner.client.post("/invites/multiuse", { welcome_message_custom_text: asJson(text) }),
    },
    {
      what: "notes of a report",
      limit: 1000,
      send: (description) => mia.client.post(`/messages/${reported}/report`, { report_type: "other", description }),
    },
    {
      what: "name of a playground",
      limit: 500,
      send: (name) =>
        owner.client.post("/realm/playgrounds", {
          name,
          pygments_language: "C",
          url_template: "https://example.org/{code}",
        }),
    },
  ];
}

/** Fields that are HTML, wherever they are in an answer. */
function* htmlIn(value: unknown): Generator<string> {
  if (typeof value !== "object" || value === null) return;
  const isHtml = (value as JsonObject)["content_type"] === "text/html";
  for (const [name, part] of Object.entries(value)) {
    const isRendered = /^(prev_)?rendered_|_html_diff$|^match_/.test(name) || (isHtml && name === "content");
    if (isRendered && typeof part === "string") yield part;
    else yield* htmlIn(part);
  }
}
