/** Blocks of channels that answers share are, byte for byte, what one gets who makes every record anew. */
import { expect, it } from "vitest";
import { renderChannel } from "../../../actors/channels/record.ts";
import { canSeeChannel } from "../../../actors/realm/access.ts";
import type { RealmReader } from "../../../actors/realm/reader.ts";
import { channelTexts } from "../../../actors/register/channel-text.ts";
import type { WantedSubscribers } from "../../../actors/register/subscriber-text.ts";
import { subscriptionsPart } from "../../../actors/register/subscriptions-part.ts";
import type { RegisterView } from "../../../actors/register/view.ts";
import { JsonText } from "../../../actors/text/json-text.ts";
import { expectSuccess } from "../../support/client/api.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const [ada, bob] = server.people("Ada", "Bob");

it("channels with their subscribers, whatever of them has changed", async () => {
  const { client } = server.owner;
  const names = Array.from({ length: 70 }, (_, index) => ({ name: `channel ${index}` }));
  expectSuccess(await client.post("/users/me/subscriptions", { subscriptions: names, principals: [bob.id] }));
  const [realm] = await server.realms();
  const check = () => {
    for (const { id } of [server.owner, ada, bob])
      for (const wanted of ["true", "partial"] as const) expectComposed(realm!, id, wanted);
  };
  check();
  const [first, second, third] = ["channel 3", "channel 40", "channel 69"].map((name) => {
    const found = [...realm!.state.channels.values()].find((channel) => channel.name === name);
    return found!.id;
  });
  const changes = [
    () => ada.client.post("/users/me/subscriptions", { subscriptions: names.slice(40, 41) }),
    () => client.patch(`/streams/${first}`, { description: "Another one" }),
    () => client.patch(`/streams/${third}`, { is_private: true }),
    () => client.delete(`/streams/${second}`),
    () => client.delete(`/users/${bob.id}`),
    () => client.post(`/users/${bob.id}/reactivate`),
  ];
  for (const change of changes) {
    expectSuccess(await change());
    check();
  }
});

it("a block that two people are not in is the same memory in both answers, which is compressed once", async () => {
  const [realm] = await server.realms();
  const [hers, others] = [ada, server.owner].map(
    ({ id }) =>
      new Set(neverSubscribed(realm!, id, "partial").flatMap((piece) => (typeof piece === "string" ? [] : [piece]))),
  );
  const memory = new Set([...others!].map(({ buffer }) => buffer));
  expect([...hers!].filter(({ buffer }) => memory.has(buffer)).length).toBeGreaterThan(5);
});

/** Channels that a person is not in, as a register tells of them, in the pieces that it is sent in. */
function neverSubscribed(realm: RealmReader, userId: number, includeSubscribers: WantedSubscribers) {
  const view = { has: new Set(), includeSubscribers } as Partial<RegisterView> as RegisterView;
  const { never_subscribed } = subscriptionsPart(realm, realm.state.users.get(userId)!, view);
  if (!(never_subscribed instanceof JsonText)) throw new Error("no text");
  return never_subscribed.pieces;
}

function expectComposed(realm: RealmReader, userId: number, wanted: WantedSubscribers): void {
  const { state } = realm;
  const user = state.users.get(userId)!;
  const rows = new Set([...state.subscriptions.of(userId)].map(({ channel_id }) => channel_id));
  const { subscribers } = state.derived(channelTexts);
  const whole = [...state.channels.values()]
    .filter((channel) => !channel.is_archived && !rows.has(channel.id) && canSeeChannel(state, channel, user))
    .map((channel) => ({ ...renderChannel(state, channel), ...subscribers.fieldsOf(realm, channel, wanted) }));
  const pieces = neverSubscribed(realm, userId, wanted).map((piece) => Buffer.from(piece));
  expect(Buffer.concat(pieces).toString()).toBe(JSON.stringify(whole));
}
