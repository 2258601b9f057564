/**
 * What does it cost to spread one organization over several processes?
 *
 * Setup: 1, 2 and 4 Parley processes share one PostgreSQL and one Redis. Two pieces of work for each number:
 *
 * - Deliveries: 2,000 people have one parked poll each, spread evenly over the processes, and are subscribed to one
 *   channel. A message is sent, to each process in turn; when all have received it and asked again, the next.
 * - Sends, while no process has a queue: at the writer's process 64 at a time, then one at a time. Then 64 at a time at
 *   a process that has to hand them to the writer.
 *
 * The cost of an idle cluster is measured by itself and taken off. The more processes share this machine's cores, the
 * longer a run takes, and the more of it is idle.
 *
 * Units: deliveries per second of CPU of all Parley processes together. µs of CPU per delivery, and per committed event
 * of the processes that do not write (the followers), PostgreSQL and Redis.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { type Assumptions, type Capacity, type Costs, capacity, sendsPerSecondOf } from "./harness/capacity.ts";
import { channelMessages, registerQueues } from "./harness/community.ts";
import { over, repeat } from "./harness/measure.ts";
import { beyond, Nodes, type Spent } from "./harness/nodes.ts";
import type { Parley } from "./harness/parley.ts";
import { type Bench, type Row, round } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import type { ClosedLoopResult } from "./load/closed-loop.ts";
import { LoadProcess } from "./load/fleet.ts";
import type { Queue } from "./load/poll-set.ts";
import type { Rounds } from "./load/rounds.ts";

const processCounts = [1, 2, 4] as const;
const polls = 2_000;
const quickPolls = 40;
/** Deliveries of one run, for each process: about half a second of its CPU, and as much to warm up on for each. */
const deliveriesPerProcess = 30_000;
const quickDeliveriesPerProcess = 200;
const senders = 64;
const sendsPerRun = 4_000;
const singleSendsPerRun = 500;
const quickSendsPerRun = 200;
const idleMs = 2_000;
const quickIdleMs = 500;
const timeoutMs = 120_000;

/** Four processes deliver at least 0.7 times as much per CPU-second as one. */
const leastShareOfOne = 0.7;

const assumed: Assumptions = { online: 100_000, perMinute: 1, audience: 100, coresPerMachine: 8, utilisation: 0.6 };

export const cluster: Bench = {
  name: "cluster",
  question: "What does it cost to spread one organization over several processes, and how far does that carry?",
  async run(setup) {
    const people = setup.quick ? quickPolls : polls;
    const nodes = await Nodes.start(setup, { users: people, channels: [{ name: "cluster", subscribers: people }] });
    const load = new LoadProcess(setup, "cluster");

    const idles: Spent<void>[] = [];
    const sends: Sends[] = [];
    for (const processes of processCounts) {
      setup.log(`${processes} processes: sends`);
      await nodes.resize(processes);
      const idle = await nodes.spend(() => sleep(setup.quick ? quickIdleMs : idleMs));
      idles.push(idle);
      sends.push(await measureSends(setup, nodes, load, idle));
    }
    // From many to few, so that no process has to be started a second time.
    const deliveries: Deliveries[] = [];
    let queues: Queue[] = await registerQueues(nodes.writer, load, nodes.members);
    for (const [index, processes] of [...processCounts.entries()].reverse()) {
      setup.log(`${processes} processes: ${people} parked polls`);
      await nodes.resize(processes);
      const measured = await measureDeliveries(setup, nodes, load, queues, idles[index]!);
      queues = measured.queues;
      deliveries.unshift(measured.figures);
    }

    const rows: Row[] = processCounts.map((processes, index) => ({
      processes,
      idlePercent: sum(idles[index]!.nodes) / processes / (10 * idles[index]!.wallMs),
      ...deliveries[index]!,
      ...sends[index]!,
    }));
    const costs = costsOf(deliveries, sends);
    return {
      columns: [
        { key: "processes", label: "processes", digits: 0 },
        { key: "idlePercent", label: "idle CPU % each", digits: 2 },
        { key: "deliveriesPerCpuSecond", label: "deliveries/CPU-s", digits: 0 },
        { key: "spreadPercent", label: "± %", digits: 0 },
        { key: "deliveryMicroseconds", label: "µs/delivery", digits: 2 },
        { key: "busyPercent", label: "busy % each", digits: 0 },
        { key: "writerPercent", label: "writer's CPU %", digits: 0 },
        { key: "followersPercent", label: "followers' CPU %", digits: 0 },
        { key: "postgresPerEvent", label: "PostgreSQL µs/event", digits: 0 },
        { key: "redisPerEvent", label: "Redis µs/event", digits: 0 },
        { key: "writerPerSend", label: "writer µs/send", digits: 1 },
        { key: "followerPerEvent", label: "follower µs/event", digits: 1 },
        { key: "followerPerSingleEvent", label: "follower µs/lone event", digits: 1 },
        { key: "writerPerHandedSend", label: "writer µs/handed send", digits: 1 },
        { key: "takerPerHandedSend", label: "taker µs/handed send", digits: 1 },
        { key: "redisPerHandedSend", label: "Redis µs/handed send", digits: 1 },
      ],
      rows,
      bounds: [
        {
          what: `deliveries per CPU-second to ${people} polls, ${processCounts.at(-1)} processes / 1`,
          value: deliveries.at(-1)!.deliveriesPerCpuSecond / deliveries[0]!.deliveriesPerCpuSecond,
          limit: leastShareOfOne,
          sense: "least",
          // With fewer cores than processes each of them wakes up for fewer polls at a time.
          kind: "machine",
        },
      ],
      plots: [],
      notes: [
        `Parley runs ${nodes.writer.build}. To the left of “writer µs/send” ${people} polls are parked and messages come one at a time, to each process in turn; an event is one message. From there on no process has a queue: ${senders} people send at a time (a lone event: one), to the writer's process or, handed, to another. What all spend when idle is taken off everywhere.`,
        "A follower's figures are the mean over the processes that do not write; the taker's holds its following of the log.",
        "A process that has little to do wakes up for a few polls, a busy one takes in many at a time, each for less. One load generator beside them on this machine's cores keeps many processes less busy than one: that is in “µs/delivery”, and comes on top of what the cluster itself costs, which is the figures per event.",
        ...notesOf(costs, capacity(costs, assumed)),
      ],
    };
  },
};

