/**
 * An organization and its copy: what their people are told, comparable. Ids of the copy lie where no others do. So any
 * number, and any part of a text, that is such an id becomes the one that it was made from.
 */
import type { Sql } from "../../../storage/postgres.ts";
import { ApiClient, expectSuccess, type JsonObject } from "../client/api.ts";
import type { TestServer } from "../server/server.ts";

const sequences = [
  "user_ids",
  "channel_ids",
  "group_ids",
  "recipient_ids",
  "object_ids",
  "message_id_blocks",
  "linkifier_ids",
  "playground_ids",
  "profile_field_ids",
  "realm_ids",
] as const;

/** Ids that are given from now on have eight digits, which nothing else has, and tell their kind. */
export async function setIdsApart(sql: Sql): Promise<void> {
  for (const [place, name] of sequences.entries())
    await sql`select setval(${name}::text::regclass, ${(place + 1) * 9_000_000 + 1_000_000}::bigint)`;
}

type Clients = Readonly<Record<string, ApiClient>>;

/** What differs although nothing else does: secrets, and what the server is. */
const leftOut = new Set([
  "api_key",
  "sender_realm_str",
  "token",
  "queue_id",
  "last_event_id",
  "realm_uuid",
  "realm_bot_domain",
  "presence_last_update_id",
  "presences",
  "server_timestamp",
  "realm_presence",
  "user_avatar_url_medium",
  // Numbers of a database, which other organizations share.
  "upload_space_used",
  "temporary_url",
]);
/** Lists whose order means something. */
const ordered = new Set([
  "messages",
  "drafts",
  "message_history",
  "realm_linkifiers",
  "navigation_views",
  "alert_words",
]);

export class TwinClients {
  private constructor(
    readonly originals: Clients,
    readonly copies: Clients,
    private readonly ids: ReadonlyMap<number, number>,
    readonly realms: { readonly original: number; readonly copy: number },
  ) {}

  /** @param host of the original, null unless told; and of the copy */
  static async open(server: TestServer, host: { original?: string; copy: string }): Promise<TwinClients> {
    const { sql } = server.database;
    const realms = await sql<{ id: number; host: string | null }[]>`select id, host from realms`;
    const [original, copy] = [host.original ?? null, host.copy].map((name) => realms.find((one) => one.host === name));
    const clientsOf = async (realm: number, url: string): Promise<Clients> => {
      const rows = await sql<{ id: number; email: string }[]>`
        select id, delivery_email as email from users
        where realm_id = ${realm} and is_active and not is_bot order by id`;
      const clients: [string, ApiClient][] = [];
      for (const { id, email } of rows)
        clients.push([email, new ApiClient({ url, email, apiKey: await server.apiKeyOf(id) })]);
      return Object.fromEntries(clients);
    };
    return new TwinClients(
      await clientsOf(original!.id, server.url.replace("127.0.0.1", host.original ?? "localhost")),
      await clientsOf(copy!.id, server.url.replace("127.0.0.1", host.copy)),
      await idsOf(sql, original!.id, copy!.id),
      { original: original!.id, copy: copy!.id },
    );
  }

  /** What the copy's people were told, under the ids of the original. */
  mapped(value: unknown): unknown {
    return plain(value, (id) => this.ids.get(id) ?? id);
  }

  /** What the original's people were told, in the same form. */
  named(value: unknown): unknown {
    return plain(value, (id) => id);
  }
}

async function idsOf(sql: Sql, original: number, copy: number): Promise<Map<number, number>> {
  const ids = new Map([[copy, original]]);
  const tables: Readonly<Record<string, string>> = {
    users: "is_system_bot, case when is_system_bot then full_name end, id",
    channels: "id",
    user_groups: "name",
    channel_folders: "id",
    linkifiers: "id",
    playgrounds: "id",
    realm_domains: "id",
    custom_profile_fields: "id",
    realm_emoji: "id",
    messages: "id",
    drafts: "id",
    saved_snippets: "id",
    scheduled_messages: "id",
    attachments: "id",
    submessages: "id",
  };
  for (const [table, order] of Object.entries(tables)) {
    const rows = async (realm: number) =>
      // Unsafe: names of tables and columns are no parameters.
      (await sql.unsafe(`select id from ${table} where realm_id = $1 order by ${order}`, [realm])).map(
        (row) => row["id"] as number,
      );
    const [before, after] = [await rows(original), await rows(copy)];
    if (before.length !== after.length) throw new Error(`${table}: ${before.length} rows became ${after.length}`);
    for (const [place, id] of after.entries()) ids.set(id, before[place]!);
  }
  const recipients = async (realm: number) =>
    await sql<{ id: number; key: string; people: number[] | null }[]>`
    select c.recipient_id as id, c.id::text as key, null::bigint[] as people from channels c where realm_id = ${realm}
    union all select recipient_id, null, user_ids from direct_conversations where realm_id = ${realm}`;
  const keyOf = ({ key, people }: { key: string | null; people: number[] | null }) =>
    people
      ? people
          .map((id) => ids.get(id) ?? id)
          .sort((a, b) => a - b)
          .join(",")
      : `channel ${ids.get(Number(key)) ?? key}`;
  const known = new Map((await recipients(original)).map((row) => [keyOf(row), row.id]));
  for (const row of await recipients(copy)) ids.set(row.id, known.get(keyOf(row)) ?? row.id);
  return ids;
}

