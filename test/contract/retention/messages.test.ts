import { describe, expect, it } from "vitest";
import { averageTraffic, channelActivityJob } from "../../../actors/channels/changes/activity-job.ts";
import { retentionJob } from "../../../actors/retention/job.ts";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { LEGACY, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";

const server = testServer();
const { owner } = server;
const [member, other] = server.people("Mia Member", "Otto Other");

describe("issue: retention is enforced by a job", () => {
  it("messages older than the channel's days go, younger ones stay", async () => {
    const id = await newChannel({ message_retention_days: 10 });
    const old = await sendAgo(11, id);
    const young = await sendAgo(9, id);
    await expire();
    expect(await existing([old, young])).toEqual([young]);
    expect((await owner.channelOf(id))["first_message_id"]).toBe(young);
  });

  it("a channel that inherits keeps messages as long as the organization, one that is unlimited for ever", async () => {
    const inherits = await newChannel();
    const unlimited = await newChannel({ message_retention_days: "unlimited" });
    const longer = await newChannel({ message_retention_days: 60 });
    const ids = [await sendAgo(40, inherits), await sendAgo(40, unlimited), await sendAgo(40, longer)];
    const [goes, ...stay] = ids;
    await expire();
    expect(await existing(ids)).toEqual(ids);
    await owner.setRealm({ message_retention_days: 30 });
    await expire();
    expect(await existing([goes!, ...stay])).toEqual(stay);
    await owner.setRealm({ message_retention_days: "unlimited" });
  });

  it("the organization's days hold for direct messages too", async () => {
    const old = await sendAgo(40, other);
    const young = await sendAgo(20, other);
    await owner.setRealm({ message_retention_days: 30 });
    await expire();
    expect(await existing([old, young])).toEqual([young]);
    await owner.setRealm({ message_retention_days: "unlimited" });
  });

  it("tells those who could read them with delete_message, in the format of each client, and converges", async () => {
    const id = await newChannel({ invite_only: true, message_retention_days: "unlimited" });
    const gone = [await sendAgo(12, id), await sendAgo(11, id)];
    await sendAgo(1, id);
    const seen = await assertConverges({
      observers: [owner.client, member.client, other.client],
      // Set only now: the server's own job must not be the first to see that they are old.
      act: async () => {
        expectSuccess(await owner.client.patch(`/streams/${id}`, { message_retention_days: 10 }));
        await expire();
      },
    });
    const told = (person: Person, profile = MODERN) =>
      seen.eventsOf(person.client, profile).filter(({ type }) => type === "delete_message");
    expect(told(member)).toEqual([expect.objectContaining({ message_ids: gone, stream_id: id, topic: "old times" })]);
    expect(told(member, LEGACY).map((event) => event["message_id"])).toEqual(gone);
    expect(told(other)).toEqual([]);
  });

  it("a backlog of many batches is deleted in one run, and nothing is left to do", async () => {
    const id = await newChannel({ message_retention_days: "unlimited" });
    const first = await sendAgo(20, id);
    const { database, id: realmId } = await server.realm();
    await database.sql`
      insert into messages (id, realm_id, recipient_id, channel_id, sender_id, topic, content, rendered_content, sent_at, client)
      select ${first} - n, ${realmId}, m.recipient_id, m.channel_id, m.sender_id, 'heap ' || n % 7, 'x', '<p>x</p>', m.sent_at, 'test'
      from messages m, generate_series(1, 1200) n where m.id = ${first} and ${first} - n not in (select id from messages)`;
    // Set only now: the server's own job must not be at it as well.
    expectSuccess(await owner.client.patch(`/streams/${id}`, { message_retention_days: 10 }));
    await expire();
    const left = await database.sql`select 1 from messages where channel_id = ${id}`;
    expect(left).toHaveLength(0);
    expect((await owner.channelOf(id))["first_message_id"]).toBe(null);
    const queue = await owner.queue({ event_types: ["delete_message"] });
    await expire();
    expect(await owner.drain(queue)).toEqual([]);
  });
});

describe("issue: is_recently_active and stream_weekly_traffic are computed", () => {
  const count = async () => runActivity(await server.realm(), now());
  async function age(id: number, days: number): Promise<void> {
    for (const { state } of await server.realms()) {
      const channel = state.channels.get(id)!;
      state.apply([{ table: "channels", put: [{ ...channel, date_created: now() - days * day }] }]);
    }
  }

  it("traffic is the average of a week over four, null below a week of age, rounded to two digits", () => {
    expect(averageTraffic(100, 6.9)).toBe(null);
    expect(averageTraffic(0, 30)).toBe(0);
    expect(averageTraffic(14, 14)).toBe(7);
    expect(averageTraffic(28, 400)).toBe(7);
    expect(averageTraffic(4936, 28)).toBe(1200);
  });

  it("is kept with the channel, and told when it changes", async () => {
    const id = await newChannel();
    const queue = await member.queue({ event_types: ["stream"] });
    await age(id, 28);
    for (const days of [1, 5, 9, 20]) await sendAgo(days, id);
    await count();
    const traffic = { op: "update", property: "stream_weekly_traffic", stream_id: id };
    const mine = (await member.drain(queue)).filter((event) => event["property"] === traffic.property);
    for (const event of mine) expect(event).toMatchObject(traffic);
    // The server's own first count, soon after its start, may come in between and find fewer.
    const told = mine.map((event) => event["value"]);
    expect(told.at(-1)).toBe(1);
    expect(told).toEqual([...new Set(told)]);
    expect((await owner.channelOf(id))["stream_weekly_traffic"]).toBe(1);
    await count();
    expect((await member.drain(queue)).filter((event) => event["stream_id"] === id)).toEqual([]);
  });

  it("a channel older than 180 days without a message in them is not active, until the next message", async () => {
    const id = await newChannel();
    await sendAgo(181, id);
    await age(id, 400);
    const young = await newChannel();
    await count();
    expect(await owner.channelOf(id)).toMatchObject({ is_recently_active: false, stream_weekly_traffic: 0 });
    expect(await owner.channelOf(young)).toMatchObject({ is_recently_active: true, stream_weekly_traffic: null });
    await assertConverges({ observers: [member.client, other.client], act: () => sendAgo(0, id) });
    expect((await owner.channelOf(id))["is_recently_active"]).toBe(true);
    await count();
    expect((await owner.channelOf(id))["is_recently_active"]).toBe(true);
  });

  it("converges", async () => {
    const id = await newChannel();
    await sendAgo(200, id);
    await age(id, 400);
    await assertConverges({ observers: [owner.client, other.client], act: () => count() });
  });
});

let names = 0;
const day = 86_400;

const now = () => Math.floor(Date.now() / 1000);
const runRetention = ownJob(retentionJob);
const runActivity = ownJob(channelActivityJob);
const expire = async () => runRetention(await server.realm(), now());
const newChannel = (params: JsonObject = {}) => server.addChannel(`kept ${++names}`, [owner, member], params);

/** Sends to a channel or a person, as if so many days ago. */
async function sendAgo(days: number, to: number | Person, topic = "old times"): Promise<number> {
  const params = typeof to === "number" ? { type: "stream", to, topic } : { type: "direct", to: [to.id] };
  const sent = expectSuccess(await owner.client.post("/messages", { ...params, content: "Hello" }));
  const id = sent["id"] as number;
  await server.database.sql`update messages set sent_at = ${now() - days * day} where id = ${id}`;
  return id;
}
async function existing(ids: number[]): Promise<number[]> {
  const rows = await server.database.sql<{ id: number }[]>`
    select id from messages where id = any(${`{${ids.join(",")}}`}::text::bigint[]) order by id`;
  return rows.map(({ id }) => id);
}