// Type aliases, which, unlike interfaces, go as rows.
type Deliveries = {
  deliveriesPerCpuSecond: number;
  spreadPercent: number;
  deliveryMicroseconds: number;
  /** Share of the wall time that a process works, on average. */
  busyPercent: number;
  writerPercent: number;
  followersPercent: number;
  postgresPerEvent: number;
  redisPerEvent: number;
};

type Sends = { writerPerSend: number; postgresPerSend: number; redisPerSend: number } & Partial<Following>;

/** What there is only with more than one process. */
type Following = {
  followerPerEvent: number;
  followerPerSingleEvent: number;
  /** From the first byte of a send that is alone to its answer. */
  singleSendMs: number;
  writerPerHandedSend: number;
  takerPerHandedSend: number;
  postgresPerHandedSend: number;
  redisPerHandedSend: number;
};

async function measureSends(setup: Setup, nodes: Nodes, load: LoadProcess, idle: Spent<unknown>): Promise<Sends> {
  const { writer, followers } = nodes;
  const count = setup.quick ? quickSendsPerRun : sendsPerRun;
  const singleCount = setup.quick ? quickSendsPerRun : singleSendsPerRun;
  const requests = nodes.members
    .slice(0, senders)
    .flatMap((member) => channelMessages(member, nodes.channelIds.get("cluster")!, 1));
  const run = (at: Parley, concurrency: number, sent: number): Promise<Spent<ClosedLoopResult>[]> =>
    repeat(async () =>
      beyond(
        await nodes.spend(() => load.closedLoop({ port: at.port, requests, concurrency, count: sent, timeoutMs })),
        idle,
      ),
    );
  const of = (runs: readonly Spent<unknown>[], sent: number, which: readonly Parley[]): number =>
    over(runs, (spent) => sum(which.map((node) => spent.nodes[nodes.all.indexOf(node)]!))).median / which.length / sent;

  const direct = await run(writer, senders, count);
  const sends = {
    writerPerSend: of(direct, count, [writer]),
    postgresPerSend: over(direct, (spent) => spent.postgres / count).median,
    redisPerSend: over(direct, (spent) => spent.redis / count).median,
  };
  const taker = followers[0];
  if (taker === undefined) return sends;
  const single = await run(writer, 1, singleCount);
  const handed = await run(taker, senders, count);
  return {
    ...sends,
    followerPerEvent: of(direct, count, followers),
    followerPerSingleEvent: of(single, singleCount, followers),
    singleSendMs: over(single, (spent) => spent.wallMs / singleCount).median,
    writerPerHandedSend: of(handed, count, [writer]),
    takerPerHandedSend: of(handed, count, [taker]),
    postgresPerHandedSend: over(handed, (spent) => spent.postgres / count).median,
    redisPerHandedSend: over(handed, (spent) => spent.redis / count).median,
  };
}

