import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type {
  HttpRequest,
  HttpResponse,
  RecognizedString,
  RouteHandler,
  TemplatedApp,
  UwsModule,
  us_listen_socket,
} from "./uws-interface.ts";

/**
 * The twin of uWebSockets.js on node:http, for systems that load no native build. It keeps the rules that Parley relies
 * on (which route wins, one reply, when `onAborted` runs, no use of a reply that is over) and none of the speed.
 */
export function createJavaScriptUws(): UwsModule {
  return {
    App: () => new JavaScriptApp(),
    us_listen_socket_close: (listenSocket) => void serverOf(listenSocket).close(),
    us_socket_local_port: (listenSocket) => (serverOf(listenSocket).address() as AddressInfo | null)?.port ?? -1,
    LIBUS_LISTEN_EXCLUSIVE_PORT: 1,
  };
}

/** The listen socket of this twin is its node:http server; callers cannot see into it, as with the native builds. */
function serverOf(listenSocket: us_listen_socket): Server {
  return listenSocket as unknown as Server;
}

/** Bytes of a request's line and headers together. */
export const maxHeadBytes = 64 * 1024;

// Source: uWebSockets src/HttpContext.h, HTTP_IDLE_TIMEOUT_S.
const idleTimeoutMs = 10_000;

/** Timers run before what has arrived is read: a request that came while the loop was busy is answered all the same. */
function closeUnlessHeard(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => setImmediate(() => void (socket.bytesRead === bytesRead && socket.destroy())));
}

interface Route {
  method: string | undefined;
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
    const server = createServer({ keepAliveTimeout: idleTimeoutMs, maxHeaderSize: maxHeadBytes }, (message, response) =>
      this.#dispatch(message, response),
    );
    server.on("timeout", closeUnlessHeard);
    const refused = () => listened(false);
    server.once("error", refused);
    // Node before 22.12 ignores `reusePort`: there the port is always exclusive.
    const address = { host, port, exclusive: true, reusePort: options === 0 && port !== 0 };
    server.listen(address, () => {
      server.off("error", refused);
      // A connection that cannot be accepted, for want of file descriptors, ends nothing else.
      server.on("error", () => {});
      listened(server as unknown as us_listen_socket);
    });
    return this;
  }

  #add(method: string | undefined, pattern: string, handler: RouteHandler): this {
    const segments = pattern.split("/").slice(1);
    const rank = segments.map((segment) => (segment === "*" ? 2 : segment.startsWith(":") ? 1 : 0)).join("");
    this.#routes.push({ method, segments, rank: `${method === undefined ? 1 : 0}${rank}`, handler });
    // Stable: of two equal patterns the one added first is asked first.
    this.#routes.sort((a, b) => (a.rank < b.rank ? -1 : a.rank > b.rank ? 1 : 0));
    return this;
  }

  #dispatch(message: IncomingMessage, response: ServerResponse): void {
    const method = (message.method ?? "").toLowerCase();
    const url = message.url ?? "/";
    const queryAt = url.indexOf("?");
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const segments = path.split("/").slice(1);
    const request = new JavaScriptRequest(message, method, path, queryAt < 0 ? "" : url.slice(queryAt + 1));
    const reply = new JavaScriptResponse(message, response);
    for (const route of this.#routes) {
      if (route.method !== undefined && route.method !== method) continue;
      const parameters = match(route.segments, segments);
      if (parameters === undefined) continue;
      request.enter(parameters);
      route.handler(reply, request);
      if (!request.isYielding) return;
    }
    response.destroy(); // No route took it: the native builds hang up too.
  }
}

/** What the `:name` segments stand for in a path, or `undefined` if the pattern does not match it. */
function match(pattern: string[], path: string[]): string[] | undefined {
  const parameters: string[] = [];
  for (const [index, segment] of pattern.entries()) {
    if (segment === "*") return parameters;
    const given = path[index];
    if (given === undefined) return undefined;
    if (segment.startsWith(":")) {
      if (given === "") return undefined;
      parameters.push(given);
    } else if (segment !== given) return undefined;
  }
  return pattern.length === path.length ? parameters : undefined;
}

class JavaScriptRequest implements HttpRequest {
  readonly #message: IncomingMessage;
  readonly #method: string;
  readonly #path: string;
  readonly #query: string;
  #parameters: string[] = [];
  isYielding = false;

  constructor(message: IncomingMessage, method: string, path: string, query: string) {
    this.#message = message;
    this.#method = method;
    this.#path = path;
    this.#query = query;
  }

  /** Begins the visit of one route. */
  enter(parameters: string[]): void {
    this.#parameters = parameters;
    this.isYielding = false;
  }

