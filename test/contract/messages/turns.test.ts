/** Long commands give others their turn: they are done in several commits, and answered once. */
import { beforeAll, describe, expect, it } from "vitest";
import type { LogEntry } from "../../../actors/realm/entry.ts";
import { seedRealm } from "../../../storage/seed.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
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

async function setUp(): Promise<void> {
  const realms = await server.realms();
  const now = Math.floor(Date.now() / 1000);
  const { database, id } = realms[0]!;
  const seeded = await seedRealm(database, id, { users: 1500, channels: 1, messages: 2500, channelsPerUser: 1 }, now);
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
