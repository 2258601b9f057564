/**
 * A new connection to PostgreSQL is asked who answers, before the driver may use it. The driver opens connections when
 * it wants, has no such hook, and sends its first query as soon as PostgreSQL is ready. So the messages after the
 * account was let in are held back: the last of them is "ready". Then this asks, and passes them on when the answer is
 * right. From then on nothing is between the driver and the socket.
 *
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import type { Socket } from "node:net";
import { defined } from "../failures.ts";
import type { Generation } from "./generation.ts";

const timelineSql = `case when pg_is_in_recovery() then null
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint end`;
const restSql = "pg_is_in_recovery(), current_setting('transaction_read_only')";

/** Each is asked where the account may not ask the one before it. */
const questions = [
  `select system_identifier, ${timelineSql}, ${restSql} from pg_control_system()`,
  `select null, ${timelineSql}, ${restSql}`,
  `select null, null, ${restSql}`,
];
/** An account that may not call a function, and a service that looks like PostgreSQL and has none of it. */
const mayNotAsk = new Set(["42501", "42883", "0A000"]);

/** The first number of a request to cancel what another connection does, after its length. */
const cancelCode = 80_877_102;

/** What the gate tells. Of `decide` and `ended` one comes, at most once. */
export interface Gatekeeper {
  /** Whether the driver has another way when the connection fails. Then it hears of an end, and not why. */
  hasOthers: boolean;
  /** Who answers. @param lacks how many of the two numbers it does not tell. Returns whether the driver may use it. */
  decide(met: Generation, lacks: number): boolean;
  /** The connection has ended before. */
  ended(): void;
}

/** Stands between the driver and `socket` until the keeper has decided; a connection that is refused is closed. */
export function gate(socket: Socket, keeper: Gatekeeper): void {
  new Gate(socket, keeper).close();
}

class Gate {
  readonly #ownEmit: Socket["emit"];
  readonly #emit: (event: string | symbol, ...values: unknown[]) => boolean;
  #unread: Buffer = Buffer.alloc(0);
  /** What came since the account was let in. */
  #held: Buffer[] | undefined;
  #asked = -1;
  #row: (string | null)[] | undefined;
  #refusal: string | undefined;
  #isOver = false;

  constructor(
    private readonly socket: Socket,
    private readonly keeper: Gatekeeper,
  ) {
    this.#ownEmit = socket.emit;
    this.#emit = (event, ...values) => Reflect.apply(this.#ownEmit, socket, [event, ...values]);
  }

  close(): void {
    const { socket, keeper } = this;
    const emit = (event: string | symbol, ...values: unknown[]): boolean => {
      const [bytes] = values;
      if (event === "data" && bytes instanceof Buffer) {
        this.#hearAll(bytes);
        return true;
      }
      // The driver asks again after an end. A failure it would tell whoever asked first.
      if (event === "error" && !this.#isOver && keeper.hasOthers) return true;
      if (event === "close" && !this.#isOver) {
        this.#open();
        keeper.ended();
      }
      return this.#emit(event, ...values);
    };
    socket.emit = emit;
    // Nobody answers a request to cancel.
    const ownWrite = socket.write;
    const write = (...values: unknown[]): boolean => {
      socket.write = ownWrite;
      const [first] = values;
      if (first instanceof Buffer && first.length === 16 && first.readInt32BE(4) === cancelCode) this.#open();
      return Reflect.apply(ownWrite, socket, values);
    };
    socket.write = write;
  }

  #open(): void {
    this.#isOver = true;
    // Not deleted: an object that loses a property gets slower.
    this.socket.emit = this.#ownEmit;
  }

  #ask(): void {
    this.#asked++;
    this.socket.write(query(defined(questions[this.#asked], "question")));
  }

  #hearAll(bytes: Buffer): void {
    this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
    while (!this.#isOver && this.#unread.length > 4) {
      const end = this.#unread.readUInt32BE(1) + 1;
      if (this.#unread.length < end) return;
      const message = this.#unread.subarray(0, end);
      this.#unread = this.#unread.subarray(end);
      this.#hear(message);
    }
  }

  #hear(message: Buffer): void {
    const type = String.fromCharCode(message.readUInt8(0));
    if (this.#asked >= 0) {
      if (type === "D") this.#row = rowOf(message);
      else if (type === "E") this.#refusal = codeOf(message);
      else if (type === "Z") this.#answered();
      return;
    }
    this.#held?.push(message);
    if (type === "Z") this.#ask();
    else if (this.#held === undefined) this.#emit("data", message);
    // Authentication is done: what follows is held.
    if (type === "R" && message.readInt32BE(5) === 0) this.#held = [];
  }

  /** PostgreSQL is ready again after a question. */
  #answered(): void {
    if (this.#row !== undefined) this.#decide(this.#row);
    else if (mayNotAsk.has(this.#refusal ?? "") && this.#asked + 1 < questions.length) this.#ask();
    else this.socket.destroy();
  }

  #decide([system, timeline, isStandby, isReadOnly]: readonly (string | null)[]): void {
    const met: Generation = {
      system: system ?? undefined,
      timeline: timeline == null ? undefined : Number(timeline),
      isStandby: isStandby === "t",
      isReadOnly: isReadOnly === "on",
    };
    this.#open();
    if (this.keeper.decide(met, this.#asked))
      this.#emit("data", Buffer.concat([...defined(this.#held, "answer"), this.#unread]));
    else this.socket.destroy();
  }
}

/** A question in the simple protocol. */
function query(text: string): Buffer {
  const body = Buffer.from(`${text}\0`);
  const head = Buffer.from("Q\0\0\0\0");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** The values of a row, as text. */
function rowOf(message: Buffer): (string | null)[] {
  let at = 7;
  return Array.from({ length: message.readInt16BE(5) }, () => {
    const length = message.readInt32BE(at);
    at += 4;
    if (length === -1) return null;
    at += length;
    return message.toString("utf8", at - length, at);
  });
}

/** The SQLSTATE of an error. */
function codeOf(message: Buffer): string | undefined {
  return message
    .toString("utf8", 5)
    .split("\0")
    .find((field) => field.startsWith("C"))
    ?.slice(1);
}
