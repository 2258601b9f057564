/**
 * How long from sending a message to having its event, while there is room to breathe?
 *
 * Setup: 100 people with ten devices each: 1,000 queues with parked polls. 200 direct messages a second leave at an
 * even pace, to the people in turn, so each reaches ten polls. Beside it, in turn: the raw uWebSockets.js floor,
 * publishing to groups of ten polls, with the same answers; it has no disk to wait for.
 *
 * Unit: ms from the moment the message was due to leave to reading its event in the load generator, all on one clock.
 */
import { registerQueues, startCommunity } from "./harness/community.ts";
import { Floor } from "./harness/floors.ts";
import { alternate, type Cost, cost, loadBusyPercent, over } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench, Row } from "./harness/report.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import { emptyStamp, type Paced, type PacedResult } from "./load/paced.ts";
import { form } from "./load/request.ts";

const people = 100;
const devices = 10;
const perSecond = 200;
const sends = 2_000;
const quickSends = 100;

export const latency: Bench = {
  name: "latency",
  question: "How long does an event take from its send, at 200 sends a second to 1,000 parked polls?",
  async run(setup) {
    const database = await BenchPostgres.start(setup);
    const { parley, members } = await startCommunity(setup, database, { users: people, channels: [] });
    const floor = await Floor.start(setup, "uws-longpoll");
    const loads = { parley: new LoadProcess(setup, "parley"), floor: new LoadProcess(setup, "floor") };
    const message = (to: number): string =>
      form("POST", "/api/v1/messages", { type: "direct", to: [to], content: `On my way, ${emptyStamp}` }, parley.owner);
    const load: Paced = {
      messages: members.map((member) => message(member.userId)),
      perSecond,
      count: setup.quick ? quickSends : sends,
      audience: devices,
      timeoutMs: 60_000,
    };

    const queues = await registerQueues(parley, loads.parley, members, people * devices);
    await loads.parley.park(parley.port, queues);
    await loads.parley.paced({ ...load, count: people });
    const template = { ...(await loads.parley.sample()), groups: people, hasStamps: true };
    const lastEventId = await floor.imitate(template);
    await loads.floor.park(
      floor.port,
      queues.map((queue, index) => ({ ...queue, queueId: `q${index}`, lastEventId })),
    );
    const floorLoad = { ...load, messages: members.map((_, index) => message(index)) };
    const [parleyRuns, floorRuns] = await alternate(
      () => cost(parley, loads.parley, database, () => loads.parley.paced(load)),
      () => cost(floor, loads.floor, undefined, () => loads.floor.paced(floorLoad)),
    );

    const row = (server: string, runs: readonly (Cost & { result: PacedResult })[]): Row => {
      const times = percentiles(runs.flatMap((run) => run.result.latenciesMs));
      return {
        server,
        p50Ms: times.p50,
        p99Ms: times.p99,
        maxMs: times.max,
        latenessMs: percentiles(runs.flatMap((run) => run.result.latenessMs)).p99,
        serverMicroseconds: over(runs, (run) => run.serverMicroseconds / (load.count * devices)).median,
        loadBusyPercent: over(runs, loadBusyPercent).median,
      };
    };
    return {
      columns: [
        { key: "server", label: "server" },
        { key: "p50Ms", label: "p50 ms", digits: 2 },
        { key: "p99Ms", label: "p99 ms", digits: 2 },
        { key: "maxMs", label: "max ms", digits: 2 },
        { key: "latenessMs", label: "sent late, p99 ms", digits: 2 },
        { key: "serverMicroseconds", label: "µs CPU/event", digits: 1 },
        { key: "loadBusyPercent", label: "load busy %", digits: 0 },
      ],
      rows: [row("Parley", parleyRuns), row("raw uWebSockets.js", floorRuns)],
      bounds: [],
      plots: [],
      notes: [
        "Parley's times hold a durable commit; the floor's do not. “Sent late” is the load generator's own lateness, which is in the times.",
      ],
    };
  },
};
