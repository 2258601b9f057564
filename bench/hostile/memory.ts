/**
 * Sends the largest values of a group of routes within the rate limits, a quiet user beside it, and weighs the server
 * before and after.
 */
import { Agent, request as httpRequest } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Parley } from "../harness/parley.ts";
import { percentiles } from "../harness/statistics.ts";
import type { LoadProcess } from "../load/fleet.ts";
import { type Account, basic } from "../load/request.ts";
import type { Known, LargestRequest } from "./largest.ts";

export interface Storm {
  parley: Parley;
  load: LoadProcess;
  /** Each has a budget of its own; so has each address. */
  attackers: readonly Account[];
  /** What the quiet user sends. */
  sends: readonly string[];
  known: Known;
  /** The group is repeated for so long; each request is sent once in any case. */
  seconds: number;
}

export interface StormFigures {
  sent: number;
  megabytes: number;
  refused: number;
  heapBeforeMegabytes: number;
  heapAfterMegabytes: number;
  heapRatio: number;
  pauseMs: number;
  sendP99Ms: number;
  cpuMs: number;
  /** Requests that were under way in the longest pause. */
  inPause: string[];
  /** Requests and what was wrong with them: answers of 5xx, a dead server, sends of the quiet user that failed. */
  wrong: string[];
}

const sendEveryMs = 100;
/** What is let go a moment later (a socket, a timer) is not kept. */
const settleMs = 10_000;
const mostHeapRatio = 1.2;
/** On the disk of who runs this; enough to see that a file is not kept in memory. */
const mostFileBytes = 1.5e9;
const answerMs = 60_000;
const mostRetrySecs = 5;
/** An answer that takes longer is named. */
const slowMs = 5000;
/** Not 127.0.0.1, from where the quiet user sends. */
const firstAddress = 10;

/** One caller with one connection, from an address of its own. */
class Attacker {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #localAddress: string;

  constructor(
    private readonly port: number,
    private readonly account: Account,
    index: number,
  ) {
    this.#localAddress = `127.0.0.${firstAddress + index}`;
  }

  /**
   * Sends it; resolves with the status (0: the connection was closed) and the seconds to wait for when it was too much.
   */
  send(
    attack: LargestRequest,
    place: number,
    known: Known,
  ): Promise<{ status: number; bytes: number; retrySecs: number }> {
    const { path, type, pieces } = attack.make(place, known);
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    return new Promise((resolve) => {
      const closed = (): void => resolve({ status: 0, bytes, retrySecs: 0 });
      const request = httpRequest({
        host: "127.0.0.1",
        port: this.port,
        localAddress: this.#localAddress,
        agent: this.#agent,
        method: attack.method,
        path,
        timeout: answerMs,
        headers: {
          ...(!attack.isAnonymous && { authorization: basic(this.account) }),
          ...(type !== "" && { "content-type": type, "content-length": bytes }),
        },
      });
      request.on("response", (answer) => {
        const retrySecs = Number(answer.headers["retry-after"] ?? 0);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, bytes, retrySecs }));
        answer.on("error", closed);
        answer.resume();
      });
      request.on("timeout", () => request.destroy());
      request.on("error", closed);
      request.on("close", closed);
      for (const piece of pieces) request.write(piece);
      request.end();
    });
  }

  end(): void {
    this.#agent.destroy();
  }
}

const heapOf = async (parley: Parley): Promise<number> => {
  const { heapUsed, external } = await parley.memory();
  return heapUsed + external;
};

/** Runs one group. A server that dies of it is a figure too: its heap afterwards is infinite. */
export async function storm(requests: readonly LargestRequest[], options: Storm): Promise<StormFigures> {
  const { parley, load, known, seconds } = options;
  const attackers = options.attackers.map((account, index) => new Attacker(parley.port, account, index));
  const wrong: string[] = [];
  const spans: { name: string; fromMs: number; toMs: number }[] = [];
  const statuses = { refused: 0, sent: 0, bytes: 0 };
  let fileBytes = 0;
  let next = 0;

  const before = await heapOf(parley);
  const cpuBefore = parley.cpuMicroseconds();
  await parley.watchLoop();
  await load.beginSteady({ port: parley.port, requests: options.sends, everyMs: sendEveryMs });
  const endsAt = performance.now() + seconds * 1000;
  const isOver = (): boolean => parley.hasEnded || (next >= requests.length && performance.now() > endsAt);

  const run = async (attacker: Attacker): Promise<void> => {
    while (!isOver()) {
      const place = next++;
      const attack = requests[place % requests.length]!;
      if (attack.isFile && fileBytes > mostFileBytes) {
        await sleep(0);
        continue;
      }
      for (;;) {
        const fromMs = Date.now();
        const { status, bytes, retrySecs } = await attacker.send(attack, place, known);
        const toMs = Date.now();
        spans.push({ name: attack.name, fromMs, toMs });
        if (toMs - fromMs > slowMs)
          wrong.push(`${attack.name}: ${status} after ${Math.round((toMs - fromMs) / 1000)} s`);
        statuses.sent++;
        statuses.bytes += bytes;
        if (attack.isFile) fileBytes += bytes;
        if (parley.hasEnded) wrong.push(`${attack.name}: the server ended`);
        else if (status >= 500) wrong.push(`${attack.name}: ${status}`);
        if (status === 0 || status >= 400) statuses.refused++;
        // A budget of log-ins takes half an hour to fill: that is not waited for. One that says nothing is not asked
        // again.
        if (status !== 429 || retrySecs === 0 || retrySecs > mostRetrySecs || parley.hasEnded) break;
        await sleep(retrySecs * 1000);
      }
    }
  };
  await Promise.all(attackers.map(run));
  for (const attacker of attackers) attacker.end();
  const quiet = await load.endSteady(answerMs);
  if (!parley.hasEnded) for (const failure of quiet.failures.slice(0, 5)) wrong.push(`a quiet user's send: ${failure}`);

  let [after, cpuMs] = [Number.POSITIVE_INFINITY, Number.NaN];
  let pause = { ms: Number.POSITIVE_INFINITY, endedAtMs: Date.now() };
  if (parley.hasEnded) wrong.push(parley.logTail);
  else {
    cpuMs = (parley.cpuMicroseconds() - cpuBefore) / 1000;
    pause = await parley.longestPause();
    const settledAt = performance.now() + settleMs;
    do after = await heapOf(parley);
    while (after > mostHeapRatio * before && performance.now() < settledAt && (await sleep(250, true)));
  }
  return {
    sent: statuses.sent,
    megabytes: statuses.bytes / 1e6,
    refused: statuses.refused,
    heapBeforeMegabytes: before / 1e6,
    heapAfterMegabytes: after / 1e6,
    heapRatio: after / before,
    pauseMs: pause.ms,
    inPause: spans
      .filter(({ fromMs, toMs }) => fromMs <= pause.endedAtMs && toMs >= pause.endedAtMs - pause.ms)
      .map(({ name }) => name),
    sendP99Ms: percentiles(quiet.latenciesMs).p99,
    cpuMs,
    wrong,
  };
}
