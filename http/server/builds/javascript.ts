/**
 * Our own build of the HTTP server, on node:net: for systems whose native build cannot take all that clients send, or
 * that load none. It keeps the rules of uWebSockets.js on which Parley relies: which route wins, one reply, when
 * `onAborted` runs, no use of an ended reply. It takes whatever RFC 9112 lets clients send.
 *
 * node:http would do with less code. A delivery costs it twice as much, as it makes two streams for each request.
 */
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { Acceptors } from "./acceptors.ts";
import { Connection, type Serving } from "./connection.ts";
import { Output } from "./output.ts";
import type { RequestHead } from "./request-head.ts";
import { sharing } from "./share-port.ts";
import type {
  HttpResponse,
  listenSocketBrand,
  RouteHandler,
  TemplatedApp,
  UwsModule,
  us_listen_socket,
} from "./uws-interface.ts";

export function createJavaScriptUws(): UwsModule {
  return {
    App: () => new JavaScriptApp(),
    us_listen_socket_close: (listenSocket) => ours(listenSocket).listener.close(),
    us_listen_socket_taken: (listenSocket) => ours(listenSocket).listener.taken,
    us_socket_local_port: (listenSocket) => {
      const address = ours(listenSocket).server.address();
      return typeof address === "object" && address ? address.port : -1;
    },
    LIBUS_LISTEN_EXCLUSIVE_PORT: 1,
  };
}

/** A server as callers hold it, who cannot see into it, as with the native builds. */
class ListenSocket implements us_listen_socket {
  declare readonly [listenSocketBrand]: true;

  constructor(
    readonly server: Server,
    readonly listener: Listener,
  ) {}
}

function ours(listenSocket: us_listen_socket): ListenSocket {
  if (!(listenSocket instanceof ListenSocket)) throw new TypeError("another build listens there");
  return listenSocket;
}

const tickMs = 1000;

/**
 * Connections that may wait to be taken, up to what the system allows (net.core.somaxconn). After a restart everybody
 * connects at once, and the kernel resets connections that find no room.
 */
const backlog = 65_535;

interface Route {
  method: string | undefined;
  pattern: string;
  /** Empty where the pattern is a path. */
  segments: string[];
  /** One digit per segment, fixed path 0, `:name` 1, `*` 2: smaller strings win. */
  rank: string;
  handler: RouteHandler;
}

class JavaScriptApp implements TemplatedApp {
  readonly #routes: Route[] = [];

  get(pattern: string, handler: RouteHandler): this {
    return this.#add("get", pattern, handler);
  }
  post(pattern: string, handler: RouteHandler): this {
    return this.#add("post", pattern, handler);
  }
  put(pattern: string, handler: RouteHandler): this {
    return this.#add("put", pattern, handler);
  }
  patch(pattern: string, handler: RouteHandler): this {
    return this.#add("patch", pattern, handler);
  }
  del(pattern: string, handler: RouteHandler): this {
    return this.#add("delete", pattern, handler);
  }
  head(pattern: string, handler: RouteHandler): this {
    return this.#add("head", pattern, handler);
  }
  options(pattern: string, handler: RouteHandler): this {
    return this.#add("options", pattern, handler);
  }
  any(pattern: string, handler: RouteHandler): this {
    return this.#add(undefined, pattern, handler);
  }

  listen(
    host: string,
    port: number,
    options: number,
    listened: (listenSocket: us_listen_socket | false) => void,
  ): this {
    const server = createServer({ noDelay: true }, (socket) => listener.take(socket));
    const listener = new Listener(server, (res, head) => this.#dispatch(res, head));
    const refused = () => listened(false);
    server.once("error", refused);
    server.listen({ host, port, backlog, ...sharing(options === 0 && port !== 0) }, () => {
      server.off("error", refused);
      // A connection that cannot be accepted, for want of file descriptors, ends nothing else.
      server.on("error", () => {});
      listener.start();
      listened(new ListenSocket(server, listener));
    });
    return this;
  }

  #add(method: string | undefined, pattern: string, handler: RouteHandler): this {
    const all = pattern.split("/").slice(1);
    const rank = all.map((segment) => (segment === "*" ? 2 : segment.startsWith(":") ? 1 : 0)).join("");
    const segments = /^0*$/.test(rank) ? [] : all;
    this.#routes.push({ method, pattern, segments, rank: `${method === undefined ? 1 : 0}${rank}`, handler });
    // Stable: of two equal patterns the one added first is asked first.
    this.#routes.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
    return this;
  }

  #dispatch(res: HttpResponse, head: RequestHead): void {
    const method = head.getMethod();
    const path = head.getUrl();
    for (const route of this.#routes) {
      if (route.method !== undefined && route.method !== method) continue;
      const parameters = match(route, path);
      if (parameters === undefined) continue;
      head.enter(parameters);
      route.handler(res, head);
      if (!head.isYielding) return;
    }
    res.close(); // No route took it: the native builds hang up too.
  }
}

const noParameters: readonly string[] = [];

/** What the `:name` segments stand for in a path, or `undefined` if the route is not for it. */
function match({ pattern, segments }: Route, path: string): readonly string[] | undefined {
  if (segments.length === 0) return path === pattern ? noParameters : undefined;
  if (segments[0] === "*") return noParameters;
  const parameters: string[] = [];
  const given = path.split("/").slice(1);
  for (const [index, segment] of segments.entries()) {
    if (segment === "*") return parameters;
    const part = given[index];
    if (part === undefined) return undefined;
    if (segment.startsWith(":")) {
      if (part === "") return undefined;
      parameters.push(part);
    } else if (segment !== part) return undefined;
  }
  return segments.length === given.length ? parameters : undefined;
}

/** The connections of one server, and their clock. */
class Listener implements Serving {
  readonly output = new Output();
  readonly #connections = new Set<Connection>();
  readonly #acceptors: Acceptors;
  #isClosed = false;
  tick = 0;

  constructor(
    server: Server,
    readonly dispatch: Serving["dispatch"],
  ) {
    this.#acceptors = new Acceptors(server, (socket) => this.#open(socket));
  }

  /** Connections that have come so far. */
  get taken(): number {
    return this.#acceptors.taken;
  }

  take(socket: Socket): void {
    this.#acceptors.take(socket);
  }

  #open(socket: Socket): void {
    const connection = new Connection(socket, this);
    this.#connections.add(connection);
    socket.on("data", (bytes) => connection.receive(bytes));
    // A client that has sent its last byte has left. A reset is a close like any other.
    socket.on("end", () => connection.gone());
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#connections.delete(connection);
      connection.gone();
    });
  }

  start(): void {
    const timer = setInterval(() => {
      this.#acceptors.look();
      if (this.#isClosed && this.#connections.size === 0) clearInterval(timer);
      else this.#endIdle();
    }, tickMs).unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#acceptors.close();
  }

  #endIdle(): void {
    this.tick++;
    const late: [connection: Connection, deadline: number][] = [];
    for (const connection of this.#connections) {
      const { deadline } = connection;
      if (deadline !== 0 && deadline < this.tick) late.push([connection, deadline]);
    }
    if (late.length === 0) return;
    // Timers run before what has arrived is read: a request that came while the loop was busy is answered all the same.
    setImmediate(() =>
      setImmediate(() => {
        for (const [connection, deadline] of late) if (connection.deadline === deadline) connection.expire();
      }),
    );
  }
}
