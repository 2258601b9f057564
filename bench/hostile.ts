/**
 * How long can one request hold up everybody else's, and what of the largest ones stays in memory?
 *
 * First: a small organization, and every kind of request that was written to be dear. There are linkifiers that
 * backtrack, nested Markdown, megabytes of JSON and of multipart parts. There are edits without a line in common,
 * phrases that nearly match, and log-ins. Each is sent alone, once as a warm-up and then three times.
 *
 * Then, with rate limits on: for every route and parameter the largest values that get through the door, text and JSON
 * and files at their limits. Six owners send them from six addresses as fast as their budgets allow. Each is sent at
 * least once, and each group of routes for `--seconds`. A quiet user sends ten small messages a second beside.
 *
 * Units: ms of the longest pause of the server's event loop while a request is answered. Of the first part it is the
 * median of three times, of the second the longest of all. Heap and buffers after full collections, before a group and
 * after it.
 */
import { startCommunity } from "./harness/community.ts";
import { over, repeat } from "./harness/measure.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { type Attack, attackGroups } from "./hostile/attacks.ts";
import { weigh } from "./hostile/weigh.ts";

/** The bound that the project set itself. */
const mostPauseMs = 100;
const mostSendP99Ms = 250;
const mostHeapRatio = 1.2;
/** With `--quick`, so many requests of each group. */
const quickAttacks = 2;

interface Figures {
  pauseMs: number;
  cpuMs: number;
}

async function measure(parley: Parley, attack: Attack): Promise<Figures> {
  const runs = await repeat(async () => {
    const before = parley.cpuMicroseconds();
    await parley.watchLoop();
    await attack.run();
    const pauseMs = await parley.longestPauseMs();
    return { pauseMs, cpuMs: (parley.cpuMicroseconds() - before) / 1000 };
  });
  return { pauseMs: over(runs, (run) => run.pauseMs).median, cpuMs: over(runs, (run) => run.cpuMs).median };
}

const greatest = (rows: readonly Row[], key: string): number => Math.max(...rows.map((row) => row[key] as number));

export const hostile: Bench = {
  name: "hostile",
  question: "For how long can one hostile request hold up everybody else's, and what of the largest ones is kept?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: 20,
      channels: [{ name: "hall", subscribers: 20 }],
    });
    const groups = attackGroups(parley, members, channelIds.get("hall")!);
    const rows: Row[] = [];
    for (const { name, prepare, attacks, end } of groups) {
      if (setup.only !== undefined && !name.includes(setup.only)) continue;
      setup.log(name);
      await prepare?.();
      const chosen = setup.quick ? attacks.slice(0, quickAttacks) : attacks;
      const measured: (Figures & { attack: string })[] = [];
      for (const attack of chosen) measured.push({ attack: attack.name, ...(await measure(parley, attack)) });
      await end?.();
      const worst = measured.reduce((one, other) => (other.pauseMs > one.pauseMs ? other : one));
      rows.push({
        requests: name,
        count: measured.length,
        worst: worst.attack,
        pauseMs: worst.pauseMs,
        medianPauseMs: over(measured, (of) => of.pauseMs).median,
        cpuMs: worst.cpuMs,
      });
    }
    await parley.end();
    // The second part begins with an organization of its own.
    await database.sql.unsafe("drop schema public cascade; create schema public");
    const weighed = await weigh(setup, database);
    return {
      columns: [
        { key: "requests", label: "requests" },
        { key: "count", label: "kinds", digits: 0 },
        { key: "worst", label: "worst" },
        { key: "pauseMs", label: "its longest pause ms", digits: 1 },
        { key: "medianPauseMs", label: "median kind's ms", digits: 1 },
        { key: "cpuMs", label: "worst's CPU ms, or all CPU", digits: 1 },
        { key: "sent", label: "sent", digits: 0 },
        { key: "refused", label: "refused", digits: 0 },
        { key: "megabytes", label: "MB sent", digits: 0 },
        { key: "heapBeforeMegabytes", label: "heap before, MB", digits: 1 },
        { key: "heapAfterMegabytes", label: "after, MB", digits: 1 },
        { key: "heapRatio", label: "ratio", digits: 2 },
        { key: "sendP99Ms", label: "others' sends p99 ms", digits: 1 },
      ],
      rows: [...rows, ...weighed],
      bounds: [
        {
          what: "longest pause of the event loop in ms for any one request",
          value: greatest(rows, "pauseMs"),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "heap after the largest values of a group of routes / before",
          value: greatest(weighed, "heapRatio"),
          limit: mostHeapRatio,
          sense: "most",
          kind: "portable",
        },
        {
          what: "longest pause of the event loop in ms under the largest values",
          value: greatest(weighed, "pauseMs"),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "others' sends meanwhile, p99 in ms",
          value: greatest(weighed, "sendP99Ms"),
          limit: mostSendP99Ms,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "What comes out of these requests, clear errors or harmless HTML, is the tests' question; this bench asks for time and memory.",
        "Largest values: rate limits on, six owners with a connection and an address each, each request sent at least once; “worst” is the first that was answered 5xx, failed a quiet user or ended the server, else one that was under way in the longest pause. Pauses are without the time for which the machine had no CPU for the thread. Files stop at 1.5 GB.",
      ],
    };
  },
};
