/** The log is kept in memory up to a number of bytes; what is older is read from the database. */
import { afterEach, describe, expect, it } from "vitest";
import { bytesOf } from "../../../actors/realm/entry.ts";
import { loadReplica } from "../../../actors/realm/load.ts";
import type { Realm } from "../../../actors/realm/realm.ts";
import { RealmState } from "../../../actors/realm/state/state.ts";
import { cursorOf, expectError, expectSuccess } from "../../support/client/api.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, type TestServer } from "../../support/server/server.ts";

let server: TestServer;
afterEach(() => server.stop());

describe("the log in memory", () => {
  it("has so many bytes, and a queue that is behind it gets everything all the same", async () => {
    await start({ PARLEY_QUEUE_IDLE_AFTER: "1" });
    const cursor = await server.owner.queue({ event_types: ["drafts"] });
    // Acknowledges nothing: what it asks for again later is older than anything in memory.
    const again = { ...cursor };
    await writeDrafts(server.owner, 12);
    for (const realm of await server.realms()) {
      expect(bytesHeld(realm)).toBeLessThanOrEqual(recentBytes);
      expect(realm.loaded!.recent.floor).toBeGreaterThan(cursor.lastEventId);
    }
    const live = await server.owner.drain(cursor);
    expect(live.map(({ op }) => op)).toEqual(
      Array.from({ length: 12 }, () => ["add", "remove", "remove", "remove", "remove", "remove"]).flat(),
    );
    expect(await server.owner.drain(again)).toEqual(live);
  });

  it("is loaded again only so far", async () => {
    await start();
    await writeDrafts(server.owner, 12);
    const [realm] = await server.realms();
    const before = realm!.position;
    const state = new RealmState(realm!.id, server.url, () => 0);
    const newest = await loadReplica(realm!.database, state, recentBytes);
    expect(bytesOf(newest)).toBeLessThanOrEqual(recentBytes);
    expect(bytesOf(newest)).toBeGreaterThan(recentBytes / 2);
    expect(newest.at(-1)?.position).toBe(state.position);
    expect(state.position).toBe(before);
  });

  it("a queue that nobody reads ends when its events have too many bytes, however few they are", async () => {
    await start({ PARLEY_QUEUE_MAX_BYTES: "400000" });
    const { client } = server.owner;
    const unread = cursorOf(await client.register({ event_types: ["drafts"] }));
    await writeDrafts(server.owner, 12);
    expectError(
      await client.get("/events", { queue_id: unread.queueId, last_event_id: unread.lastEventId }),
      400,
      "BAD_EVENT_QUEUE_ID",
    );
  });

  it("a queue that comes back ends when the log has more bytes for it than it may hold", async () => {
    await start({ PARLEY_QUEUE_MAX_BYTES: "400000" });
    const { client } = server.owner;
    const reading = cursorOf(await client.register({ event_types: ["drafts"] }));
    const start1 = reading.lastEventId;
    for (let time = 0; time < 12; time++) {
      await writeDrafts(server.owner, 1);
      await client.drain(reading);
    }
    expectError(
      await client.get("/events", { queue_id: reading.queueId, last_event_id: start1 }),
      400,
      "BAD_EVENT_QUEUE_ID",
    );
  });
});

const recentBytes = 200_000;

const start = async (more: Record<string, string> = {}) => {
  server = await startTestServer({ PARLEY_RECENT_MAX_BYTES: String(recentBytes), ...more });
};

const bytesHeld = (realm: Realm) =>
  realm
    .loaded!.recent.after(realm.loaded!.recent.floor)
    .reduce((sum, { event }) => sum + JSON.stringify(event ?? "").length, 0);

/** Writes drafts of about 10 kB each, and takes them away again. */
async function writeDrafts(person: Person, times: number): Promise<void> {
  const drafts = Array.from({ length: 5 }, () => ({ type: "", to: [], topic: "", content: "d".repeat(10_000) }));
  for (let time = 0; time < times; time++) {
    const { ids } = expectSuccess(await person.client.post("/drafts", { drafts })) as { ids: number[] };
    for (const id of ids) expectSuccess(await person.client.delete(`/drafts/${id}`));
  }
}
