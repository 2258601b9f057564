/** Whoever may not know an address is not told its hash either: addresses could be tried out against it. */
import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { ApiClient, cursorOf, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";

const server = testServer();
const { owner } = server;
beforeAll(setUp);

describe("the picture of somebody who hides their address", () => {
  it("/avatar/{id} sends those who may not know it to a picture that the server draws", async () => {
    for (const size of ["", "/medium"]) {
      expect(await redirect(bob.client, `/avatar/${shy.id}${size}`)).toMatch(drawn);
      expect(await redirect(owner.client, `/avatar/${shy.id}${size}`)).toContain(hashOf(shy.email));
      expect(await redirect(shy.client, `/avatar/${shy.id}${size}`)).toContain(hashOf(shy.email));
    }
  });

  it("spectators are told nobody's, whatever the address's visibility", async () => {
    const shown = { name: "for all", subscribers: [bob.id, shy.id], is_web_public: true };
    await owner.setRealm({ enable_spectator_access: true });
    const { id } = expectSuccess(await owner.client.post("/channels/create", shown));
    const said = { type: "channel", to: id, topic: "t", content: "x" };
    for (const person of [bob, shy]) {
      expectSuccess(await person.client.post("/messages", said));
      expect(await redirect(anybody, `/avatar/${person.id}`)).toMatch(drawn);
    }
    const narrow = { anchor: "newest", num_before: 10, num_after: 0, narrow: [["channel", id]] };
    const answers = [
      await anybody.post("/register", { fetch_event_types: ["realm_user"] }),
      await anybody.get("/messages", narrow),
    ];
    for (const { text } of answers) {
      expect(text).toContain("identicon.png");
      for (const person of [bob, shy]) expect(text).not.toContain(hashOf(person.email));
    }
  });

  it("lists, messages and events say the same", async () => {
    const look = async (viewer: Person, client_gravatar: boolean) => {
      const types = ["realm_user", "message"];
      const state = await viewer.client.register({ event_types: types, client_gravatar });
      const queue = cursorOf(state);
      const said = { type: "stream", to: room, topic: "t", content: "look" };
      const { id } = expectSuccess(await shy.client.post("/messages", said));
      // A picture of one's own and back tells where the gravatar is.
      const content = Uint8Array.from(Buffer.from("R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=", "base64"));
      expectSuccess(await shy.client.post("/users/me/avatar", {}, { files: { file: { filename: "a.gif", content } } }));
      expectSuccess(await shy.client.delete("/users/me/avatar"));
      const events = await viewer.drain(queue);
      const { user } = expectSuccess(await viewer.client.get(`/users/${shy.id}`, { client_gravatar }));
      const { message } = expectSuccess(await viewer.client.get(`/messages/${id}`, { client_gravatar }));
      const sent = events.find(({ type }) => type === "message")!["message"];
      const person = events.at(-1)!["person"];
      return {
        listed: [state.realm_users!.find(({ user_id }) => user_id === shy.id), user] as JsonObject[],
        messages: [message, sent] as JsonObject[],
        person: person as JsonObject,
        text: JSON.stringify([state, events, user, message]),
      };
    };
    for (const client_gravatar of [true, false]) {
      const outside = await look(bob, client_gravatar);
      expect(outside.text).not.toContain(hashOf(shy.email));
      for (const record of [...outside.listed, ...outside.messages, outside.person])
        expect(record["avatar_url"]).toMatch(drawn);
      expect(outside.person["avatar_url_medium"]).toMatch(drawn);

      const inside = await look(owner, client_gravatar);
      const gravatar = expect.stringContaining(hashOf(shy.email)) as unknown;
      // Null only where the client can compute it: here `email` is a placeholder.
      for (const record of [...inside.listed, ...inside.messages, inside.person])
        expect(record["avatar_url"]).toEqual(gravatar);
      expect(inside.person).not.toHaveProperty("gravatar");
      for (const message of inside.messages) expect(message).not.toHaveProperty("hidden_gravatar");
    }
  });

  it("somebody who is added is told to each as they may know them", async () => {
    expectSuccess(await owner.client.patch("/realm/user_settings_defaults", { email_address_visibility: 3 }));
    const queues = await Promise.all(
      [bob, owner].map(async ({ client }) =>
        cursorOf(await client.register({ event_types: ["realm_user"], client_gravatar: false })),
      ),
    );
    const late = await server.addUser("Late");
    const added = async (person: Person, queue: (typeof queues)[number]) => {
      const event = await person.client.nextEvent(queue, ({ op }) => op === "add");
      expect(event["person"]).not.toHaveProperty("gravatar");
      expect(event["person"]).not.toHaveProperty("avatar_source");
      return (event["person"] as JsonObject)["avatar_url"];
    };
    expect(await added(bob, queues[0]!)).toMatch(drawn);
    expect(await added(owner, queues[1]!)).toContain(hashOf(late.email));
  });

  it("is a PNG that anybody may keep, and says nothing of who exists", async () => {
    const get = async (id: number, size = "") =>
      fetch(`${server.url}/user_avatars/${(await server.realms())[0]!.id}/${id}/identicon${size}.png?version=1`);
    for (const [size, width] of [
      ["", 100],
      ["-medium", 500],
    ] as const) {
      const answer = await get(shy.id, size);
      expect(answer.headers.get("content-type")).toBe("image/png");
      expect(answer.headers.get("cache-control")).toContain("immutable");
      const bytes = Buffer.from(await answer.arrayBuffer());
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([width, width]);
      const data = bytes.indexOf("IDAT");
      const dots = inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)));
      expect(dots.length).toBe(width * (1 + Math.ceil(width / 8)));
    }
    expect((await get(999_999)).status).toBe(200);
    const bodies = await Promise.all([shy.id, bob.id].map(async (id) => (await get(id)).text()));
    expect(bodies[0]).not.toBe(bodies[1]);
  });
});

async function setUp(): Promise<void> {
  [shy, bob] = [await server.addUser("Shy"), await server.addUser("Bob")];
  anybody = new ApiClient({ url: server.urls });
  room = await server.addChannel("room", [shy, bob, owner]);
  expectSuccess(await shy.client.patch("/settings", { email_address_visibility: 3 }));
}

let shy: Person;
let bob: Person;
let anybody: ApiClient;
let room: number;

const hashOf = (email: string): string => createHash("sha256").update(email).digest("hex");
const drawn = /^\/user_avatars\/\d+\/\d+\/identicon(-medium)?\.png\?version=\d+$/;

const redirect = async (client: ApiClient, path: string): Promise<string> =>
  (await client.get(path, {}, { root: true })).headers.get("location") ?? "";
