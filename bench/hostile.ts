/**
 * How long can one request hold up everybody else's?
 *
 * Setup: a small organization, and every kind of request that was written to be dear: linkifiers that backtrack, Markdown
 * that nests, megabytes of JSON and of multipart parts, edits without a line in common, phrases that nearly match, log-ins.
 * Each is sent alone, once as a warm-up and then three times.
 *
 * Unit: ms of the longest pause of the server's event loop while the request is answered, the median of its three times.
 */
import { startCommunity } from "./harness/community.ts";
import { over, repeat } from "./harness/measure.ts";
import type { Parley } from "./harness/parley.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { type Attack, attackGroups } from "./hostile/attacks.ts";

/** The bound that the project set itself. */
const mostPauseMs = 100;
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

export const hostile: Bench = {
  name: "hostile",
  question: "For how long can one hostile request hold up everybody else's?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: 20,
      channels: [{ name: "hall", subscribers: 20 }],
    });
    const groups = attackGroups(parley, members, channelIds.get("hall")!);
    const rows: Row[] = [];
    for (const { name, prepare, attacks, end } of groups) {
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
    return {
      columns: [
        { key: "requests", label: "requests" },
        { key: "count", label: "kinds", digits: 0 },
        { key: "worst", label: "worst" },
        { key: "pauseMs", label: "its longest pause ms", digits: 1 },
        { key: "medianPauseMs", label: "median kind's ms", digits: 1 },
        { key: "cpuMs", label: "worst's CPU ms", digits: 1 },
      ],
      rows,
      bounds: [
        {
          what: "longest pause of the event loop in ms for any one request",
          value: Math.max(...rows.map((row) => row["pauseMs"] as number)),
          limit: mostPauseMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "What comes out of these requests, clear errors or harmless HTML, is the tests' question; this bench asks for the time alone.",
      ],
    };
  },
};
