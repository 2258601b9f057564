/** Moves of more messages than a commit takes: they are stored first, done in parts, and answered before their end. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { expectError, expectSuccess } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import { addCopies, movesLeft } from "../../support/rooms/great-topics.ts";
import { moveRoom } from "../../support/rooms/moves.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const { admin, moderator, ada, bob, from, into, move } = moveRoom(server);
beforeAll(addTopics);
beforeEach(() => {
  topic = `great ${++count}`;
});

describe("a great topic", () => {
  it("is renamed after the answer: parts come as events, every message once, in its history once", async () => {
    const ids = great.shift()!;
    await follow(topic);
    const { eventsOf } = await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => {
        expectSuccess(await move(admin, ids[50]!, { topic: "renamed", propagate_mode: "change_all" }));
        expect(await movesLeft(sql())).toBe(1);
        await over();
      },
    });
    const told = eventsOf(bob.client, MODERN).filter(({ type }) => type === "update_message");
    expect(told.length).toBeGreaterThan(20);
    expect(told.flatMap(({ message_ids }) => message_ids as number[])).toEqual(ids);
    for (const event of told) {
      expect(event["message_ids"]).toContain(event["message_id"]);
      expect(event).toMatchObject({ orig_subject: topic, subject: "renamed", propagate_mode: "change_all" });
    }
    const rows = await sql()`
      select distinct topic, jsonb_array_length(edit_history) as entries from messages where id in ${sql()(ids)}`;
    expect([...rows]).toEqual([{ topic: "renamed", entries: 1 }]);
    expect(await followedTopics()).toEqual(["renamed"]);
  });

  it("takes along what an earlier move puts there, and is told of by one notice with all that went", async () => {
    const ids = great.shift()!;
    expectSuccess(await move(admin, ids[0]!, { topic: "between", propagate_mode: "change_all" }));
    await until("the named one to be in between", async () => (await countIn("between")) > 0);
    expectSuccess(
      await admin.client.patch(`/messages/${ids[0]!}`, {
        ...{ topic: "at last", propagate_mode: "change_all", send_notification_to_new_thread: true },
      }),
    );
    await over();
    expect([await countIn(topic), await countIn("between"), await countIn("at last")]).toEqual([0, 0, ids.length + 1]);
  });

  it("keeps what comes in meanwhile, and in other letters stays the same topic", async () => {
    const ids = great.shift()!;
    expectSuccess(await move(admin, ids[0]!, { topic: topic.toUpperCase(), propagate_mode: "change_all" }));
    await until("a part to be moved", async () => (await exactly(topic)) < ids.length);
    await ada.say(from, "meanwhile", topic);
    await over();
    expect([await exactly(topic.toUpperCase()), await exactly(topic)]).toEqual([ids.length, 1]);
  });

  it("goes to another channel, as unread there as it was", async () => {
    const ids = great.shift()!;
    await ada.client.post("/messages/flags", { messages: ids.slice(0, 1000), op: "add", flag: "read" });
    await assertConverges({
      observers: [ada.client, bob.client],
      act: async () => {
        expectSuccess(await move(admin, ids[0]!, { stream_id: into.id, propagate_mode: "change_all" }));
        await over();
      },
    });
    const types = ["message", "update_message_flags"];
    const { unread_msgs } = expectSuccess(await ada.client.post("/register", { fetch_event_types: types })) as {
      unread_msgs: { streams: { stream_id: number; topic: string; unread_message_ids: number[] }[] };
    };
    const there = unread_msgs.streams.find((one) => one.stream_id === into.id && one.topic === topic)!;
    expect(there.unread_message_ids).toEqual(ids.slice(1000));
  });

  it("moves as far as the caller may: of too old messages none, of a channel's protected history what they received", async () => {
    const ids = great.shift()!;
    await sql()`update messages set sent_at = sent_at - 864000 where id <= ${ids[9]!} and id in ${sql()(ids)}`;
    const error = expectError(await move(ada, ids[99]!, { topic: "young", propagate_mode: "change_all" }), 400);
    expect(error).toMatchObject({
      code: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      first_message_id_allowed_to_move: ids[10],
      total_messages_in_topic: ids.length,
      total_messages_allowed_to_move: ids.length - 10,
    });
    expectSuccess(await move(ada, ids[10]!, { topic: "young", propagate_mode: "change_later" }));
    await over();
    expect([await countIn(topic), await countIn("young")]).toEqual([10, ids.length - 10]);
    await sql()`update received set ids = int8multirange(int8range(${ids[4000]!}, null)) where user_id = ${moderator.id}
      and recipient_id = (select recipient_id from channels where id = ${from.id})`;
    expectSuccess(
      await admin.client.patch(`/streams/${from.id}`, { is_private: true, history_public_to_subscribers: false }),
    );
    expectSuccess(await move(moderator, ids.at(-1)!, { topic: "received", propagate_mode: "change_all" }));
    await over();
    expect(await countIn("received")).toBe(ids.length - 4000);
  });
});

/** More than twenty parts, which are not waited for. */
const size = 4500;
const topics = 5;
const followed = 3;
const great: number[][] = [];
let topic = "";
let count = 0;

const sql = () => server.database.sql;
const over = () => until("the move to be over", async () => (await movesLeft(sql())) === 0, 240_000);

const follow = async (name: string) => {
  const params = { stream_id: from.id, topic: name, visibility_policy: followed };
  expectSuccess(await bob.client.post("/user_topics", params));
};
const followedTopics = async () => {
  const { user_topics } = expectSuccess(await bob.client.post("/register", { fetch_event_types: ["user_topic"] }));
  return (user_topics as { topic_name: string }[]).map(({ topic_name }) => topic_name);
};

const countIn = async (name: string) => {
  const rows = await sql()<{ count: number }[]>`
    select count(*)::int as count from messages where channel_id = ${from.id} and lower(topic) = lower(${name})`;
  return rows[0]!.count;
};
const exactly = async (name: string) => {
  const rows = await sql()<{ count: number }[]>`
    select count(*)::int as count from messages where channel_id = ${from.id} and topic = ${name}`;
  return rows[0]!.count;
};

async function addTopics(): Promise<void> {
  for (let index = 1; index <= topics; index++) {
    const first = await admin.say(from, "said", `great ${index}`);
    great.push([first, ...(await addCopies(sql(), first, size - 1))]);
  }
  // Let go as if nobody had used it for long, and loaded again with what is there now.
  const now = Math.floor(Date.now() / 1000);
  for (const realm of await server.realms()) for (const later of [1e6, 1e7]) realm.sweep(now + later);
}
