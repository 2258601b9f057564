/** What a writer leaves to its successor, in good order or not. */
import { connect as connectTcp, createServer, type Server } from "node:net";
import { describe, expect, it } from "vitest";
import { lostIds } from "../../storage/log/lost-ids.ts";
import { lostBlock, positionBlock, TermOutrun } from "../../storage/log/next-term.ts";
import { connect } from "../../storage/postgres.ts";
import { appendLog, fence, readEnd, WriterFenced } from "../../storage/realm-log.ts";
import { beginTerm, endTerm, reservedPosition } from "../../storage/realms.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";

const stored = storedRealm();
const { realmId, now } = stored;

/** A thousand a block. */
const lostMessageIds = 1000 * lostIds.messageIdBlocks;
const node = { servesReads: true };
const commandLine = { servesReads: false };

/** A way to PostgreSQL that stops bringing answers when told to: how a process that sleeps looks from there. */
async function startDeafWire(url: string): Promise<{ url: string; goDeaf(): void; stop(): Promise<void> }> {
  let isDeaf = false;
  const server: Server = createServer((client) => {
    const target = connectTcp(Number(new URL(url).port), "127.0.0.1");
    client.pipe(target);
    target.on("data", (chunk) => void (isDeaf || client.write(chunk)));
    client.on("error", () => {});
    target.on("error", () => {});
    target.on("close", () => client.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const through = new URL(url);
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    goDeaf: () => {
      isDeaf = true;
    },
    stop: () => new Promise((done) => server.close(() => done())),
  };
}

describe("a writer that falls asleep between the halves of a statement, its fence taken,", () => {
  it("does not hold its successor up, and commits nothing", async () => {
    const wire = await startDeafWire(stored.testDatabase.url);
    // Nothing in a process that sleeps gives up.
    const sleeper = connect(wire.url, { maxConnections: 1, patienceMs: 600_000 });
    try {
      const { epoch } = await beginTerm(stored.database, realmId, node);
      // A statement new to its connection is described first, and carried out when the description has come back.
      const late = sleeper.transaction(async (sql) => {
        await fence(sql, { realmId, epoch });
        wire.goDeaf();
        await appendLog(sql, realmId, [{ position: 1, json: "{}" }], now);
      });
      late.catch(() => {});
      await expect
        .poll(
          async () =>
            (
              await stored.database.sql`
                select from pg_stat_activity
                where datname = current_database() and query like '%insert into realm_log%' and pid <> pg_backend_pid()`
            ).length,
          { timeout: 60_000 },
        )
        .toBe(1);
      const next = await beginTerm(stored.database, realmId, node);
      expect(next.epoch).toBe(epoch + 1);
      await expect(late).rejects.toThrow();
      expect((await readEnd(stored.database.sql, realmId)).position).toBe(0);
    } finally {
      await sleeper.close();
      await wire.stop();
    }
  });
});

describe("after a promotion that no process has seen", () => {
  it("ids are passed over once, whichever organizations begin a term, and positions by each", async () => {
    const { sql } = stored.database;
    await sql`insert into realms (id, name, date_created) values (2, 'other', 0)`;
    await Promise.all([1, 2].map((id) => beginTerm(stored.database, id, node)));
    const marks = async () => {
      const [ids] = await sql<{ messages: number; users: number }[]>`
        select nextval('message_id_blocks') as messages, nextval('user_ids') as users`;
      return { ...ids!, positions: await Promise.all([1, 2].map((id) => reservedPosition(sql, id))) };
    };
    const before = await marks();
    // As if two promotions had come since.
    await sql`update realms set writer_timeline = writer_timeline - 2`;
    await sql`update installation set ids_timeline = ids_timeline - 2`;
    await Promise.all([1, 2].map((id) => beginTerm(stored.database, id, node)));
    const after = await marks();
    expect(after.messages).toBeGreaterThan(before.messages + 2 * lostMessageIds);
    expect(after.messages).toBeLessThan(before.messages + 3 * lostMessageIds);
    expect(after.users).toBeLessThan(before.users + 3 * lostIds.otherIds);
    for (const [index, position] of after.positions.entries())
      expect(position).toBe(before.positions[index]! + 2 * lostBlock + positionBlock);
    await Promise.all([1, 2].map((id) => beginTerm(stored.database, id, node)));
    expect((await marks()).messages).toBeLessThan(after.messages + lostMessageIds);
  });
});

describe("a term", () => {
  it("of a node has its successor wait, unless the node said that it answers no more reads", async () => {
    const first = await beginTerm(stored.database, realmId, node);
    const second = await beginTerm(stored.database, realmId, node);
    expect(second.isReadElsewhere).toBe(true);
    await endTerm(stored.database.sql, realmId, first.epoch);
    expect((await readEnd(stored.database.sql, realmId)).isServed, "another term's end").toBe(true);
    await endTerm(stored.database.sql, realmId, second.epoch);
    expect((await beginTerm(stored.database, realmId, node)).isReadElsewhere).toBe(false);
  });

  it("of the command line has nobody wait, once the command line itself has waited", async () => {
    const { epoch } = await beginTerm(stored.database, realmId, commandLine);
    await endTerm(stored.database.sql, realmId, epoch);
    await beginTerm(stored.database, realmId, commandLine);
    expect((await beginTerm(stored.database, realmId, node)).isReadElsewhere).toBe(false);
  });

  it("of the command line that ends while it waits leaves the wait to whoever comes next", async () => {
    await beginTerm(stored.database, realmId, { servesReads: true, node: "reader" });
    await beginTerm(stored.database, realmId, commandLine);
    expect(await readEnd(stored.database.sql, realmId)).toMatchObject({ isServed: true, node: "reader" });
    expect((await beginTerm(stored.database, realmId, commandLine)).isReadElsewhere).toBe(true);
    expect((await beginTerm(stored.database, realmId, node)).isReadElsewhere).toBe(true);
  });

  it("of those that want to follow the same one, one comes next", async () => {
    const { epoch } = await beginTerm(stored.database, realmId, node);
    const heirs = ["a", "b", "c"].map((name) =>
      beginTerm(stored.database, realmId, { servesReads: true, node: name, after: epoch }),
    );
    const outcomes = await Promise.allSettled(heirs);
    const [begun, ...refused] = [...outcomes].sort((a, b) => a.status.localeCompare(b.status));
    expect(begun).toMatchObject({ value: { epoch: epoch + 1 } });
    for (const outcome of refused) expect(outcome).toMatchObject({ reason: expect.any(TermOutrun) });
    await expect(stored.database.transaction((sql) => fence(sql, { realmId, epoch }))).rejects.toBeInstanceOf(
      WriterFenced,
    );
  });
});
