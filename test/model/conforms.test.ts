/** The model's PostgreSQL does what the real one does with the statements of terms, commits and their fates. */
import { describe, expect, it } from "vitest";
import { isCommitted } from "../../storage/log/commit-fate.ts";
import { type BegunBy, TermOutrun } from "../../storage/log/next-term.ts";
import { findLoss } from "../../storage/lost-log.ts";
import { appendLog, type Fenced, fence, type Predecessor, readEnd, WriterFenced } from "../../storage/realm-log.ts";
import { beginTerm, closeEpoch, endTerm, reservedPosition } from "../../storage/realms.ts";
import { mulberry32 } from "../support/faults/fault-schedule.ts";
import { storedRealm } from "../support/rooms/stored-realm.ts";
import * as model from "./postgres.ts";
import { product } from "./rules.ts";
import { type Commit, firstState } from "./state.ts";

const steps = 60;
const stored = storedRealm();
const { realmId, now } = stored;

/** What became of a statement, whoever carried it out. */
const outcomeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => {
    if (error instanceof WriterFenced || error instanceof TermOutrun) return error.name;
    throw error;
  });

/** A transaction of a command. @returns its id, if it was committed */
async function commit(epoch: number, position: number, predecessor: Predecessor | undefined): Promise<Fenced> {
  return stored.database.transaction(async (sql) => {
    const fenced = await fence(sql, { realmId, epoch, predecessor });
    await appendLog(sql, realmId, [{ position, json: "{}" }], now);
    return fenced;
  });
}

function modelCommit(epoch: number, position: number, predecessor: number): Commit {
  const entry = { position, request: position, id: 0, epoch, by: "A1", xid: 0 };
  const item = { request: position, from: null };
  return {
    ...{ item, entry, predecessor, kind: "command", to: 0, stage: "asked" },
    starts: 0,
    sentAt: { monotonicMs: 0, wallMs: 0 },
    isSlow: false,
    isLost: false,
  };
}

describe("PostgreSQL and the model's", () => {
  it.each([1, 2, 3])("do the same with the statements of seed %i", async (seed) => {
    const { sql } = stored.database;
    await sql`delete from realm_log`;
    await sql`
      update realms set writer_epoch = 0, position_reserved = 0, writer_serves_reads = false, writer_node = null,
        writer_system = null, writer_timeline = null`;
    const s = firstState({ nodes: 1, requests: [], faults: {} });
    const host = s.hosts[0]!;
    const random = mulberry32(seed);
    const pick = <T>(...choices: T[]): T => choices[Math.floor(random() * choices.length)]!;
    let [last, refused, stores] = [0, 0, 0];
    for (let step = 0; step < steps; step++) {
      const epoch = Math.max(0, host.row.epoch - pick(0, 0, 0, 1));
      const what = pick("begin", "commit", "commit", "commit", "end", "close", "promote");
      if (what === "promote") {
        // As if the newest term had begun under the timeline before.
        await sql`update realms set writer_timeline = writer_timeline - 1`;
        if (host.row.timeline !== null) host.row = { ...host.row, timeline: host.row.timeline - 1 };
      } else if (what === "begin") {
        const by: BegunBy = {
          ...{ servesReads: pick(true, false), node: pick("A1", "B1", null) },
          ...{ after: pick(undefined, epoch), told: pick(undefined, undefined, last + 7, last + 3_000_000) },
          lack: pick(undefined, undefined, "promoted", "lost"),
        };
        const begun = await outcomeOf(beginTerm(stored.database, realmId, by));
        expect(model.beginTerm(s, 0, by, product) ?? "TermOutrun").toEqual(begun);
      } else if (what === "commit") {
        const position = last + pick(1, 2, 5);
        const before = pick(0, last, last, 3);
        const named = before === 0 ? undefined : { position: before, loggedAt: now };
        const outcome = await outcomeOf(commit(epoch, position, named));
        const one = modelCommit(epoch, position, before);
        model.carryOut(s, one);
        const isRefused = one.stage === "refused";
        if (!isRefused) model.carryOut(s, one);
        expect(outcome === "WriterFenced").toBe(isRefused);
        if (isRefused) refused++;
        else {
          last = position;
          stores++;
          const isThere = model.lookUp(s, 0, { commit: one, epoch: -1 }, product);
          expect(await isCommitted(sql, realmId, outcome as Fenced, [position])).toBe(isThere);
        }
      } else if (what === "end") {
        await endTerm(sql, realmId, epoch);
        model.endTerm(s, 0, epoch);
      } else {
        await closeEpoch(stored.database, realmId, epoch);
        model.lookUp(s, 0, { commit: modelCommit(epoch, -1, 0), epoch }, product);
      }
      const { reserved, system, timeline, ...term } = host.row;
      expect(system === null).toBe(timeline === null);
      expect(await readEnd(sql, realmId)).toEqual({ ...term, position: model.endOf(host) });
      expect(await reservedPosition(sql, realmId)).toBe(reserved);
      const seen = Math.max(0, last - pick(0, 1, 2, 3));
      expect(await findLoss(sql, realmId, seen)).toBe(model.findLoss(host, seen));
    }
    expect(Math.min(refused, stores)).toBeGreaterThan(2);
  });
});
