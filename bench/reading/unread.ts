/**
 * What does POST /register cost people who have something unread?
 *
 * Setup: an organization of 1,000 people in 20 channels with 60,000 messages. 50 people in turn, 8 at once, ask for
 * everything, as a phone does. They have 0, 400, 13,000 or 50,000 messages unread, and every eighth of those was read.
 *
 * Units: ms of CPU of Parley's process, and of PostgreSQL's, per POST /register; bytes of its answer (uncompressed).
 */
import { type Member, startCommunity } from "../harness/community.ts";
import { repeat } from "../harness/measure.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { requestFigures, runRequests } from "../harness/requests.ts";
import { leaveUnread } from "../harness/unread.ts";
import { LoadProcess } from "../load/fleet.ts";
import { everything } from "../register.ts";

const full = { people: 1_000, channels: 20, messages: 60_000, callers: 50, requestsPerRun: 200 };
const quick = { ...full, people: 40, messages: 6_000, callers: 10, requestsPerRun: 20 };
const unreads = [0, 400, 13_000, 50_000];
const concurrency = 8;

/** The bounds that the project set itself, by the number of unread messages. */
const mostMs: Readonly<Record<number, number>> = { 400: 3, 13000: 8 };

export const unread: Bench = {
  name: "unread",
  question: "What does POST /register cost people who have something unread?",
  async run(setup) {
    const plan = setup.quick ? quick : full;
    const database = await BenchPostgres.start(setup);
    const callersOf = (members: readonly Member[], index: number): readonly Member[] =>
      members.slice(index * plan.callers, (index + 1) * plan.callers);
    const { parley, members } = await startCommunity(setup, database, {
      users: plan.people,
      channels: [],
      seeded: { channels: plan.channels, channelsEach: plan.channels, messages: plan.messages },
      async write(sql, all) {
        for (const [index, count] of unreads.entries()) await leaveUnread(sql, callersOf(all, index), count);
      },
    });
    const load = new LoadProcess(setup, "callers");
    const rows: Row[] = [];
    for (const [index, count] of unreads.entries()) {
      const requests = callersOf(members, index).map((member) => everything(member));
      const runs = await repeat(() =>
        runRequests(parley, load, database, { requests, concurrency, count: plan.requestsPerRun }),
      );
      const figures = requestFigures(runs, plan.requestsPerRun);
      rows.push({
        unread: count,
        parleyMs: figures.serverMicroseconds / 1000,
        postgresMs: figures.postgresMicroseconds / 1000,
        totalMs: (figures.serverMicroseconds + figures.postgresMicroseconds) / 1000,
        spreadPercent: figures.spreadPercent,
        bytes: figures.bytes,
        p50Ms: figures.p50Ms,
        p99Ms: figures.p99Ms,
      });
    }
    return {
      columns: [
        { key: "unread", label: "unread", digits: 0 },
        { key: "parleyMs", label: "Parley ms", digits: 2 },
        { key: "postgresMs", label: "PostgreSQL ms", digits: 2 },
        { key: "totalMs", label: "together ms", digits: 2 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "bytes", label: "bytes", digits: 0 },
        { key: "p50Ms", label: "p50 ms", digits: 1 },
        { key: "p99Ms", label: "p99 ms", digits: 1 },
      ],
      rows,
      bounds: rows.flatMap((row) => {
        const limit = mostMs[Number(row["unread"])];
        const what = `CPU ms per register with ${row["unread"]} unread, with PostgreSQL`;
        const value = Number(row["totalMs"]);
        return limit === undefined ? [] : [{ what, value, limit, sense: "most" as const, kind: "machine" as const }];
      }),
      plots: [],
      notes: [],
    };
  },
};
