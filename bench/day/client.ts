/**
 * One full client: it registers for everything, follows its queue and reports presence each minute.
 *
 *     away ─ begin ─► registering ─► following
 *
 * When the server is gone all ask again until it is back, and take their queues up. One whose queue is gone registers
 * anew. A page follows by a stream, as Parley's does. The others poll.
 */
import { gunzipSync } from "node:zlib";
import { backOffMs } from "../../http/client/pause.ts";
import { type Answer, Connection, type Reader } from "../load/connection.ts";
import { poll, stream } from "../load/request.ts";
import { history, type Person, ping, registration } from "./asks.ts";
import { EventStream, type SeenEvent } from "./events.ts";
import type { Pool } from "./pool.ts";
import type { Ask, Tally } from "./tally.ts";

/** What all clients of a process share. */
export interface Shared {
  readonly port: number;
  readonly reader: Reader;
  readonly pool: Pool;
  readonly tally: Tally;
  /** The server is being restarted: what breaks now is no failure. */
  isRestarting: boolean;
  /** Of presence, that any page was told. */
  newestUpdate: number;
  readonly pingEveryMs: number;
  /** Parameters of registers other than the clients' own. */
  readonly registerChanges: object;
  onMessage(client: Client, message: NonNullable<SeenEvent["message"]>): void;
}

interface Cursor {
  queueId: string;
  lastEventId: number;
}

/** How soon, and how seldom, each asks again after failures. */
const backOffs = { page: [500, 30_000], phone: [100, 10_000], terminal: [1_000, 1_000] } as const;
const tooManyRequests = 429;
const unavailable = 503;
const gzipMark = 0x1f;

export class Client {
  state: "away" | "registering" | "following" = "away";
  /** When it began to follow, in ms since 1970. */
  since = Number.POSITIVE_INFINITY;
  lastMessageId = 0;
  #events: Connection | undefined;
  #cursor: Cursor = { queueId: "", lastEventId: -1 };
  #failures = 0;
  /** It asked for events while the server was being restarted, so it may be refused. */
  #isExcused = false;
  /** Changes when the client ends or begins anew, so that answers to what it asked before are known. */
  #life = 0;
  #pinging: NodeJS.Timeout | undefined;

  constructor(
    readonly person: Person,
    private readonly shared: Shared,
  ) {}

  /** Registers, follows, and looks at a conversation. Resolves when all of it is there. */
  begin(): Promise<void> {
    this.end();
    const life = this.#life;
    this.state = "registering";
    const { tally, registerChanges } = this.shared;
    return new Promise((resolve) => {
      const ask = (): void => {
        const askedAt = performance.now();
        this.ask("register", registration(this.person, registerChanges), (answer) => {
          const cursor = answer && cursorOf(answer.body);
          if (answer && !cursor) tally.failed("register: an answer without a queue");
          if (life !== this.#life) resolve();
          else if (cursor === undefined) this.#later(() => (life === this.#life ? ask() : resolve()));
          else {
            tally.registered(performance.now() - askedAt);
            this.#registered(cursor);
            this.look(resolve);
          }
        });
      };
      ask();
    });
  }

  #registered(cursor: Cursor): void {
    this.#cursor = cursor;
    this.state = "following";
    this.since = performance.timeOrigin + performance.now();
    this.#failures = 0;
    this.#events = this.#newConnection();
    this.#follow();
    this.#ping();
    this.#pinging = setInterval(() => this.#ping(), this.shared.pingEveryMs);
  }

  /** Opens one of its conversations. */
  look(done: () => void = () => {}): void {
    const { channelIds } = this.person;
    const channelId = channelIds[Math.floor(Math.random() * channelIds.length)] ?? 0;
    this.ask("history", history(this.person, channelId), done);
  }

  /** Asks something on a connection of the pool. `done` gets an answer with status 200, or nothing. */
  ask(what: Ask, request: string, done: (answer: Answer | undefined) => void = () => {}): void {
    const { pool, tally } = this.shared;
    const isExcused = this.shared.isRestarting;
    pool.ask(request, (answer, error) => {
      tally.answered(what);
      if (answer?.status === 200) return done(answer);
      if (answer?.status === tooManyRequests || answer?.status === unavailable) tally.refused();
      else if (!isExcused && !this.shared.isRestarting)
        tally.failed(`${what}: ${error?.message ?? `${answer?.status} ${answer?.body.toString()}`}`);
      done(undefined);
    });
  }

