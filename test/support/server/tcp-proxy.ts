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
  /** Is a plain wire again. */
  restore(): void;
  stop(): Promise<void>;
}

type Mode = "open" | "cut" | "hung";

/** @param targetPort on loopback */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  let mode: Mode = "open";
  const sockets = new Set<Socket>();
  const stranded = new WeakSet<Socket>();
  const relay = (from: Socket, to: Socket) => {
    from.on("data", (chunk) => {
      if (!to.write(chunk)) from.pause();
    });
    to.on("drain", () => {
      if (mode === "open" && !stranded.has(from)) from.resume();
    });
    from.on("end", () => to.end());
    from.on("error", () => {});
    from.on("close", () => {
      sockets.delete(from);
      to.destroy();
    });
    sockets.add(from);
    if (mode === "hung") from.pause();
  };
  const server: Server = createServer((client) => {
    if (mode === "cut") {
      client.resetAndDestroy();
      return;
    }
    const target = connect(targetPort, "127.0.0.1");
    relay(client, target);
    relay(target, client);
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
    restore() {
      mode = "open";
      for (const socket of sockets) if (!stranded.has(socket)) socket.resume();
    },
    async stop() {
      const closed = new Promise((done) => server.close(done));
      end();
      await closed;
    },
  };
}
