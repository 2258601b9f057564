/**
 * What does a client cost that only waits?
 *
 * Setup: 1,000 people have a parked poll each, and for a minute nothing happens. Then they register 100,000 queues that
 * nobody polls; then 15,000 of them are polled and the polls stay parked. Memory is read before and after, with all
 * garbage collected. While the queues lie idle, the longest pause of the event loop is watched over several of the
 * sweeps that look for queues to collect.
 *
 * Units: ms of CPU per second, of Parley's process and PostgreSQL's. Bytes of JavaScript heap per registered queue.
 * Bytes of resident memory per parked poll, its connection included. ms.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { registerQueues, startCommunity } from "./harness/community.ts";
import { cost } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench } from "./harness/report.ts";
import { LoadProcess } from "./load/fleet.ts";

const people = 1_000;
const quickPeople = 20;
const queuesEach = 100;
const parkedPolls = 15_000;
const quickParkedPolls = 200;
/** Three sweeps: Parley sweeps at least every 5 s. */
const watchMs = 16_000;

/** For how long it is watched what a server costs that nobody uses: as long as every poll takes for a heartbeat. */
const stillMs = 60_000;
/** What a start leaves to be done. */
const settleMs = 15_000;
/** V8 collects the garbage again, some twenty seconds after it was told to. */
const collectedMs = 45_000;

/** The bounds that the project set itself. */
const mostStillMs = 1;
const mostHeapPerQueue = 1.5 * 1024;
const mostResidentPerPoll = 6 * 1024;
const mostSweepMs = 5;

export const idle: Bench = {
  name: "idle",
  question: "How much memory does a queue take that nobody polls, and a poll that is parked?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, {
      users: setup.quick ? quickPeople : people,
      channels: [],
    });
    const load = new LoadProcess(setup, "polls");
    // The first queues bring what is made once: compiled code, the realm's state, connections.
    const first = await registerQueues(parley, load, members);
    setup.log(`${first.length} parked polls: watching for ${stillMs / 1000} s what nothing costs`);
    await load.park(parley.port, first);
    await sleep(settleMs);
    // What the start left behind is collected once, when nothing else goes on.
    await parley.memory();
    await sleep(setup.quick ? 0 : collectedMs);
    const still = await cost(parley, load, database, () => sleep(setup.quick ? stillMs / 10 : stillMs));
    const stillMsPerSecond = (still.serverMicroseconds + still.postgresMicroseconds) / still.wallMs;
    const before = await parley.memory();
    const count = members.length * queuesEach;
    setup.log(`registering ${count} queues`);
    const queues = [...first, ...(await registerQueues(parley, load, members, count))];
    const registered = await parley.memory();

    setup.log(`watching the event loop for ${watchMs / 1000} s`);
    await parley.watchLoop();
    await sleep(watchMs);
    const pauseMs = await parley.longestPauseMs();

    const parked = queues.slice(first.length, first.length + (setup.quick ? quickParkedPolls : parkedPolls));
    const unparked = await parley.memory();
    await load.park(parley.port, parked);
    await sleep(1_000); // The last polls are written, not yet read.
    const waiting = await parley.memory();

    const heapPerQueue = (registered.heapUsed - before.heapUsed) / count;
    const offHeapPerQueue = (registered.external - before.external) / count;
    const residentPerPoll = (waiting.residentSet - unparked.residentSet) / parked.length;
    const heapPerPoll = (waiting.heapUsed - unparked.heapUsed) / parked.length;
    return {
      columns: [
        { key: "what", label: "of each" },
        { key: "count", label: "count", digits: 0 },
        { key: "heapBytes", label: "heap B", digits: 0 },
        { key: "externalBytes", label: "outside the heap B", digits: 0 },
        { key: "residentBytes", label: "resident B", digits: 0 },
      ],
      rows: [
        {
          what: "registered queue",
          count,
          heapBytes: heapPerQueue,
          externalBytes: offHeapPerQueue,
          residentBytes: (registered.residentSet - before.residentSet) / count,
        },
        {
          what: "parked poll",
          count: parked.length,
          heapBytes: heapPerPoll,
          externalBytes: (waiting.external - unparked.external) / parked.length,
          residentBytes: residentPerPoll,
        },
      ],
      bounds: [
        {
          what: `CPU ms per second of Parley (${(still.serverMicroseconds / still.wallMs).toFixed(2)}) and PostgreSQL with ${first.length} parked polls`,
          value: stillMsPerSecond,
          limit: mostStillMs,
          sense: "most",
          kind: "machine",
        },
        {
          what: "heap bytes per registered queue",
          value: heapPerQueue + offHeapPerQueue,
          limit: mostHeapPerQueue,
          sense: "most",
          kind: "portable",
        },
        {
          what: "resident bytes per parked poll",
          value: residentPerPoll,
          limit: mostResidentPerPoll,
          sense: "most",
          kind: "portable",
        },
        {
          what: "longest pause of the event loop while queues are swept, ms",
          value: pauseMs,
          limit: mostSweepMs,
          sense: "most",
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        "The first bound counts buffers outside the heap too. Kernel memory of sockets belongs to no process and is not in these figures; neither is memory that the process already held free.",
        "A pause is whatever keeps the event loop from its timers: sweeps, but also garbage collection and other processes on the machine.",
      ],
    };
  },
};
