/**
 * Many event queues polled by one process, one connection each.
 *
 * `park` leaves every poll parked. From then on an answered poll is asked again at once with the id of the last event
 * it brought. With `isHolding` it waits for `pollAll`. Events are counted. A queue that brings a message twice or goes
 * backwards is an error.
 */
import { type Answer, Connection, type Reader } from "./connection.ts";
import { type Account, get, poll, stream } from "./request.ts";
import { type Brought, StreamParser } from "./stream-parser.ts";

export interface Queue {
  queueId: string;
  account: Account;
  lastEventId: number;
  /** Where it is polled, when that is not where the rest of its poll set is. */
  port?: number;
  host?: string;
}

/**
 * How polls are spoken: as Parley's API has it, or as nchan does (see `bench/harness/nchan.ts`). With `stream` each
 * queue is asked once and its events come on a stream.
 */
export type Dialect = "events" | "nchan" | "stream";

/** What one poll brought. */
interface Events {
  lastEventId: number;
  messages: number;
}

/** How many connections are being opened at once: well under the backlog of a listening socket (511 or more). */
const openingAtOnce = 128;

export class PollSet {
  /** Leaves answered polls unasked until `pollAll`. */
  isHolding = false;
  /** Messages delivered since construction, over all queues. */
  delivered = 0;
  /** The first answer that brought a message, as a sample of its size. */
  sample: { head: string; body: string } | undefined;
  /** Called for each answer that brought messages. `body` is only valid within the call. */
  onDelivery: (messages: number, body: Buffer) => void = () => {};

  readonly #polls: Poll[];
  readonly #memo = new EventsMemo();

  constructor(
    port: number,
    reader: Reader,
    queues: readonly Queue[],
    private readonly onFault: (error: Error) => void,
    private readonly dialect: Dialect = "events",
  ) {
    const newRequest = { events: eventsPoll, nchan: nchanPoll, stream: eventsStream }[dialect];
    this.#polls = queues.map(
      (queue) =>
        new Poll(
          queue,
          newRequest(queue),
          queue.port ?? port,
          reader,
          (of, answer) => this.#take(of, answer),
          onFault,
          dialect === "stream" ? (of, brought, chunk, head) => this.#takePiece(of, brought, chunk, head) : undefined,
        ),
    );
  }

  get size(): number {
    return this.#polls.length;
  }

  /**
   * Connects every queue's connection and asks its first poll at once, as clients do. The kernel forgets a connection
   * that nobody has accepted and that brings nothing for a minute. Resolves when all are written.
   */
  async park(): Promise<void> {
    for (let first = 0; first < this.#polls.length; first += openingAtOnce) {
      await Promise.all(
        this.#polls.slice(first, first + openingAtOnce).map(async (each) => {
          await each.connection.open();
          each.ask();
        }),
      );
    }
  }

  /** Asks every queue once. */
  pollAll(): void {
    for (const each of this.#polls) each.ask();
  }

  /** Ends every connection. Returns the queues as they are now, to be parked again later. */
  close(): Queue[] {
    return this.#polls.map((each) => {
      each.connection.close();
      return { ...each.queue, lastEventId: each.lastEventId };
    });
  }

  #takePiece(of: Poll, { lastEventId, messages }: Brought, chunk: Buffer, head: string): void {
    if (lastEventId <= of.lastEventId) {
      this.onFault(new Error(`stream: event ${lastEventId} after event ${of.lastEventId}`));
      return;
    }
    of.lastEventId = lastEventId;
    of.cursor = String(lastEventId);
    if (messages === 0) return;
    // Without the frames of the chunked answer.
    this.sample ??= { head, body: fromFirstId(chunk.toString()) };
    this.delivered += messages;
    this.onDelivery(messages, chunk);
  }

  #take(of: Poll, answer: Answer): void {
    if (answer.status !== 200) {
      this.onFault(new Error(`poll: ${answer.status} ${answer.body.toString()}`));
      return;
    }
    const events = this.dialect === "events" ? this.#memo.read(answer.body) : readNchan(of, answer);
    if (events.lastEventId <= of.lastEventId) {
      this.onFault(new Error(`poll: event ${events.lastEventId} after event ${of.lastEventId}`));
      return;
    }
    of.lastEventId = events.lastEventId;
    if (this.dialect === "events") of.cursor = String(events.lastEventId);
    if (events.messages > 0) {
      this.sample ??= { head: answer.head, body: answer.body.toString() };
      this.delivered += events.messages;
      this.onDelivery(events.messages, answer.body);
    }
    if (!this.isHolding) of.ask();
  }
}

