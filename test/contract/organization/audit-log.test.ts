/** Who did what: that every change is told of once, with who, from where, before and after, and nothing is secret. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { auditTypes } from "../../../actors/audit/types.ts";
import { totpCode } from "../../../actors/users/second-factors/totp.ts";
import { verifyAudit } from "../../../storage/users/audit-log.ts";
import { ApiClient, expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { CookieClient } from "../../support/client/cookie-client.ts";
import { testServer } from "../../support/server/server.ts";
import { until } from "../../support/time/until.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada, bob] = server.people("Ada", "Bob");

describe("a change", () => {
  it("of a role has who, as whom, by what and from where, and what was before and is after", async () => {
    expectSuccess(await server.owner.client.patch(`/users/${bob.id}`, { role: 300 }));
    const [row] = await rows({ modified_user_id: bob.id, event_types: ["user_role_changed"] });
    expect(row).toMatchObject({
      acting_user_id: server.owner.id,
      acting_user_role: 100,
      via: "api_key",
      session_id: null,
      modified_user_ids: [bob.id],
      modified_stream_id: null,
      modified_user_group_id: null,
      before: { role: 400 },
      after: { role: 300 },
    });
    expect(row!["ip_address"]).toMatch(/127\.0\.0\.1$/);
    expect(row!["user_agent"]).toBeTruthy();
    expect(row!["event_time"]).toBeGreaterThan(Date.now() / 1000 - 60);
    expectSuccess(await server.owner.client.patch(`/users/${bob.id}`, { role: 400 }));
  });

  it("that is refused, or changes nothing, is not told of", async () => {
    const before = await head();
    expectError(await ada.client.patch(`/users/${bob.id}`, { role: 200 }), 400, "UNAUTHORIZED_PRINCIPAL");
    expectSuccess(await server.owner.client.patch(`/users/${bob.id}`, { role: 400 }));
    await bob.say("general", "a message");
    expectSuccess(await bob.client.patch("/settings", { enter_sends: true }));
    expect(await head()).toBe(before);
  });

  it.each<[string, () => Promise<unknown>, JsonObject]>([
    [
      "realm_property_changed",
      () => server.owner.client.patch("/realm", { invite_required: false, description: "Ours" }),
      { before: { description: "" }, after: { description: "Ours" } },
    ],
    [
      "channel_created",
      () => ada.client.post("/users/me/subscriptions", { subscriptions: [{ name: "board" }], invite_only: true }),
      { after: { name: "board", invite_only: true } },
    ],
    [
      "subscription_created",
      () => ada.client.post("/users/me/subscriptions", { subscriptions: [{ name: "board" }], principals: [bob.id] }),
      { acting_user_id: 0 },
    ],
    [
      "user_group_created",
      () => ada.client.post("/user_groups/create", { name: "payroll", description: "Pay", members: [ada.id, bob.id] }),
      { after: { name: "payroll", description: "Pay" } },
    ],
    ["realm_domain_changed", () => server.owner.client.post("/realm/domains", domain), { after: domain }],
    ["user_deactivated", () => server.owner.client.delete(`/users/${bob.id}`), {}],
    ["user_reactivated", () => server.owner.client.post(`/users/${bob.id}/reactivate`), {}],
    ["user_api_key_changed", () => bob.client.post("/users/me/api_key/regenerate"), {}],
    [
      "invitation_created",
      () => server.owner.client.post("/invites/multiuse", { invite_as: 400, stream_ids: [] }),
      { after: { invite_as: 400, email: null } },
    ],
    ["realm_export_requested", () => server.owner.client.post("/export/realm"), { after: { export_type: "public" } }],
  ])("%s is one row, in the commit that makes it", async (type, change, expected) => {
    const before = await head();
    const reply = (await change()) as Awaited<ReturnType<ApiClient["get"]>>;
    expectSuccess(reply);
    const told = (await rows({ event_types: [type], num_after: 100, num_before: 0, anchor: before })) as JsonObject[];
    expect(told).toHaveLength(1);
    const { acting_user_id: _, ...rest } = expected;
    expect(told[0]).toMatchObject(rest);
  });

  it("of a thousand memberships is one row that names them all", async () => {
    const { user_groups: groups } = expectSuccess(await ada.client.get("/user_groups")) as unknown as {
      user_groups: { id: number; name: string }[];
    };
    const { id } = groups.find(({ name }) => name === "payroll")!;
    expectSuccess(await ada.client.post(`/user_groups/${id}/members`, { delete: [ada.id, bob.id] }));
    const [row] = await rows({
      modified_user_group_id: id,
      event_types: ["user_group_direct_user_membership_removed"],
    });
    expect(row!["modified_user_ids"]).toEqual([ada.id, bob.id]);
    expect(await rows({ modified_user_id: bob.id, modified_user_group_id: id })).toHaveLength(2);
  });
});

describe("a log-in", () => {
  it("is told of, and one that is refused, of an account or of none", async () => {
    const person = await server.addUser("Lin Login");
    expectSuccess(await anybody().post("/fetch_api_key", { username: person.email, password: "a fine password" }));
    await anybody().post("/fetch_api_key", { username: person.email, password: "a wrong password" });
    const logIns = () => rows({ modified_user_id: person.id, event_types: ["user_logged_in"] });
    // A log-in waits for its note for a moment alone, and a refusal not at all.
    await until("the log-in to be told", async () => (await logIns()).length > 0);
    const [one] = await logIns();
    expect(one).toMatchObject({ acting_user_id: person.id, via: "nobody", after: { how: "password" } });
    await until(
      "the refusal to be told",
      async () => (await rows({ event_types: ["user_log_in_refused"] })).length > 0,
    );
    const [refused] = await rows({ event_types: ["user_log_in_refused"] });
    expect(refused).toMatchObject({ acting_user_id: null, modified_user_ids: [person.id] });
    // People type passwords into the wrong field.
    await anybody().post("/fetch_api_key", { username: "typed-secret", password: "x" });
    await until("another", async () => (await rows({ event_types: ["user_log_in_refused"] })).length > 1);
    expect(await whole("jsonl")).not.toContain("typed-secret");
  });
});

describe("no secret is in it", () => {
  it("whatever takes or gives one", async () => {
    const { client } = await server.addUser("Sec Secretive");
    const secret = "hunter2-Marker-Secret";
    const secrets = [secret, "a fine password"];
    const note = (reply: Awaited<ReturnType<typeof client.get>>, ...names: string[]) => {
      const answer = expectSuccess(reply) as JsonObject;
      for (const name of names) {
        expect(answer[name], name).toBeTruthy();
        secrets.push(String(answer[name]));
      }
      return answer;
    };
    const bot = note(
      await client.post("/bots", {
        full_name: "Out",
        short_name: "out",
        bot_type: 3,
        payload_url: JSON.stringify(`https://user:${secret}@hooks.example.com/${secret}?token=${secret}`),
      }),
      "api_key",
    );
    const services = await server.database.sql<{ token: string }[]>`
      select settings->'service'->>'token' as token from users where id = ${bot["user_id"] as number}`;
    secrets.push(services[0]!.token);
    note(await client.get(`/bots/${bot["user_id"]}/api_key`), "api_key");
    note(await client.post(`/bots/${bot["user_id"]}/api_key/regenerate`), "api_key");
    note(await client.post("/users/me/api_keys", { name: "laptop", password: "a fine password" }), "api_key");
    note(await client.post("/users/me/api_key/regenerate"), "api_key");
    const owner = server.owner.client;
    note(await owner.post("/invites/multiuse", { invite_as: 400, stream_ids: [] }), "invite_link");
    expectSuccess(await owner.post("/invites", { invitee_emails: "in@example.com", stream_ids: [], invite_as: 400 }));
    const person = await server.addUser("Pass Word");
    expectSuccess(await person.client.patch("/settings", { old_password: "a fine password", new_password: secret }));
    note(await anybody().post("/fetch_api_key", { username: person.email, password: secret }), "api_key");
    await anybody().post("/fetch_api_key", { username: secret, password: secret });
    const login = await anybody().post("/login/", { username: person.email, password: secret }, { root: true });
    for (const cookie of login.headers.getSetCookie()) secrets.push(cookie.split(";")[0]!.split("=")[1]!);
    const browser = new CookieClient(server.url.replace("127.0.0.1", "localhost"));
    await browser.form("/login/", { username: person.email, password: secret });
    const { challenge, options } = await browser.ask("POST", "/users/me/passkeys/options");
    secrets.push(String(challenge), String((options as JsonObject)["challenge"]));
    const totp = String((await browser.ask("POST", "/users/me/second_factor/totp"))["secret"]);
    const code = totpCode(totp, Math.floor(Date.now() / 30_000));
    const { recovery_codes: codes } = await browser.ask("POST", "/users/me/second_factor/totp/confirm", { code });
    expect(codes).toHaveLength(10);
    secrets.push(totp, ...(codes as string[]));
    note(await owner.post("/realm/scim_tokens", { name: "directory", password: "correct horse" }), "token");
    const links = await server.database.sql<{ key: string }[]>`select key from invitations`;
    secrets.push(...links.map(({ key }) => key));
    await until("all to be told", async () => (await rows({ event_types: ["user_logged_in"] })).length > 2);
    const log = await whole("jsonl");
    for (const one of secrets.filter((text) => text.length > 5)) expect(log, one).not.toContain(one);
    expect(log).toContain("user_further_key_created");
    expect(log).toContain("user_api_key_shown");
  });
});

describe("GET /realm/audit_log", () => {
  it("is for administrators, and not for keys that only read", async () => {
    expectError(await ada.client.get("/realm/audit_log"), 400, "UNAUTHORIZED_PRINCIPAL");
    expect((await fetch(`${server.url}/api/v1/realm/audit_log`)).status).toBe(401);
  });

  it("gives it in pages, none twice and none left out", async () => {
    const last = await head();
    const seen: number[] = [];
    let anchor: number | "newest" = "newest";
    for (let isThere = false; !isThere; ) {
      const page = await ask({ anchor, num_before: 7 });
      const nums = page.audit_log.map(({ num }) => num as number);
      seen.unshift(...nums);
      isThere = page.found_oldest;
      anchor = nums[0] ?? 0;
    }
    expect(seen).toEqual(Array.from({ length: last }, (_, index) => index + 1));
    const { audit_log, found_oldest, found_newest } = await ask({ anchor: 5, num_before: 2, num_after: 3 });
    expect(audit_log.map(({ num }) => num)).toEqual([3, 4, 6, 7, 8]);
    expect([found_oldest, found_newest]).toEqual([false, false]);
  });

  it("takes times, and refuses what means nothing", async () => {
    const [first] = await rows({ anchor: "oldest", num_before: 0, num_after: 1 });
    const since = first!["event_time"] as number;
    expect(await rows({ until: since })).toEqual([]);
    expect((await rows({ since })).length).toBeGreaterThan(0);
    for (const wrong of [
      { anchor: "first_unread" },
      { num_before: 1001 },
      { num_before: 600, num_after: 600 },
      { event_types: ["user_exploded"] },
      { event_types: "\u0000" },
      { acting_user_id: 2 ** 40 },
      { format: "xml" },
    ])
      expectError(await server.owner.client.get("/realm/audit_log", wrong), 400, "BAD_REQUEST");
  });

  it("as JSON lines is what was hashed, so that anybody can compute the hashes again", async () => {
    const lines = (await whole("jsonl")).trimEnd().split("\n");
    expect(lines.length).toBeGreaterThan(20);
    let previous = "";
    for (const line of lines) {
      const { hash } = JSON.parse(line) as { hash: string };
      const text = `${line.slice(0, line.lastIndexOf(',"hash":'))}}`;
      expect(
        createHash("sha256")
          .update(previous + text)
          .digest("hex"),
      ).toBe(hash);
      previous = hash;
    }
  });

  it("as a table has no cell that a spreadsheet computes", async () => {
    await server.owner.client.post("/user_groups/create", { name: "=HYPERLINK(1)", description: "d", members: [] });
    const person = await server.addUser("Wry Agent");
    const { email, apiKey } = person;
    await fetch(`${server.url}/api/v1/users/me/api_key/regenerate`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${email}:${apiKey}`)}`, "user-agent": '=cmd|"/c calc"!A1' },
    });
    const table = await whole("csv");
    expect(table.split("\n")[0]).toMatch(/^num,event_time,event_type,/);
    expect(table).toContain(`"'=cmd|""/c calc""!A1"`);
    expect(table).not.toMatch(/(^|,)"?=/m);
  });
});

it("every type is on its page", () => {
  const page = readFileSync(new URL("../../../docs/audit-log.md", import.meta.url), "utf8");
  const told = [...page.matchAll(/^\| `(\w+)` \| ([A-Z].*) \|$/gm)].map(([, type, text]) => [type, text]);
  expect(told.filter(([type]) => /^(user|channel|subscription|realm|invitation)_/.test(type!))).toEqual(
    expect.arrayContaining(Object.entries(auditTypes)),
  );
});

describe("the chain", () => {
  it("refuses changes and removals, and shows those that were made all the same", async () => {
    const { sql } = server.database;
    const { id } = await server.realm();
    expect(await verifyAudit(sql, id)).toMatchObject({ brokenAt: null, hasOtherEnd: false, rows: await head() });
    await expect(sql`update audit_log set hash = '' where num = 3`).rejects.toThrow("only added to");
    await expect(sql`delete from audit_log where num = 3`).rejects.toThrow("only added to");
    await expect(sql`truncate audit_log`).rejects.toThrow("only added to");
    const damaged = async (damage: (tx: typeof sql) => Promise<unknown>) => {
      let verdict: unknown;
      const undone = new Error("undone");
      await sql
        .begin(async (tx) => {
          await tx`alter table audit_log disable trigger user`;
          await damage(tx as unknown as typeof sql);
          verdict = await verifyAudit(tx as never, id);
          throw undone;
        })
        .catch((error: unknown) => expect(error).toBe(undone));
      return verdict;
    };
    expect(await damaged((tx) => tx`delete from audit_log where num = 3`)).toMatchObject({ brokenAt: 4 });
    expect(await damaged((tx) => tx`delete from audit_log where num = ${3} or num = ${1}`)).toMatchObject({
      brokenAt: 2,
    });
    const edited = await damaged(
      (tx) => tx`update audit_log set entry = replace(entry::text, '"via":"', '"via":"x')::json where num = 4`,
    );
    expect(edited).toMatchObject({ brokenAt: 4 });
    expect(await damaged((tx) => tx`update audit_log set modified_user_ids = '{999}' where num = 2`)).toMatchObject({
      brokenAt: 2,
    });
    const last = await head();
    expect(await damaged((tx) => tx`delete from audit_log where num = ${last}`)).toMatchObject({
      brokenAt: null,
      hasOtherEnd: true,
    });
  });
});

const anybody = () => new ApiClient({ url: server.url });

const domain = { domain: "corp.example", allow_subdomains: true };

interface Answer {
  audit_log: JsonObject[];
  found_oldest: boolean;
  found_newest: boolean;
}

const ask = async (params: JsonObject): Promise<Answer> =>
  expectSuccess(await server.owner.client.get("/realm/audit_log", params)) as unknown as Answer;

/** The newest first. */
const rows = async (params: JsonObject): Promise<JsonObject[]> => (await ask(params)).audit_log.reverse();

const head = async (): Promise<number> => ((await rows({ num_before: 1 }))[0]?.["num"] as number | undefined) ?? 0;

/** All of it, in a format. */
async function whole(format: string): Promise<string> {
  const { email, apiKey } = server.owner;
  const query = new URLSearchParams({ anchor: "oldest", num_before: "0", num_after: "1000", format });
  const headers = { authorization: `Basic ${btoa(`${email}:${apiKey}`)}` };
  const reply = await fetch(`${server.url}/api/v1/realm/audit_log?${query}`, { headers });
  expect(reply.status).toBe(200);
  return reply.text();
}
