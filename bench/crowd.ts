/**
 * A crowd: everybody of one large organization online at once on this machine.
 *
 * Setup: N people (100,000 unless `--people` says otherwise) in rooms of 100 and all in one channel. No node or load
 * process has more than 17,000 sockets. Each person has a queue for message events and holds it open, first by a parked
 * poll, then by a stream. The people of a room are spread over the nodes. Then, for each of the two:
 *
 * - an announcement to all, three times: CPU per delivery, and when the last one had it;
 * - eight seconds of rest;
 * - the rooms at work: each person sends once a minute. Beside each send somebody pings presence, is seen typing, marks
 *   a message read and fetches the newest 20. That is more than two cores carry, so only a share of it runs for some
 *   seconds. It is the largest of those tried whose messages arrive within a second (p99);
 * - with streams: a node is killed (kill -9). Its 10,000 people come back elsewhere at once and take their streams up
 *   again. It ends when an announcement has reached all of them.
 *
 * Memory is resident memory of the nodes beyond what they had with nobody connected. The kernel's is half of what its
 * slab and the sockets' buffers grew by: the other half is the load's own ends of the connections.
 *
 * Units: bytes per person; µs of CPU per delivery, of all nodes, PostgreSQL and Redis; ms.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { registerQueues } from "./harness/community.ts";
import { Nodes } from "./harness/nodes.ts";
import type { Parley } from "./harness/parley.ts";
import type { Bench, Report, Row } from "./harness/report.ts";
import type { Setup } from "./harness/setup.ts";
import { percentiles } from "./harness/statistics.ts";
import { LoadProcess } from "./load/fleet.ts";
import { emptyStamp } from "./load/paced.ts";
import type { Dialect, Queue } from "./load/poll-set.ts";
import { type Account, form, get } from "./load/request.ts";

const people = 100_000;
const quickPeople = 400;
const roomSize = 100;
/** Below what a process may open where nothing else is set. */
const socketsPerProcess = 17_000;
const announcements = 3;
/** Shares of all people that are tried at work, the smallest first. */
const shares = [1 / 128, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1];
const pacedSecs = 8;
const restingMs = 8_000;
/** Cores that all nodes together use at most when nothing is asked of them. */
const mostRestingCores = 0.3;
const mostP99Ms = 1_000;
const reconnecting = 10_000;
const timeoutMs = 180_000;

export interface Slice {
  load: LoadProcess;
  queues: Queue[];
  members: readonly Account[];
  /** Where it sends. */
  node: Parley;
}

/** What people have open, and what they do. */
export interface Clients {
  /** Their queues, by which they are polled. */
  register(slice: Slice): Promise<Queue[]>;
  /** What is asked for before the rooms are at work. */
  prepare(nodes: Nodes, slices: readonly Slice[]): Promise<void>;
  /** When all of them work. */
  sendsPerMinute: number;
  besidePerSend: number;
  /** Requests beside sends, taken in turn. `roomOf` is by place in `slice.members`. */
  beside(slice: Slice, places: readonly number[], roomOf: (place: number) => number): string[];
}

const forMessages: Clients = {
  register: ({ node, load, members }) => registerQueues(node, load, members),
  prepare: async () => {},
  sendsPerMinute: 1,
  besidePerSend: 4,
  beside: ({ members }, places, roomOf) =>
    places.flatMap((place) => {
      const member = members[place]!;
      const to = roomOf(place);
      return [
        form("POST", "/api/v1/users/me/presence", { status: "active", ping_only: true }, member),
        form("POST", "/api/v1/typing", { type: "stream", op: "start", stream_id: to, topic: "talk" }, member),
        form("POST", "/api/v1/messages/flags", { messages: [1], op: "add", flag: "read" }, member),
        get(`/api/v1/messages?anchor=newest&num_before=20&num_after=0`, member),
      ];
    }),
};

export const crowd: Bench = {
  name: "crowd",
  question: "What do 100,000 people of one organization cost who are all online at once?",
  run: (setup) => runCrowd(setup, forMessages),
};

