/** The load generator's process. It holds at most one poll set, and runs one load at a time. */
import { answer } from "../harness/child.ts";
import { type ClosedLoop, closedLoop } from "./closed-loop.ts";
import { Reader } from "./connection.ts";
import { type Paced, runPaced } from "./paced.ts";
import { type Dialect, PollSet, type Queue } from "./poll-set.ts";
import { type Rounds, type RoundsResult, runRounds } from "./rounds.ts";
import { type Steady, type SteadyResult, SteadySender } from "./steady.ts";

export interface Park {
  port: number;
  queues: Queue[];
  dialect: Dialect;
}

const reader = new Reader();
let port = 0;
let polls: PollSet | undefined;
let steady: SteadySender | undefined;
let fault: Promise<never> = new Promise(() => {});

const parked = (): PollSet => {
  if (polls === undefined) throw new Error("no polls are parked");
  return polls;
};

answer({
  async park(body: Park): Promise<void> {
    let fail: (error: Error) => void = () => {};
    fault = new Promise<never>((_, reject) => {
      fail = reject;
    });
    fault.catch(() => {});
    port = body.port;
    polls = new PollSet(port, reader, body.queues, fail, body.dialect);
    await Promise.race([polls.park(), fault]);
  },
  unpark(): Queue[] {
    const queues = parked().close();
    polls = undefined;
    return queues;
  },
  /** Messages that parked polls have brought so far. */
  delivered: () => Promise.race([fault, parked().delivered]),
  /** The first answer that brought a message. */
  sample: () => parked().sample,
  rounds: (load: Rounds): Promise<RoundsResult> => runRounds(port, reader, parked(), load, fault),
  /** Answers every parked poll with one message and leaves the queues unasked: from then on, rounds may collect. */
  async hold(load: Rounds): Promise<void> {
    parked().isHolding = true;
    await runRounds(port, reader, parked(), { ...load, rounds: 1, messagesPerRound: 1, isCollecting: false }, fault);
  },
  /** Waits for so many messages, from now on. Returns when each came: ms on the clock that all processes share. */
  arrivals({ count, timeoutMs }: { count: number; timeoutMs: number }): Promise<number[]> {
    const polls = parked();
    const times: number[] = [];
    return Promise.race([
      fault,
      new Promise<number[]>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${times.length} of ${count} came`)), timeoutMs);
        polls.onDelivery = (messages) => {
          for (let message = 0; message < messages; message++) times.push(performance.timeOrigin + performance.now());
          if (times.length < count) return;
          clearTimeout(timer);
          polls.onDelivery = () => {};
          resolve(times);
        };
      }),
    ]);
  },
  paced: (load: Paced) => runPaced(port, reader, parked(), load, fault),
  closedLoop: (load: ClosedLoop) => closedLoop(load),
  beginSteady(load: Steady): void {
    steady = new SteadySender(load, reader);
  },
  endSteady: (patienceMs: number): Promise<SteadyResult> => steady!.end(patienceMs),
});
process.on("disconnect", () => process.exit());
