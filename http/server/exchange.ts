/**
 * One request and its one reply. Reads everything it needs from the request before anything else happens, knows when
 * the client has gone, and writes the reply corked, once.
 */
import { randomUUID } from "node:crypto";
import type { AnswerPart } from "../../actors/text/json-text.ts";
import type { Span } from "../../actors/tracing.ts";
import type { SessionId } from "../../storage/ids.ts";
import { clientAddress, networksOf } from "./addresses.ts";
import type { Place } from "./admission.ts";
import type { BodyShare } from "./body-budget.ts";
import { BodyStream } from "./body-stream.ts";
import type { HttpRequest, HttpResponse } from "./builds/uws-interface.ts";
import { accepts } from "./content-encoding.ts";
import { EventStream, type StreamForm } from "./event-stream.ts";
import { compressed, type Gzip, gzipped, minCompressedBytes } from "./gzip.ts";
import { type HeaderBlock, type Headers, keepAlive } from "./header-block.ts";
import { Pieces } from "./pieces.ts";
import { allLines, wantedHeaders, wantsStream } from "./request-headers.ts";
import { type ByteSource, sendSource } from "./send-source.ts";
import { statusTexts } from "./status-texts.ts";
import { readWholeBody } from "./whole-body.ts";

/** What all requests of a listener have in common. */
export interface Listening {
  /** Whether connections are closed after their replies, so that clients come again elsewhere. */
  isDraining(): boolean;
  /** Whether trusted proxies stand in front of this server. */
  isProxied: boolean;
  /** Whether endpoints are open that have to check the page a request comes from. */
  isDevelopment: boolean;
  /** `jsonHeaders`, and `strictTransport`. */
  jsonHeaders: HeaderBlock;
  gzip: Gzip;
  /** Tells browsers to keep to https, where people come by that. */
  strictTransport: Headers;
}

/** What a route declares of the headers that it reads besides those of every request. */
interface WantedHeaders {
  stream?: string;
  servesFiles?: true;
  wantsHeaders?: Iterable<string>;
}

/** Where pages are that the server makes in the language of their reader. */
const spokenPaths = /^\/(?:login|accounts|join|complete|about|calls)\//;
/** What proxies call requests; anything else could forge lines of a log. */
const requestIdPattern = /^[\w.:=+/-]{8,128}$/;

export class Exchange {
  readonly method: string;
  /** Percent-encoded, with repeated slashes folded into one. */
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly contentType: string;
  /** Bytes of the body, if the client tells. */
  readonly #length: number | undefined;
  readonly userAgent: string;
  readonly host: string;
  /** Empty if the request is authenticated in another way. */
  readonly cookie: string;
  readonly csrfToken: string;
  readonly origin: string;
  /** The bytes that are asked for of a file; undefined for a route that does not declare that it serves files. */
  range: string | undefined;
  /** The answer that the client has: for files, and for requests without a key. */
  ifNoneMatch: string;
  /** Whether events should come on a stream, and the newest id that a browser has had of it. */
  wantsStream = false;
  lastEventId = "";
  readonly acceptEncoding: string;
  /** The languages that a browser asks for, at addresses of pages; empty elsewhere. */
  readonly acceptLanguage: string;
  /** Whether the answer may be compressed: it has no secret beside texts that others chose. */
  mayCompress = false;
  /** The headers that its route wants, by name in lower case. */
  wanted: ReadonlyMap<string, string> | undefined;
  readonly #forwardedFor: string;
  /** Headers for any reply. */
  readonly headers: [string, string][] = [];
  /** Whether pages of other sites may read the reply. */
  isForOtherSites = true;
  /** Whether it came by the administrator's address. */
  isAtAdminAddress = false;
  isGone = false;
  /** What is done for it, where that is traced. */
  span: Span | undefined;
  /** Counts the bytes of a large answer, and returns what gives them back. @throws ApiError when they are too many */
  countAnswer: ((bytes: number) => () => void) | undefined;
  /** Where it stands among large answers, if it has to. */
  place: Place | undefined;
  #isCounted = false;
  #id: string | undefined;
  #isIdTold = false;
  /** Whether it is the last on its connection: bytes behind it are not taken for another request. */
  isLast = false;
  #replied = false;
  #onGone: (() => void)[] = [];
  #onEnd: (() => void)[] = [];