  /** Closes the client. Its queue stays until the server collects it. */
  end(): void {
    this.#life++;
    this.state = "away";
    this.since = Number.POSITIVE_INFINITY;
    clearInterval(this.#pinging);
    this.#events?.close();
    this.#events = undefined;
  }

  #newConnection(): Connection {
    const { port, reader } = this.shared;
    const newParser = () => new EventStream((events) => this.#take(events));
    return new Connection(
      port,
      reader,
      (answer) => this.#answered(answer),
      (error) => this.#broke(error.message),
      this.person.kind === "page" ? newParser : undefined,
    );
  }

  #ping(): void {
    if (this.state !== "following" || this.shared.isRestarting) return;
    this.ask("presence", ping(this.person, this.shared.newestUpdate), (answer) => {
      if (answer === undefined || this.person.kind !== "page") return;
      const newest = Number(/"presence_last_update_id":(\d+)/.exec(textOf(answer.body))?.[1] ?? -1);
      this.shared.newestUpdate = Math.max(this.shared.newestUpdate, newest);
    });
  }

  #follow(): void {
    this.#isExcused = this.shared.isRestarting;
    const { before, after } = (this.person.kind === "page" ? stream : poll)(this.#cursor.queueId, this.person);
    this.#events?.send(before + String(this.#cursor.lastEventId) + after);
  }

  #answered({ status, body }: Answer): void {
    if (status !== 200) {
      this.#broke(`${status} ${body.toString()}`);
      return;
    }
    this.#take((JSON.parse(body.toString()) as { events: SeenEvent[] }).events);
    if (this.state === "following") this.#follow();
  }

  #take(events: readonly SeenEvent[]): void {
    this.#failures = 0;
    this.#isExcused = false;
    this.shared.tally.answered("events");
    for (const { id, type, message } of events) {
      const { lastEventId } = this.#cursor;
      if (id <= lastEventId) this.shared.tally.failed(`event ${id} came after event ${lastEventId}`);
      this.#cursor.lastEventId = id;
      if (type !== "message" || message === undefined) continue;
      this.lastMessageId = message.id;
      this.shared.onMessage(this, message);
    }
  }

  /** The connection of its events is gone, or was refused. */
  #broke(why: string): void {
    if (this.state !== "following") return;
    const { tally, isRestarting } = this.shared;
    const life = this.#life;
    const isExcused = isRestarting || this.#isExcused;
    if (why.includes("BAD_EVENT_QUEUE_ID")) tally.lost();
    else if (!isExcused) tally.failed(`events: ${why}`);
    const isAnew = why.includes("BAD_EVENT_QUEUE_ID");
    if (isAnew) this.state = "registering";
    this.#later(() => {
      if (life !== this.#life) return;
      if (isAnew) void this.begin();
      else this.#follow();
    });
  }

  #later(act: () => void): void {
    const [firstMs, maxMs] = backOffs[this.person.kind];
    setTimeout(act, backOffMs(this.#failures++, firstMs, maxMs));
  }
}

const textOf = (body: Buffer): string => (body[0] === gzipMark ? gunzipSync(body) : body).toString("latin1");

/** In a compressed answer there are a few bytes behind the id of the queue, where a stored block ends. */
const cursorPattern = /"([\w-]{36})".{0,9}"last_event_id":(-?\d+)/s;
/** An answer ends with its cursor, and the check sum of compressed ones. */
const cursorBytes = 250;

/**
 * The id of the queue is a secret, which Parley does not compress, and what follows is short, which it does not
 * compress either. So both are found without unpacking megabytes.
 */
function cursorOf(body: Buffer): Cursor | undefined {
  const found = cursorPattern.exec(body.toString("latin1", Math.max(0, body.length - cursorBytes)));
  return found?.[1] === undefined ? undefined : { queueId: found[1], lastEventId: Number(found[2]) };
}
