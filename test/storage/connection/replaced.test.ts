/** A PostgreSQL that was replaced comes back: no connection to it is used, whatever the driver's pools do. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Generation, Generations, judge } from "../../../storage/connection/generation.ts";
import { connect, type Database, StorageUnavailable, translate } from "../../../storage/postgres.ts";
import { type Pair, startPair } from "../../support/server/standby.ts";
import { until } from "../../support/time/until.ts";

const met = (system: string | undefined, timeline: number | undefined, isStandby = false): Generation => ({
  system,
  timeline,
  isStandby,
  isReadOnly: isStandby,
});

describe("a connection", () => {
  it.each([
    ["GN1 to another system is refused", met("1", 1), met("2", 9), "refuse"],
    ["GN1 to a standby of another system is refused", met("1", 1), met("2", 1, true), "refuse"],
    ["GN2 to a standby is used", met("1", 2), met("1", 1, true), "use"],
    ["GN2 to a standby while none is known is used", undefined, met("1", 1, true), "use"],
    ["GN3 to the first primary is used and known", undefined, met("1", 4), "adopt"],
    ["GN4 to an older timeline is refused", met("1", 4), met("1", 3), "refuse"],
    ["GN4 to an older timeline of a system that is not told is refused", met("1", 4), met(undefined, 3), "refuse"],
    ["GN5 to a newer timeline is used and known", met("1", 4), met("1", 6), "adopt"],
    ["GN6 to the known one is used", met("1", 4), met("1", 4), "use"],
    ["GN6 to one that tells nothing is used", met("1", 4), met(undefined, undefined), "use"],
  ] as const)("%s", (_, known, one, verdict) => {
    expect(judge(known, one)).toBe(verdict);
  });

  it("GN5 to a newer timeline ends those to the older one", () => {
    const generations = new Generations();
    const ended: string[] = [];
    const connection = (name: string) => ({ destroy: () => void ended.push(name) });
    expect(generations.admits("a", met("1", 1), connection("one"))).toBe(true);
    expect(generations.admits("b", met("1", 1, true), connection("standby"))).toBe(true);
    expect(generations.admits("b", met("1", 2), connection("two"))).toBe(true);
    expect(generations.admits("a", met("1", 1), connection("three"))).toBe(false);
    expect(ended).toEqual(["one", "standby"]);
  });
});

describe("after a failover", () => {
  let pair: Pair;
  let database: Database;
  let warnings: string[];
  const open = (url = pair.url) =>
    connect(url, { maxConnections: 8, patienceMs: 1000, warn: (sentence) => warnings.push(sentence) });
  beforeEach(async () => {
    pair = await startPair();
    warnings = [];
    database = open();
  });
  afterEach(async () => {
    await database?.close();
    await pair?.stop();
  });

  /** Of all its connections. Whoever asks while one of them is being replaced fails, and is to ask anew. */
  const timelines = async (of: Database) => {
    let seen: Set<number> | undefined;
    await until("all connections to answer", async () => {
      seen = await timelinesNow(of).catch(() => undefined);
      return seen !== undefined;
    });
    return seen;
  };
  const timelinesNow = async (of: Database) => {
    const asked = Array.from({ length: 16 }, () =>
      of.transaction(async (sql) => {
        // So that each is asked over a connection of its own.
        const [row] = await sql`select pg_sleep(0.05), left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline`;
        return Number(row!["timeline"]);
      }),
    );
    return new Set(await Promise.all(asked));
  };
  const isServed = (of = database) =>
    of.sql`select 1`.then(
      () => true,
      () => false,
    );
  /** The primary dies, the standby takes over, and the primary comes back as what it was. */
  const failOver = async () => {
    expect(await timelines(database)).toEqual(new Set([1]));
    pair.primary.wire.cut();
    await pair.promote();
    await until("the new primary to be used", () => isServed());
    pair.primary.wire.restore();
  };
  const sentence = () => `a PostgreSQL that was replaced answers at ${pair.primary.host}`;

  it("all connections lead to the new primary, also after it was away for a moment", async () => {
    await failOver();
    pair.standby.wire.cut();
    let refusal: unknown;
    await until("it to be refused with the reason", async () => {
      refusal = await database.sql`select 1`.catch((error: unknown) => error);
      return String(refusal).includes(sentence());
    });
    expect(translate(refusal)).toBeInstanceOf(StorageUnavailable);
    await until("it to be known why nothing goes on", () => database.trouble === sentence());
    pair.standby.wire.restore();
    await until("the new primary to be used again", () => isServed());
    expect(await timelines(database)).toEqual(new Set([2]));
    await until("the trouble to be over", () => database.trouble === undefined);
    expect(database.replaced).toBe(sentence());
    expect(database.refusals).toBeGreaterThan(1);
    expect(warnings.filter((one) => one.includes("replaced"))).toEqual([`${sentence()}; it is not used`]);
  });

  it("whoever lost all connections before hearing of it takes the new primary, though the old one is back", async () => {
    expect(await timelines(database)).toEqual(new Set([1]));
    for (const { wire } of [pair.primary, pair.standby]) wire.cut();
    await pair.promote();
    await until("no connection to be left", async () => !(await isServed()));
    for (const { wire } of [pair.primary, pair.standby]) wire.restore();
    await until("a primary to be used", () => isServed());
    expect(await timelines(database)).toEqual(new Set([2]));
    expect(warnings.filter((one) => one.includes("promoted"))).toHaveLength(1);
  });

  it("a pool is not mixed when one connection of many is ended", async () => {
    await failOver();
    for (let round = 0; round < 5; round++) {
      await database.sql`select pg_terminate_backend(pid) from pg_stat_activity
        where pid <> pg_backend_pid() and application_name = 'parley' order by random() limit 1`;
      expect(await timelines(database)).toEqual(new Set([2]));
    }
    expect(database.refusals).toBeGreaterThan(0);
  });

  it("a primary that sleeps, and takes connections, holds nobody up when another was promoted", async () => {
    expect(await timelines(database)).toEqual(new Set([1]));
    pair.primary.wire.hang();
    await until("nothing to be answered", async () => !(await isServed()));
    await pair.promote();
    const lead = (of: Database) => async () => (await timelinesNow(of).catch(() => undefined))?.has(2) === true;
    await until("all connections to lead to the new primary", lead(database));
    // Also those of whoever connects later, while the first of the list sleeps on.
    const later = open();
    try {
      await until("those of another process as well", lead(later));
    } finally {
      await later.close();
    }
  });

  it("a process that starts takes the new primary, whatever the order of the list", async () => {
    await failOver();
    const later = open();
    try {
      expect(await timelines(later)).toEqual(new Set([2]));
      expect(later.replaced).toBe(sentence());
    } finally {
      await later.close();
    }
  });

  it("an account that may not read the system identifier is told so, and the timeline still counts", async () => {
    await database.close();
    for (const statement of ["create role plain login", "revoke execute on function pg_control_system() from public"])
      await pair.primary.ask(statement);
    database = open(pair.url.replace("parley@", "plain@").replace(/parley$/, "postgres"));
    await failOver();
    pair.standby.wire.cut();
    await until("the old one to be refused", async () => !(await isServed()) && database.refusals > 0);
    expect(warnings).toContainEqual(expect.stringContaining("does not tell this account its system identifier"));
  });
});
