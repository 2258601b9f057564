/** Channels that new people are subscribed to. https://zulip.com/api/add-default-stream */
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
const [admin, member, guest] = server.people(["Adele Admin", 200], "Mia Member", ["Gus Guest", 600]);
beforeAll(setUp);

describe("POST and DELETE /default_streams", () => {
  it("are for administrators, who may know of the channel, and refuse private and archived ones", async () => {
    for (const person of [member, guest]) {
      expectError(await set(person, pub), 400, "UNAUTHORIZED_PRINCIPAL");
      expectError(await unset(person, standard), 400, "UNAUTHORIZED_PRINCIPAL");
    }
    expectError(await set(owner, 999_999), 400, "BAD_REQUEST");
    expectError(await unset(owner, 999_999), 400, "BAD_REQUEST");
    expectError(await set(owner, hidden), 400, "BAD_REQUEST");
    expectError(await set(owner, archived), 400, "BAD_REQUEST");
    expectError(await owner.client.post("/default_streams"), 400, "REQUEST_VARIABLE_MISSING");
  });

  it("converge: everybody but guests is told, once", async () => {
    const observers = [admin.client, member.client, guest.client];
    const added = await assertConverges({ observers, act: async () => expectSuccess(await set(admin, pub)) });
    expect(added.eventsOf(member.client)).toEqual([
      expect.objectContaining({ type: "default_streams", default_streams: [standard, pub] }),
    ]);
    expect(added.eventsOf(guest.client)).toEqual([]);
    const again = await assertConverges({ observers, act: async () => expectSuccess(await set(admin, pub)) });
    expect(again.eventsOf(member.client)).toEqual([]);
    await assertConverges({ observers, act: async () => expectSuccess(await unset(admin, pub)) });
  });

  it("new users join default channels, guests do not", async () => {
    expectSuccess(await set(admin, pub));
    const newcomer = await server.addUser("Newcomer");
    expect(await list(newcomer, { ...off, include_subscribed: true })).toEqual([standard, pub]);
    expectSuccess(await unset(admin, pub));
  });
});

async function setUp(): Promise<void> {
  // They were a member first.
  expectSuccess(await guest.client.delete("/users/me/subscriptions", { subscriptions: ["general"] }));
  pub = await server.addChannel("public", [owner]);
  hidden = await server.addChannel("private of the owner", [owner], { invite_only: true });
  archived = await server.addChannel("archived", [member]);
  expectSuccess(await owner.client.delete(`/streams/${archived}`));
  standard = (await idOf(owner, "general"))!;
}

/** Ids of channels: public, private without the others, archived, and the one that everybody is in. */
let pub: number;
let hidden: number;
let archived: number;
let standard: number;

const idOf = async (person: Person, stream: string) =>
  expectSuccess(await person.client.get("/get_stream_id", { stream }))["stream_id"] as number;
const off = { include_public: false, include_subscribed: false };
const list = async (person: Person, params: JsonObject = {}) =>
  (expectSuccess(await person.client.get("/streams", params))["streams"] as JsonObject[]).map(
    (channel) => channel["stream_id"] as number,
  );

const set = (person: Person, stream_id: number) => person.client.post("/default_streams", { stream_id });
const unset = (person: Person, stream_id: number) => person.client.delete("/default_streams", { stream_id });