export async function runCrowd(setup: Setup, clients: Clients): Promise<Report> {
  const count = Math.ceil((setup.people ?? (setup.quick ? quickPeople : people)) / roomSize) * roomSize;
  const nodeCount = Math.max(2, Math.ceil(count / socketsPerProcess));
  const roomNames = Array.from({ length: count / roomSize }, (_, index) => `room-${index}`);
  const nodes = await Nodes.start(setup, {
    users: count,
    channels: [{ name: "crowd", subscribers: count }, ...roomNames.map((name) => ({ name, subscribers: 0 }))],
    write: async (sql, members, channelIds) => {
      await sql`
          with joined as (
            select m.user_id, c.id as channel_id, c.recipient_id, c.realm_id
            from unnest(${members.map((member) => String(member.userId))}::bigint[]) with ordinality as m (user_id, place)
            join unnest(${roomNames.map((name) => String(channelIds.get(name)))}::bigint[]) with ordinality as r (id, place)
              on r.place = (m.place - 1) / ${roomSize} + 1
            join channels c on c.id = r.id),
          subscribed as (
            insert into subscriptions (user_id, channel_id, realm_id, color)
            select user_id, channel_id, realm_id, 0 from joined)
          insert into received (user_id, recipient_id, realm_id, ids)
          select user_id, recipient_id, realm_id, '{[1,)}' from joined`;
    },
  });
  setup.log(`${nodeCount} nodes`);
  await nodes.resize(nodeCount);
  const slices = await register(setup, nodes, clients, nodeCount);
  const rows: Row[] = [];
  for (const dialect of ["events", "stream"] as const) {
    const by = dialect === "stream" ? "streams" : "polls";
    if (!by.includes(setup.only ?? "")) continue;
    setup.log(`${count} people by ${by}`);
    const before = await residentOf(nodes);
    const kernelBefore = kernelBytes();
    const startedAt = performance.now();
    await Promise.all(slices.map(({ load, queues, node }) => load.park(node.port, queues, dialect)));
    await untilHeld(nodes, slices, count);
    const connectedMs = performance.now() - startedAt;
    const announced = await announce(nodes, slices, count);
    setup.log(`connected in ${connectedMs.toFixed(0)} ms`);
    const memory = ((await residentOf(nodes)) - before) / count;
    const kernel = (kernelBytes() - kernelBefore) / 2 / count;
    const resting = await nodes.spend(() => sleep(restingMs));
    await clients.prepare(nodes, slices);
    const paced = await work(setup, nodes, slices, clients, count);
    rows.push({
      by,
      people: count,
      nodes: nodeCount,
      connectedMs,
      processBytes: memory,
      kernelBytes: kernel,
      ...announced,
      restingCores: sum(resting.nodes) / 1000 / resting.wallMs,
      ...paced,
    });
    for (const slice of slices) slice.queues = await slice.load.unpark();
    await untilAtRest(nodes);
  }
  const comeBack = await reconnect(setup, nodes, slices, "stream");
  return {
    columns: [
      { key: "by", label: "by" },
      { key: "people", label: "people", digits: 0 },
      { key: "nodes", label: "nodes", digits: 0 },
      { key: "connectedMs", label: "all connected, ms", digits: 0 },
      { key: "processBytes", label: "process B/person", digits: 0 },
      { key: "kernelBytes", label: "kernel B/person", digits: 0 },
      { key: "microseconds", label: "µs/delivery, nodes", digits: 2 },
      { key: "othersMicroseconds", label: "PostgreSQL + Redis", digits: 2 },
      { key: "p50Ms", label: "announcement p50 ms", digits: 0 },
      { key: "p99Ms", label: "p99 ms", digits: 0 },
      { key: "lastMs", label: "last ms", digits: 0 },
      { key: "restingCores", label: "cores at rest: nodes", digits: 2 },
      { key: "share", label: "share of all at work", digits: 3 },
      { key: "sendsPerSecond", label: "sends/s", digits: 0 },
      { key: "deliveriesPerSecond", label: "deliveries/s", digits: 0 },
      { key: "workP50Ms", label: "rooms p50 ms", digits: 0 },
      { key: "workP99Ms", label: "p99 ms", digits: 0 },
      { key: "nodesCores", label: "cores: nodes", digits: 2 },
      { key: "othersCores", label: "PostgreSQL + Redis", digits: 2 },
      { key: "loadCores", label: "load", digits: 2 },
    ],
    rows,
    bounds: [],
    plots: [],
    notes: [
      `Parley runs ${nodes.writer.build}. Nodes, PostgreSQL, Redis and the load share this machine's cores.`,
      comeBack,
      "The rooms' figures are of the largest share whose messages arrived within a second (p99). What is used up first is what has most of the cores there; beyond it the load generator's own lateness counts too.",
      "A process takes less than a kilobyte for a person who waits. Its resident memory changes by more than that as it collects garbage, so this figure may be negative.",
    ],
  };
}

