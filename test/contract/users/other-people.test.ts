/** What people learn of each other: channels, presence, accounts by address, what an away status is. */
import { expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
// Noa was never seen, so has no presence to hide.
const [mia, noa, gus] = server.people("Mia Member", "Noa Newcomer", ["Gus Guest", 600]);

it("PATCH /users/{email} changes the account that has the address, for administrators", async () => {
  const { owner } = server;
  await assertConverges({
    observers: [owner.client, mia.client],
    profiles: [MODERN],
    act: async () => expectSuccess(await owner.client.patch(`/users/${mia.email}`, { full_name: "Mia Renamed" })),
  });
  const { user } = expectSuccess(await owner.client.get(`/users/${mia.id}`)) as { user: JsonObject };
  expect(user["full_name"]).toBe("Mia Renamed");
  expectError(await owner.client.patch("/users/nobody@example.com", { full_name: "No" }), 400, "BAD_REQUEST");
  expectError(await mia.client.patch(`/users/${gus.email}`, { full_name: "No" }), 400, "UNAUTHORIZED_PRINCIPAL");
});

it("GET /users/{user_id}/channels lists what the caller may see of somebody's channels, of bots too", async () => {
  const { owner } = server;
  const open = await server.addChannel("open", [mia]);
  const secret = await server.addChannel("secret", [mia], { invite_only: true });
  const gone = await server.addChannel("gone", [mia]);
  expectSuccess(await owner.client.delete(`/streams/${gone}`));
  const idsOf = async (by: Person, id: number) =>
    expectSuccess(await by.client.get(`/users/${id}/channels`))["subscribed_channel_ids"] as number[];
  const mine = await idsOf(mia, mia.id);
  expect(mine).toEqual(mine.toSorted((a, b) => a - b));
  expect(mine).toEqual(expect.arrayContaining([open, secret]));
  expect(mine).not.toContain(gone);
  const other = await server.addUser("Olga Other");
  expect(await idsOf(other, mia.id)).toContain(open);
  expect(await idsOf(other, mia.id)).not.toContain(secret);
  expect(await idsOf(gus, mia.id)).toEqual((await idsOf(gus, gus.id)).filter((id) => mine.includes(id)));
  const bot = await server.addBot(owner, "channel-bot");
  expectSuccess(
    await owner.client.post("/users/me/subscriptions", { subscriptions: [{ name: "open" }], principals: [bot.id] }),
  );
  expect(await idsOf(other, bot.id)).toContain(open);
  expectError(await mia.client.get("/users/99999/channels"), 400, "BAD_REQUEST");
});

it("GET /users/{user_id}/presence tells both times beside the older form", async () => {
  expectSuccess(await mia.client.post("/users/me/presence", { status: "active" }));
  const { presence } = expectSuccess(await gus.client.get(`/users/${mia.id}/presence`)) as { presence: JsonObject };
  const { aggregated } = presence as { aggregated: JsonObject };
  expect(presence["active_timestamp"]).toBe(aggregated["timestamp"]);
  expect(presence["idle_timestamp"]).toEqual(expect.any(Number));
});

it("not sharing one's presence is an away status for everybody, until it is shared again", async () => {
  const statusOf = async () => expectSuccess(await gus.client.get(`/users/${noa.id}/status`))["status"];
  for (const [shared, status] of [
    [false, { away: true }],
    [true, {}],
  ] as const) {
    const { eventsOf } = await assertConverges({
      observers: [noa.client, gus.client],
      profiles: [MODERN],
      act: async () => expectSuccess(await noa.client.patch("/settings", { presence_enabled: shared })),
    });
    expect(await statusOf()).toEqual(status);
    expect(eventsOf(gus.client)).toMatchObject([
      { type: "user_status", user_id: noa.id, away: !shared },
      ...(shared ? [] : [{ type: "presence" }]),
    ]);
  }
  await assertConverges({
    observers: [noa.client, gus.client],
    profiles: [MODERN],
    act: async () => expectSuccess(await noa.client.post("/users/me/status", { away: true, status_text: "out" })),
  });
  expect(await statusOf()).toEqual({ away: true, status_text: "out" });
  await assertConverges({
    observers: [gus.client],
    profiles: [MODERN],
    act: async () =>
      expectSuccess(
        await server.owner.client.patch("/settings", { target_users: { user_ids: [noa.id] }, presence_enabled: true }),
      ),
  });
  expect(await statusOf()).toEqual({ status_text: "out" });
});

it("DELETE of a status ends its text and emoji; somebody else's, for administrators", async () => {
  const set = async () =>
    expectSuccess(await noa.client.post("/users/me/status", { status_text: "x", emoji_name: "car" }));
  const statusOf = async () => expectSuccess(await gus.client.get(`/users/${noa.id}/status`))["status"];
  for (const end of [
    () => noa.client.delete("/users/me/status"),
    () => server.owner.client.delete(`/users/${noa.id}/status`),
  ]) {
    await set();
    await assertConverges({ observers: [gus.client], profiles: [MODERN], act: async () => expectSuccess(await end()) });
    expect(await statusOf()).toEqual({});
  }
  expectError(await gus.client.delete(`/users/${noa.id}/status`), 400, "UNAUTHORIZED_PRINCIPAL");
});
