/** Nobody gets a message that they may not read any more, by whatever way they ask, nor what is changed in it later. */
import { beforeAll, describe, expect, it } from "vitest";
import { expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { type Loss, losses, narrowsWith, requestsAbout, type Target } from "../../support/rooms/losses.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ann, eve] = server.people("Ann", "Eve");
beforeAll(setUp, 120_000);

describe.each(losses(server, ann))("a message is not theirs any more when $name", (loss) => {
  it("by no way of asking", async () => {
    const { bob, target, file, queues } = await play(loss);
    // Whatever finds it for somebody who may read it finds nothing for Bob.
    for (const [place, narrow] of narrowsWith(target).entries()) {
      for (const range of rangesFor(target.id, place)) await expectNothing(bob, target, { narrow, ...range });
      expect(idsIn(await ask(ann, { narrow, anchor: "newest", num_before: 60 }))).toContain(target.id);
      await expectNoMatch(bob, target, narrow);
      await expectNoFlags(bob, target, narrow);
    }
    await expectNothing(bob, target, { message_ids: [target.id] });
    for (const [name, request] of Object.entries(requestsAbout(target, file))) {
      const { status, text } = await request(bob);
      expect(leaks(text, target), name).toEqual([]);
      if (name !== "its topics") expect(status, name).toBeGreaterThanOrEqual(400);
    }
    for (const name of shared) {
      const { status, text } = await requestsAbout(target, file)[name]!(ann);
      expect([name, status, text]).toEqual([name, 200, expect.anything()]);
    }
    // What happens to it later is told to none of their queues, and to no new one.
    expectSuccess(await ann.client.patch(`/messages/${target.id}`, { content: `${target.word} again` }));
    expectSuccess(await owner.client.post(`/messages/${target.id}/reactions`, { emoji_name: "heart" }));
    for (const queue of queues) expect(leaks(JSON.stringify(await bob.drain(queue)), target)).toEqual([]);
    const { unread_msgs, ...registered } = await bob.client.register({ all_public_streams: true });
    expect(leaks(JSON.stringify([unread_msgs, registered]), target)).toEqual([]);
    const { streams } = unread_msgs as { streams: { unread_message_ids: number[] }[] };
    expect(streams.flatMap(({ unread_message_ids }) => unread_message_ids)).not.toContain(target.id);
    expectSuccess(await owner.client.delete(`/messages/${target.id}`));
    for (const queue of queues) expect(leaks(JSON.stringify(await bob.drain(queue)), target)).toEqual([]);
  }, 180_000);
});

const { owner } = server;
let played = 0;

/** Requests that whoever may read the message may make. */
const shared = [
  "the message",
  "its history",
  "its receipts",
  "a star",
  "a reaction",
  "a reminder",
  "its topics",
  "its file",
];

async function setUp(): Promise<void> {
  for (const person of [ann])
    expectSuccess(await person.client.post("/users/me/alert_words", { alert_words: ["hark"] }));
  server.allowWebPublicChannels(true);
  await owner.setRealm({ enable_spectator_access: true, enable_read_receipts: true });
  await owner.setRealm({ moderation_request_channel_id: await server.addChannel("moderation", [owner]) });
}

/** Has Bob read a message, lose it, and then not see how it is changed. */
async function play({ begin, lose }: Loss) {
  const number = ++played;
  const bob = await server.addUser(`Bob ${number}`);
  expectSuccess(await bob.client.post("/users/me/alert_words", { alert_words: ["hark"] }));
  const files = { file: { filename: "plan.txt", content: `plan ${number}` } };
  const file = expectSuccess(await ann.client.post("/user_uploads", {}, { files }))["url"] as string;
  const channel = await begin(bob);
  await ann.say(channel, "before it", `old ${number}`);
  const everybody = `hark @**${bob.name}** @**Ann** [plan](${file}) https://example.com/x`;
  const id = await ann.say(channel, `oldword${number} ${everybody}`, `old ${number}`);
  await bob.read(id);
  for (const person of [ann, bob])
    for (const flag of ["starred", "collapsed"])
      expectSuccess(await person.client.post("/messages/flags", { messages: [id], op: "add", flag }));
  expectSuccess(await ann.client.post(`/messages/${id}/reactions`, { emoji_name: "smile" }));
  // Something that Bob may read comes after it.
  await eve.say([bob], "hello");
  const into = await lose(bob, channel, id);
  const queues = await Promise.all([
    bob.queue(),
    bob.queue({ all_public_streams: true }),
    bob.queue({ event_types: ["message", "update_message", "reaction", "delete_message"] }),
  ]);
  const target: Target = {
    id,
    channel: into,
    topic: `topicum ${number}`,
    word: `novum${number}`,
    sender: ann,
    other: eve,
  };
  const move = { topic: target.topic, propagate_mode: "change_all", send_notification_to_new_thread: false };
  expectSuccess(await owner.client.patch(`/messages/${id}`, move));
  expectSuccess(await ann.client.patch(`/messages/${id}`, { content: `${target.word} ${everybody}` }));
  return { bob, target, file, queues };
}

/**
 * The newest, all, and both sides of it; few are read in one statement, many in two. The first narrow gets all of them.
 * The others get two each, with every loss other ones.
 */
function rangesFor(id: number, place: number): JsonObject[] {
  const sides = { num_before: 5, num_after: 5 };
  const ranges = [
    { anchor: "newest", num_before: 5 },
    { anchor: "oldest", num_after: 60 },
    { anchor: "first_unread", ...sides },
    { anchor: id, ...sides },
    { anchor: id, num_before: 40, num_after: 40 },
    { anchor: "date", anchor_date: "2026-01-01", ...sides },
  ];
  return place === 0 ? ranges : ranges.filter((_, index) => (index + place + played) % 3 === 0);
}

const ask = (who: Person, params: JsonObject) =>
  who.client.get("/messages", "message_ids" in params ? params : { num_before: 0, num_after: 0, ...params });

const idsIn = ({ body }: { body: JsonObject }): number[] =>
  ((body["messages"] ?? []) as { id: number }[]).map(({ id }) => id);

/** Parts of the message, as it is now, that a text has. */
const leaks = (text: string, { word, topic }: Target): string[] => [word, topic].filter((part) => text.includes(part));

async function expectNothing(bob: Person, target: Target, params: JsonObject): Promise<void> {
  const answer = await ask(bob, params);
  const asked = JSON.stringify(params);
  // A channel that they may not know of is refused.
  if (answer.status !== 200) expect([asked, answer.body["code"]]).toEqual([asked, "BAD_NARROW"]);
  expect([asked, leaks(answer.text, target)]).toEqual([asked, []]);
  expect(idsIn(answer), asked).not.toContain(target.id);
  // Who pages back ends somewhere.
  const { found_oldest, messages } = answer.body as { found_oldest?: boolean; messages?: unknown[] };
  if (found_oldest === false) expect(messages!.length, asked).toBeGreaterThan(0);
}

async function expectNoMatch(bob: Person, { id }: Target, narrow: JsonObject[]): Promise<void> {
  const { body } = await bob.client.get("/messages/matches_narrow", { msg_ids: [id], narrow });
  expect(body["messages"] ?? {}).toEqual({});
}

async function expectNoFlags(bob: Person, target: Target, narrow: JsonObject[]): Promise<void> {
  const range = { narrow, anchor: "newest", num_before: 60, num_after: 0 };
  const found = await ask(bob, range);
  const flag = ["starred", "collapsed", "read"][narrow.length % 3];
  const { status, body } = await bob.client.post("/messages/flags/narrow", { ...range, op: "add", flag });
  expect([narrow, status]).toEqual([narrow, found.status]);
  if (status === 200) expect([narrow, body["processed_count"]]).toEqual([narrow, idsIn(found).length]);
  expect(idsIn(found)).not.toContain(target.id);
}
