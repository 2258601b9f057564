/**
 * What does an event cost that is collected together with nine others?
 *
 * Setup: 1,000 people, each with one queue and one connection, subscribed to one channel. Ten messages are sent while
 * nobody polls; then everybody polls once and gets all ten. Beside it, in turn: the raw uWebSockets.js floor, which
 * delivers one event to each of as many parked polls. A client that polls for every event costs that.
 *
 * Unit: µs of CPU of the server's process per delivered event, sends and commits included.
 */
import { channelMessages, registerQueues, startCommunity } from "./harness/community.ts";
import { Floor } from "./harness/floors.ts";
import { alternate, cost, loadBusyPercent, over } from "./harness/measure.ts";
import { BenchPostgres } from "./harness/postgres.ts";
import type { Bench } from "./harness/report.ts";
import { LoadProcess } from "./load/fleet.ts";
import type { Rounds } from "./load/rounds.ts";

const polls = 1_000;
const quickPolls = 50;
const eventsPerPoll = 10;
const rounds = 30;
const floorRounds = 60;

/** The bounds that the project set itself. */
const mostOfFloor = 0.25;

export const burst: Bench = {
  name: "burst",
  question:
    "What does each of ten events cost that one poll collects together, beside raw uWebSockets.js delivering one?",
  async run(setup) {
    const size = setup.quick ? quickPolls : polls;
    const database = await BenchPostgres.start(setup);
    const { parley, members, channelIds } = await startCommunity(setup, database, {
      users: size,
      channels: [{ name: "burst", subscribers: size }],
    });
    const floor = await Floor.start(setup, "uws-longpoll");
    const loads = { parley: new LoadProcess(setup, "parley"), floor: new LoadProcess(setup, "floor") };
    const load: Rounds = {
      messages: channelMessages(parley.owner, channelIds.get("burst")!),
      rounds,
      messagesPerRound: eventsPerPoll,
      isCollecting: true,
      audience: size,
      timeoutMs: 120_000,
    };
    const floorLoad: Rounds = { ...load, rounds: floorRounds, messagesPerRound: 1, isCollecting: false };

    const queues = await registerQueues(parley, loads.parley, members);
    await loads.parley.park(parley.port, queues);
    await loads.parley.hold(load);
    const template = { ...(await loads.parley.sample()), groups: 1, hasStamps: false };
    const lastEventId = await floor.imitate(template);
    await loads.floor.park(
      floor.port,
      queues.map((queue) => ({ ...queue, lastEventId })),
    );
    const [parleyRuns, floorRuns] = await alternate(
      () => cost(parley, loads.parley, database, () => loads.parley.rounds(load)),
      () => cost(floor, loads.floor, undefined, () => loads.floor.rounds(floorLoad)),
    );

    const perEvent = over(parleyRuns, (run) => run.serverMicroseconds / run.result.delivered);
    const floorPerEvent = over(floorRuns, (run) => run.serverMicroseconds / run.result.delivered);
    const ratio = perEvent.median / floorPerEvent.median;
    return {
      columns: [
        { key: "polls", label: "polls", digits: 0 },
        { key: "eventsPerPoll", label: "events/poll", digits: 0 },
        { key: "parleyMicroseconds", label: "Parley µs/event", digits: 2 },
        { key: "parleySpreadPercent", label: "± %", digits: 0 },
        { key: "floorMicroseconds", label: "floor µs/event, one a poll", digits: 2 },
        { key: "floorSpreadPercent", label: "± %", digits: 0 },
        { key: "ratio", label: "ratio", digits: 3 },
        { key: "postgresMicroseconds", label: "PostgreSQL µs/event", digits: 2 },
        { key: "loadBusyPercent", label: "load busy %", digits: 0 },
      ],
      rows: [
        {
          polls: size,
          eventsPerPoll,
          parleyMicroseconds: perEvent.median,
          parleySpreadPercent: perEvent.spreadPercent,
          floorMicroseconds: floorPerEvent.median,
          floorSpreadPercent: floorPerEvent.spreadPercent,
          ratio,
          postgresMicroseconds: over(parleyRuns, (run) => run.postgresMicroseconds / run.result.delivered).median,
          loadBusyPercent: over(parleyRuns, loadBusyPercent).median,
        },
      ],
      bounds: [
        {
          what: "CPU per event, ten collected by Parley / one by the floor",
          value: ratio,
          limit: mostOfFloor,
          sense: "most",
          kind: "portable",
        },
      ],
      plots: [],
      notes: [`Parley runs ${parley.build}, the floor ${floor.build}.`],
    };
  },
};
