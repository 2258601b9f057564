/**
 * Fan-out in rounds: one message (or a few) is sent, every queue of a poll set receives it and polls again; then the
 * next. A round ends when all have received it, so that each round costs the server the same work.
 */
import { type Answer, Connection, type Reader } from "./connection.ts";
import type { PollSet } from "./poll-set.ts";

export interface Rounds {
  /** Whole requests that send a message; round after round takes the next. */
  messages: readonly string[];
  rounds: number;
  messagesPerRound: number;
  /** The polls are not parked (the poll set is holding): they are asked once all messages of a round are sent. */
  isCollecting: boolean;
  /** How many of the queues each message reaches. */
  audience: number;
  /** Ports that the messages are sent to in turn; left out, the one that is polled. */
  ports?: readonly number[];
  timeoutMs: number;
}

export interface RoundsResult {
  wallMs: number;
  delivered: number;
  /** Milliseconds from writing a message to reading its event, one per delivery, up to `maxSamples`. */
  latenciesMs: number[];
}

/** More samples than this add nothing to a 99th percentile. */
const maxSamples = 200_000;

/** Runs the rounds on parked polls. @throws Error when a send fails or a round does not complete in time. */
export async function runRounds(
  port: number,
  reader: Reader,
  polls: PollSet,
  load: Rounds,
  fault: Promise<never>,
): Promise<RoundsResult> {
  const latenciesMs: number[] = [];
  let roundStartedAt = 0;
  let awaited = 0;
  let complete: () => void = () => {};
  polls.onDelivery = (messages) => {
    if (latenciesMs.length < maxSamples) latenciesMs.push(performance.now() - roundStartedAt);
    awaited -= messages;
    if (awaited === 0) complete();
  };

  let sent: (answer: Answer) => void = () => {};
  let sendFailed: (error: Error) => void = () => {};
  const senders = (load.ports ?? [port]).map(
    (each) =>
      new Connection(
        each,
        reader,
        (answer) =>
          answer.status < 300
            ? sent(answer)
            : sendFailed(new Error(`send: ${answer.status} ${answer.body.toString()}`)),
        (error) => sendFailed(error),
      ),
  );
  const send = (place: number): Promise<unknown> =>
    new Promise((resolve, reject) => {
      sent = resolve;
      sendFailed = reject;
      senders[place % senders.length]!.send(load.messages[place % load.messages.length]!);
    });

  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`${awaited} deliveries missing after ${load.timeoutMs} ms`)),
      load.timeoutMs,
    );
  });
  const deliveredBefore = polls.delivered;
  const startedAt = performance.now();
  try {
    await Promise.all(senders.map((sender) => sender.open()));
    for (let round = 0; round < load.rounds; round++) {
      awaited = load.audience * load.messagesPerRound;
      const received = new Promise<void>((resolve) => {
        complete = resolve;
      });
      roundStartedAt = performance.now();
      for (let index = 0; index < load.messagesPerRound; index++) {
        const place = round * load.messagesPerRound + index;
        await Promise.race([send(place), late, fault]);
      }
      if (load.isCollecting) polls.pollAll();
      await Promise.race([received, late, fault]);
    }
  } finally {
    clearTimeout(timer);
    for (const sender of senders) sender.close();
    polls.onDelivery = () => {};
  }
  return { wallMs: performance.now() - startedAt, delivered: polls.delivered - deliveredBefore, latenciesMs };
}
