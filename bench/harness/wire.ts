/** A wire between one process and a service, over which a connection can be made to say nothing more. */
import { connect, createServer, type Socket } from "node:net";
import type { Setup } from "./setup.ts";

export class Wire {
  #silenced = new Set<Socket>();
  #next: { word: string; done(): void } | undefined;

  private constructor(
    /** The service's address, by this wire. */
    readonly url: string,
  ) {}

  /** @param url of a service on loopback */
  static async start(setup: Setup, url: string): Promise<Wire> {
    const sockets = new Set<Socket>();
    let wire: Wire;
    const server = createServer((client) => {
      const target = connect(Number(new URL(url).port), "127.0.0.1");
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        sockets.add(from);
        from.on("data", (chunk) => {
          to.write(chunk);
          if (from === client) wire.#look(chunk, target);
        });
        from.on("end", () => to.end());
        from.on("error", () => {});
        from.on("close", () => {
          sockets.delete(from);
          wire.#silenced.delete(from);
          to.destroy();
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    setup.atEnd(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
    const through = new URL(url);
    through.port = String((server.address() as { port: number }).port);
    wire = new Wire(through.href);
    return wire;
  }

  /** Nothing more is answered on the next connection over which `word` is asked. Resolves when that is so. */
  silenceNext(word: string): Promise<void> {
    return new Promise((done) => {
      this.#next = { word, done };
    });
  }

  /** Silences none, if there was none yet. */
  leave(): void {
    this.#next = undefined;
  }

  /** What was silenced speaks again. */
  speak(): void {
    for (const socket of this.#silenced) socket.resume();
    this.#silenced = new Set();
  }

  #look(chunk: Buffer, target: Socket): void {
    if (this.#next === undefined || !chunk.includes(this.#next.word)) return;
    const { done } = this.#next;
    this.#next = undefined;
    target.pause();
    this.#silenced.add(target);
    done();
  }
}
