/** What owners decide about log-ins: their length, networks and passwords. And administrators who end somebody's. */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { eventQueues } from "../../../actors/event-queue/memory.ts";
import { memoryOf } from "../../../actors/realm/memory.ts";
import { endOverSessionsJob } from "../../../actors/users/changes/log-in-policy.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import type { Person } from "../../support/people/person.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ environment: { PARLEY_TRUSTED_PROXIES: "1" } });
const [adam, mia] = server.people(["Adam Admin", 200], "Mia Member");
const password = "a fine password";
let clock: () => number;
beforeAll(() => {
  clock = server.server.app.system.environment.clock;
});
afterEach(async () => {
  server.server.app.system.environment.clock = clock;
  await decide({ ...undecided, idle_minutes: 0 });
});

describe("the policy", () => {
  it("is the owners' to decide, the administrators' to know, and in the audit log", async () => {
    expect(expectSuccess(await adam.client.get("/realm/log_in_policy"))["log_in_policy"]).toEqual(undecided);
    expectError(await mia.client.get("/realm/log_in_policy"), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await adam.client.patch("/realm/log_in_policy", { session_days: 1 }), 400, "UNAUTHORIZED_PRINCIPAL");
    const decided = { session_days: 3, idle_minutes: 30, password_strength: "strong" };
    expect(await decide(decided)).toEqual({ ...undecided, ...decided });
    expect(await decide({ password_min_length: 12 })).toMatchObject({ ...decided, password_min_length: 12 });
    const { audit_log: rows } = expectSuccess(
      await server.owner.client.get("/realm/audit_log", {
        anchor: "newest",
        num_before: 1,
        event_types: ["realm_property_changed"],
      }),
    ) as { audit_log: { before: object; after: object }[] };
    expect(rows[0]).toMatchObject({
      before: { log_in_policy: { password_min_length: 8 } },
      after: { log_in_policy: { password_min_length: 12 } },
    });
  });

  it.each([
    { session_days: 0 },
    { session_days: 366 },
    { idle_minutes: 4 },
    { idle_minutes: -1 },
    { password_min_length: 7 },
    { password_min_length: 65 },
    { password_strength: "weak" },
    { allowed_networks: ["10.0.0.0/33"] },
    { allowed_networks: ["here"] },
    { allowed_networks: [""] },
    { allowed_networks: [7] },
    { allowed_networks: ["1".repeat(51)] },
  ])("does not take %j", async (wrong) => {
    expectError(await server.owner.client.patch("/realm/log_in_policy", wrong), 400, "BAD_REQUEST");
  });
});

it("takes 100 networks at most", async () => {
  const allowed_networks = Array.from({ length: 101 }, () => "127.0.0.0/8");
  expectError(await server.owner.client.patch("/realm/log_in_policy", { allowed_networks }), 400, "BAD_REQUEST");
  await decide({ allowed_networks: allowed_networks.slice(1) });
});

describe("the length of log-ins", () => {
  it("is that of new ones, and shortens those that are there", async () => {
    const day = 86_400;
    const before = await logIn(mia);
    const [old] = await sessionsOf(before);
    expect(old!.expires_at - old!.date_created).toBe(14 * day);
    await decide({ session_days: 2 });
    const after = await logIn(mia);
    for (const { expires_at } of await sessionsOf(after)) expect(expires_at - clock()).toBeLessThanOrEqual(2 * day);
    await decide({ session_days: 30 });
    const longest = Math.max(...(await sessionsOf(await logIn(mia))).map(({ expires_at }) => expires_at));
    expect(longest - clock()).toBeGreaterThan(29 * day);
    server.server.app.system.environment.clock = () => clock() + 3 * day;
    expect(await after.ask("GET", "/users/me")).toMatchObject({ status: 401 });
  });
});