async function measureDeliveries(
  setup: Setup,
  nodes: Nodes,
  load: LoadProcess,
  queues: readonly Queue[],
  idle: Spent<unknown>,
): Promise<{ figures: Deliveries; queues: Queue[] }> {
  const { ports, writer } = nodes;
  const events = Math.ceil(
    (ports.length * (setup.quick ? quickDeliveriesPerProcess : deliveriesPerProcess)) / queues.length,
  );
  await load.park(
    writer.port,
    queues.map((queue, index) => ({ ...queue, port: ports[index % ports.length]! })),
  );
  const rounds: Rounds = {
    messages: channelMessages(writer.owner, nodes.channelIds.get("cluster")!),
    rounds: events,
    messagesPerRound: 1,
    isCollecting: false,
    audience: queues.length,
    ports,
    timeoutMs,
  };
  const runs = await repeat(async () => beyond(await nodes.spend(() => load.rounds(rounds)), idle));
  const polled = await load.unpark();
  const perDelivery = over(runs, (spent) => sum(spent.nodes) / spent.result.delivered);
  const writerPercent = over(
    runs,
    (spent) => 100 * (spent.nodes[nodes.all.indexOf(writer)]! / sum(spent.nodes)),
  ).median;
  return {
    queues: polled,
    figures: {
      deliveriesPerCpuSecond: 1e6 / perDelivery.median,
      spreadPercent: perDelivery.spreadPercent,
      deliveryMicroseconds: perDelivery.median,
      busyPercent: over(runs, (spent) => sum(spent.nodes) / spent.nodes.length / (10 * spent.wallMs)).median,
      writerPercent,
      followersPercent: 100 - writerPercent,
      postgresPerEvent: over(runs, (spent) => spent.postgres / events).median,
      redisPerEvent: over(runs, (spent) => spent.redis / events).median,
    },
  };
}

/** With the most processes; the followers' as they are when events come as often as is assumed. */
function costsOf(deliveries: readonly Deliveries[], sends: readonly Sends[]): Costs & { batch: number } {
  const many = sends.at(-1) as Sends & Following;
  const few = sends.at(-2) as Sends & Following;
  const [fewProcesses, manyProcesses] = processCounts.slice(-2) as [number, number];
  // What comes in while a commit is under way is told to the followers at once.
  const batch = Math.max(1, (sendsPerSecondOf(assumed) * many.singleSendMs) / 1000);
  return {
    batch,
    perDelivery: deliveries.at(-1)!.deliveryMicroseconds,
    perEventOfFollower: many.followerPerEvent + (many.followerPerSingleEvent - many.followerPerEvent) / batch,
    perSendTaken: many.takerPerHandedSend,
    perSendWritten: many.writerPerHandedSend,
    postgresPerSend: many.postgresPerHandedSend,
    redisPerSend: [
      { processes: fewProcesses, microseconds: few.redisPerHandedSend },
      { processes: manyProcesses, microseconds: many.redisPerHandedSend },
    ],
  };
}

function notesOf(costs: Costs & { batch: number }, carried: Capacity | undefined): string[] {
  if (carried === undefined) return ["On paper, following the log alone takes all that a process has."];
  const { sendsPerSecond, deliveriesPerSecond, processes, machines, limits } = carried;
  const { online, perMinute, audience, coresPerMachine, utilisation } = assumed;
  const number = (value: number): string => Math.round(value).toLocaleString("en-US");
  return [
    `On paper, from these figures: ${number(online)} people online, each sending ${perMinute} message a minute into channels with ${audience} subscribers online, are ${number(sendsPerSecond)} sends/s and ${number(deliveriesPerSecond)} deliveries/s. Assumed: ${coresPerMachine} cores like this one's per machine, ${round(100 * utilisation)} % used; every send comes to a process that does not write; followers get ${round(costs.batch)} events at a time (as many as come in while a send takes), for ${round(costs.perEventOfFollower)} µs each.`,
    `Parley then takes ${processes} processes on ${machines} ${machines === 1 ? "machine" : "machines"} (one more, to be able to lose one), and PostgreSQL and Redis a machine of their own. TLS, uploads and all other requests are not in this.`,
    `With ${processes} processes these are used up at: ${limits.map(({ part, online: people }) => `${part} ${number(people)} online`).join("; ")}. First is ${limits[0]!.part}; more processes help that, and the first that they do not help is ${limits.find(({ growsWithProcesses }) => !growsWithProcesses)!.part}.`,
  ];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
