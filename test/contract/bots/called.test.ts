/** A bot that is mentioned where it is not subscribed hears of that message. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MessageEvent } from "../../../actors/events/messages.ts";
import { cursorOf, expectError, expectSuccess, type JsonObject, type QueueCursor } from "../../support/client/api.ts";
import { startTestServer, type TestPerson, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
let mia: TestPerson;
let bot: TestPerson;
let secret: number;

beforeAll(async () => {
  server = await startTestServer();
  mia = await server.addUser("Mia Member");
  bot = await server.addBot(server.owner, "called");
  secret = await server.addChannel("secret", [mia], { invite_only: true });
});
afterAll(() => server?.stop());

const say = async (content: string, to: number | string = secret) =>
  expectSuccess(await mia.client.post("/messages", { type: "stream", to, topic: "t", content }))["id"] as number;
const queueOf = async (params: JsonObject = {}, person = bot) =>
  cursorOf(await person.client.register({ event_types: ["message"], ...params }));
const heard = async (cursor: QueueCursor, person = bot) =>
  (await person.client.drain(cursor)).map(({ message, flags }) => [(message as JsonObject)["id"], flags]);

it("with its flag, in public and private channels, once, and nothing else that is said there", async () => {
  const plain = await queueOf();
  const all = await queueOf({ all_public_streams: true });
  const narrowed = await queueOf({ narrow: [["is", "mentioned"]] });
  const another = await queueOf({}, mia);
  await say("nobody is meant");
  const inSecret = await say("@**called** do it");
  await say("@_**called** is only talked about");
  const inPublic = await say("@**called** and here", "general");
  const mentioned = [
    [inSecret, ["mentioned"]],
    [inPublic, ["mentioned"]],
  ];
  expect(await heard(plain)).toEqual(mentioned);
  expect(await heard(narrowed)).toEqual(mentioned);
  expect(await heard(all)).toEqual(mentioned);
  expect((await heard(another, mia)).find(([id]) => id === inSecret)).toEqual([inSecret, []]);
  expectError(await bot.client.get(`/messages/${inSecret}`), 400, "BAD_REQUEST");
});

it("as its queue is brought back from the log too, and while it waits", async () => {
  const cursor = await queueOf();
  for (const realm of await server.realms()) realm.queues.evict();
  const id = await say("@**called** while away");
  expect(await heard(cursor)).toEqual([[id, ["mentioned"]]]);
  const waits = bot.client.nextEvent(cursor, () => true);
  await expect
    .poll(async () => (await server.realms()).reduce((sum, realm) => sum + realm.queues.census().parked, 0))
    .toBe(1);
  const next = await say("@**called** now");
  expect(((await waits)["message"] as JsonObject)["id"]).toBe(next);
});

it("like any subscriber where it is subscribed", async () => {
  const inside = await server.addBot(mia, "inside");
  const subscription = { subscriptions: [{ name: "secret" }], principals: [inside.id] };
  expectSuccess(await mia.client.post("/users/me/subscriptions", subscription));
  const cursor = await queueOf({}, inside);
  const id = await say("@**inside** and @**called**");
  expect(await heard(cursor, inside)).toEqual([[id, ["mentioned"]]]);
});

it("but no person, no bot that only sends, and none that is deactivated", async () => {
  const outsider = await server.addUser("Otto Outsider");
  const gone = await server.addBot(mia, "gone");
  const hook = expectSuccess(await mia.client.post("/bots", { full_name: "hook", short_name: "hook", bot_type: 2 }));
  const cursor = await queueOf({}, outsider);
  expectSuccess(await mia.client.delete(`/bots/${gone.id}`));
  const id = await say("@**Otto Outsider** @**gone** @**hook**");
  expect(await heard(cursor, outsider)).toEqual([]);
  const [realm] = await server.realms();
  await realm!.current();
  const entry = realm!
    .loaded!.recent.after(0)
    .findLast(({ event }) => event?.type === "message" && event.message.id === id)!;
  expect(entry.audience).toEqual({ to: "subscribers", channelId: secret });
  expect(JSON.stringify((entry.event as MessageEvent).flags)).not.toContain(String(hook["user_id"]));
});
