/** What every build of uWebSockets.js has in common, the native ones and our own in JavaScript. */

/** What uWebSockets.js takes as text or bytes. */
export type RecognizedString = string | ArrayBuffer | Uint8Array;

export declare const listenSocketBrand: unique symbol;
/** A listening socket. Opaque: pass it to `us_listen_socket_close` once, and to nothing after that. */
export interface us_listen_socket {
  readonly [listenSocketBrand]: true;
}

/** One request. Valid only until its handler returns or first awaits: read what you need before that. */
export interface HttpRequest {
  /** The first header of that lower-case name, or "". */
  getHeader(lowerCaseKey: string): string;
  /** The part of the path that the route's `:name` or number `index` matched, still percent-encoded. */
  getParameter(index: number): string | undefined;
  /** The path as sent: percent-encoded, without the query. */
  getUrl(): string;
  /** The method, in lower case. */
  getMethod(): string;
  /** The query as sent, without "?"; "" or `undefined` when there is none (the builds differ). */
  getQuery(): string | undefined;
  /** Every header in the order sent, names in lower case. */
  forEach(visit: (key: string, value: string) => void): void;
  /** `true` says that this handler leaves the request to the next route that matches. */
  setYield(isYielding: boolean): HttpRequest;
}

/**
 * The one reply to a request. Every method throws once the reply was ended or the client went away.
 * A handler that does not end it before returning must have called `onAborted`.
 */
export interface HttpResponse {
  /** Such as "200 OK". First of all calls, or never. */
  writeStatus(status: RecognizedString): HttpResponse;
  writeHeader(key: RecognizedString, value: RecognizedString): HttpResponse;
  /** Sends a piece in chunked encoding. `false` says that it waits in memory for a slow client. */
  write(chunk: RecognizedString): boolean;
  end(body?: RecognizedString, closeConnection?: boolean): HttpResponse;
  /**
   * Ends without a body: HEAD (write its Content-Length as a header), 204, 304. Its arguments are left out. 20.30 takes
   * a length for a promise to send that many bytes, and ends the process when the handler returns without them.
   */
  endWithoutBody(): HttpResponse;
  /** Sends one piece of a body of `totalSize` bytes. @returns [all was taken, the reply is complete] */
  tryEnd(bodyOrChunk: RecognizedString, totalSize: number): [boolean, boolean];
  /** Bytes of the body taken so far by `write` and `tryEnd`. */
  getWriteOffset(): number;
  /** Called when a slow client has caught up; return `true` if what was tried there went out. */
  onWritable(handler: (offset: number) => boolean): HttpResponse;
  /** Called at most once, when the client goes away before the reply was ended. */
  onAborted(handler: () => void): HttpResponse;
  /**
   * The request's body, piece by piece, `isLast` exactly once. The bytes are gone when `handler` returns: copy them.
   */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse;
  /** No more of the request's body is read, but for what has arrived. A client's leaving is not noticed meanwhile. */
  pause(): void;
  /** It is read again. */
  resume(): void;
  /** The peer's address as ASCII text. */
  getRemoteAddressAsText(): ArrayBuffer;
  /**
   * Packs what `write` calls inside into one system call. Needed anywhere but in the handler's first, synchronous part.
   */
  cork(write: () => void): HttpResponse;
  /** Drops the connection at once; `onAborted` runs. */
  close(): HttpResponse;
}

/** Handles a request that a route matched. */
export type RouteHandler = (res: HttpResponse, req: HttpRequest) => void;

/**
 * An HTTP server. Among routes of one kind a fixed path wins over `:name`, that over `*`. Use either `any` or routes of
 * one method for a path: which of the two wins when both match differs between builds.
 */
export interface TemplatedApp {
  get(pattern: string, handler: RouteHandler): TemplatedApp;
  post(pattern: string, handler: RouteHandler): TemplatedApp;
  put(pattern: string, handler: RouteHandler): TemplatedApp;
  patch(pattern: string, handler: RouteHandler): TemplatedApp;
  del(pattern: string, handler: RouteHandler): TemplatedApp;
  head(pattern: string, handler: RouteHandler): TemplatedApp;
  options(pattern: string, handler: RouteHandler): TemplatedApp;
  any(pattern: string, handler: RouteHandler): TemplatedApp;
  /**
   * Listens; port 0 takes a free one. `listened` gets `false` when that failed. The native builds call it before
   * `listen` returns, our own later. With `options` 0 several processes may share the port (SO_REUSEPORT);
   * with `LIBUS_LISTEN_EXCLUSIVE_PORT` a port in use is a failure.
   */
  listen(
    host: string,
    port: number,
    options: number,
    listened: (listenSocket: us_listen_socket | false) => void,
  ): TemplatedApp;
}

/** The part of uWebSockets.js that every build of it has in common, and Parley uses. */
export interface UwsModule {
  App(): TemplatedApp;
  /** Accepts no further connection; those open live on. */
  us_listen_socket_close(listenSocket: us_listen_socket): void;
  /** Of our own build, of which a turn of the event loop takes few connections: how many it has taken. */
  us_listen_socket_taken?(listenSocket: us_listen_socket): number;
  us_socket_local_port(listenSocket: us_listen_socket): number;
  readonly LIBUS_LISTEN_EXCLUSIVE_PORT: number;
  /** Of native builds: with "silent", answers do not name the build. */
  _cfg?(key: "silent"): void;
}