  getHeader(lowerCaseKey: string): string {
    const { rawHeaders } = this.#message;
    for (let at = 0; at < rawHeaders.length; at += 2) {
      if (rawHeaders[at]?.toLowerCase() === lowerCaseKey) return rawHeaders[at + 1] ?? "";
    }
    return "";
  }
  getParameter(index: number): string | undefined {
    return this.#parameters[index];
  }
  getUrl(): string {
    return this.#path;
  }
  getMethod(): string {
    return this.#method;
  }
  getQuery(): string {
    return this.#query;
  }
  forEach(visit: (key: string, value: string) => void): void {
    const { rawHeaders } = this.#message;
    for (let at = 0; at < rawHeaders.length; at += 2)
      visit(rawHeaders[at]?.toLowerCase() ?? "", rawHeaders[at + 1] ?? "");
  }
  setYield(isYielding: boolean): this {
    this.isYielding = isYielding;
    return this;
  }
}

/** Bytes that node:http is given at a time of an answer that may wait. */
const writeBytes = 64 * 1024;

class JavaScriptResponse implements HttpResponse {
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  #abortHandler: (() => void) | undefined;
  #isOver = false;
  #offset = 0;

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.#message = message;
    this.#response = response;
    response.on("close", () => {
      if (this.#isOver) return;
      this.#isOver = true;
      this.#abortHandler?.();
    });
  }

  writeStatus(status: RecognizedString): this {
    const line = text(status);
    this.#live().statusCode = Number.parseInt(line, 10);
    this.#response.statusMessage = line.slice(line.indexOf(" ") + 1);
    return this;
  }
  writeHeader(key: RecognizedString, value: RecognizedString): this {
    this.#live().appendHeader(text(key), text(value));
    return this;
  }
  write(chunk: RecognizedString): boolean {
    const bytes = buffer(chunk);
    this.#offset += bytes.length;
    return this.#live().write(bytes);
  }
  end(body: RecognizedString = "", closeConnection = false): this {
    const response = this.#live();
    const bytes = buffer(body);
    if (!response.headersSent) response.setHeader("Content-Length", bytes.length);
    this.#finish(closeConnection, () => response.end(bytes));
    return this;
  }
  endWithoutBody(): this {
    const response = this.#live();
    this.#finish(false, () => response.end());
    return this;
  }
  tryEnd(bodyOrChunk: RecognizedString, totalSize: number): [boolean, boolean] {
    const response = this.#live();
    const bytes = buffer(bodyOrChunk);
    if (!response.headersSent) response.setHeader("Content-Length", totalSize);
    // node:http keeps what the socket does not take: it is given no more than that once, and the rest when it has room.
    let isTaken = true;
    let taken = 0;
    while (isTaken && taken < bytes.length) {
      const some = bytes.subarray(taken, taken + writeBytes);
      taken += some.length;
      isTaken = response.write(some);
    }
    this.#offset += taken;
    if (this.#offset < totalSize) return [isTaken, false];
    this.#finish(false, () => response.end());
    return [true, true];
  }
  getWriteOffset(): number {
    this.#live();
    return this.#offset;
  }
  onWritable(handler: (offset: number) => boolean): this {
    this.#live().on("drain", () => {
      if (!this.#isOver) handler(this.#offset);
    });
    return this;
  }
  onAborted(handler: () => void): this {
    this.#live();
    this.#abortHandler = handler;
    return this;
  }
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.#live();
    this.#message.on("data", (chunk: Buffer) => {
      if (!this.#isOver) handler(new Uint8Array(chunk).buffer, false);
    });
    this.#message.on("end", () => {
      if (!this.#isOver) handler(new ArrayBuffer(0), true);
    });
    return this;
  }
  getRemoteAddressAsText(): ArrayBuffer {
    this.#live();
    return new TextEncoder().encode(this.#message.socket.remoteAddress ?? "").buffer;
  }
  cork(write: () => void): this {
    const socket = this.#live().socket;
    socket?.cork();
    try {
      write();
    } finally {
      socket?.uncork();
    }
    return this;
  }
  close(): this {
    this.#live().destroy();
    return this;
  }
  pause(): void {
    this.#live();
    this.#message.pause();
  }
  resume(): void {
    this.#live();
    this.#message.resume();
  }

  #finish(closeConnection: boolean, send: () => void): void {
    if (closeConnection && !this.#response.headersSent) this.#response.setHeader("Connection", "close");
    this.#isOver = true;
    send();
  }

  /** The response, as long as it may be used. The native builds throw here too, so a slip shows on either. */
  #live(): ServerResponse {
    if (this.#isOver) throw new Error("HttpResponse used after its end or after its client left");
    return this.#response;
  }
}

function text(value: RecognizedString): string {
  return typeof value === "string" ? value : buffer(value).toString();
}

/** A copy: as with the native builds, the caller may use its bytes again while node:http still has to send them. */
function buffer(value: RecognizedString): Buffer {
  if (typeof value === "string") return Buffer.from(value);
  return Buffer.from(value instanceof ArrayBuffer ? new Uint8Array(value) : value);
}
