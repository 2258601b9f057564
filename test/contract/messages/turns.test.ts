/** Long commands give others their turn: they are done in several commits, and answered once. */
import { beforeAll, describe, expect, it } from "vitest";
import { sendMessage } from "../../../actors/messages/changes/send.ts";
import type { LogEntry } from "../../../actors/realm/entry.ts";
import { analyzeSeeded, seedRealm } from "../../../storage/seed.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ environment: { PARLEY_COMMAND_DEADLINE_MS: "120000" } });
beforeAll(setUp);

describe("subscribing many people to many channels", () => {
  it("lets others send meanwhile, and is answered for all of it", async () => {
    const names = namesOf("many", 6);
    const { position } = await realm();
    let isOver = false;
    const asked = subscribe(names, people).finally(() => {
      isOver = true;
    });
    while (!isOver)
      expectSuccess(await reader.post("/messages", { type: "stream", to: channel, topic: "t", content: "x" }));
    const { subscribed } = expectSuccess(await asked) as { subscribed: Record<string, string[]> };
    expect(Object.keys(subscribed).length).toBe(people.length);
    for (const list of Object.values(subscribed)) expect(list).toEqual(names);
    for (const name of names) expect(await subscribers(name)).toBe(people.length);
    const entries = (await realm()).loaded!.recent.after(position);
    const turns = entries.flatMap((entry, index) => (isAdd(entry) ? [index] : []));
    expect(turns.length).toBeGreaterThan(1);
    const between = entries.slice(turns[0], turns.at(-1)).filter(({ event }) => event?.type === "message");
    expect(between.length).toBeGreaterThan(0);
    const { removed } = expectSuccess(
      await owner().delete("/users/me/subscriptions", { subscriptions: names, principals: people }),
    ) as { removed: string[] };
    expect(removed).toEqual(names);
    for (const name of names) expect(await subscribers(name)).toBe(0);
  });

  it("is refused as a whole, before any of it is done", async () => {
    const names = namesOf("refused", 4);
    expectError(await subscribe(names, [...people, 999_999]), 400);
    const { state } = await realm();
    expect(names.map((name) => state.channelByName(name))).toEqual(names.map(() => undefined));
  });

  it("that ends in the middle is said to be done in part, and is completed by the same request", async () => {
    const names = namesOf("torn", 6);
    const asked = subscribe(names, people);
    await until("the first part to be done", async () => {
      const { state } = await realm();
      const first = state.channelByName(names[0]!);
      return first !== undefined && state.subscriptions.countActive(first.id) > 0;
    });
    const { database, id } = await realm();
    await database.sql`update realms set writer_epoch = writer_epoch + 1 where id = ${id}`;
    expect(expectError(await asked, 503)["msg"]).toMatch(/done in part/);
    const { already_subscribed, subscribed } = expectSuccess(await subscribe(names, people)) as Record<string, object>;
    expect(Object.keys(already_subscribed!).length).toBeGreaterThan(0);
    expect(Object.keys(subscribed!).length).toBeGreaterThan(0);
    for (const name of names) expect(await subscribers(name)).toBe(people.length);
  });
});

describe("a long request beside senders", () => {
  /** How often a message came between two entries of such a kind. */
  const interruptions = async (act: () => Promise<unknown>, isPart: (entry: LogEntry) => boolean): Promise<number> => {
    const { position } = await realm();
    let isOver = false;
    const keepSending = async () => {
      while (!isOver)
        expectSuccess(await reader.post("/messages", { type: "stream", to: channel, topic: "t", content: "x" }));
    };
    const senders = Array.from({ length: 4 }, keepSending);
    await act().finally(() => {
      isOver = true;
    });
    await Promise.all(senders);
    const entries = (await realm())
      .loaded!.recent.after(position)
      .filter((entry) => isPart(entry) || entry.event?.type === "message");
    return entries.filter((entry, at) => at > 0 && isPart(entry) && !isPart(entries[at - 1]!)).length;
  };

  it("creates very many channels a part at a time, and subscribes people to all of them", async () => {
    const names = namesOf("created", 120);
    const twenty = people.slice(1, 21);
    const act = async () => {
      const { subscribed } = expectSuccess(await subscribe(names, twenty)) as { subscribed: Record<string, string[]> };
      expect(subscribed[twenty[0]!]).toEqual(names);
    };
    const isCreation = ({ event }: LogEntry) => event?.type === "stream" && event.op === "create";
    expect(await interruptions(act, isCreation)).toBeGreaterThan(1);
    for (const name of [names[0]!, names.at(-1)!]) expect(await subscribers(name)).toBe(twenty.length);
  });

  it("creates none of them when the last may not be", async () => {
    const names = [...namesOf("not created", 50), "x".repeat(61)];
    expectError(await subscribe(names, people.slice(1, 3)), 400);
    expect((await realm()).state.channelByName(names[0]!)).toBeUndefined();
  });

  it("changes the settings of very many people a part at a time", async () => {
    const act = async () =>
      expectSuccess(await owner().patch("/settings", { target_users: { user_ids: people }, enable_sounds: false }));
    const isChange = ({ event }: LogEntry) => event?.type === "user_settings";
    expect(await interruptions(act, isChange)).toBeGreaterThan(0);
    const { state } = await realm();
    expect(people.every((id) => state.users.get(id)!.settings["enable_sounds"] === false)).toBe(true);
  });
});

