/**
 * What is left in memory of organizations that nobody uses any more?
 *
 * Setup: 200 organizations of 1,000 people on one server. Each is used once: somebody fetches the state, reads, writes
 * and leaves. Then nobody comes until the process has let all of them go (`PARLEY_REALM_IDLE_AFTER`). Memory is read
 * before the first use, with all in memory, and at the end, with all garbage collected.
 *
 * Units: MB of JavaScript heap, of buffers outside it, and of resident memory.
 */
import {
  loadedOrganizations,
  type Organization,
  untilNoneIsLoaded,
  useOnce,
  writeOrganizations,
} from "../harness/organizations.ts";
import { Parley } from "../harness/parley.ts";
import { BenchPostgres } from "../harness/postgres.ts";
import type { Memory } from "../harness/probe.ts";
import type { Bench, Row } from "../harness/report.ts";

const organizationCount = 200;
const quickOrganizationCount = 5;
const peopleInEach = 1_000;
/** Used at the same time. */
const usedAtOnce = 4;
/** `PARLEY_REALM_IDLE_AFTER`: long enough that the first is still in memory when the last has been used. */
const idleAfterSecs = 120;
const quickIdleAfterSecs = 5;
/** How much longer than that the last one may take to be let go. */
const graceMs = 60_000;

/** The bound that the project set itself. */
const mostMemoryLeft = 1.3;

export const organizations: Bench = {
  name: "organizations",
  question: "How much memory do organizations take that are in use, and what is left of it when nobody uses them?",
  async run(setup) {
    const count = setup.quick ? quickOrganizationCount : organizationCount;
    const idleSecs = setup.quick ? quickIdleAfterSecs : idleAfterSecs;
    const goneAfterMs = 2 * idleSecs * 1000 + graceMs;
    const database = await BenchPostgres.start(setup);
    // The first start makes the tables.
    await (await Parley.start(setup, database)).end();
    setup.log(`writing ${count} organizations of ${peopleInEach} people`);
    const made = await writeOrganizations(database, count, peopleInEach);

    const parley = await Parley.start(setup, database, undefined, { PARLEY_REALM_IDLE_AFTER: String(idleSecs) });
    await untilNoneIsLoaded(parley, goneAfterMs);
    const before = await parley.memory();
    setup.log("using each once");
    await useAll(parley, made);
    const loaded = await parley.memory();
    const held = await loadedOrganizations(parley);
    if (held < count) throw new Error(`${held} of ${count} organizations were in memory at once`);
    setup.log("waiting until all are let go");
    await untilNoneIsLoaded(parley, goneAfterMs);
    const left = await parley.memory();
    return {
      columns: [
        { key: "organizations", label: "organizations in memory" },
        { key: "heap", label: "heap MB", digits: 1 },
        { key: "external", label: "outside the heap MB", digits: 1 },
        { key: "resident", label: "resident MB", digits: 1 },
      ],
      rows: [row("none yet", before), row(`${count} of ${peopleInEach} people`, loaded), row("none any more", left)],
      bounds: [
        {
          what: `memory in use after ${count} organizations were used and let go / before`,
          value: inUse(left) / inUse(before),
          limit: mostMemoryLeft,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [
        "The bound is on heap and buffers. Before the first use most code is not yet compiled: that counts as left over.",
      ],
    };
  },
};

async function useAll(parley: Parley, organizations: readonly Organization[]): Promise<void> {
  const waiting = [...organizations];
  const use = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) await useOnce(parley, next);
  };
  await Promise.all(Array.from({ length: usedAtOnce }, use));
}

const bytesPerMegabyte = 1e6;

function row(organizations: string, { heapUsed, external, residentSet }: Memory): Row {
  const [heap, outside, resident] = [heapUsed, external, residentSet].map((bytes) => bytes / bytesPerMegabyte);
  return { organizations, heap: heap!, external: outside!, resident: resident! };
}

const inUse = ({ heapUsed, external }: Memory): number => heapUsed + external;
