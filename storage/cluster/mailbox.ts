/**
 * Mailboxes of nodes: a table in PostgreSQL that carries messages where Redis cannot. PostgreSQL notifies a node when
 * there is something in its mailbox. The node also looks there twice a second, since it may miss a notification. It
 * looks more often while it lacks Redis itself or exchanges mail.
 */
import { Packr } from "msgpackr";
import { messageOf } from "../failures.ts";
import type { Database, Sql } from "../postgres.ts";
import { timely } from "../timely.ts";
import { CoordinationUnavailable } from "./lease.ts";
import { type Installation, ReplayWindow, Seal } from "./seal.ts";

const packr = new Packr({ useRecords: false });
const seldomMs = 500;
const oftenMs = 25;
/** After a message from or to this node it looks often for so long: an answer may follow. */
const exchangeMs = 5000;
/** A message that nobody fetched in so long is dropped: its node is gone. */
const unfetchedSecs = 60;
const messagesAtOnce = 1000;
/** A mailbox that takes or gives no message for so long is out of reach. */
const overdueMs = 2000;

type Mail = [from: string, number: number, sentAt: number, message: unknown, lacksRedis: boolean];

interface Posted {
  recipient: string;
  sealed: Buffer;
}

/** A node's mailbox, as its seal and PostgreSQL's notifications name it. */
const placeOf = (recipient: string): string => `mail:${recipient}`;

/** Puts messages into mailboxes, in this order, and notifies their nodes. The table is older than the word mailbox. */
export async function insertMessages(sql: Sql, messages: readonly Posted[]): Promise<void> {
  const channels = [...new Set(messages.map(({ recipient }) => placeOf(recipient)))];
  // The table's own sequence is not there any more once a standby was promoted.
  const rows = messages.map(({ recipient, sealed }) => [recipient, sealed, sql`nextval('letter_numbers')`]);
  await sql`
    with posted as (
      insert into letters (recipient, sealed, id) overriding system value values ${sql(rows as never)})
    select pg_notify(channel, '') from json_array_elements_text(${JSON.stringify(channels)}::text::json) as channel`;
}

/** Takes messages out of a node's mailbox, the oldest first. */
async function takeMessages(sql: Sql, recipient: string): Promise<Buffer[]> {
  const rows = await sql<{ id: number; sealed: Buffer }[]>`
    delete from letters where id in (
      select id from letters where recipient = ${recipient} order by id limit ${messagesAtOnce})
    returning id, sealed`;
  return [...rows].sort((a, b) => a.id - b.id).map(({ sealed }) => sealed);
}

async function dropUnfetched(sql: Sql): Promise<void> {
  await sql`delete from letters where sent_at < now() - make_interval(secs => ${unfetchedSecs}::int)`;
}

export interface MailboxOptions {
  database: Database;
  installation: Installation;
  nodeId: string;
  /** Whether mail is all that this node gets, so that it looks often. */
  isNeeded(): boolean;
  /** @param lacksRedis the sender said that it lacks Redis */
  onMessage(from: string, message: unknown, lacksRedis: boolean): void;
  /** There was something that no node of this installation has posted, or not now. It was ignored. */
  onRefused(): void;
}

export class Mailbox {
  readonly #options: MailboxOptions;
  readonly #seal: Seal;
  readonly #replays = new ReplayWindow();
  readonly #closed = new AbortController();
  #numbered = 0;
  #oftenUntil = 0;
  #hasNews = false;
  #wake = () => {};
  #waiting: Posted[] = [];
  #posting: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: MailboxOptions) {
    this.#options = options;
    this.#seal = new Seal(options.installation.key);
    options.database.listen(placeOf(options.nodeId), () => {
      this.#hasNews = true;
      this.#wake();
    });
    void this.#run();
  }

  /**
   * Puts a message into a node's mailbox.
   * @throws CoordinationUnavailable when PostgreSQL does not say that it is there
   */
  async post(to: string, message: unknown, lacksRedis: boolean): Promise<true> {
    this.#oftenUntil = performance.now() + exchangeMs;
    const { nodeId } = this.#options;
    const bytes = packr.pack([nodeId, ++this.#numbered, Date.now(), message, lacksRedis] satisfies Mail);
    try {
      await this.#postInTurn({ recipient: to, sealed: this.#seal.close(placeOf(to), bytes) });
    } catch (error) {
      const reason = messageOf(error);
      throw new CoordinationUnavailable(`neither Redis nor PostgreSQL took a message: ${reason}`, false);
    }
    return true;
  }

  /** Fetches no more. */
  close(): void {
    this.#closed.abort();
    this.#wake();
  }

  /**
   * One statement at a time, with all waiting messages: a message that arrives after a later one would be taken for a
   * copy.
   */
  #postInTurn(message: Posted): Promise<void> {
    this.#waiting.push(message);
    const postWaiting = () => this.#postWaiting();
    this.#next ??= this.#posting = this.#posting.then(postWaiting, postWaiting);
    return this.#next;
  }

  async #postWaiting(): Promise<void> {
    const { database } = this.#options;
    const taken = this.#waiting;
    [this.#waiting, this.#next] = [[], undefined];
    for (let start = 0; start < taken.length; start += messagesAtOnce) {
      const some = taken.slice(start, start + messagesAtOnce);
      await timely(database.vital, overdueMs, insertMessages(database.vital.sql, some));
    }
  }

  async #run(): Promise<void> {
    const { database, isNeeded } = this.#options;
    let droppedAt = 0;
    while (!this.#closed.signal.aborted) {
      const now = performance.now();
      this.#hasNews = false;
      try {
        if ((await this.#fetch()) === messagesAtOnce) continue;
        if (now - droppedAt > unfetchedSecs * 1000) {
          droppedAt = now;
          await timely(database.vital, overdueMs, dropUnfetched(database.vital.sql));
        }
      } catch {
        // PostgreSQL is away too: nobody can write anything.
      }
      if (!this.#hasNews) await this.#pause(isNeeded() || now <= this.#oftenUntil ? oftenMs : seldomMs);
    }
  }

  async #fetch(): Promise<number> {
    const { database, nodeId } = this.#options;
    const messages = await timely(database.vital, overdueMs, takeMessages(database.vital.sql, nodeId));
    for (const sealed of messages) this.#receive(sealed);
    return messages.length;
  }

  #receive(sealed: Buffer): void {
    const { nodeId, onMessage, onRefused } = this.#options;
    const bytes = this.#seal.open(placeOf(nodeId), sealed);
    const [from, number, sentAt, message, lacksRedis] = (bytes ? packr.unpack(bytes) : []) as Partial<Mail>;
    if (from === undefined || !this.#replays.accepts(from, number!, sentAt!, Date.now())) {
      onRefused();
      return;
    }
    this.#oftenUntil = performance.now() + exchangeMs;
    onMessage(from, message, lacksRedis === true);
  }

  /** Waits for that long, or until there is news or an end. */
  async #pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    clearTimeout(timer);
  }
}