  constructor(
    private readonly res: HttpResponse,
    req: HttpRequest,
    private readonly listening: Listening,
  ) {
    this.method = req.getMethod().toUpperCase();
    const path = req.getUrl();
    this.path = path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
    this.query = req.getQuery() ?? "";
    // Reading a header costs a call into the server, so only those that matter to this request are read.
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    this.authorization = req.getHeader("authorization");
    const isBrowser = this.authorization === "";
    this.contentType = hasBody ? req.getHeader("content-type") : "";
    const length = hasBody && req.getHeader("transfer-encoding") === "" ? req.getHeader("content-length") : "";
    this.#length = length === "" ? undefined : Number(length);
    this.userAgent = req.getHeader("user-agent");
    this.host = req.getHeader("host");
    this.cookie = isBrowser ? req.getHeader("cookie") : "";
    this.csrfToken = isBrowser && hasBody ? req.getHeader("x-csrftoken") : "";
    this.origin = (isBrowser && hasBody) || listening.isDevelopment ? req.getHeader("origin") : "";
    this.ifNoneMatch = isBrowser && !hasBody ? req.getHeader("if-none-match") : "";
    this.acceptEncoding = req.getHeader("accept-encoding");
    this.acceptLanguage = isBrowser && spokenPaths.test(this.path) ? req.getHeader("accept-language") : "";
    this.#forwardedFor = listening.isProxied ? allLines(req, "x-forwarded-for") : "";
    const givenId = listening.isProxied ? req.getHeader("x-request-id") : "";
    if (requestIdPattern.test(givenId)) this.#id = givenId;
    res.onAborted(() => {
      this.isGone = true;
      for (const gone of this.#onGone.splice(0)) gone();
      this.#noteEnd(true);
    });
  }

  /** Reads the headers that only this route wants. Must be called before the first await. */
  readFor(route: WantedHeaders, req: HttpRequest): void {
    if (route.servesFiles) {
      this.range = req.getHeader("range");
      this.ifNoneMatch = req.getHeader("if-none-match");
    }
    this.wantsStream = this.method === "GET" && route.stream !== undefined && wantsStream(req);
    if (this.wantsStream) this.lastEventId = req.getHeader("last-event-id");
    if (route.wantsHeaders) this.wanted = wantedHeaders(req, route.wantsHeaders);
  }

  /** Names the request in the logs of all nodes: as a trusted proxy calls it, or by a number of its own. */
  get requestId(): string {
    return (this.#id ??= randomUUID());
  }

  /** The same for a line that somebody will look for. The answer tells it from then on. */
  get id(): string {
    if (!this.#isIdTold) this.headers.push(["X-Request-Id", this.requestId]);
    this.#isIdTold = true;
    return this.requestId;
  }

  get hasReplied(): boolean {
    return this.#replied;
  }

  /** The client's address. Behind `proxies` trusted proxies it is the one that they tell. */
  remoteAddress(proxies: number): string {
    const peer = this.isGone ? "" : Buffer.from(this.res.getRemoteAddressAsText()).toString("latin1");
    return clientAddress(this.#forwardedFor, proxies, peer);
  }

  /** What is counted as one machine: an IPv4 address, or the /64 of an IPv6 one. */
  network(proxies: number): string {
    return networksOf(this.remoteAddress(proxies))[0];
  }

  /** Calls back if the client goes before it has its reply. */
  onGone(gone: () => void): void {
    if (this.isGone) gone();
    else this.#onGone.push(gone);
  }

  /** Calls back once the reply is at the socket, or the client has gone before. */
  onEnd(ended: () => void): void {
    if (this.isGone) ended();
    else this.#onEnd.push(ended);
  }

  /**
   * Reads the whole body, as far as its share allows. Must be called before the first await.
   * @throws BodyTooLarge, ClientGone
   */
  readBody(maxBytes: number, share?: BodyShare): Promise<Buffer> {
    // 20.30 never gives the last piece of an empty body when the request's head came in several packets.
    if (this.#length === 0) return Promise.resolve(Buffer.alloc(0));
    return readWholeBody(this.res, (gone) => this.#onGone.push(gone), maxBytes, share);
  }

  /** The body as it comes in. Must be called before the first await. */
  streamBody(maxBytes: number, share: BodyShare): BodyStream {
    const body = new BodyStream(this.res, maxBytes, share, this.#length);
    this.#onGone.push(() => body.gone());
    return body;
  }

  /**
   * Sends the reply. A second one, or one to a client that has gone, is ignored. The bytes may be reused afterwards.
   */
  reply(status: number, headers: Headers, body: string | Uint8Array): void {
    this.#send(status, body, (res) => {
      this.#writeCommonHeaders();
      for (const [name, value] of headers) res.writeHeader(name, value);
    });
  }

  /** Headers of every answer that is not the API's JSON. JSON has the same in `jsonHeaders`. */
  #writeCommonHeaders(): void {
    this.res.writeHeader("X-Content-Type-Options", "nosniff");
    this.res.writeHeader(...keepAlive);
    for (const [name, value] of this.listening.strictTransport) this.res.writeHeader(name, value);
    if (this.isForOtherSites) this.res.writeHeader("Access-Control-Allow-Origin", "*");
  }

  /** `reply` with JSON. */
  replyJson(status: number, body: string | Uint8Array): void {
    if (this.isForOtherSites) this.#send(status, body, (res) => this.listening.jsonHeaders.writeTo(res));
    else
      this.reply(
        status,
        [
          ["Content-Type", "application/json"],
          ["Cache-Control", "no-store"],
        ],
        body,
      );
  }

  /** Whether JSON of so many characters goes out compressed. */
  compresses(length: number): boolean {
    return (
      this.mayCompress && length >= minCompressedBytes && this.method !== "HEAD" && accepts(this.acceptEncoding, "gzip")
    );
  }

  /** `replyJson` with status 200, compressed. The bytes must stay as they are until this resolves. */
  async replyCompressed(json: Uint8Array): Promise<void> {
    const bytes = await compressed(json);
    this.#count(bytes.length);
    this.headers.push(...gzipped);
    this.replyJson(200, bytes);
  }

  /**
   * Sends JSON in parts, compressed where the client accepts that.
   *
   * @param isShared what its parts call shared is kept for others anyway, for as long as it takes
   * @throws ApiError when too much waits to be read
   */
  async replyParts(parts: readonly AnswerPart[], isShared: boolean): Promise<void> {
    let pieces: readonly Uint8Array[] = parts.map(({ bytes }) => bytes);
    const own = lengthOf(parts.filter(({ kind }) => kind !== "shared").map(({ bytes }) => bytes));
    this.place?.composed(own);
    const isCompressed = this.compresses(lengthOf(pieces));
    if (isCompressed) pieces = await this.listening.gzip.compress(parts);
    this.#count(isShared ? own : lengthOf(pieces));
    if (isCompressed) this.headers.push(...gzipped);
    this.replyPieces(pieces);
  }

  /**
   * Sends JSON in pieces, as fast as the client takes them. A slow client costs no memory beyond its socket's. The
   * bytes must stay as they are until they are sent.
   */
  replyPieces(pieces: readonly Uint8Array[]): void {
    const total = lengthOf(pieces);
    if (total <= maxWholeBytes || this.method === "HEAD" || this.#closes()) {
      this.replyJson(200, pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces));
      return;
    }
    if (this.#replied || this.isGone) return;
    this.#replied = true;
    const { res } = this;
    const rest = new Pieces(pieces, total);
    res.cork(() => {
      this.listening.jsonHeaders.writeTo(res);
      for (const [name, value] of this.headers) res.writeHeader(name, value);
      res.onWritable(() => this.isGone || this.#noteEnd(rest.send(res)));
      this.#noteEnd(rest.send(res));
    });
  }

  /** An answer of events as they come. Until it is opened, an error may be answered instead. */
  eventStream(sessionId: SessionId | undefined, form?: StreamForm): EventStream {
    const begin = () => {
      if (this.#replied || this.isGone) return undefined;
      this.#replied = true;
      return this.isForOtherSites ? [...this.headers, ["Access-Control-Allow-Origin", "*"] as const] : this.headers;
    };
    const stream = new EventStream(this.res, sessionId, begin, form);
    this.onGone(() => stream.gone());
    return stream;
  }

  /** Sends a body that is read while it goes out. Resolves when it has, or the client has gone. */
  async replySource(status: number, headers: Headers, source: ByteSource): Promise<void> {
    if (this.#replied || this.isGone) return;
    const { res } = this;
    const begin = (): void => {
      this.#replied = true;
      if (status !== 200) res.writeStatus(statusTexts[status] ?? `${status} Unknown`);
      this.#writeCommonHeaders();
      for (const [name, value] of [...headers, ...this.headers]) res.writeHeader(name, value);
    };
    if (this.method !== "HEAD" && source.size > 0)
      return sendSource(
        res,
        source,
        begin,
        () => this.isGone,
        (gone) => this.onGone(gone),
      );
    res.cork(() => {
      begin();
      if (this.method === "HEAD") res.writeHeader("Content-Length", String(source.size));
      if (this.method === "HEAD") res.endWithoutBody();
      else res.end("");
    });
  }

  #send(status: number, body: string | Uint8Array, writeHeaders: (res: HttpResponse) => void): void {
    if (this.#replied || this.isGone) return;
    if (body.length > maxWholeBytes) this.#count(typeof body === "string" ? Buffer.byteLength(body) : body.length);
    this.#replied = true;
    if (!this.isLast) {
      this.#write(status, body, writeHeaders);
      return;
    }
    // A native build goes on with the packet that it is reading. Only while a reply is still to come does it end the
    // connection when another request follows.
    const kept = typeof body === "string" ? body : Uint8Array.from(body);
    setImmediate(() => {
      if (!this.isGone) this.#write(status, kept, writeHeaders);
    });
  }

  #write(status: number, body: string | Uint8Array, writeHeaders: (res: HttpResponse) => void): void {
    const { res } = this;
    res.cork(() => {
      if (status !== 200) res.writeStatus(statusTexts[status] ?? `${status} Unknown`);
      writeHeaders(res);
      for (const [name, value] of this.headers) res.writeHeader(name, value);
      if (this.method === "HEAD" || status === 204 || status === 304) {
        if (this.method === "HEAD")
          res.writeHeader("Content-Length", String(typeof body === "string" ? Buffer.byteLength(body) : body.length));
        res.endWithoutBody();
        this.#noteEnd(true);
      } else if (this.#closes() || body.length === 0) {
        res.end(body, this.#closes());
        this.#noteEnd(true);
      } else this.#sendBody(body);
    });
  }

  /** Whether the connection is closed after the reply. */
  #closes(): boolean {
    return this.isLast || this.listening.isDraining();
  }

  /**
   * Sends what the socket takes, and the rest when it takes more. The reply has not ended until then, so nothing more
   * is kept for a client that sends requests without reading.
   */
  #sendBody(body: string | Uint8Array): void {
    const { res } = this;
    const total = typeof body === "string" ? Buffer.byteLength(body) : body.length;
    const [, isDone] = res.tryEnd(body, total);
    if (this.#noteEnd(isDone)) return;
    const begin = res.getWriteOffset();
    const rest = new Uint8Array(typeof body === "string" ? Buffer.from(body) : body).subarray(begin);
    res.onWritable((offset) => this.isGone || this.#noteEnd(res.tryEnd(rest.subarray(offset - begin), total)[1]));
  }

  /** Counts a large answer, once, until it is sent or its client has gone. @throws ApiError when too much waits */
  #count(bytes: number): void {
    if (bytes <= maxWholeBytes || this.#isCounted || this.isGone || this.method === "HEAD") return;
    const giveBack = this.countAnswer?.(bytes);
    this.#isCounted = true;
    if (giveBack) this.onEnd(giveBack);
  }

  #noteEnd(isDone: boolean): boolean {
    if (isDone) for (const ended of this.#onEnd.splice(0)) ended();
    return isDone;
  }
}

const lengthOf = (pieces: readonly Uint8Array[]): number => pieces.reduce((sum, { length }) => sum + length, 0);

/** Answers up to this size are given to the socket whole. */
const maxWholeBytes = 256 * 1024;