/** Everybody's queue, each load process with those it will hold, in whole rooms. */
async function register(setup: Setup, nodes: Nodes, clients: Clients, count: number): Promise<Slice[]> {
  const rooms = Math.ceil(nodes.members.length / roomSize / count) * roomSize;
  setup.log(`registering ${nodes.members.length} queues`);
  const slices = Array.from({ length: count }, (_, index): Slice => {
    const members = nodes.members.slice(index * rooms, (index + 1) * rooms);
    return { load: new LoadProcess(setup, `crowd-${index}`), queues: [], members, node: nodes.all[index]! };
  }).filter(({ members }) => members.length > 0);
  await Promise.all(
    slices.map(async (slice) => {
      const queues = await clients.register(slice);
      // Rooms are spread over the nodes.
      slice.queues = queues.map((queue, place) => ({ ...queue, port: nodes.all[place % nodes.all.length]!.port }));
    }),
  );
  return slices;
}

async function residentOf(nodes: Nodes): Promise<number> {
  for (const node of nodes.all) await node.memory();
  return nodes.all.reduce((sum, node) => sum + node.residentBytes(), 0);
}

/** What the kernel's own structures and the buffers of sockets take. 0 where there is no /proc. */
function kernelBytes(): number {
  try {
    const slab = Number(/^Slab:\s+(\d+)/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]) * 1024;
    const pages = Number(/^TCP:.* mem (\d+)/m.exec(readFileSync("/proc/net/sockstat", "utf8"))?.[1]);
    return slab + pages * 4096;
  } catch {
    return 0;
  }
}

/** Waits until the nodes hold so many polls or streams. @throws Error when a load process has seen one fail */
async function untilHeld(nodes: Nodes, slices: readonly Slice[], count: number): Promise<void> {
  const givenUpAt = performance.now() + timeoutMs;
  for (;;) {
    let held = 0;
    for (const node of nodes.all) held += Number(/^parley_polls_parked (\d+)/m.exec(await node.metrics())?.[1] ?? 0);
    if (held >= count) return;
    for (const { load } of slices) await load.delivered();
    if (performance.now() > givenUpAt) throw new Error(`${held} of ${count} are connected`);
    await sleep(500);
  }
}

/** Waits until the nodes have done what is left of a load that was too much for them. */
async function untilAtRest(nodes: Nodes): Promise<void> {
  const givenUpAt = performance.now() + timeoutMs;
  for (;;) {
    const second = await nodes.spend(() => sleep(1_000));
    if (sum(second.nodes) < mostRestingCores * 1000 * second.wallMs) return;
    if (performance.now() > givenUpAt) throw new Error("the nodes do not come to rest");
  }
}

/** A message to everybody, so many times, each when the one before has reached all. */
async function announce(nodes: Nodes, slices: readonly Slice[], count: number): Promise<Row> {
  const once = async () => {
    const arrivals = slices.map(({ load, queues }) => load.arrivals(queues.length, timeoutMs));
    const sentAt = performance.timeOrigin + performance.now();
    await say(nodes);
    const times = (await Promise.all(arrivals)).flat();
    return times.map((time) => time - sentAt);
  };
  await once();
  const spent = await nodes.spend(async () => {
    const latencies: number[] = [];
    for (let round = 0; round < announcements; round++) for (const each of await once()) latencies.push(each);
    return latencies;
  });
  const deliveries = announcements * count;
  const { p50, p99 } = percentiles(spent.result);
  return {
    microseconds: sum(spent.nodes) / deliveries,
    othersMicroseconds: (spent.postgres + spent.redis) / deliveries,
    p50Ms: p50,
    p99Ms: p99,
    lastMs: spent.result.reduce((most, each) => Math.max(most, each), 0),
  };
}

async function say(nodes: Nodes): Promise<void> {
  const to = [nodes.channelIds.get("crowd")];
  await nodes.all.at(-1)!.call("POST", "/api/v1/messages", { type: "channel", to, topic: "news", content: "To all." });
}

