import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NotBegun } from "../../../actors/realm/commit/work.ts";
import { type Moment, thisMoment } from "../../../actors/realm/read-lease.ts";
import type { RealmState } from "../../../actors/realm/state/state.ts";
import type { Tx } from "../../../actors/realm/transaction.ts";
import { Writer } from "../../../actors/realm/writer.ts";
import { migrate } from "../../../storage/migrate.ts";
import { connect, type Database } from "../../../storage/postgres.ts";
import { beginTerm, insertRealm } from "../../../storage/realms.ts";
import { createTestDatabase, type TestDatabase } from "../../support/server/postgres.ts";
import { startTcpProxy, type TcpProxy } from "../../support/server/tcp-proxy.ts";
import { until } from "../../support/time/until.ts";

const settings = {} as Parameters<typeof insertRealm>[1]["settings"];

let testDatabase: TestDatabase;
let database: Database;
let wire: TcpProxy;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  wire = await startTcpProxy(Number(new URL(testDatabase.url).port));
  database = connect(wire.through(testDatabase.url), { maxConnections: 8 });
  await migrate(database);
  await database.sql`create table notes (note text)`;
});
afterAll(async () => {
  await database?.close();
  await wire?.stop();
  await testDatabase?.drop();
});

/** The writer of a new organization. */
async function startWriter(host: string, by: Database = database, fenced: Moment[] = []): Promise<Writer> {
  const realmId = await insertRealm(database.sql, { host, name: "r", now: 0, settings });
  const term = await beginTerm(database, realmId, { servesReads: true });
  return new Writer({
    audits: {},
    database: by,
    state: { id: realmId, position: term.position } as RealmState,
    term: { realmId, ...term },
    clock: () => Math.floor(Date.now() / 1000),
    patienceMs: 60_000,
    onFenced: (at) => fenced.push(at),
    onCommitted: () => {},
    onFailure: () => {},
    onBatch: () => {},
  });
}

