/**
 * A real export of Zulip's comes in: what its people were answered there they are answered here, ids mapped. The names
 * of what was asked (`channel:19 topic:Bees`, `dm:1172,1173`, …) are those of the answers' file.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { importFromZulip } from "../../../http/process/transfer.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ nodeCount: 1 });
beforeAll(setUp, 120_000);

const expected = readAnswers();
const people = Object.entries(expected.people).filter(([, { register }]) => register !== undefined);

describe.each(people)("what %s was answered", (id, answers) => {
  const own = Number(id);
  const ask = (path: string, params: Record<string, unknown> = {}) => clients.get(own)!.get(path, params);

  it("unread, starred, subscriptions, topics, muted people, alert words, settings", async () => {
    const { register } = answers;
    const here = expectSuccess(
      await clients.get(own)!.post("/register", {
        apply_markdown: true,
        include_subscribers: true,
        client_capabilities: { notification_settings_null: true, user_settings_object: true },
      }),
    ) as unknown as Answers["register"] & {
      recent_private_conversations: { max_message_id: number; user_ids: number[] }[];
    };
    expect(unreadsOf(here.unread_msgs, true)).toEqual(unreadsOf(register.unread_msgs, false));
    const isCounted = (id: number) => own !== mutedMention.person || id !== mutedMention.message;
    expect(oldIdsOf(here.unread_msgs.mentions).filter(isCounted)).toEqual(sorted(register.unread_msgs.mentions));
    expect(oldIdsOf(here.starred_messages)).toEqual(sorted(register.starred_messages));
    expect(here.subscriptions.map((row) => subscriptionOf(row, true)).sort(byText)).toEqual(
      register.subscriptions.map((row) => subscriptionOf(row, false)).sort(byText),
    );
    const names = (rows: readonly JsonObject[]) => rows.map((row) => row["name"]).sort();
    expect(names(here.unsubscribed)).toEqual(
      names(register.unsubscribed.filter((row) => !String(row["name"]).includes("DEACTIVATED"))),
    );
    const topicOf = (row: JsonObject, isNew: boolean) =>
      `${isNew ? oldChannels.get(row["stream_id"] as number) : row["stream_id"]} ${row["topic_name"]} ${row["visibility_policy"]}`;
    // Those of archived channels are told here too.
    const isOpen = (row: JsonObject) => oldChannels.get(row["stream_id"] as number) !== archivedChannel;
    expect(
      here.user_topics
        .filter(isOpen)
        .map((row) => topicOf(row, true))
        .sort(),
    ).toEqual(register.user_topics.map((row) => topicOf(row, false)).sort());
    expect(here.muted_users.map((row) => oldUsers.get(row.id))).toEqual(register.muted_users.map((row) => row.id));
    expect([...here.alert_words].sort()).toEqual([...register.alert_words].sort());
    expect(sortedConversations(here.recent_private_conversations, true)).toEqual(
      sortedConversations(register.recent_private_conversations, false),
    );
    for (const [name, value] of Object.entries(register.user_settings)) {
      const known = here.user_settings[name];
      if (
        known !== undefined &&
        !name.endsWith("_choices") &&
        name !== "available_notification_sounds" &&
        name !== "timezone"
      )
        expect([name, known]).toEqual([name, value]);
    }
  });

  it("each narrow, and flags", async () => {
    const [there, here]: Record<string, number[]>[] = [{}, {}];
    for (const [name, ids] of Object.entries(answers.narrows)) {
      const found = await fetchAll(clients.get(own)!, narrowOf(name));
      here![name] = oldIdsOf(found.map((message) => message["id"] as number)).filter(
        (id) => !isElsewhere(name, id, own),
      );
      there![name] = sorted(ids).filter((id) => !isElsewhere(name, id, own));
    }
    expect(here).toEqual(there);
    const all = [
      ...(await fetchAll(clients.get(own)!, [])),
      ...(
        await Promise.all(
          Object.keys(answers.narrows)
            .filter((name) => /^channel:\d+$/.test(name))
            .map((name) => fetchAll(clients.get(own)!, narrowOf(name))),
        )
      ).flat(),
    ];
    const flags = new Map<string, Set<number>>();
    for (const message of all)
      for (const flag of message["flags"] as string[]) {
        const ids = flags.get(flag) ?? new Set();
        flags.set(flag, ids.add(oldMessages.get(message["id"] as number)!));
      }
    const listed = Object.keys(answers.flags).map((flag) => [flag, sorted([...(flags.get(flag) ?? [])])]);
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(
        Object.entries(answers.flags).map(([flag, ids]) => [
          flag,
          sorted(ids.filter((id) => !isElsewhere("", id, own))),
        ]),
      ),
    );
  });

  it("files and what is to be sent later", async () => {
    const files = expectSuccess(await ask("/attachments"))["attachments"] as Answers["attachments"];
    const fileOf = ({ name, size, messages }: Answers["attachments"][number], isNew: boolean) => ({
      name,
      size,
      messages: isNew ? oldIdsOf(messages.map(({ id }) => id)) : sorted(messages.map(({ id }) => id)),
    });
    const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
    expect(files.map((file) => fileOf(file, true)).sort(byName)).toEqual(
      // What nothing holds is not exported.
      answers.attachments
        .filter(({ name }) => name !== "never used.txt")
        .map((file) => fileOf(file, false))
        .sort(byName),
    );
    const later = expectSuccess(await ask("/scheduled_messages"))[
      "scheduled_messages"
    ] as Answers["scheduled_messages"];
    const times = (rows: Answers["scheduled_messages"]) =>
      rows.map((row) => `${row.type} ${row.scheduled_delivery_timestamp}`).sort();
    expect(times(later)).toEqual(times(answers.scheduled_messages));
  });
});

describe("messages", () => {
  it.each(Object.values(expected.messages).map((message) => [message.id, message] as const))(
    "%i",
    async (id, message) => {
      const client = clients.get(message.viewer)!;
      const read = async (apply_markdown: boolean) =>
        expectSuccess(await client.get(`/messages/${messagesHere.get(id)}`, { apply_markdown }))[
          "message"
        ] as JsonObject & {
          reactions: SampleMessage["reactions"];
        };
      const shown = await read(true);
      const source = await read(false);
      expect({
        sender: oldUsers.get(shown["sender_id"] as number),
        subject: shown["subject"],
        timestamp: shown["timestamp"],
        client: shown["client"],
        is_me_message: shown["is_me_message"],
        flags: [...(shown["flags"] as string[])].filter((flag) => flag !== "wildcard_mentioned").sort(),
      }).toEqual({
        sender: message.sender_id,
        subject: message.subject,
        timestamp: message.timestamp,
        client: message.client,
        is_me_message: message.is_me_message,
        flags: [...message.flags].filter((flag) => flag !== "wildcard_mentioned").sort(),
      });
      const reactionOf = (reaction: SampleMessage["reactions"][number], isNew: boolean) =>
        `${reaction.emoji_name} ${reaction.reaction_type} ${isNew ? oldUsers.get(reaction.user_id) : reaction.user_id}`;
      expect(shown.reactions.map((one) => reactionOf(one, true)).sort()).toEqual(
        message.reactions.map((one) => reactionOf(one, false)).sort(),
      );
      expect(withoutIds(source["content"] as string)).toEqual(withoutIds(message.content));
      expect(withoutIds(shown["content"] as string)).toEqual(withoutIds(message.rendered_content));
      // Nothing of the old server's is left.
      for (const text of [source["content"], shown["content"]] as string[]) {
        expect(text).not.toContain("small.chat.example.com");
        expect(text).not.toMatch(/\/user_uploads\/5\/|\/user_avatars\/5\/|external_content/);
        for (const [, mentioned] of text.matchAll(/\|(\d+)\*\*|data-user-id="(\d+)"/g))
          if (mentioned !== undefined) expect(oldUsers.has(Number(mentioned))).toBe(true);
      }
      const history = expectSuccess(await client.get(`/messages/${messagesHere.get(id)}/history`))[
        "message_history"
      ] as SampleMessage["history"];
      const stepOf = (step: SampleMessage["history"][number], isNew: boolean) => ({
        timestamp: step.timestamp,
        topic: step.topic,
        user: isNew && step.user_id !== null ? oldUsers.get(step.user_id) : step.user_id,
      });
      expect(history.map((step) => stepOf(step, true))).toEqual(message.history.map((step) => stepOf(step, false)));
      const receipts = await client.get(`/messages/${messagesHere.get(id)}/read_receipts`);
      expect(sorted((expectSuccess(receipts)["user_ids"] as number[]).map((user) => oldUsers.get(user)!))).toEqual(
        sorted(message.read_receipts),
      );
    },
  );
});

it("leaves the other organization as it was", async () => {
  const { email, apiKey } = server.owner;
  const owner = new ApiClient({ url: server.url.replace("127.0.0.1", "localhost"), email, apiKey });
  const users = expectSuccess(await owner.get("/users"))["members"] as JsonObject[];
  expect(users.filter((user) => user["is_bot"] !== true).map((user) => user["email"])).toEqual(["owner@example.com"]);
});

/**
 * Text has the name of a custom emoji here, so that a search finds it; the other server did not search pictures' names.
 */
