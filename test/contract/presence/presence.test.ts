import { describe, expect, it } from "vitest";
import { presenceMemory } from "../../../actors/presence/memory.ts";
import { Presence } from "../../../actors/presence/presence.ts";
import type { Entry } from "../../../actors/realm/entry.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import type { JsonText } from "../../../actors/text/json-text.ts";
import { readPresence } from "../../../storage/users/presence.ts";
import { ApiClient, expectError, expectSuccess } from "../../support/client/api.ts";
import { LEGACY, MOBILE, MODERN } from "../../support/convergence/client-profile.ts";
import { assertConverges } from "../../support/convergence/converge.ts";
import type { Person } from "../../support/people/person.ts";
import { startTestServer, type TestServer, testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes", "native build"] });
const [anna, bert, carl] = server.people("Anna", "Bert", "Carl");

describe("POST /users/me/presence", () => {
  it("status=active is a time of activity and of connection", async () => {
    const before = nowSecs();
    const reply = expectSuccess(await ping(anna, { last_update_id: -1 }));
    const mine = (reply["presences"] as Modern)[anna.id]!;
    expect(mine.active_timestamp).toBeGreaterThanOrEqual(before);
    expect(mine.idle_timestamp).toBe(mine.active_timestamp);
  });

  it("status=idle is a time of connection only", async () => {
    const person = await someone();
    const before = nowSecs();
    const reply = expectSuccess(await ping(person, { status: "idle", last_update_id: -1 }));
    const mine = (reply["presences"] as Modern)[person.id]!;
    expect(mine.active_timestamp).toBe(0);
    expect(mine.idle_timestamp).toBeGreaterThanOrEqual(before);
    expect(mine.idle_timestamp).toBeLessThanOrEqual(nowSecs());
  });

  it("a missing status is named, another one is refused", async () => {
    expect(expectError(await anna.client.post("/users/me/presence"), 400, "REQUEST_VARIABLE_MISSING")["var_name"]).toBe(
      "status",
    );
    expectError(await ping(anna, { status: "away" }), 400, "BAD_REQUEST");
    expectError(await ping(anna, { last_update_id: -2 }), 400, "BAD_REQUEST");
    expectError(await ping(anna, { history_limit_days: -1 }), 400, "BAD_REQUEST");
  });

  it("each other parameter is of its type, may be null, and what is unknown is named", async () => {
    for (const params of [
      { last_update_id: "soon" },
      { last_update_id: "1.5" },
      { history_limit_days: "all" },
      { ping_only: "perhaps" },
      { slim_presence: "1" },
      { new_user_input: "no" },
    ])
      expectError(await ping(anna, params), 400, "BAD_REQUEST");
    for (const name of ["last_update_id", "history_limit_days", "ping_only", "slim_presence", "new_user_input"])
      expectSuccess(await ping(anna, { [name]: null }));
    expect(expectSuccess(await ping(anna, { mood: "fine" }))["ignored_parameters_unsupported"]).toEqual(["mood"]);
  });

  it("bots are refused, and so is who has no account", async () => {
    const { user_id } = expectSuccess(await anna.client.post("/bots", { full_name: "Bot", short_name: "pinging" }));
    const state = await server.state();
    const email = state.users.get(user_id as number)!.delivery_email;
    const bot = new ApiClient({ url: server.url, email, apiKey: await server.apiKeyOf(user_id as number) });
    expectError(await bot.post("/users/me/presence", { status: "active" }), 400, "BAD_REQUEST");
    const anybody = new ApiClient({ url: server.url });
    expectError(await anybody.post("/users/me/presence", { status: "active" }), 401, "UNAUTHENTICATED_USER");
  });

  it("ping_only=true returns no presence data, and -1 without last_update_id", async () => {
    const reply = expectSuccess(await ping(anna, { ping_only: true, new_user_input: true }));
    expect(Object.keys(reply).sort()).toEqual(["msg", "presence_last_update_id", "result"]);
    expect(reply["presence_last_update_id"]).toBe(-1);
    expect(expectSuccess(await ping(anna, { ping_only: true, last_update_id: 7 }))["presence_last_update_id"]).toBe(7);
  });

  it("without last_update_id and slim_presence the data is in the older format, keyed by email", async () => {
    const reply = expectSuccess(await ping(anna));
    const entry = (reply["presences"] as Record<string, Record<string, unknown>>)[anna.email]!;
    const { aggregated, website } = entry as { aggregated: { timestamp: number }; website: object };
    expect(aggregated).toEqual({ client: "website", status: "active", timestamp: expect.any(Number) });
    expect(website).toEqual({ ...aggregated, pushable: false });
    expect(Object.keys(entry).sort()).toEqual(["aggregated", "website"]);
    expect(typeof reply["server_timestamp"]).toBe("number");
    expect(reply["presence_last_update_id"]).toBeGreaterThan(0);
  });

  it("slim_presence=true asks for the modern format", async () => {
    const reply = expectSuccess(await ping(anna, { slim_presence: true }));
    expect(Object.keys(reply["presences"] as object)).toContain(String(anna.id));
    expect(Object.keys(reply["presences"] as object)).not.toContain(anna.email);
  });

  it("last_update_id asks for the modern format, whatever slim_presence says", async () => {
    const reply = expectSuccess(await ping(anna, { last_update_id: -1, slim_presence: false }));
    expect(Object.keys(reply["presences"] as object)).toContain(String(anna.id));
    expect((reply["presences"] as Modern)[anna.id]).toEqual({
      active_timestamp: expect.any(Number),
      idle_timestamp: expect.any(Number),
    });
  });

  it("an idle report does not take back that somebody was active a moment ago", async () => {
    const person = await someone();
    expectSuccess(await ping(person));
    const reply = expectSuccess(await ping(person, { status: "idle", last_update_id: -1 }));
    expect((reply["presences"] as Modern)[person.id]!.active_timestamp).toBeGreaterThan(0);
    const older = expectSuccess(await ping(person, { status: "idle" }))["presences"] as Record<string, object>;
    expect(older[person.email]).toMatchObject({ aggregated: { status: "active" }, website: { status: "active" } });
  });

  it("last_update_id brings what changed since, and an equal id says that nothing did", async () => {
    const person = await someone();
    await ping(person);
    const first = expectSuccess(await ping(person, { last_update_id: -1 }));
    const last = first["presence_last_update_id"] as number;
    const other = await someone();
    await ping(other, { status: "idle", ping_only: true });
    const second = expectSuccess(await ping(person, { last_update_id: last }));
    expect(Object.keys(second["presences"] as object)).toContain(String(other.id));
    expect(Object.keys(second["presences"] as object)).not.toContain(String(server.owner.id));
    const newest = second["presence_last_update_id"] as number;
    expect(newest).toBeGreaterThan(last);
    const beyond = newest + 1_000_000;
    const third = expectSuccess(await ping(person, { last_update_id: beyond }));
    expect(third).toMatchObject({ presences: {}, presence_last_update_id: beyond });
  });

  it("history_limit_days leaves out who was here longer ago, unless changes are asked for", async () => {
    const [old, older] = [await someone(), await someone()];
    const first = expectSuccess(await ping(anna, { last_update_id: -1 }))["presence_last_update_id"] as number;
    await wasHere(old, nowSecs() - 3 * 86_400, first + 1);
    await wasHere(older, nowSecs() - 15 * 86_400, first + 2);
    const listed = async (params: object) =>
      Object.keys(expectSuccess(await ping(anna, { slim_presence: true, ...params }))["presences"] as object);
    expect(await listed({})).toContain(String(old.id));
    expect(await listed({})).not.toContain(String(older.id));
    expect(await listed({ history_limit_days: 2 })).not.toContain(String(old.id));
    expect(await listed({ history_limit_days: 20 })).toContain(String(older.id));
    expect(await listed({ history_limit_days: 2, last_update_id: -1 })).not.toContain(String(old.id));
    expect(await listed({ history_limit_days: 2, last_update_id: first })).toContain(String(older.id));
  });

  it("invisible mode: who shares no presence is neither noted nor shown", async () => {
    const person = await someone();
    await ping(person, { ping_only: true });
    const seen = expectSuccess(await ping(anna, { last_update_id: -1 }));
    expect(Object.keys(seen["presences"] as object)).toContain(String(person.id));
    expectSuccess(await person.client.patch("/settings", { presence_enabled: false }));
    const after = expectSuccess(await ping(anna, { last_update_id: -1 }));
    expect(Object.keys(after["presences"] as object)).not.toContain(String(person.id));
    expectError(await anna.client.get(`/users/${person.id}/presence`), 400, "BAD_REQUEST");
    // What an invisible person reported is not brought up when they show themselves again.
    const shy = await someone();
    const visible = (presence_enabled: boolean) => shy.client.patch("/settings", { presence_enabled });
    expectSuccess(await visible(false));
    expectSuccess(await ping(shy));
    expectSuccess(await visible(true));
    expectError(await anna.client.get(`/users/${shy.id}/presence`), 400, "BAD_REQUEST");
  });

  it("invisible mode: others learn at once that who was here is gone; of whom it is set for, nobody knows", async () => {
    const person = await someone();
    expectSuccess(await ping(person));
    const cursor = await anna.queue({ event_types: ["presence", "user_status"] });
    const target_users = { user_ids: [person.id] };
    const bySelf = (presence_enabled: boolean) => person.client.patch("/settings", { presence_enabled });
    const byAdmin = (presence_enabled: boolean) =>
      server.owner.client.patch("/settings", { target_users, presence_enabled });
    for (const change of [() => bySelf(false), () => bySelf(true), () => byAdmin(false), () => byAdmin(true)])
      expectSuccess(await change());
    const events = await anna.client.drain(cursor, 5);
    const [status, presence] = ["user_status", "presence"];
    expect(events.map(({ type }) => type)).toEqual([status, presence, status, status, status]);
    const gone = events[1]!["presence"] as { website: { timestamp: number } };
    expect(events[1]!["user_id"]).toBe(person.id);
    expect(gone.website.timestamp).toBeLessThan(nowSecs() - 200);
  });

  it("a report that comes after its person went invisible is told to nobody", async () => {
    const person = await someone();
    const [realm] = await server.realms();
    expectSuccess(await person.client.patch("/settings", { presence_enabled: false }));
    const late = { batch: "late", users: [[person.id, nowSecs(), nowSecs()]] } as const;
    const entries = memoryOf(realm!, presenceMemory).decide(late as unknown as Parameters<Presence["decide"]>[0]);
    expect(entries.map(({ event, presence }) => [event, presence?.users])).toEqual([[undefined, []]]);
  });

  it("an organization that disabled presence returns none, and -1", async () => {
    await server.owner.setRealm({ presence_disabled: true });
    try {
      expect(expectSuccess(await ping(anna))).toMatchObject({ presences: {}, presence_last_update_id: -1 });
      expect(expectSuccess(await ping(anna, { last_update_id: 5 }))["presence_last_update_id"]).toBe(5);
    } finally {
      await server.owner.setRealm({ presence_disabled: false });
    }
  });

  it("a ping is seen by whoever asks after its answer", async () => {
    for (let round = 0; round < 5; round++) {
      const person = await someone();
      expectSuccess(await ping(person, { ping_only: true }));
      expectSuccess(await anna.client.get(`/users/${person.id}/presence`));
    }
  });

  it("a report that reaches a replica late counts there too, as old as it is", async () => {
    const [person, newer] = [await someone(), await someone()];
    const realms = await server.realms();
    const [realm] = realms.slice(-1);
    const { position } = realm!;
    expectSuccess(await ping(newer));
    const report = { batch: "", users: [[person.id, nowSecs(), nowSecs()]] };
    for (const each of realms) {
      await each.currentUnstored();
      each.loaded!.follow([{ position, json: JSON.stringify({ p: report }) }]);
    }
    const updates = (after: number) => {
      const { state } = realm!;
      const presence = memoryOf(realm!, presenceMemory);
      const { presences } = presence.modern(state.users.get(anna.id)!, { after, historyLimitDays: 1 });
      return Object.keys(parsed(presences));
    };
    expect(updates(position - 1)).toEqual([person.id, newer.id].map(String));
    expect(updates(position)).toEqual([String(newer.id)]);
  });

  it("a report that is lost on the way to the writer is sent again until it is applied", async () => {
    const realm = await server.realm();
    const { id, state, database, environment, position } = realm;
    const sent: Entry[] = [];
    const presence = new Presence({
      ...{ id, state, database, environment },
      isWriter: false,
      publish: (entry) => void sent.push(entry),
    });
    const applied = presence.report(state.users.get(anna.id)!, "active");
    await until("it to be sent", () => sent.length === 1);
    presence.sweep(environment.clock() + 2);
    expect(sent[1]).toEqual(sent[0]);
    presence.apply(position, sent[1]!.presence!);
    await applied;
    presence.sweep(environment.clock() + 2);
    expect(sent).toHaveLength(2);
  });

  it("a node that begins to write stores each person once, also whom it read anew", async () => {
    const person = await someone();
    const { id, state, database, environment, position } = await server.realm();
    const realm = { id, state, database, environment, isWriter: false, publish: () => {} };
    const presence = new Presence(realm);
    const here = (at: number) => presence.apply(position, { batch: "", users: [[person.id, at, at]] });
    here(100);
    await presence.load([{ user_id: person.id, active_at: 200, idle_at: 200, update_id: position + 1 }]);
    here(300);
    realm.isWriter = true;
    await presence.flush();
    const stored = await readPresence(database.sql, id);
    expect(stored.filter((row) => row.user_id === person.id)).toMatchObject([{ active_at: 300, idle_at: 300 }]);
    expect(presence.unsaved()).toEqual([]);
  });

  it("what is held in memory is written down, with ids that a restart continues", async () => {
    const person = await someone();
    const before = nowSecs();
    await pingAll(person, { ping_only: true });
    const realms = await server.realms();
    const { database, position } = realms[0]!;
    await Promise.all(realms.map((realm) => memoryOf(realm, presenceMemory).flush()));
    const rows = await database.sql<{ update_id: number; active_at: number }[]>`
      select update_id, active_at from presence where user_id = ${person.id}`;
    expect(rows[0]!.active_at).toBeGreaterThanOrEqual(before);
    expect(rows[0]!.update_id).toBeLessThanOrEqual(position);
    await Promise.all(realms.map((realm) => memoryOf(realm, presenceMemory).load()));
    const reply = expectSuccess(await ping(anna, { last_update_id: rows[0]!.update_id - 1, status: "idle" }));
    expect(Object.keys(reply["presences"] as object)).toContain(String(person.id));
  });
});

describe("events: presence", () => {
  it("is sent, in the format each queue declared, when somebody comes online, and not again at their next ping", async () => {
    const person = await someone();
    const seen = await assertConverges({
      observers: [anna.client, person.client],
      act: () => pingAll(person, { ping_only: true }),
    });
    const only = (profile: typeof LEGACY) =>
      seen.eventsOf(anna.client, profile).filter((event) => event.type === "presence");
    expect(only(LEGACY)).toHaveLength(1);
    expect(only(LEGACY)[0]).toMatchObject({ user_id: person.id, email: person.email });
    expect(only(MOBILE)[0]).not.toHaveProperty("email");
    expect(Object.keys(only(MODERN)[0]!["presences"] as object)).toEqual([String(person.id)]);
    const again = await assertConverges({ observers: [anna.client], act: () => pingAll(person, { ping_only: true }) });
    expect(again.observations.flatMap(({ events }) => events)).toEqual([]);
  });

  it("the first report of somebody new is told even when they are idle", async () => {
    const person = await someone();
    const seen = await assertConverges({
      observers: [anna.client],
      act: () => pingAll(person, { status: "idle", ping_only: true }),
    });
    expect(seen.eventsOf(anna.client, LEGACY).map((event) => event.type)).toContain("presence");
  });

  it("is sent again after 200 seconds without a report", async () => {
    const person = await someone();
    const start = (await server.realm()).position;
    const cursor = await anna.queue({ event_types: ["presence"] });
    await wasHere(person, nowSecs() - 100, start);
    await pingAll(person, { ping_only: true });
    expect(await anna.drain(cursor)).toEqual([]);
    const other = await someone();
    await wasHere(other, nowSecs() - 260, start);
    await pingAll(other, { ping_only: true });
    const events = await anna.drain(cursor);
    expect(events.map((event) => event["user_id"])).toEqual([other.id]);
  });
});

describe("GET presence", () => {
  it("GET /users/{id_or_email}/presence gives one person's, by id and by email", async () => {
    await ping(bert, { ping_only: true });
    const byId = expectSuccess(await anna.client.get(`/users/${bert.id}/presence`))["presence"];
    expect(byId).toMatchObject({ aggregated: { status: "active" }, website: { status: "active", pushable: false } });
    expect(expectSuccess(await anna.client.get(`/users/${bert.email}/presence`))["presence"]).toEqual(byId);
  });

  it("nobody's presence for who does not exist, was never here, or is a bot", async () => {
    expectError(await anna.client.get("/users/999999/presence"), 400, "BAD_REQUEST");
    expectError(await anna.client.get("/users/nobody@example.com/presence"), 400, "BAD_REQUEST");
    expectError(await anna.client.get(`/users/${carl.id}/presence`), 400, "BAD_REQUEST");
    const state = await server.state();
    const bot = [...state.users.values()].find((user) => user.is_bot)!;
    expectError(await anna.client.get(`/users/${bot.id}/presence`), 400, "BAD_REQUEST");
  });

  it("GET /realm/presence gives everybody's, keyed by email", async () => {
    await ping(bert, { ping_only: true });
    const reply = expectSuccess(await anna.client.get("/realm/presence"));
    expect(Object.keys(reply["presences"] as object)).toContain(bert.email);
    expect(typeof reply["server_timestamp"]).toBe("number");
  });

  it("POST /register: presences in the format of the client's events, with the id to continue from", async () => {
    await ping(bert, { ping_only: true });
    const fetch = (params: object) => anna.client.register({ fetch_event_types: ["presence"], ...params });
    const legacy = await fetch({});
    expect(Object.keys(legacy.presences as object)).toContain(bert.email);
    expect(legacy["presence_last_update_id"]).toBeGreaterThan(0);
    expect(typeof legacy["server_timestamp"]).toBe("number");
    for (const params of [{ slim_presence: true }, { client_capabilities: { simplified_presence_events: true } }]) {
      expect(Object.keys((await fetch(params)).presences as object)).toContain(String(bert.id));
    }
    const old = await someone();
    await wasHere(old, nowSecs() - 3 * 86_400, legacy["presence_last_update_id"] as number);
    const limited = await fetch({ slim_presence: true, presence_history_limit_days: 2 });
    expect(Object.keys(limited.presences as object)).not.toContain(String(old.id));
    expect(Object.keys((await fetch({ slim_presence: true })).presences as object)).toContain(String(old.id));
  });
});

describe("CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE", () => {
  it("limits presence to the people the caller can access, and only when it is on", async () => {
    const limited = await startTestServer({ PARLEY_CAN_ACCESS_ALL_USERS_GROUP_LIMITS_PRESENCE: "on" });
    try {
      const guest = await limited.addUser("Guest", { role: 600 });
      const near = await limited.addUser("Near");
      const far = await limited.addUser("Far");
      expectSuccess(await guest.client.delete("/users/me/subscriptions", { subscriptions: ["general"] }));
      await limited.addChannel("shared", [guest, near]);
      const state = await limited.state();
      const members = state.systemGroup("role:members");
      expectSuccess(await limited.owner.client.patch("/realm", { can_access_all_users_group: { new: members } }));
      const cursor = await guest.queue({ event_types: ["presence"], slim_presence: true });
      await ping(near, { ping_only: true });
      await ping(far, { ping_only: true });
      const listed = Object.keys(expectSuccess(await ping(guest, { last_update_id: -1 }))["presences"] as object);
      await allHear(limited);
      expect(listed).toContain(String(near.id));
      expect(listed).not.toContain(String(far.id));
      expect((await guest.drain(cursor)).map((event) => event["user_id"])).toEqual([near.id, guest.id]);
      const seen = Object.keys(expectSuccess(await ping(near, { last_update_id: -1 }))["presences"] as object);
      expect(seen).toContain(String(far.id));
    } finally {
      await limited.stop();
    }
  });
});

let names = 0;

const someone = () => server.addUser(`Somebody ${++names}`);
const ping = (person: Person, params: Record<string, unknown> = {}) =>
  person.client.post("/users/me/presence", { status: "active", ...params });
/** A ping, until each node has told its clients of it. */
async function pingAll(person: Person, params: Record<string, unknown>): Promise<void> {
  expectSuccess(await ping(person, params));
  await allHear(server);
}
async function allHear(of: TestServer): Promise<void> {
  for (const realm of await of.realms())
    await until("a node to hear of it", async () => realm.isWriter || (await realm.currentUnstored()) !== undefined);
}
const parsed = ({ pieces }: JsonText) =>
  JSON.parse(Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString()) as object;
const nowSecs = () => Math.floor(Date.now() / 1000);
type Modern = Record<string, { active_timestamp: number; idle_timestamp: number }>;

/** Says that somebody was here at another time, as if it had been written down by a server that ran then. */
async function wasHere(person: Person, at: number, updateId: number): Promise<void> {
  const realms = await server.realms();
  const { database, id } = realms[0]!;
  await Promise.all(realms.map((realm) => memoryOf(realm, presenceMemory).flush()));
  await database.sql`
    insert into presence (user_id, realm_id, active_at, idle_at, update_id) values (${person.id}, ${id}, ${at}, ${at}, ${updateId})
    on conflict (user_id) do update set active_at = excluded.active_at, idle_at = excluded.idle_at, update_id = excluded.update_id`;
  await Promise.all(realms.map((realm) => memoryOf(realm, presenceMemory).load()));
}