describe("flags of many messages", () => {
  const idsOfChannel = async () => {
    const rows = await (await realm()).database.sql<{ id: number }[]>`
      select id from messages where channel_id = ${channel} order by id limit 2500`;
    return rows.map(({ id }) => id);
  };

  it("are changed a thousand at a time, and counted together", async () => {
    const messages = await idsOfChannel();
    expect(messages.length).toBe(2500);
    for (const op of ["add", "remove"]) {
      const { position } = await realm();
      const answer = await reader.post("/messages/flags", { messages, op, flag: "starred" });
      expect(expectSuccess(answer)["messages"]).toEqual(messages);
      const told = (await realm())
        .loaded!.recent.after(position)
        .map(({ event }) => (event?.type === "update_message_flags" ? event.messages : []));
      expect(told.map((ids) => ids.length)).toEqual([1000, 1000, 500]);
      expect(told.flat()).toEqual(messages);
    }
  });

  it("are not changed at all when one message may not be read", async () => {
    const messages = await idsOfChannel();
    const { position } = await realm();
    expectError(
      await reader.post("/messages/flags", { messages: [...messages, 999_999], op: "add", flag: "starred" }),
      400,
    );
    expect((await realm()).loaded!.recent.after(position)).toEqual([]);
  });
});

describe("sends into a new topic", () => {
  it("that wait together know of the first one when they are decided", async () => {
    const { loaded } = await realm();
    const { state, database } = loaded!;
    const to = { channelId: channel, topic: "begun meanwhile" };
    const args = { userId: people[0]!, to, content: "y", client: "test", readBySender: true };
    const work = await sendMessage({ realm: loaded!, state, database }, args);
    const decide = () => work.fast!(state, () => 1, 0);
    expect(decide()).toBeUndefined();
    const first = { type: "stream", to: channel, topic: "begun meanwhile", content: "x" };
    expectSuccess(await reader.post("/messages", first));
    expect(decide()).toBeDefined();
  });
});

