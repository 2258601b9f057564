/**
 * The crowd again, with full clients: page, phone and terminal, as in `day`.
 *
 * Setup: that of `crowd`. A thousand of them first register as their clients do, with all of the state, which tells
 * what it costs when all do. Everybody's queue is for the event types of their client, and fetches no state, as 100,000
 * whole states are hundreds of gigabytes. Before the rooms are at work all have reported presence once, in turn. At
 * work each pings once a minute, as the client does, and the other requests follow in the documented proportions. The
 * largest share of all is told whose messages arrive within a second.
 *
 * Units: as in `crowd`.
 */
import { type Clients, runCrowd, type Slice } from "../crowd.ts";
import { idleQueueTimeoutSecs, queuesOf } from "../harness/community.ts";
import type { Nodes } from "../harness/nodes.ts";
import type { Parley } from "../harness/parley.ts";
import type { Bench } from "../harness/report.ts";
import { percentiles } from "../harness/statistics.ts";
import type { LoadProcess } from "../load/fleet.ts";
import { type Account, form, get } from "../load/request.ts";
import { compressed, history, kindOf, type Person, ping, read, registration } from "./asks.ts";

const wholeStates = 1_000;
const statesAtOnce = 64;
const registersAtOnce = 16;
const pingsAtOnce = 16;
/** How often the newest update of presence is looked at while all report. */
const looks = 40;
const timeoutMs = 1_800_000;
/** Of 1,000 requests beside sends, polls left out. What is left is like static files. */
const ofThousand = { ping: 652, other: 267, history: 54, flags: 27 };
const besides = 4_000;

export const fullCrowd: Bench = {
  name: "full-crowd",
  question: "What do 100,000 people of one organization cost who are all online at once, with full clients?",
  async run(setup) {
    const clients = new FullClients();
    const report = await runCrowd(setup, clients);
    return { ...report, notes: [...clients.notes, ...report.notes] };
  },
};

class FullClients implements Clients {
  readonly notes: string[] = [];
  // A ping a minute is 36 % of all requests, sends are 0.5 %, and polls, which come by themselves, 44 %.
  readonly sendsPerMinute = 0.5 / 36;
  readonly besidePerSend = (100 - 44 - 0.5) / 0.5;
  /** Of presence, the newest update before each reported. */
  readonly #newest = new Map<Account, number>();
  #states: Promise<void> | undefined;

  async register(slice: Slice) {
    const { node, load, members } = slice;
    this.#states ??= this.#measureStates(slice);
    await this.#states;
    const { bodies } = await load.closedLoop({
      port: node.port,
      requests: members.map((member, place) =>
        registration(personOf(member, place), { fetch_event_types: [], idle_queue_timeout: idleQueueTimeoutSecs }),
      ),
      concurrency: registersAtOnce,
      count: members.length,
      keepBodies: true,
      timeoutMs,
    });
    return queuesOf(bodies, members);
  }

  async #measureStates({ node, load, members }: Slice): Promise<void> {
    const count = Math.min(wholeStates, members.length);
    const before = node.cpuMicroseconds();
    const { latenciesMs, bytes, wallMs } = await load.closedLoop({
      port: node.port,
      requests: members.slice(0, count).map((member, place) => registration(personOf(member, place))),
      concurrency: statesAtOnce,
      count,
      timeoutMs,
    });
    const cpuMs = (node.cpuMicroseconds() - before) / 1000 / count;
    this.notes.push(
      `${count} of them registered with all of the state, ${statesAtOnce} at once: ${cpuMs.toFixed(1)} ms of a node's CPU and ${(bytes / count / 1e6).toFixed(2)} MB each, ` +
        `p99 ${percentiles(latenciesMs).p99.toFixed(0)} ms, ${((1000 * count) / wallMs).toFixed(0)} a second.`,
    );
  }

  /** All report presence, in turn. */
  async prepare(_nodes: Nodes, slices: readonly Slice[]): Promise<void> {
    let newest = -1;
    for (const { node, load, members } of slices) {
      const part = Math.ceil((members.length * slices.length) / looks);
      for (let first = 0; first < members.length; first += part) {
        const some = members.slice(first, first + part);
        newest = await newestUpdate(node, load, some, newest);
        for (const member of some) this.#newest.set(member, newest);
        const requests = some.map((member) => form("POST", presencePath, pingOnly, member));
        await load.closedLoop({ port: node.port, requests, concurrency: pingsAtOnce, count: some.length, timeoutMs });
      }
    }
  }

  beside({ members }: Slice, _places: readonly number[], roomOf: (place: number) => number): string[] {
    const { ping: pings, other, history: histories } = ofThousand;
    const requests: string[] = [];
    for (let index = 0; index < besides; index++) {
      const place = (index * 7919) % members.length;
      const member = members[place];
      if (member === undefined) continue;
      const person = personOf(member, place);
      // Strides through the thousand, so that kinds come at even distances.
      const at = (index * 619) % 1000;
      if (at < pings) requests.push(ping(person, this.#newest.get(member) ?? -1));
      else if (at < pings + other) requests.push(compressed(get("/api/v1/server_settings")));
      else if (at < pings + other + histories) requests.push(history(person, roomOf(place)));
      else requests.push(read(person, 1));
    }
    return requests;
  }
}

const presencePath = "/api/v1/users/me/presence";
const pingOnly = { status: "active", ping_only: true, new_user_input: true, slim_presence: true };

const personOf = (member: Account, place: number): Person => ({ ...member, kind: kindOf(place), channelIds: [] });

/** @param known an earlier one */
async function newestUpdate(
  { port }: Parley,
  load: LoadProcess,
  [member]: readonly Account[],
  known: number,
): Promise<number> {
  const { bodies } = await load.closedLoop({
    port,
    requests: [form("POST", presencePath, { ...pingOnly, ping_only: false, last_update_id: known }, member)],
    concurrency: 1,
    count: 1,
    keepBodies: true,
    timeoutMs,
  });
  return (JSON.parse(bodies[0] ?? "") as { presence_last_update_id: number }).presence_last_update_id;
}