/** The rooms at work, rising shares of all of them, as long as messages arrive in time. */
async function work(
  setup: Setup,
  nodes: Nodes,
  slices: readonly Slice[],
  clients: Clients,
  count: number,
): Promise<Row> {
  let best: Row = {};
  for (const share of shares) {
    const perSecond = (share * count * clients.sendsPerMinute) / 60;
    if (perSecond * pacedSecs < slices.length) continue;
    const loadBefore = sum(slices.map(({ load }) => load.cpuMicroseconds()));
    const spent = await nodes.spend(() =>
      Promise.allSettled(slices.map((slice) => workSlice(nodes, slice, clients, perSecond / slices.length))),
    );
    const refused = spent.result.find((each) => each.status === "rejected");
    if (refused) {
      if (best["share"] === undefined) throw refused.reason;
      setup.log(`${perSecond.toFixed(0)} sends/s: ${refused.reason}`);
      break;
    }
    const results = spent.result.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const { p50, p99 } = percentiles(results.flatMap(({ latenciesMs }) => latenciesMs));
    const wallMicroseconds = 1000 * spent.wallMs;
    setup.log(`${perSecond.toFixed(0)} sends/s: p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`);
    const failures = results.flatMap((result) => result.failures);
    if (failures.length > 0) setup.log(`${failures.length} requests beside failed, such as: ${failures[0]}`);
    const isTooMuch = p99 > mostP99Ms || failures.length > 0;
    if (isTooMuch && best["share"] !== undefined) break;
    best = {
      share,
      sendsPerSecond: perSecond,
      deliveriesPerSecond: (1000 * sum(results.map(({ latenciesMs }) => latenciesMs.length))) / spent.wallMs,
      workP50Ms: p50,
      workP99Ms: p99,
      nodesCores: sum(spent.nodes) / wallMicroseconds,
      othersCores: (spent.postgres + spent.redis) / wallMicroseconds,
      loadCores: (sum(slices.map(({ load }) => load.cpuMicroseconds())) - loadBefore) / wallMicroseconds,
    };
    if (isTooMuch) break;
  }
  return best;
}

async function workSlice(nodes: Nodes, slice: Slice, clients: Clients, perSecond: number) {
  const { load, members, queues, node } = slice;
  const first = nodes.members.indexOf(members[0] as (typeof nodes.members)[number]);
  const roomOf = (place: number): number => nodes.channelIds.get(`room-${Math.floor((first + place) / roomSize)}`)!;
  // Strides that visit people of all rooms.
  const places = Array.from({ length: Math.min(512, queues.length) }, (_, index) => (index * 7919) % queues.length);
  const messages = places.map((place) =>
    form(
      "POST",
      "/api/v1/messages",
      { type: "channel", to: [roomOf(place)], topic: "talk", content: `See you at lunch. ${emptyStamp}` },
      members[place],
    ),
  );
  const beside = clients.beside(slice, places, roomOf);
  await load.beginSteady({ port: node.port, requests: beside, everyMs: 1000 / (clients.besidePerSend * perSecond) });
  const count = Math.max(1, Math.round(perSecond * pacedSecs));
  const paced = load.paced({ messages, perSecond, count, audience: roomSize, timeoutMs });
  await paced.catch(() => {});
  const { failures } = await load.endSteady(10_000);
  return { ...(await paced), failures };
}

/** Kills a node; those who were on it come to the others at once. Says how long until all are served again. */
async function reconnect(setup: Setup, nodes: Nodes, slices: readonly Slice[], dialect: Dialect): Promise<string> {
  const victim = nodes.followers[0]!;
  const [{ load, queues: all }] = slices as [Slice];
  const queues = all.slice(0, Math.min(reconnecting, Math.floor(socketsPerProcess / 2)));
  setup.log(`${queues.length} people lose their node`);
  await load.park(
    victim.port,
    queues.map((queue) => ({ ...queue, port: victim.port })),
    dialect,
  );
  await untilHeld(nodes, [slices[0]!], queues.length);
  const others = nodes.all.filter((node) => node !== victim);
  const killedAt = performance.now();
  process.kill(victim.pid, "SIGKILL");
  const known = await load.unpark();
  nodes.all.splice(nodes.all.indexOf(victim), 1);
  await load.park(
    others[0]!.port,
    known.map((queue, place) => ({ ...queue, port: others[place % others.length]!.port })),
    dialect,
  );
  const arrivals = load.arrivals(known.length, timeoutMs);
  await say(nodes);
  const times = await arrivals;
  const servedMs = Math.max(
    ...times.slice(0, 1),
    times.reduce((most, each) => Math.max(most, each), 0),
  );
  const ms = servedMs - performance.timeOrigin - killedAt;
  await load.unpark();
  return `${known.length} people whose node was killed (kill -9) took their streams up again on ${others.length === 1 ? "the other node" : `the ${others.length} others`} at once: all of them had the next announcement ${(ms / 1000).toFixed(1)} s after the kill.`;
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0);
