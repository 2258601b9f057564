/** A bot that is mentioned where it is not subscribed hears of that message. */

import { beforeAll, expect, it } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import type { MessageEvent } from "../../../actors/events/messages.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { expectError, expectSuccess, type JsonObject, type QueueCursor } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [mia] = server.people("Mia Member");
beforeAll(setUp);

it("with its flag, in public and private channels, once, and nothing else that is said there", async () => {
  const plain = await queueOf();
  const all = await queueOf({ all_public_streams: true });
  const narrowed = await queueOf({ narrow: [["is", "mentioned"]] });
  const another = await queueOf({}, mia);
  await mia.say(secret, "nobody is meant");
  const inSecret = await mia.say(secret, "@**called** do it");
  await mia.say(secret, "@_**called** is only talked about");
  const inPublic = await mia.say("general", "@**called** and here");
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
  for (const realm of await server.realms()) memoryOf(realm, eventQueues).evict();
  const id = await mia.say(secret, "@**called** while away");
  expect(await heard(cursor)).toEqual([[id, ["mentioned"]]]);
  const waits = bot.client.nextEvent(cursor, () => true);
  await expect
    .poll(async () =>
      (await server.realms()).reduce((sum, realm) => sum + memoryOf(realm, eventQueues).census().parked, 0),
    )
    .toBe(1);
  const next = await mia.say(secret, "@**called** now");
  expect(((await waits)["message"] as JsonObject)["id"]).toBe(next);
});

it("like any subscriber where it is subscribed", async () => {
  const inside = await server.addBot(mia, "inside");
  const subscription = { subscriptions: [{ name: "secret" }], principals: [inside.id] };
  expectSuccess(await mia.client.post("/users/me/subscriptions", subscription));
  const cursor = await queueOf({}, inside);
  const id = await mia.say(secret, "@**inside** and @**called**");
  expect(await heard(cursor, inside)).toEqual([[id, ["mentioned"]]]);
});

it("but no person, no bot that only sends, and none that is deactivated", async () => {
  const outsider = await server.addUser("Otto Outsider");
  const gone = await server.addBot(mia, "gone");
  const hook = expectSuccess(await mia.client.post("/bots", { full_name: "hook", short_name: "hook", bot_type: 2 }));
  const cursor = await queueOf({}, outsider);
  expectSuccess(await mia.client.delete(`/bots/${gone.id}`));
  const id = await mia.say(secret, "@**Otto Outsider** @**gone** @**hook**");
  expect(await heard(cursor, outsider)).toEqual([]);
  const [realm] = await server.realms();
  await realm!.current();
  const entry = realm!
    .loaded!.recent.after(0)
    .findLast(({ event }) => event?.type === "message" && event.message.id === id)!;
  expect(entry.audience).toEqual({ to: "subscribers", channelId: secret });
  expect(JSON.stringify((entry.event as MessageEvent).flags)).not.toContain(String(hook["user_id"]));
});

async function setUp(): Promise<void> {
  bot = await server.addBot(server.owner, "called");
  secret = await server.addChannel("secret", [mia], { invite_only: true });
}

let bot: Person;
let secret: number;

const queueOf = async (params: JsonObject = {}, person = bot) =>
  await person.queue({ event_types: ["message"], ...params });
const heard = async (cursor: QueueCursor, person = bot) =>
  (await person.drain(cursor)).map(({ message, flags }) => [(message as JsonObject)["id"], flags]);
