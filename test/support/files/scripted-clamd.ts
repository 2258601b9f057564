/** A server that speaks as clamd does and says what a test wants: also nothing, or too early. */
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";

export interface Asked {
  /** Bytes that have come of the file. */
  bytes: number;
  /** Whether all of it has come. */
  isWhole: boolean;
}

/** What is said of a file that comes. Undefined: nothing yet. */
export type Script = (asked: Asked, socket: Socket) => string | undefined;

export class ScriptedClamd {
  readonly asked: Asked[] = [];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(public script: Script) {}

  /** Settings of a server that asks it. */
  get environment(): Record<string, string> {
    return { PARLEY_CLAMD: `127.0.0.1:${this.port}` };
  }

  async start(): Promise<void> {
    const server = createServer((socket) => this.#serve(socket)).listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
    const address = server.address();
    if (address !== null && typeof address === "object") this.port = address.port;
  }

  /** Ends what is under way without an answer. */
  hangUp(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    this.hangUp();
    server.close();
    await once(server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket)).on("error", () => {});
    const asked: Asked = { bytes: 0, isWhole: false };
    this.asked.push(asked);
    let rest = Buffer.alloc(0);
    let left = "zINSTREAM\0".length;
    let isHead = true;
    socket.on("data", (data) => {
      rest = Buffer.concat([rest, data]);
      for (;;) {
        if (left > 0) {
          const taken = Math.min(left, rest.length);
          if (!isHead) asked.bytes += taken;
          [left, rest] = [left - taken, rest.subarray(taken)];
          if (left > 0) break;
          isHead = false;
        }
        if (rest.length < 4) break;
        left = rest.readUInt32BE();
        rest = rest.subarray(4);
        if (left === 0) asked.isWhole = true;
        if (asked.isWhole) break;
      }
      const answer = this.script(asked, socket);
      if (answer !== undefined && socket.writable) socket.end(`${answer}\0`);
    });
  }
}

export const clean: Script = ({ isWhole }) => (isWhole ? "stream: OK" : undefined);
export const silent: Script = () => undefined;
export const infected: Script = ({ isWhole }) => (isWhole ? "stream: Some.Virus FOUND" : undefined);

/** One for the tests of a file: each begins with a clamd that says nothing. */
export function testScriptedClamd(): ScriptedClamd {
  const clamd = new ScriptedClamd(silent);
  beforeAll(() => clamd.start());
  afterAll(() => clamd.stop());
  beforeEach(() => {
    clamd.script = silent;
    clamd.hangUp();
  });
  return clamd;
}