type OnPiece = (of: Poll, brought: Brought, chunk: Buffer, head: string) => void;

class Poll {
  lastEventId: number;
  /** What stands between `before` and `after` in the next request. */
  cursor: string;
  readonly connection: Connection;

  constructor(
    readonly queue: Queue,
    private readonly request: { before: string; cursor: string; after: string },
    port: number,
    reader: Reader,
    onAnswer: (of: Poll, answer: Answer) => void,
    onFault: (error: Error) => void,
    onPiece: OnPiece | undefined,
  ) {
    this.lastEventId = queue.lastEventId;
    this.cursor = request.cursor;
    const newParser =
      onPiece &&
      (() => {
        const parser: StreamParser = new StreamParser((brought, chunk) => onPiece(this, brought, chunk, parser.head));
        return parser;
      });
    this.connection = new Connection(port, reader, (answer) => onAnswer(this, answer), onFault, newParser, queue.host);
  }

  ask(): void {
    this.connection.send(this.request.before + this.cursor + this.request.after);
  }
}

const eventsPoll = (queue: Queue) => ({ ...poll(queue.queueId, queue.account), cursor: String(queue.lastEventId) });

const eventsStream = (queue: Queue) => ({ ...stream(queue.queueId, queue.account), cursor: String(queue.lastEventId) });

const fromFirstId = (text: string): string => text.slice(text.indexOf("id: "));

const nchanPoll = () => ({ before: get("/subscribe").slice(0, -2), cursor: "", after: "\r\n" });

/** An answer of nchan is one message; it tells in its headers what the next request must say. */
function readNchan(of: Poll, answer: Answer): Events {
  const time = /^last-modified: *(.+)\r$/im.exec(answer.head)?.[1];
  const tag = /^etag: *(.+)\r$/im.exec(answer.head)?.[1];
  if (time === undefined || tag === undefined) throw new Error(`an answer without a place: ${answer.head}`);
  const cursor = `If-Modified-Since: ${time}\r\nIf-None-Match: ${tag}\r\n`;
  if (cursor === of.cursor) throw new Error(`the same message twice: ${cursor}`);
  of.cursor = cursor;
  return { lastEventId: of.lastEventId + 1, messages: 1 };
}

/**
 * Reads the events of an answer. Thousands of queues bring the same event, so the last one parsed is remembered. An
 * answer of the same length with the same event id is taken to hold the same events.
 */
class EventsMemo {
  #length = -1;
  #mark = Buffer.alloc(0);
  #events: Events = { lastEventId: -1, messages: 0 };

  read(body: Buffer): Events {
    if (body.length === this.#length && body.includes(this.#mark)) return this.#events;
    const { events } = JSON.parse(body.toString()) as { events: { id: number; type: string }[] };
    const last = events.at(-1);
    if (last === undefined) throw new Error(`a poll without events: ${body.toString()}`);
    this.#events = {
      lastEventId: last.id,
      messages: events.reduce((count, event) => count + (event.type === "message" ? 1 : 0), 0),
    };
    const mark = `"id":${last.id}`;
    const at = body.lastIndexOf(mark);
    // With the byte after it, so that 17 is not found in 170.
    this.#mark = Buffer.from(body.subarray(at, at + mark.length + 1));
    this.#length = at < 0 ? -1 : body.length;
    return this.#events;
  }
}
