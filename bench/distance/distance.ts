/**
 * What does a PostgreSQL cost that is far away?
 *
 * Setup: 64 people in one channel of 64, and a wire to PostgreSQL over which each answer takes 0, 1 or 100 ms longer:
 * the same machine, another zone, another continent. One person sends alone; the owner changes the channel's
 * description, which the audit log is told; then all 64 send as fast as they are answered. An answer means that it is
 * on disk.
 *
 * Units: ms from request to answer, and how many of the wire's ms that is; sends per second.
 */
import { channelMessages, startCommunity } from "../harness/community.ts";
import { over } from "../harness/measure.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Bench, Row } from "../harness/report.ts";
import { percentiles } from "../harness/statistics.ts";
import { LoadProcess } from "../load/fleet.ts";
import { form } from "../load/request.ts";
import { startFarPostgres } from "./far-postgres.ts";

const senders = 64;
/** How long answers take, with the numbers of requests that a run makes of each kind. */
const distances = [
  { tripMs: 0, alone: 300, together: 10_000 },
  { tripMs: 1, alone: 300, together: 10_000 },
  { tripMs: 100, alone: 30, together: 2_000 },
];
const runs = 3;
/** The bounds that the project set itself. */
const longestLoneSendMs = 3;
const mostTripsOfSend = 1.2;
const mostTripsOfCommand = 2.3;

export const distance: Bench = {
  name: "distance",
  question: "What does a PostgreSQL cost that is 1 or 100 ms away?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const far = await startFarPostgres(database.url, 0);
    setup.atEnd(() => far.close());
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: senders,
      channels: [{ name: "far", subscribers: senders }],
      settings: { DATABASE_URL: far.url },
    });
    const channelId = channelIds.get("far")!;
    const load = new LoadProcess(setup, "senders");
    const sends = members.flatMap((member) => channelMessages(member, channelId, 1));
    const changes = Array.from({ length: 1000 }, (_, change) =>
      form("PATCH", `/api/v1/streams/${channelId}`, { description: `as of ${change}` }, parley.owner),
    );

    const rows: Row[] = [];
    for (const { tripMs, alone, together } of distances) {
      setup.log(`${tripMs} ms`);
      far.setTripMs(tripMs);
      const ask = (requests: readonly string[], concurrency: number, count: number) =>
        load.closedLoop({ port: parley.port, requests, concurrency, count, timeoutMs: 120_000 });
      await ask(sends, senders, together / 10);
      await ask(changes, 1, 8);
      const results = [];
      for (let run = 0; run < runs; run++) {
        results.push({
          send: percentiles((await ask(sends.slice(0, 1), 1, alone)).latenciesMs).p50,
          change: percentiles((await ask(changes, 1, alone)).latenciesMs).p50,
          sendsPerSecond: together / ((await ask(sends, senders, together)).wallMs / 1000),
        });
        far.takeTrips();
      }
      const sendMs = over(results, ({ send }) => send).median;
      const changeMs = over(results, ({ change }) => change).median;
      rows.push({
        tripMs,
        sendMs,
        sendTrips: tripMs === 0 ? "–" : (sendMs / tripMs).toFixed(2),
        changeMs,
        changeTrips: tripMs === 0 ? "–" : (changeMs / tripMs).toFixed(2),
        sendsPerSecond: over(results, ({ sendsPerSecond }) => sendsPerSecond).median,
      });
    }
    const [, near, farthest] = rows as [Row, Row, Row];
    return {
      columns: [
        { key: "tripMs", label: "further away, ms", digits: 0 },
        { key: "sendMs", label: "lone send p50 ms", digits: 2 },
        { key: "sendTrips", label: "in trips" },
        { key: "changeMs", label: "lone change of a channel p50 ms", digits: 2 },
        { key: "changeTrips", label: "in trips" },
        { key: "sendsPerSecond", label: `sends/s of ${senders}`, digits: 0 },
      ],
      rows,
      bounds: [
        {
          what: "lone send at 1 ms, ms",
          value: Number(near["sendMs"]),
          limit: longestLoneSendMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "lone send at 100 ms, in trips",
          value: Number(farthest["sendTrips"]),
          limit: mostTripsOfSend,
          sense: "most",
          kind: "portable",
        },
        {
          what: "lone audited change at 100 ms, in trips",
          value: Number(farthest["changeTrips"]),
          limit: mostTripsOfCommand,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [
        "The wire delays answers only, by a timer that is up to a millisecond late.",
        "A node asks PostgreSQL whether its term is the newest before it reads, unless it has asked within 250 ms, or a commit has told. While a commit takes long, it waits for its end or for PostgreSQL's answer, whichever comes first.",
        "One commit is under way at a time.",
      ],
    };
  },
};
