/** A PostgreSQL that is far away, and how often its clients wait for it. */
import { connect, createServer, type Socket } from "node:net";

/** What a client asked over one connection before it got an answer. */
export interface Trip {
  connection: number;
  statements: string[];
}

export interface FarPostgres {
  readonly url: string;
  /** Those since the last call. Exact where answers take longer than a client takes to send what waits for none. */
  takeTrips(): Trip[];
  /** Answers take so much longer from now on. */
  setTripMs(ms: number): void;
  /** Every connection ends, and none is taken until it is opened again. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** @param near of a PostgreSQL on loopback @param tripMs how much longer an answer takes */
export async function startFarPostgres(near: string, tripMs: number): Promise<FarPostgres> {
  const trips: Trip[] = [];
  /** Those without an answer, by connection. */
  const open = new Map<number, Trip>();
  let connections = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(Number(new URL(near).port), "127.0.0.1").setNoDelay(true);
    client.setNoDelay(true);
    const read = statementReader();
    const connection = connections++;
    client.on("data", (chunk: Buffer) => {
      const trip = open.get(connection) ?? { connection, statements: [] };
      if (!open.has(connection)) trips.push(trip);
      open.set(connection, trip);
      trip.statements.push(...read(chunk));
      target.write(chunk);
    });
    const answer = (chunk: Buffer) => {
      open.delete(connection);
      client.write(chunk);
    };
    target.on("data", (chunk: Buffer) => {
      if (tripMs === 0) answer(chunk);
      else setTimeout(answer, tripMs, chunk);
    });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const listen = (port: number) => new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  await listen(0);
  const { port } = server.address() as { port: number };
  const url = new URL(near);
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return {
    url: url.href,
    takeTrips() {
      open.clear();
      return trips.splice(0);
    },
    setTripMs(ms) {
      tripMs = ms;
    },
    open: () => listen(port),
    async close() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/**
 * Reads the statements that a client runs, also those that it has prepared before.
 *
 * Source: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
function statementReader(): (chunk: Buffer) => string[] {
  const prepared = new Map<string, string>();
  let unread: Buffer = Buffer.alloc(0);
  let hasBegun = false;
  return (chunk) => {
    const run: string[] = [];
    unread = Buffer.concat([unread, chunk]);
    // The first message of a connection has no type.
    for (let head = hasBegun ? 1 : 0; unread.length >= head + 4; head = 1) {
      const end = head + unread.readInt32BE(head);
      if (unread.length < end) break;
      const type = hasBegun ? String.fromCharCode(unread[0]!) : "";
      const [first = "", second = ""] = unread.toString("latin1", head + 4, end).split("\0", 2);
      if (type === "Q") run.push(first);
      else if (type === "P") prepared.set(first, second);
      else if (type === "B") run.push(prepared.get(second) ?? second);
      hasBegun = true;
      unread = unread.subarray(end);
    }
    return run;
  };
}
