/** A wire that a test can cut: between one node and a service that others go on reaching. */
import { connect, createServer, type Server, type Socket } from "node:net";

export interface TcpProxy {
  /** Loopback port that stands for the target. */
  readonly port: number;
  /** The address of a service, led through this proxy. */
  through(url: string): string;
  /** Ends every connection and refuses new ones: the service is gone, and says so. */
  cut(): void;
  /**
   * Takes connections and bytes and passes nothing on: a network that drops packets. What was sent waits for `restore`.
   */
  hang(): void;
  /** Passes nothing more on the connections of now, without a word; new ones work. A router that forgot them. */
  strand(): void;
  /**
   * The same for one connection alone, the next over which `word` is asked. From there on either what is asked or what
   * is answered gets lost on the way. Resolves when it is. What was sent waits for `release`.
   */
  strandNext(word: string, lost: "questions" | "answers"): Promise<void>;
  /** Lets what was stranded go on. */
  release(): void;
  /** Is a plain wire again. */
  restore(): void;
  /** Ends every connection, and leads new ones to another port of loopback. */
  lead(port: number): void;
  stop(): Promise<void>;
}

type Mode = "open" | "cut" | "hung";

/** @param targetPort on loopback @param lateMs how much longer what is asked takes to arrive, and what is answered */
export async function startTcpProxy(targetPort: number, lateMs = 0): Promise<TcpProxy> {
  let mode: Mode = "open";
  let leadsTo = targetPort;
  const sockets = new Set<Socket>();
  const stranded = new Set<Socket>();
  let next: { word: string; lost: "questions" | "answers"; done(): void } | undefined;
  /** Whether the bytes stay here. */
  const isStranding = (chunk: Buffer, client: Socket, target: Socket): boolean => {
    if (next === undefined || !chunk.includes(next.word)) return false;
    const { lost, done } = next;
    next = undefined;
    const silent = lost === "questions" ? client : target;
    silent.pause();
    stranded.add(silent);
    done();
    if (lost === "questions") client.unshift(chunk);
    return lost === "questions";
  };
  const relay = (from: Socket, to: Socket, isQuestions: boolean) => {
    from.on("data", (chunk) => {
      if (isQuestions && isStranding(chunk, from, to)) return;
      if (lateMs > 0) setTimeout(() => to.write(chunk), lateMs);
      else if (!to.write(chunk)) from.pause();
    });
    to.on("drain", () => {
      if (mode === "open" && !stranded.has(from)) from.resume();
    });
    from.on("end", () => (lateMs > 0 ? setTimeout(() => to.end(), lateMs) : to.end()));
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      stranded.delete(from);
      if (lateMs > 0) setTimeout(() => to.destroy(), lateMs);
      else to.destroy();
    });
    sockets.add(from);
    if (mode === "hung") from.pause();
  };
  const server: Server = createServer((client) => {
    if (mode === "cut") {
      client.resetAndDestroy();
      return;
    }
    const target = connect(leadsTo, "127.0.0.1");
    relay(client, target, true);
    relay(target, client, false);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  const end = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port,
    through(url) {
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(port);
      return through.href;
    },
    cut() {
      mode = "cut";
      end();
    },
    hang() {
      mode = "hung";
      for (const socket of sockets) socket.pause();
    },
    strand() {
      for (const socket of sockets) {
        socket.pause();
        stranded.add(socket);
      }
    },
    strandNext: (word, lost) =>
      new Promise((done) => {
        next = { word, lost, done };
      }),
    release() {
      for (const socket of stranded) socket.resume();
      stranded.clear();
    },
    restore() {
      mode = "open";
      next = undefined;
      for (const socket of sockets) if (!stranded.has(socket)) socket.resume();
    },
    lead(port) {
      leadsTo = port;
      end();
    },
    async stop() {
      const closed = new Promise((done) => server.close(done));
      end();
      await closed;
    },
  };
}