function plain(value: unknown, idOf: (id: number) => number): unknown {
  const walk = (one: unknown, name: string): unknown => {
    if (typeof one === "number") return idOf(one);
    if (typeof one === "string") return textOf(one, idOf);
    if (Array.isArray(one)) {
      const items = one.map((item) => walk(item, ""));
      return ordered.has(name) ? items : items.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    }
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(
      Object.entries(one)
        .filter(([key]) => !leftOut.has(key))
        .map(([key, item]) => [textOf(key, idOf), walk(item, key)]),
    );
  };
  return walk(value, "");
}

function textOf(text: string, idOf: (id: number) => number): string {
  return text
    .replace(/(?<!\d)[1-9]\d{7}(?!\d)/g, (id) => String(idOf(Number(id))))
    .replace(/\/\/(?:localhost|127\.0\.0\.1):\d+/g, "//HOST")
    .replace(/\b((?:notification|welcome)-bot|user\d+)@[\w.-]+/g, "$1@HOST")
    .replace(/\b(\d+)\/[0-9a-f]{2}\/[\w-]{24}\//g, "$1/RANDOM/")
    .replace(/\b[0-9a-f]{24,64}\b/g, "RANDOM")
    .replace(/([?&](?:version|v|x)=)\w+/g, "$1N");
}

/** What each person's register tells, and their own lists. */
export async function registers(clients: Clients): Promise<Record<string, JsonObject>> {
  const told: Record<string, JsonObject> = {};
  const lists = [
    "drafts",
    "saved_snippets",
    "navigation_views",
    "scheduled_messages",
    "reminders",
    "attachments",
    "bots",
  ];
  for (const [email, client] of Object.entries(clients)) {
    const register = expectSuccess(
      await client.post("/register", {
        apply_markdown: true,
        include_subscribers: true,
        client_gravatar: true,
        client_capabilities: {
          notification_settings_null: true,
          user_settings_object: true,
          archived_channels: true,
          empty_topic_name: true,
        },
      }),
    );
    told[email] = { register };
    for (const list of lists) told[email]![list] = expectSuccess(await client.get(`/${list}`));
  }
  return told;
}

/** What each person reads: everything of theirs, and each channel that they see. */
export async function histories(clients: Clients): Promise<Record<string, JsonObject>> {
  const told: Record<string, JsonObject> = {};
  for (const [email, client] of Object.entries(clients)) {
    const read = async (narrow: unknown) =>
      expectSuccess(
        await client.get("/messages", {
          anchor: "newest",
          num_before: 1000,
          num_after: 0,
          narrow,
          allow_empty_topic_name: true,
        }),
      )["messages"] as JsonObject[];
    const messages = await read([]);
    const channels = expectSuccess(await client.get("/streams"))["streams"] as { stream_id: number; name: string }[];
    const byChannel: JsonObject = {};
    for (const { stream_id, name } of channels)
      byChannel[name] = await read([{ operator: "channel", operand: stream_id }]);
    const details: unknown[] = [];
    for (const { id } of messages as { id: number }[]) {
      const source = expectSuccess(await client.get(`/messages/${id}`, { apply_markdown: false }))["message"];
      const history = await client.get(`/messages/${id}/history`);
      const receipts = await client.get(`/messages/${id}/read_receipts`);
      details.push({ source, history: history.body["message_history"], receipts: receipts.body["user_ids"] });
    }
    told[email] = { messages, byChannel, details };
  }
  return told;
}
