/**
 * How long does a very large organization take to come into memory, and do others notice?
 *
 * Setup: an organization of 100,000 people, 10,000 channels and 5,000,000 subscriptions. Parley is started, then the
 * first request for that organization comes; while it is answered, the longest pause of the event loop is watched.
 *
 * Units: s from the first request to its answer; bytes of resident memory; ms of pause. Three starts.
 */
import { startCommunity } from "./harness/community.ts";
import { over } from "./harness/measure.ts";
import { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench } from "./harness/report.ts";

const size = { people: 100_000, channels: 10_000, channelsEach: 50 };
const quickSize = { people: 500, channels: 50, channelsEach: 10 };
const starts = 3;
const bytesPerMegabyte = 1e6;

/** The bounds that the project set itself. */
const mostSeconds = 5;
const mostMegabytes = 600;
const mostPauseMs = 50;

export const start: Bench = {
  name: "start",
  question: "How long does an organization of 100,000 people and 5,000,000 subscriptions take to come into memory?",
  async run(setup) {
    const { people, channels, channelsEach } = setup.quick ? quickSize : size;
    const database = await BenchPostgres.start(setup);
    const { parley: first, members } = await startCommunity(setup, database, {
      users: people,
      channels: [],
      seeded: { channels, channelsEach, messages: 0 },
    });
    const [{ count } = { count: 0 }] = await database.sql<
      { count: number }[]
    >`select count(*)::int as count from subscriptions`;
    await first.end();

    const runs = [];
    for (let run = 0; run < starts; run++) {
      setup.log(`start ${run + 1}`);
      const parley = await Parley.start(setup, database);
      const before = parley.cpuMicroseconds();
      await parley.watchLoop();
      const startedAt = performance.now();
      await parley.call("GET", "/api/v1/users/me", {}, members[0]!);
      const activationMs = performance.now() - startedAt;
      const pauseMs = await parley.longestPauseMs();
      const cpuMs = (parley.cpuMicroseconds() - before) / 1000;
      const residentBytes = parley.residentBytes();
      const { heapUsed, external } = await parley.memory();
      runs.push({
        startMs: parley.startedInMs,
        activationMs,
        cpuMs,
        pauseMs,
        residentBytes,
        usedBytes: heapUsed + external,
      });
      await parley.end();
    }
    const startMs = over(runs, (run) => run.startMs);
    const activation = over(runs, (run) => run.activationMs);
    const resident = over(runs, (run) => run.residentBytes / bytesPerMegabyte);
    const pause = over(runs, (run) => run.pauseMs);
    const seconds = (startMs.median + activation.median) / 1000;
    return {
      columns: [
        { key: "people", label: "people", digits: 0 },
        { key: "channels", label: "channels", digits: 0 },
        { key: "subscriptions", label: "subscriptions", digits: 0 },
        { key: "startSeconds", label: "process serves, s", digits: 2 },
        { key: "activationSeconds", label: "first request, s", digits: 2 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "cpuSeconds", label: "its CPU, s", digits: 2 },
        { key: "residentMegabytes", label: "resident MB", digits: 0 },
        { key: "usedMegabytes", label: "in use MB", digits: 0 },
        { key: "pauseMs", label: "longest pause ms", digits: 0 },
      ],
      rows: [
        {
          people,
          channels,
          subscriptions: count,
          startSeconds: startMs.median / 1000,
          activationSeconds: activation.median / 1000,
          spreadPercent: activation.spreadPercent,
          cpuSeconds: over(runs, (run) => run.cpuMs / 1000).median,
          residentMegabytes: resident.median,
          usedMegabytes: over(runs, (run) => run.usedBytes / bytesPerMegabyte).median,
          pauseMs: pause.median,
        },
      ],
      bounds: [
        {
          what: "seconds from the start of the process to the first answer",
          value: seconds,
          limit: mostSeconds,
          sense: "most",
          kind: "machine",
        },
        {
          what: "resident MB after the first answer",
          value: resident.median,
          limit: mostMegabytes,
          sense: "most",
          kind: "portable",
        },
        {
          what: "longest pause of the event loop in ms while it comes into memory",
          value: pause.median,
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "If the organization is loaded before the process serves, its time is in the first figure; the bound is on the sum of both.",
      ],
    };
  },
};