const withEmojiInText = [4194, 4304];
/** Who left a private channel reads nothing of it any more, but for the other server's feed of everything. */
const leaver = 1179;
const leftChannel = new Set(expected.people["1173"]!.narrows["channel:22"]);
/** Mentioned everybody in a topic that this person has muted: not counted there. */
const mutedMention = { person: 1180, message: 3986 };

/** Where this server answers otherwise by rules of its own. */
function isElsewhere(narrow: string, id: number, reader: number): boolean {
  if (narrow === "search:quince" && withEmojiInText.includes(id)) return true;
  return reader === leaver && leftChannel.has(id);
}

/** Old ids of all messages of the export, in the order in which they were sent. */
function oldMessageIds(): number[] {
  return JSON.parse(readFileSync(join(data(), "message-ids.json"), "utf8")) as number[];
}

const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b);
const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
const oldIdsOf = (ids: readonly number[]) => sorted(ids.map((id) => oldMessages.get(id)!));

function unreadsOf(unread: Answers["register"]["unread_msgs"], isNew: boolean): string[] {
  const user = (id: number) => (isNew ? oldUsers.get(id) : id);
  const ids = (row: Unread) => (isNew ? oldIdsOf(row.unread_message_ids) : sorted(row.unread_message_ids)).join();
  return [
    ...unread.pms.map((row) => `dm ${user((row["other_user_id"] ?? row["sender_id"]) as number)}: ${ids(row)}`),
    ...unread.huddles.map((row) => {
      const members = (row["user_ids_string"] as string).split(",").map((id) => user(Number(id)));
      return `group ${members.sort()}: ${ids(row)}`;
    }),
    ...unread.streams.map((row) => {
      const channel = row["stream_id"] as number;
      return `${isNew ? oldChannels.get(channel) : channel} ${row["topic"]}: ${ids(row)}`;
    }),
  ].sort();
}

