/** The way to a PostgreSQL on loopback, which can be closed and opened. */
import { connect, createServer, type Socket } from "node:net";

export interface Relay {
  readonly url: string;
  /** Every connection ends, and none is taken. */
  close(): Promise<void>;
  open(): Promise<void>;
}

/** @param near of the PostgreSQL */
export async function startRelay(near: string): Promise<Relay> {
  const url = new URL(near);
  const target = Number(url.port);
  const sockets = new Set<Socket>();
  const listen = (port: number) =>
    new Promise<ReturnType<typeof createServer>>((done) => {
      const server = createServer((client) => {
        const behind = connect(target, "127.0.0.1").setNoDelay(true);
        client.setNoDelay(true).pipe(behind).pipe(client);
        for (const [socket, other] of [
          [client, behind],
          [behind, client],
        ] as const) {
          sockets.add(socket);
          socket.on("error", () => {});
          socket.on("close", () => {
            sockets.delete(socket);
            other.destroy();
          });
        }
      });
      server.listen(port, "127.0.0.1", () => done(server));
    });
  let server = await listen(0);
  const { port } = server.address() as { port: number };
  url.hostname = "127.0.0.1";
  url.port = String(port);
  return {
    url: url.href,
    async close() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async open() {
      server = await listen(port);
    },
  };
}
