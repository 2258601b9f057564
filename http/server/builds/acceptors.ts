/**
 * Takes the connections of a listening socket as fast as they come.
 *
 * Node takes one in each turn of the event loop, and in a busy server a turn takes milliseconds. When everybody comes
 * back at once, the kernel's line of connections would be full for many seconds, and it turns away whoever finds it
 * full. Those come in on a later attempt, up to half a minute late. So while many come, more handles listen on the
 * same socket, and each takes one connection a turn.
 *
 * Nothing in Node makes a second handle of a socket. But a child process is given one, and can pass it back.
 * Source: https://github.com/libuv/libuv/pull/3696
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createServer, type Server, type Socket } from "node:net";

/** So many connections are a rush when no turn of the loop passes between them. */
const rushConnections = 64;
/** Handles beside the first. A connection that comes alone wakes all of them, for some 1.5 µs each. */
const furtherHandles = 32;
/** They are closed when there was no rush for so long. */
const calmMs = 10_000;

/** Passes its first message's handle back, so many times. It ends with the process that asked. */
const passBack =
  'process.on("message", (count, handle) => { for (let n = 0; n < count; n++) process.send(n, handle); })';

export class Acceptors {
  /** Connections taken so far. */
  taken = 0;
  /** As many as had been taken a turn ago, and before the present row of turns began. */
  #takenBefore = 0;
  #takenAtRest = 0;
  #isWatching = false;
  #rushedAt = 0;
  /** Once a rush: where no further handles are to be had, the first goes on alone. */
  #hasAsked = false;
  #child: ChildProcess | undefined;
  #further: Server[] = [];
  #isClosed = false;

  constructor(
    private readonly first: Server,
    private readonly open: (socket: Socket) => void,
  ) {}

  /** A connection has come, at any of the handles. */
  take(socket: Socket): void {
    this.taken++;
    this.open(socket);
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#takenAtRest = this.taken;
    setImmediate(this.#watch);
  }

  /** Looks after each turn, until one has passed in which nobody came. */
  readonly #watch = (): void => {
    this.#isWatching = this.taken > this.#takenBefore;
    this.#takenBefore = this.taken;
    if (!this.#isWatching) return;
    setImmediate(this.#watch);
    if (this.taken - this.#takenAtRest < rushConnections) return;
    this.#rushedAt = performance.now();
    this.#listenFurther();
  };

  /** To be called every now and then. */
  look(): void {
    if (performance.now() - this.#rushedAt > calmMs) this.#endFurther();
  }

  /** Nobody comes any more. */
  close(): void {
    this.#isClosed = true;
    this.#endFurther();
    this.first.close();
  }

  #listenFurther(): void {
    if (this.#hasAsked || this.#isClosed) return;
    this.#hasAsked = true;
    try {
      const child = spawn(process.execPath, ["-e", passBack], {
        env: {},
        stdio: ["ignore", "ignore", "ignore", "ipc"],
      });
      this.#child = child;
      child.on("error", () => {});
      child.on("message", (place, handle) => {
        // Without one, as where no file descriptor is left, a server would listen at a port of its own.
        if (handle) this.#listenOn(handle);
        if (place === furtherHandles - 1) child.disconnect();
      });
      child.send(furtherHandles, Reflect.get(this.first, "_handle"));
    } catch {
      // No process can be started: the first handle goes on alone.
      this.#child?.kill();
    }
  }

  #listenOn(handle: unknown): void {
    const server = createServer({ noDelay: true }, (socket) => this.take(socket));
    server.on("error", () => {});
    server.listen(handle);
    if (this.#isClosed) server.close();
    else this.#further.push(server);
  }

  #endFurther(): void {
    for (const server of this.#further) server.close();
    this.#further = [];
    this.#hasAsked = false;
    // It has ended by itself, unless it is stuck.
    this.#child?.kill();
    this.#child = undefined;
  }
}
