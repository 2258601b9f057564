import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { retentionJob } from "../../../actors/retention/job.ts";
import { retentionOf } from "../../../actors/retention/policy.ts";
import { findRealmsWithExpired } from "../../../storage/messages/retention.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { verifyAudit } from "../../../storage/users/audit-log.ts";
import { expectError, expectSuccess, type JsonObject } from "../../support/client/api.ts";
import { ownerPassword as password } from "../../support/client/scim.ts";
import { testServer } from "../../support/server/server.ts";
import { ownJob } from "../../support/time/own-job.ts";

const server = testServer({ alsoOn: ["two nodes"] });
const [ada] = server.people("Ada");

describe("the audit log", () => {
  it("is kept for as long as owners decide, and for 90 days at least", async () => {
    for (const days of [1, 89, 0, -1, "x"])
      expectError(await server.owner.client.patch("/realm/retention", { audit_log_days: days }), 400);
    const refused = expectError(await server.owner.client.patch("/realm/retention", { audit_log_days: 89 }), 400);
    expect(refused["msg"]).toContain("90 days at least");
    expectError(await ada.client.patch("/realm/retention", { audit_log_days: 90 }), 400, "UNAUTHORIZED_PRINCIPAL");
    await decide(90);
    await waitUntilDecided(90);
    const before = await numbers();
    later(90.5);
    await expire(90.5);
    expect(await numbers()).toEqual(before);
  });

  it("RK6 loses what is over at its beginning, says so, and is a chain behind it", async () => {
    const before = await numbers();
    const last = before.at(-1)!;
    later(92);
    expect(await waiting(92)).toBe(true);
    await expire(92);
    expect(await numbers()).toEqual([last + 1]);
    const [row] = await rows();
    expect(row).toMatchObject({
      num: last + 1,
      via: "server",
      event_type: "realm_audit_log_shortened",
      after: { num: last, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    await expire(92);
    expect(await waiting(92)).toBe(false);
    expect(await numbers()).toEqual([last + 1]);
    await decide(91);
    expect(await verdict()).toMatchObject({ rows: 2, shortenedBy: last, last: last + 2, brokenAt: null });
    const { sql } = server.database;
    await expect(sql`delete from audit_log where num > ${last}`).rejects.toThrow("only added to");
  });

  it("is shown as damaged where another row is missing at its beginning", async () => {
    const [first] = await numbers();
    expect(await verdictAfter((tx) => tx`update audit_log set hash = md5(hash) where num = ${first!}`)).toBe(first);
  });

  it("RK6 keeps all under a legal hold", async () => {
    const held = { name: "Case 12", user_id: ada.id, password };
    const { id } = expectSuccess(await server.owner.client.post("/realm/legal_holds", held)) as { id: number };
    later(300);
    const before = await numbers();
    await expire(300);
    expect(await numbers()).toEqual(before);
    expectSuccess(await server.owner.client.delete(`/realm/legal_holds/${id}`, { password }));
    await expire(300);
    expect((await numbers()).length).toBeLessThan(before.length);
  });

  it("RK6 keeps all under a legal hold that comes after the log was shortened, before its rows go", async () => {
    later(600);
    const before = await numbers();
    const realm = await server.realm();
    await realm.execute("shortenAuditLog", {});
    const held = { name: "Case 13", user_id: ada.id, password };
    const { id } = expectSuccess(await server.owner.client.post("/realm/legal_holds", held)) as { id: number };
    expect(await realm.execute("dropShortenedAudit", {})).toEqual({ more: false });
    await expire(600);
    expect((await numbers()).slice(0, before.length)).toEqual(before);
    expect(await verdict()).toMatchObject({ kept: before.length, brokenAt: null });
    for (const num of [before[0]!, before.at(-1)!]) {
      expect(
        await verdictAfter((tx) => tx`update audit_log set entry = (entry::text || ' ')::json where num = ${num}`),
      ).toBe(num);
      expect(await verdictAfter((tx) => tx`update audit_log set hash = md5(hash) where num = ${num}`)).toBe(num);
    }
    const gap = before[1]!;
    expect(await verdictAfter((tx) => tx`delete from audit_log where num = ${gap}`)).toBe(gap + 1);
    expectSuccess(await server.owner.client.delete(`/realm/legal_holds/${id}`, { password }));
    await expire(600);
    const left = await numbers();
    expect(before.filter((num) => left.includes(num))).toEqual([]);
    expect(await verdict()).toMatchObject({ brokenAt: null });
  });
});

const daySecs = 86_400;
const environments = () => server.nodes.map(({ app }) => app.system.environment);
let clocks: (() => number)[];
beforeAll(() => {
  clocks = environments().map(({ clock }) => clock);
});
afterEach(() => later(0));

/** The clocks of all nodes show as many days more. */
function later(days: number): void {
  for (const [index, environment] of environments().entries())
    environment.clock = () => clocks[index]!() + days * daySecs;
}

const now = (days: number) => Math.floor(Date.now() / 1000 + days * daySecs);
const runJob = ownJob(retentionJob);
const expire = async (days: number) => runJob(await server.realm(), now(days));
const decide = async (days: number) =>
  expectSuccess(await server.owner.client.patch("/realm/retention", { audit_log_days: days }));

/** The job runs on the node of `server.realm()`, which may follow the one that decided. */
const waitUntilDecided = (days: number) =>
  expect.poll(async () => retentionOf((await server.realm()).state).audit_log_days).toBe(days);

const verdict = async () => verifyAudit(server.database.sql, (await server.realm()).id);

/** Which row is found to be broken by a damage, which is undone. */
async function verdictAfter(damage: (tx: Sql) => PromiseLike<unknown>): Promise<number | null> {
  const undone = new Error("undone");
  let found: number | null = null;
  const damaged = server.database.sql.begin(async (tx) => {
    await tx`alter table audit_log disable trigger user`;
    await damage(tx as never);
    found = (await verifyAudit(tx as never, (await server.realm()).id)).brokenAt;
    throw undone;
  });
  await expect(damaged).rejects.toBe(undone);
  return found;
}

async function waiting(days: number): Promise<boolean> {
  const found = await findRealmsWithExpired(server.database.sql, now(days), { slots: 1, of: [0] });
  return found.includes((await server.realm()).id);
}

async function rows(): Promise<JsonObject[]> {
  const answer = await server.owner.client.get("/realm/audit_log", {
    anchor: "oldest",
    num_before: 0,
    num_after: 1000,
  });
  return expectSuccess(answer)["audit_log"] as JsonObject[];
}

const numbers = async () => (await rows()).map(({ num }) => Number(num));
