/** Senders and pollers that go on through crashes, and what they saw: for tests of what may not be lost. */
import { type ApiClient, UnexpectedAnswerError } from "../client/api.ts";

export interface Sent {
  content: string;
  /** undefined: the answer never came, so it may or may not be stored. */
  id: number | undefined;
  /** When the answer came, milliseconds of `performance.now()`. */
  acknowledgedAt?: number;
  /** The answer said that nothing was done. */
  isRefused?: boolean;
  /** The answer said that nobody knows. */
  isUnknown?: boolean;
}

/** A server that is stopped, not dead, never answers: nobody waits for it longer than this. */
const sendTimeoutMs = 3000;
/** A poll has a heartbeat after 55 s at the latest; the rest is for a machine that is far too busy. */
const pollTimeoutMs = 90_000;

/** What an answer says that is never to be said, whatever happens: a bug. */
const bugOf = (status: number, text: string): string[] => (status >= 500 && status !== 503 ? [text] : []);

/** Sends one message after another until told to stop; a failed request is never repeated. */
export class Sender {
  readonly sent: Sent[] = [];
  /** How many `acknowledged` has: cheap enough to be looked at all the time. */
  acknowledgedCount = 0;
  /** Answers that no fault excuses. */
  readonly bugs: string[] = [];
  #isStopped = false;
  #done: Promise<void> | undefined;

  constructor(
    private readonly name: string,
    private readonly clients: readonly ApiClient[],
    private readonly to: { channelId: number; topic: string },
  ) {}

  start(): void {
    this.#done = this.#run();
  }

  get acknowledged(): Sent[] {
    return this.sent.filter(({ id }) => id !== undefined);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#isStopped; number++) {
      const client = this.clients[number % this.clients.length]!;
      const entry: Sent = { content: `${this.name} says ${number}`, id: undefined };
      this.sent.push(entry);
      try {
        const { status, body, text } = await client.post(
          "/messages",
          {
            type: "channel",
            to: String(this.to.channelId),
            topic: this.to.topic,
            content: entry.content,
          },
          { timeoutMs: sendTimeoutMs },
        );
        this.bugs.push(...bugOf(status, text));
        if (status === 200) {
          entry.id = body["id"] as number;
          entry.acknowledgedAt = performance.now();
          this.acknowledgedCount++;
        } else {
          entry.isRefused = /nothing was done/i.test(String(body["msg"]));
          entry.isUnknown = /may or may not/i.test(String(body["msg"]));
          await pause();
        }
      } catch {
        await pause();
      }
    }
  }
}

/** Between two groups: the load is to be of sends, and each group stays. */
const groupPauseMs = 100;

/** Adds user groups, one after another, until told to stop: changes of what every node's replica holds. */
export class GroupMaker {
  /** Names and ids of those that were acknowledged. */
  readonly made = new Map<string, number>();
  #isStopped = false;
  #done: Promise<void> | undefined;

  constructor(
    private readonly name: string,
    private readonly clients: readonly ApiClient[],
  ) {}

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    for (let number = 0; !this.#isStopped; number++) {
      const name = `${this.name} ${number}`;
      try {
        const { status, body } = await this.clients[number % this.clients.length]!.post(
          "/user_groups/create",
          { name, description: "", members: [] },
          { timeoutMs: sendTimeoutMs },
        );
        if (status === 200) this.made.set(name, body["group_id"] as number);
      } catch {
        // Whether it was made nobody knows.
      }
      await pause(groupPauseMs);
    }
  }
}

/** Whether queues are read from streams that stay open, instead of by polls. */
const isStreaming = process.env["PARLEY_TEST_TRANSPORT"] === "stream";

/** Polls one queue for ever, each time where it left off, whatever happens to the server; or reads its stream. */
export class Poller {
  /** Message id of every message event, in the order received. */
  readonly messageIds: number[] = [];
  readonly contents: string[] = [];
  readonly eventIds: number[] = [];
  /** Event id of every message event: its place in the log. */
  readonly places: number[] = [];
  /** What the server said when it gave the queue up, if it did. */
  lost: string | undefined;
  /** When each message came, milliseconds of `performance.now()`. */
  readonly receivedAt: number[] = [];
  /** Answers that no fault excuses, and polls that got none. */
  readonly bugs: string[] = [];
  #isStopped = false;
  #done: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(
    private readonly clients: readonly ApiClient[],
    readonly queueId: string,
    private lastEventId: number,
  ) {}

  start(): void {
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stop.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    let turn = 0;
    while (!this.#isStopped && this.lost === undefined) {
      // It stays with a server as long as that one answers.
      const client = this.clients[turn % this.clients.length]!;
      try {
        if (isStreaming) {
          await this.#readStream(client);
          continue;
        }
        const { status, body, text } = await client.request(
          "GET",
          "/events",
          { queue_id: this.queueId, last_event_id: this.lastEventId },
          { signal: this.#stop.signal, timeoutMs: pollTimeoutMs },
        );
        this.bugs.push(...bugOf(status, text));
        if (status === 200) this.#take(body["events"] as WireEvent[]);
        else if (body["code"] === "BAD_EVENT_QUEUE_ID") this.lost = String(body["msg"]);
        else {
          turn++;
          await pause();
        }
      } catch (error) {
        if ((error as Error).name === "TimeoutError")
          this.bugs.push(`a poll of ${this.queueId} got no answer for ${pollTimeoutMs} ms`);
        turn++;
        await pause();
      }
    }
  }

  async #readStream(client: ApiClient): Promise<void> {
    try {
      const stream = await client.stream(this.queueId, this.lastEventId, { signal: this.#stop.signal });
      for await (const events of stream) this.#take(events as unknown as WireEvent[]);
    } catch (error) {
      if (error instanceof UnexpectedAnswerError && error.message.includes("BAD_EVENT_QUEUE_ID"))
        this.lost = error.message;
      else throw error;
    }
  }

  #take(events: readonly WireEvent[]): void {
    for (const event of events) {
      this.eventIds.push(event.id);
      this.lastEventId = Math.max(this.lastEventId, event.id);
      if (event.type !== "message") continue;
      this.places.push(event.id);
      this.messageIds.push(event.message!.id);
      this.receivedAt.push(performance.now());
      this.contents.push(event.message!.content);
    }
  }
}

interface WireEvent {
  type: string;
  id: number;
  message?: { id: number; content: string };
}

/** Between attempts on a server that is not there. */
const pause = (ms = 20) => new Promise((resolve) => setTimeout(resolve, ms));