describe("a topic of many messages", () => {
  const idsIn = async (topic: string) => {
    const rows = await (await realm()).database.sql<{ id: number }[]>`
      select id from messages where channel_id = ${channel} and topic = ${topic} order by id`;
    return rows.map(({ id }) => id);
  };
  const entriesSince = async (position: number, type: string) =>
    (await realm()).loaded!.recent.after(position).flatMap(({ event }) => (event?.type === type ? [event] : []));
  const movedSince = async (position: number) =>
    (await entriesSince(position, "update_message")).map((event) => (event as { message_ids: number[] }).message_ids);
  const noticesIn = async (topic: string) => {
    const rows = await (await realm()).database.sql<{ content: string }[]>`
      select content from messages where channel_id = ${channel} and topic = ${topic} and content like '%moved here%'`;
    return rows.map(({ content }) => content);
  };

  it("is marked read a thousand at a time, the newest first", async () => {
    const rows = await (await realm()).database.sql<{ id: number }[]>`
      select id from messages where channel_id = ${channel} and topic = 'long' and sender_id <> ${people[0]!} order by id`;
    const ids = rows.map(({ id }) => id);
    const { position } = await realm();
    await assertConverges({
      observers: [reader],
      act: async () =>
        expectSuccess(await reader.post("/mark_topic_as_read", { stream_id: channel, topic_name: "long" })),
    });
    const told = (await entriesSince(position, "update_message_flags")).map(
      (event) => (event as { messages: number[] }).messages,
    );
    expect(told.map((some) => some.length)).toEqual([1000, 1000, ids.length - 2000]);
    expect(told.reverse().flat()).toEqual(ids);
  });

  it("moves a part at a time, the oldest first, and others send in between", async () => {
    const ids = await idsIn("long");
    const named = ids[700]!;
    const { position } = await realm();
    await assertConverges({
      observers: [reader],
      act: async () => {
        let isOver = false;
        const asked = owner()
          .patch(`/messages/${named}`, { topic: "longer", propagate_mode: "change_all" })
          .finally(() => {
            isOver = true;
          });
        while (!isOver)
          expectSuccess(await reader.post("/messages", { type: "stream", to: channel, topic: "t", content: "x" }));
        expectSuccess(await asked);
      },
    });
    const parts = await movedSince(position);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.flat()).toEqual(ids);
    const entries = (await realm()).loaded!.recent.after(position).map(({ event }) => event?.type);
    const between = entries.slice(entries.indexOf("update_message"), entries.lastIndexOf("update_message"));
    expect(between).toContain("message");
    expect(await idsIn("long")).toEqual([]);
    expect(await noticesIn("longer")).toHaveLength(1);
  });

  it("whose move loses its writer in the middle is moved to the end by the next one, and told of once", async () => {
    const ids = await idsIn("longer");
    const asked = owner().patch(`/messages/${ids[0]}`, { topic: "longest", propagate_mode: "change_all" });
    await until("the first part to be moved", async () => (await idsIn("longest")).length > 0);
    const { database, id } = await realm();
    await database.sql`update realms set writer_epoch = writer_epoch + 1 where id = ${id}`;
    expectSuccess(await asked);
    expect(await idsIn("longer")).not.toEqual([]);
    await until("the rest to be moved", async () => (await idsIn("longer")).length === 0);
    await until("the move to be over", async () => (await database.sql`select from unfinished_moves`).length === 0);
    expect((await idsIn("longest")).slice(0, ids.length)).toEqual(ids);
    expect(await noticesIn("longest")).toHaveLength(2);
  });

  it("goes to another channel a part at a time, and is as unread there as before", async () => {
    const ids = await idsIn("longest");
    const target = await server.addChannel("where it goes", [server.owner]);
    expectSuccess(
      await owner().post("/users/me/subscriptions", {
        subscriptions: [{ name: "where it goes" }],
        principals: people,
      }),
    );
    const { position } = await realm();
    expectSuccess(await owner().patch(`/messages/${ids[0]}`, { stream_id: target, propagate_mode: "change_all" }));
    expect((await movedSince(position)).length).toBeGreaterThan(5);
    // As sets: to look at each message for each of them takes PostgreSQL seconds, or minutes by another plan.
    const sets = await (await realm()).database.sql<{ unread: number; people: number }[]>`
      with moved as materialized (
        select range_agg(int8range(m.id, m.id + 1)) as ids
        from unnest(${`{${ids}}`}::text::bigint[]) as asked (id) join messages m on m.id = asked.id
        where m.channel_id = ${target})
      select count(*)::int as people, (
        select coalesce(sum(upper(unread) - lower(unread)), 0)::int
        from unnest(moved.ids * r.ids - coalesce(s.ids, '{}')) as unread) as unread
      from moved cross join received r left join read_states s using (user_id, recipient_id)
      where r.recipient_id = (select recipient_id from channels where id = ${target}) and r.user_id = any(${`{${people}}`}::text::bigint[])
      group by 2 order by 1`;
    // The reader has read what was marked; everybody else nothing of it.
    expect(sets.map(({ people, unread }) => [people, unread > 2400])).toEqual([
      [1, false],
      [1499, true],
    ]);
  });
});

async function setUp(): Promise<void> {
  const realms = await server.realms();
  const now = Math.floor(Date.now() / 1000);
  const { database, id } = realms[0]!;
  const seeded = await seedRealm(database, id, { users: 1500, channels: 1, messages: 2500, channelsPerUser: 1 }, now);
  await analyzeSeeded(database.sql);
  await database.sql`update messages set topic = 'long' where realm_id = ${id}`;
  // Let go as if nobody had used it for long, and loaded again with what is there now.
  for (const realm of realms) for (const later of [1e6, 1e7]) realm.sweep(now + later);
  people = Array.from({ length: 1500 }, (_, index) => seeded.first_user_id! + index);
  channel = seeded.first_channel_id!;
  const apiKey = `${seeded.api_key_prefix}${"1".padStart(32 - seeded.api_key_prefix.length, "0")}`;
  reader = new ApiClient({ url: server.urls, email: "person1@seed.example", apiKey });
}

let people: number[];
let reader: ApiClient;
let channel: number;

const owner = () => server.owner.client;
const realm = async () => (await server.realms())[0]!;
const isAdd = ({ event }: LogEntry) => event?.type === "subscription" && event.op === "add";
const namesOf = (what: string, count: number) => Array.from({ length: count }, (_, index) => `${what} ${index}`);
const subscribe = (names: string[], principals: number[]) =>
  owner().post("/users/me/subscriptions", { subscriptions: names.map((name) => ({ name })), principals });
const subscribers = async (name: string) => {
  const { state } = await realm();
  return state.subscriptions.countActive(state.channelByName(name)!.id);
};