describe("log-ins that nobody uses", () => {
  it("end after so many minutes, with their queues, polls and streams; those in use go on", async () => {
    await decide({ idle_minutes: 20 });
    const person = await server.addUser("Ida Idle");
    const [left, used] = [await logIn(person), await logIn(person)];
    const [queue, streamed, kept] = [await register(left), await register(left), await register(used)];
    const poll = left.events(queue);
    const stream = await left.events(streamed, "text/event-stream");
    const other = used.events(kept);
    await until("both wait", async () => parked() === 3);
    ahead(15 * 60);
    await used.ask("GET", "/users/me");
    await noted(person, 1);
    // These are the page's own doing, so they keep nothing alive.
    expect(await left.ask("POST", "/users/me/presence", { status: "idle" })).toMatchObject({ status: 200 });
    ahead(23 * 60);
    await endOverSessionsJob.run(await server.realm(), clock() + 23 * 60);
    expect(await stream.text()).not.toContain('"type":"message"');
    expect(await (await poll).json()).toMatchObject({ events: [] });
    expect(parked()).toBe(1);
    expect(await left.ask("GET", "/users/me")).toMatchObject({ status: 401 });
    expect(await used.ask("GET", "/users/me")).toMatchObject({ status: 200 });
    expect(await audited(person)).toEqual(["user_sessions_ended"]);
    await used.ask("DELETE", "/events", { queue_id: kept["queue_id"] });
    await (await other).text();
  });

  it("are refused before that is done, and kept by a page whose person is there", async () => {
    await decide({ idle_minutes: 20 });
    const person = await server.addUser("Pat Present");
    const [gone, there] = [await logIn(person), await logIn(person)];
    ahead(15 * 60);
    await gone.ask("POST", "/users/me/presence", { status: "idle" });
    await there.ask("POST", "/users/me/presence", { status: "active" });
    await noted(person, 1);
    ahead(23 * 60);
    expect(await gone.ask("GET", "/users/me")).toMatchObject({ status: 401 });
    expect(await there.ask("GET", "/users/me")).toMatchObject({ status: 200 });
  });

  it("go on where nothing was decided, for as long as they are good", async () => {
    const person = await server.addUser("Nora Never");
    const browser = await logIn(person);
    ahead(13 * 86_400);
    await endOverSessionsJob.run(await server.realm(), clock() + 13 * 86_400);
    expect(await browser.ask("GET", "/users/me")).toMatchObject({ status: 200 });
  });
});

describe("passwords", () => {
  it("have to be as long and as strong as was decided, wherever somebody chooses one", async () => {
    await decide({ password_min_length: 16, password_strength: "very_strong" });
    const state = expectSuccess(await server.owner.client.post("/register", { fetch_event_types: ["realm"] }));
    expect(state).toMatchObject({ password_min_length: 16, password_min_guesses: 100_000_000 });
    const change = (new_password: string) => mia.client.patch("/settings", { old_password: password, new_password });
    const short = expectError(await change("vW9#kq2LmZ-x7Q!"), 400);
    expect(short["msg"]).toBe("Password must have from 16 to 100 characters.");
    // Of ordinary strength.
    expect(expectError(await change("sunflower1234567"), 400)["msg"]).toBe("Password is too easy to guess.");
    const { invite_link } = expectSuccess(await server.owner.client.post("/invites/multiuse", {}));
    const page = await (await fetch(`${server.url}${new URL(String(invite_link)).pathname}`)).text();
    expect(page).toContain('minlength="16"');
    await decide({ password_strength: "ordinary" });
    expectSuccess(await change("sunflower1234567"));
    expectSuccess(
      await mia.client.patch("/settings", {
        old_password: "sunflower1234567",
        new_password: "sunflower12345678",
      }),
    );
    await decide({ password_min_length: 8 });
    expectSuccess(await mia.client.patch("/settings", { old_password: "sunflower12345678", new_password: password }));
  });
});