function subscriptionOf(row: JsonObject, isNew: boolean): JsonObject {
  const names = [
    "name",
    "color",
    "is_muted",
    "pin_to_top",
    "invite_only",
    "is_web_public",
    "history_public_to_subscribers",
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
    "description",
    "message_retention_days",
    "date_created",
  ];
  const subscribers = (row["subscribers"] as number[] | undefined)?.map((id) => (isNew ? oldUsers.get(id)! : id));
  return {
    ...Object.fromEntries(names.map((name) => [name, row[name]])),
    ...(subscribers && { subscribers: sorted(subscribers) }),
  };
}

function sortedConversations(
  rows: readonly { max_message_id: number; user_ids: number[] }[],
  isNew: boolean,
): string[] {
  return rows
    .map(({ max_message_id, user_ids }) =>
      isNew
        ? `${oldMessages.get(max_message_id)} ${sorted(user_ids.map((id) => oldUsers.get(id)!))}`
        : `${max_message_id} ${sorted(user_ids)}`,
    )
    .sort();
}

/** Operators as the answers' file names them, with ids of here. */
function narrowOf(name: string): { operator: string; operand: unknown }[] {
  if (name === "everything of mine") return [];
  if (name === "channels:public") return [{ operator: "channels", operand: "public" }];
  const text = name.replace(/^asked /, "");
  const channel = /^channel:(\d+)(?: topic:(.*))?$/.exec(text);
  if (channel) {
    const narrow: { operator: string; operand: unknown }[] = [
      { operator: "channel", operand: channelsHere.get(Number(channel[1])) },
    ];
    return channel[2] === undefined ? narrow : [...narrow, { operator: "topic", operand: channel[2] }];
  }
  const [operator, operand] = [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)];
  if (operator === "dm") return [{ operator, operand: operand.split(",").map((id) => usersHere.get(Number(id))) }];
  if (operator === "sender") return [{ operator, operand: usersHere.get(Number(operand)) }];
  return [{ operator, operand: operand.replace(/^two words: /, "") }];
}

async function fetchAll(client: ApiClient, narrow: unknown): Promise<JsonObject[]> {
  const params = { anchor: "newest", num_before: 1000, num_after: 0, narrow, apply_markdown: false };
  return expectSuccess(await client.get("/messages", params))["messages"] as JsonObject[];
}

