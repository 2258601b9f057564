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
  const ownEmit = socket.emit;
  const emit = ownEmit.bind(socket) as (event: string, ...values: unknown[]) => boolean;
  let unread: Buffer = Buffer.alloc(0);
  let held: Buffer[] | undefined;
  let asked = -1;
  let row: (string | null)[] | undefined;
  let refusal: string | undefined;
  let isOver = false;

  const open = () => {
    isOver = true;
    // Not deleted: an object that loses a property gets slower.
    socket.emit = ownEmit;
  };
  const ask = () => {
    asked++;
    socket.write(query(defined(questions[asked], "question")));
  };
  /** PostgreSQL is ready again after a question. */
  const answered = () => {
    if (row !== undefined) {
      const [system, timeline, isStandby, isReadOnly] = row;
      const met: Generation = {
        system: system ?? undefined,
        timeline: timeline == null ? undefined : Number(timeline),
        isStandby: isStandby === "t",
        isReadOnly: isReadOnly === "on",
      };
      open();
      if (keeper.decide(met, asked)) emit("data", Buffer.concat([...held!, unread]));
      else socket.destroy();
    } else if (mayNotAsk.has(refusal ?? "") && asked + 1 < questions.length) ask();
    else socket.destroy();
  };
  const hear = (message: Buffer): void => {
    const type = String.fromCharCode(message.readUInt8(0));
    if (asked >= 0) {
      if (type === "D") row = rowOf(message);
      else if (type === "E") refusal = codeOf(message);
      else if (type === "Z") answered();
      return;
    }
    held?.push(message);
    if (type === "Z") ask();
    else if (held === undefined) emit("data", message);
    // Authentication is done: what follows is held.
    if (type === "R" && message.readInt32BE(5) === 0) held = [];
  };
  const hearAll = (bytes: Buffer): void => {
    unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
    while (!isOver && unread.length > 4) {
      const end = unread.readUInt32BE(1) + 1;
      if (unread.length < end) return;
      const message = unread.subarray(0, end);
      unread = unread.subarray(end);
      hear(message);
    }
  };
  socket.emit = ((event: string, ...values: unknown[]) => {
    if (event === "data") {
      hearAll(values[0] as Buffer);
      return true;
    }
    // The driver asks again after an end. A failure it would tell whoever asked first.
    if (event === "error" && !isOver && keeper.hasOthers) return true;
    if (event === "close" && !isOver) {
      open();
      keeper.ended();
    }
    return emit(event, ...values);
  }) as Socket["emit"];
  // Nobody answers a request to cancel.
  const ownWrite = socket.write;
  const write = ownWrite.bind(socket) as (...values: unknown[]) => boolean;
  socket.write = ((...values: unknown[]) => {
    socket.write = ownWrite;
    const first = values[0] as Buffer;
    if (first.length === 16 && first.readInt32BE(4) === cancelCode) open();
    return write(...values);
  }) as Socket["write"];
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