describe("networks", () => {
  const office = { "X-Forwarded-For": "10.1.2.3" };
  const home = { "X-Forwarded-For": "203.0.113.9" };
  /** Somebody's requests from there. */
  const from = (headers: Record<string, string>, client: ApiClient) => ({
    get: (path: string, params?: JsonObject) => client.get(path, params, { headers }),
    post: (path: string, params?: JsonObject) => client.post(path, params, { headers }),
    patch: (path: string, params?: JsonObject) => client.patch(path, params, { headers }),
  });
  const at = ({ client }: Person, headers: Record<string, string>) => from(headers, client);

  it("are where people come from, with log-ins and with keys; bots come from anywhere", async () => {
    const bot = expectSuccess(await server.owner.client.post("/bots", { full_name: "Hook", short_name: "hook" }));
    const { user } = expectSuccess(await server.owner.client.get(`/users/${String(bot["user_id"])}`)) as {
      user: { email: string };
    };
    const asBot = from(home, new ApiClient({ url: server.url, email: user.email, apiKey: String(bot["api_key"]) }));
    const roaming = await logIn(mia, home);
    const inside = await logIn(mia, office);
    // Found once, and then known.
    expectSuccess(await at(mia, home).get("/users/me"));
    const owner = at(server.owner, office);
    expectSuccess(await owner.patch("/realm/log_in_policy", { allowed_networks: ["10.1.0.0/16", "2001:db8::/32"] }));
    try {
      expectError(await at(mia, home).get("/users/me"), 403, "NETWORK_NOT_ALLOWED");
      expect(await roaming.ask("GET", "/users/me")).toMatchObject({ status: 401 });
      expect(await inside.ask("GET", "/users/me")).toMatchObject({ status: 200 });
      expectSuccess(await at(mia, { "X-Forwarded-For": "2001:db8::7" }).get("/users/me"));
      expectSuccess(await asBot.get("/users/me"));
      const outside = new CookieClient(server.url, home);
      const refused = await outside.form("/login/", { username: mia.email, password });
      expect(refused.status).toBe(403);
      expect(refused.page).toContain("only from its own networks");
      expect(outside.isLoggedIn).toBe(false);
      const program = from(home, new ApiClient({ url: server.url }));
      expectError(await program.post("/fetch_api_key", { username: mia.email, password }), 403, "NETWORK_NOT_ALLOWED");
      const queue = expectSuccess(await at(mia, office).post("/register", { event_types: ["message"] }));
      const place = { queue_id: queue["queue_id"], last_event_id: queue["last_event_id"] };
      expectError(await at(mia, home).get("/events", place), 403, "NETWORK_NOT_ALLOWED");
    } finally {
      expectSuccess(await owner.patch("/realm/log_in_policy", { allowed_networks: [] }));
    }
    expectSuccess(await at(mia, home).get("/users/me"));
    expect(await roaming.ask("GET", "/users/me")).toMatchObject({ status: 200 });
    expect(await audited(mia)).toContain("user_log_in_refused");
  });

  it("let polls from inside take the short way", async () => {
    const owner = at(server.owner, office);
    expectSuccess(await owner.patch("/realm/log_in_policy", { allowed_networks: ["10.1.0.0/16"] }));
    const { authenticator } = server.server.app;
    const { queue_id, last_event_id } = expectSuccess(await at(mia, office).post("/register", { event_types: [] }));
    const longWay = vi.spyOn(authenticator, "checkNetwork");
    try {
      const answered = at(mia, office).get("/events", { queue_id, last_event_id });
      const queues = memoryOf(await server.realm(), eventQueues);
      await until("the poll to be parked", () => queues.census().parked === 1);
      expect(longWay).not.toHaveBeenCalled();
      expect((await at(mia, home).get("/events", { queue_id, last_event_id })).status).toBe(403);
      expect(longWay).toHaveBeenCalled();
      expectSuccess(await mia.client.delete("/events", { queue_id }, { headers: office }));
      await answered;
    } finally {
      longWay.mockRestore();
      expectSuccess(await owner.patch("/realm/log_in_policy", { allowed_networks: [] }));
    }
  });

  it("do not shut out whoever decides about them", async () => {
    const refused = await at(server.owner, home).patch("/realm/log_in_policy", { allowed_networks: ["10.1.0.0/16"] });
    expect(expectError(refused, 400)["msg"]).toContain("203.0.113.9");
  });
});