/** A text without what an import has to change: ids, addresses of files, and the host. */
function withoutIds(text: string): string {
  return text
    .replace(/https?:\/\/(?:small\.chat\.example\.com|127\.0\.0\.1:\d+|localhost:\d+)/g, "HOST")
    .replace(/\/user_uploads\/[^\s"')]*\/([^\s"'/)]+)/g, "/user_uploads/$1")
    .replace(/\/user_avatars\/\d+\/emoji\/images\/[^\s"')]+/g, "/emoji")
    .replace(/(\|)\d+(\*\*)/g, "$1ID$2")
    .replace(/data-(user|user-group|stream)-id="\d+"/g, 'data-$1-id="ID"')
    .replace(/(narrow\/(?:stream|channel)\/)\d+/g, "$1ID")
    .replace(/(\/(?:near|with|dm|pm-with|sender)\/)[\d,]+/g, "$1ID")
    .replace(/(?:\/external_content\/[0-9a-f]+\/[0-9a-f]+|https?:\/\/pictures?[^\s"]+)/g, "EXTERNAL");
}

async function setUp(): Promise<void> {
  const { config, system } = server.server.app;
  const { database } = system.environment;
  const storage = { database, url: "", dataDir: config.dataDir, close: async () => {} };
  const file = join(data(), "small.tar.gz");
  await importFromZulip(storage, config, { file, host: "127.0.0.1" });
  url = server.url;
  // A server that runs hears of a new organization within moments.
  const nameNow = async () => (await new ApiClient({ url }).get("/server_settings")).body["realm_name"];
  await vi.waitUntil(async () => (await nameNow()) === "Quince Orchard", { timeout: 60_000, interval: 100 });

  const { sql } = database;
  const [realm] = await sql<{ id: number }[]>`select id from realms where host = '127.0.0.1'`;
  const users = await sql<{ id: number; delivery_email: string; full_name: string; is_system_bot: boolean }[]>`
    select id, delivery_email, full_name, is_system_bot from users where realm_id = ${realm!.id} order by id`;
  // People keep their order; the system's bots are 6 and 7 there.
  const own = users.filter((user) => !user.is_system_bot);
  for (const [place, { id, delivery_email }] of own.entries()) {
    const old = 1172 + place;
    oldUsers.set(id, old);
    clients.set(old, new ApiClient({ url, email: delivery_email, apiKey: await server.apiKeyOf(id) }));
  }
  for (const { id, full_name } of users.filter((user) => user.is_system_bot))
    oldUsers.set(id, full_name === "Welcome Bot" ? 7 : 6);
  const channels = await sql<{ id: number }[]>`select id from channels where realm_id = ${realm!.id} order by id`;
  for (const [place, { id }] of channels.entries()) oldChannels.set(id, 17 + place);
  // Messages came in the order in which they were sent, which is not quite that of their old ids.
  const messages = await sql<{ id: number; content: string }[]>`
    select id, content from messages where realm_id = ${realm!.id} order by id`;
  const ids = [
    ...new Set(Object.values(expected.people).flatMap(({ narrows }) => Object.values(narrows ?? {}).flat())),
  ];
  expect(messages.length).toBeGreaterThan(ids.length);
  const oldIds = oldMessageIds();
  expect(messages.length).toBe(oldIds.length);
  for (const [place, { id }] of messages.entries()) oldMessages.set(id, oldIds[place]!);
  [usersHere, channelsHere, messagesHere] = [reversed(oldUsers), reversed(oldChannels), reversed(oldMessages)];
}

interface Expected {
  people: Record<string, Answers>;
  messages: Record<string, SampleMessage>;
}

function readAnswers(): Expected {
  const text = gunzipSync(readFileSync(join(data(), "expected.json.gz"))).toString();
  return JSON.parse(text) as Expected;
}

function data(): string {
  return join(import.meta.dirname, "../../data/zulip-export");
}

interface Answers {
  name: string;
  register: Record<string, unknown> & {
    unread_msgs: { pms: Unread[]; streams: Unread[]; huddles: Unread[]; mentions: number[] };
    starred_messages: number[];
    subscriptions: JsonObject[];
    unsubscribed: JsonObject[];
    user_topics: JsonObject[];
    muted_users: { id: number; timestamp: number }[];
    alert_words: string[];
    user_settings: JsonObject;
    recent_private_conversations: { max_message_id: number; user_ids: number[] }[];
    onboarding_steps: { name: string }[];
  };
  narrows: Record<string, number[]>;
  flags: Record<string, number[]>;
  attachments: { name: string; size: number; messages: { id: number }[] }[];
  scheduled_messages: { content: string; scheduled_delivery_timestamp: number; type: string }[];
}

interface Unread extends JsonObject {
  unread_message_ids: number[];
}

interface SampleMessage {
  id: number;
  viewer: number;
  sender_id: number;
  subject: string;
  timestamp: number;
  client: string;
  is_me_message: boolean;
  content: string;
  rendered_content: string;
  reactions: { emoji_name: string; emoji_code: string; reaction_type: string; user_id: number }[];
  flags: string[];
  history: { timestamp: number; topic: string; user_id: number | null }[];
  read_receipts: number[];
}

const archivedChannel = 26;

let url: string;

/** New id → old one. */
const oldMessages = new Map<number, number>();

const oldUsers = new Map<number, number>();

const oldChannels = new Map<number, number>();

const clients = new Map<number, ApiClient>();

const reversed = (map: ReadonlyMap<number, number>) => new Map([...map].map(([fresh, old]) => [old, fresh]));

let usersHere: Map<number, number>;

let channelsHere: Map<number, number>;

let messagesHere: Map<number, number>;