describe("a writer", () => {
  it("gives sends that need a transaction their time between the parts of a long command", async () => {
    const writer = await startWriter("long.example.com");
    const sends = 20;
    let partsDone = 0;
    const part = async (tx: Tx) => {
      await tx.sql`select pg_sleep(0.2)`;
      partsDone++;
    };
    const long = writer.submit({
      decide: async (tx) => {
        for (let later = 0; later < sends; later++) tx.later(part);
        await part(tx);
      },
    });
    const partsBefore: number[] = [];
    const send = () => writer.submit({ fast: () => undefined, decide: () => partsBefore.push(partsDone) });
    await Promise.all(Array.from({ length: sends }, send));
    expect(partsBefore.at(-1)).toBeLessThan(sends / 2);
    await long;
    expect(partsDone).toBe(1 + sends);
  });

  it("that is stopped while it prepares the log for a day hands back what waits, and ends", async () => {
    const writer = await startWriter("stopped.example.com");
    let submitted: Promise<unknown> | undefined;
    let stopped: Promise<void> | undefined;
    await database.transaction(async (sql) => {
      // Whoever makes or drops partitions takes it.
      await sql`select pg_advisory_xact_lock(7275539912::bigint)`;
      submitted = writer.submit({ decide: () => "done" });
      submitted.catch(() => {});
      const waiting = () => sql`
        select 1 from pg_locks join pg_database d on d.oid = database
        where locktype = 'advisory' and not granted and datname = current_database()`;
      await until("the writer to wait", async () => (await waiting()).length > 0);
      stopped = writer.stop();
    });
    await expect(submitted).rejects.toBeInstanceOf(NotBegun);
    await stopped;
  });

  it("stores nothing more where its last commit is missing, and hands back what waits", async () => {
    const writer = await startWriter("behind.example.com");
    const note = (text: string) =>
      writer.submit({
        decide: (tx) => {
          tx.write((sql) => sql`insert into notes values (${text})`);
          tx.endSessions({ userId: 1 } as never);
        },
      });
    await note("kept");
    await note("kept as well");
    await database.sql`delete from realm_log where position = (select max(position) from realm_log)`;
    await expect(note("decided on what is lost")).rejects.toBeInstanceOf(NotBegun);
    expect(await database.sql`select note from notes where note like 'decided%'`).toEqual([]);
  });

  it("tells the command whose write fails, and carries out those that share its transaction", async () => {
    const writer = await startWriter("culprit.example.com");
    const decided: string[] = [];
    const note = (name: string, write: (sql: Tx["sql"]) => ReturnType<Tx["sql"]["unsafe"]>) =>
      writer.submit({
        decide: (tx) => {
          decided.push(name);
          tx.write(write);
          return name;
        },
      });
    await note("ready", (sql) => sql`insert into notes values (${"ready"})`);
    const outcomes = await Promise.allSettled([
      note("first", (sql) => sql`insert into notes values (${"beside it, first"})`),
      note("culprit", (sql) => sql`insert into nowhere values (${1})`),
      writer.submit({ decide: async (tx) => (await tx.sql`select 1 as one`)[0] }),
      note("last", (sql) => sql`insert into notes values (${"beside it, last"})`),
    ]);
    expect(outcomes).toMatchObject([
      { status: "fulfilled", value: { reply: "first" } },
      { status: "rejected", reason: { message: expect.stringContaining("nowhere") } },
      { status: "fulfilled", value: { reply: { one: 1 } } },
      { status: "fulfilled", value: { reply: "last" } },
    ]);
    expect(decided.filter((name) => name === "culprit")).toEqual(["culprit"]);
    expect(await database.sql`select note from notes where note like 'beside it%' order by note`).toMatchObject([
      { note: "beside it, first" },
      { note: "beside it, last" },
    ]);
  });

  it("tells of a moment at which its epoch was the newest: when the end of a commit was sent", async () => {
    const fenced: Moment[] = [];
    const sent: Moment[] = [];
    const watched = connect(testDatabase.url, { maxConnections: 2 });
    const pipelined = watched.pipelined.bind(watched);
    watched.pipelined = (body) =>
      pipelined((sql, commit) =>
        body(sql, () => {
          sent.push(thisMoment());
          return commit();
        }),
      );
    const writer = await startWriter("fenced.example.com", watched, fenced);
    let decidedAt = Number.POSITIVE_INFINITY;
    await writer.submit({
      decide: (tx) => {
        decidedAt = performance.now();
        tx.write((sql) => sql`insert into notes values ('fenced')`);
      },
    });
    expect(fenced).toHaveLength(1);
    expect(sent).toHaveLength(1);
    expect(fenced[0]!.monotonicMs).toBeGreaterThanOrEqual(decidedAt);
    expect(fenced[0]!.monotonicMs).toBeLessThanOrEqual(sent[0]!.monotonicMs);
    await database.sql`update realms set writer_epoch = writer_epoch + 1 where host = 'fenced.example.com'`;
    await expect(writer.submit({ decide: () => "too late" })).rejects.toBeInstanceOf(NotBegun);
    expect(fenced).toHaveLength(1);
    await watched.close();
  });

  it("tells when the commit under way is over and applied, and not when it has failed", async () => {
    const writer = await startWriter("over.example.com");
    const told: string[] = [];
    const during = (what: string, write: (sql: Tx["sql"]) => ReturnType<Tx["sql"]["unsafe"]>) =>
      writer.submit({
        decide: (tx) => {
          void writer.commitOver().then(() => told.push(what));
          tx.write(write);
        },
        committed: () => told.push(`${what} is applied`),
      });
    await during("stored", (sql) => sql`insert into notes values ('over')`);
    await until("the commit to be over", () => told.length === 2);
    expect(told).toEqual(["stored is applied", "stored"]);
    await database.sql`update realms set writer_epoch = writer_epoch + 1 where host = 'over.example.com'`;
    await expect(during("fenced", (sql) => sql`insert into notes values ('fenced')`)).rejects.toBeInstanceOf(NotBegun);
    await writer.stop();
    expect(told).toHaveLength(2);
  });

  it("that cannot set ids aside tells at once whoever waits, also those who send", async () => {
    const name = database.sql(new URL(testDatabase.url).pathname.slice(1));
    await database.sql`alter database ${name} set default_transaction_read_only = on`;
    const readOnly = connect(testDatabase.url, { maxConnections: 8 });
    try {
      const writer = await startWriter("read-only.example.com", readOnly);
      const decide = () => "done";
      const outcomes = await Promise.allSettled([
        writer.submit({ decide }),
        writer.submit({ fast: () => undefined, decide }),
      ]);
      const refused = { status: "rejected", reason: { code: "SERVICE_UNAVAILABLE" } };
      expect(outcomes).toMatchObject([refused, refused]);
    } finally {
      await readOnly.close();
      await database.sql`alter database ${name} reset default_transaction_read_only`;
    }
  });

  it.each([
    ["is carried out", "answers", "done", 1],
    ["gets lost on the way", "questions", NotBegun, 0],
  ] as const)(
    "knows what became of a commit that hung and had nothing for the log, which %s",
    async (fate, lost, outcome, count) => {
      const writer = await startWriter(`${lost}.example.com`);
      await writer.submit({ decide: () => "ready" });
      // Only the first time is a connection told in words.
      database.renew();
      const stranded = wire.strandNext("commit", lost);
      const submitted = writer.submit({
        decide: (tx) => {
          tx.write((sql) => sql`insert into notes values (${fate})`);
          return "done";
        },
      });
      if (outcome === "done") expect(await submitted).toMatchObject({ reply: outcome });
      else await expect(submitted).rejects.toBeInstanceOf(outcome);
      await stranded;
      wire.restore();
      wire.release();
      expect(await database.sql`select 1 from notes where note = ${fate}`).toHaveLength(count);
    },
  );
});