describe("an administrator", () => {
  it("sees where somebody is logged in, and ends all of it", async () => {
    const person = await server.addUser("Lena Lost");
    const [one, two] = [await logIn(person), await logIn(person)];
    const poll = one.events(await register(one));
    const path = `/users/${person.id}/sessions`;
    await until("it waits", async () => parked() === 1);
    for (const ask of ["get", "delete"] as const)
      expectError(await mia.client[ask](path), 400, "UNAUTHORIZED_PRINCIPAL");
    const { sessions } = expectSuccess(await adam.client.get(path));
    expect(sessions).toEqual((await sessionsOf(one)).map((session) => ({ ...session, is_current: false })));
    expect(expectSuccess(await adam.client.delete(path))["ended"]).toBe(2);
    expect(await (await poll).json()).toMatchObject({ events: [] });
    for (const browser of [one, two]) expect(await browser.ask("GET", "/users/me")).toMatchObject({ status: 401 });
    expectSuccess(await person.client.get("/users/me"));
    expect(expectSuccess(await adam.client.delete(path))["ended"]).toBe(0);
    expect(await audited(person)).toEqual(["user_sessions_ended"]);
  });

  it("leaves owners alone, and shows who they are before", async () => {
    const path = `/users/${server.owner.id}/sessions`;
    for (const ask of ["get", "delete"] as const)
      expectError(await adam.client[ask](path), 400, "UNAUTHORIZED_PRINCIPAL");
    expectError(await adam.client.delete("/users/99999999/sessions"), 400);
    const browser = await logIn(adam);
    await server.database.sql`update sessions set confirmed_at = 0 where user_id = ${adam.id}`;
    const asked = await browser.ask("DELETE", `/users/${mia.id}/sessions`);
    expect(asked).toMatchObject({ status: 403, code: "REAUTHENTICATION_REQUIRED" });
  });
});

const undecided = {
  session_days: 14,
  idle_minutes: null,
  password_min_length: 8,
  password_strength: "ordinary",
  allowed_networks: [],
};

interface Listed {
  expires_at: number;
  date_created: number;
}

const sessionsOf = async (browser: CookieClient) =>
  (await browser.ask("GET", "/users/me/sessions"))["sessions"] as Listed[];

async function decide(change: JsonObject): Promise<unknown> {
  return expectSuccess(await server.owner.client.patch("/realm/log_in_policy", change))["log_in_policy"];
}

async function logIn({ email }: Person, headers: Record<string, string> = {}): Promise<CookieClient> {
  const browser = new CookieClient(server.url, headers);
  expect(await browser.form("/login/", { username: email, password })).toMatchObject({ status: 302 });
  return browser;
}

const register = (browser: CookieClient) => browser.ask("POST", "/register", { event_types: ["message"] });

const parked = (): number => {
  const realm = server.server.app.system.readyRealm("localhost");
  return realm ? memoryOf(realm, eventQueues).census().parked : 0;
};

function ahead(secs: number): void {
  server.server.app.system.environment.clock = () => clock() + secs;
}

/** Waits until so many log-ins of somebody were noted as used since the clock was set. */
function noted(person: Person, count: number): Promise<void> {
  return until("a log-in is noted as used", async () => {
    const { sql } = server.database;
    return (await sql`select from sessions where user_id = ${person.id} and last_seen > date_created`).length === count;
  });
}

/** What the audit log says of the log-ins of somebody. */
async function audited({ id }: Person): Promise<string[]> {
  const { audit_log: rows } = expectSuccess(
    await server.owner.client.get("/realm/audit_log", { anchor: "newest", num_before: 100, modified_user_id: id }),
  ) as { audit_log: { event_type: string }[] };
  return rows.map(({ event_type }) => event_type).filter((type) => /sessions_ended|refused/.test(type));
}
