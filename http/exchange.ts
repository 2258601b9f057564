/**
 * One request and its one reply. Reads everything it needs from the request before anything else happens, knows when the
 * client has gone, and writes the reply corked, once.
 */
import { clientAddress } from "./addresses.ts";
import type { HttpRequest, HttpResponse } from "./uws.ts";

const statusTexts: Record<number, string> = {
  200: "200 OK",
  204: "204 No Content",
  302: "302 Found",
  304: "304 Not Modified",
  400: "400 Bad Request",
  401: "401 Unauthorized",
  403: "403 Forbidden",
  404: "404 Not Found",
  405: "405 Method Not Allowed",
  408: "408 Request Timeout",
  413: "413 Payload Too Large",
  429: "429 Too Many Requests",
  431: "431 Request Header Fields Too Large",
  500: "500 Internal Server Error",
  502: "502 Bad Gateway",
  503: "503 Service Unavailable",
};

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
/**
 * The headers of every JSON answer, as bytes and as the value of one: each call into the server costs as much as a map
 * look-up, and each string that it is given has to be converted first. That is why pages of any site may read every answer,
 * without being asked for their origin first: no cookie goes with what they ask.
 */
export const jsonHeader = {
  name: bytes("Content-Type"),
  value: bytes(
    "application/json\r\nCache-Control: no-store, no-cache, private\r\nX-Content-Type-Options: nosniff\r\nAccess-Control-Allow-Origin: *",
  ),
};

export type Headers = readonly (readonly [name: string, value: string])[];

/** The body is larger than the route allows; the rest of it was not kept. */
export class BodyTooLarge extends Error {
  override name = "BodyTooLarge";
}
/** The client went away before it had sent everything. */
export class ClientGone extends Error {
  override name = "ClientGone";
}

export class Exchange {
  readonly method: string;
  /** Percent-encoded, with repeated slashes folded into one. */
  readonly path: string;
  readonly query: string;
  readonly authorization: string;
  readonly contentType: string;
  readonly userAgent: string;
  readonly host: string;
  /** Empty where a request proves who it is in another way. */
  readonly cookie: string;
  readonly csrfToken: string;
  readonly origin: string;
  readonly #forwardedFor: string;
  /** Pairs that go on whatever reply there is. */
  readonly headers: [string, string][] = [];
  /** Whether pages of other sites may read the reply. */
  isForOtherSites = true;
  /** Whether it came in where only whoever runs the server asks. */
  isAtAdminAddress = false;
  isGone = false;
  #replied = false;
  #onGone: (() => void)[] = [];

  constructor(
    private readonly res: HttpResponse,
    req: HttpRequest,
    /** Whether the connection is to be closed behind the reply: the client should come again elsewhere. */
    private readonly isLast: () => boolean = () => false,
    /** Whether trusted proxies stand in front of this server. */
    isProxied = false,
    /** Whether requests are opened up that have to ask which page they come from. */
    isDevelopment = false,
  ) {
    this.method = req.getMethod().toUpperCase();
    const path = req.getUrl();
    this.path = path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;
    this.query = req.getQuery() ?? "";
    // Each header costs a call into the server: only those that can matter to this request are read.
    const hasBody = this.method !== "GET" && this.method !== "HEAD";
    this.authorization = req.getHeader("authorization");
    const isBrowser = this.authorization === "";
    this.contentType = hasBody ? req.getHeader("content-type") : "";
    this.userAgent = req.getHeader("user-agent");
    this.host = req.getHeader("host");
    this.cookie = isBrowser ? req.getHeader("cookie") : "";
    this.csrfToken = isBrowser && hasBody ? req.getHeader("x-csrftoken") : "";
    this.origin = (isBrowser && hasBody) || isDevelopment ? req.getHeader("origin") : "";
    this.#forwardedFor =
      isProxied || this.path === "/metrics" || this.path === "/replicas" ? allLines(req, "x-forwarded-for") : "";
    res.onAborted(() => {
      this.isGone = true;
      for (const gone of this.#onGone.splice(0)) gone();
    });
  }

  /** Whether a proxy passed it on. */
  get isForwarded(): boolean {
    return this.#forwardedFor !== "";
  }

  get hasReplied(): boolean {
    return this.#replied;
  }

  /** The client's address; behind `proxies` trusted proxies, what they say it is. */
  remoteAddress(proxies: number): string {
    const peer = this.isGone ? "" : Buffer.from(this.res.getRemoteAddressAsText()).toString("latin1");
    return clientAddress(this.#forwardedFor, proxies, peer);
  }

  /** Calls back if the client goes before it has its reply. */
  onGone(gone: () => void): void {
    if (this.isGone) gone();
    else this.#onGone.push(gone);
  }

  /** Reads the whole body. Must be called before the first await. @throws BodyTooLarge, ClientGone */
  readBody(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      let size = 0;
      let chunks: Buffer[] = [];
      this.#onGone.push(() => reject(new ClientGone()));
      this.res.onData((chunk, isLast) => {
        size += chunk.byteLength;
        if (size > maxBytes) {
          chunks = [];
          reject(new BodyTooLarge());
          return;
        }
        // The bytes are only lent: copy them.
        if (chunk.byteLength > 0) chunks.push(Buffer.from(Buffer.from(chunk)));
        if (isLast) resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
      });
    });
  }

  /** Sends the reply. A second one, or one to a client that has gone, is not sent. The bytes may be reused afterwards. */
  reply(status: number, headers: Headers, body: string | Uint8Array): void {
    this.#send(status, body, (res) => {
      res.writeHeader("X-Content-Type-Options", "nosniff");
      if (this.isForOtherSites) res.writeHeader("Access-Control-Allow-Origin", "*");
      for (const [name, value] of headers) res.writeHeader(name, value);
    });
  }

  /** `reply` with JSON. */
  replyJson(status: number, body: string | Uint8Array): void {
    if (this.isForOtherSites) this.#send(status, body, writeJsonHeader);
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

  /**
   * Sends JSON in pieces, as fast as the client takes them: a slow client costs no memory but its socket's. The bytes must
   * stay as they are until the client has them.
   */
  replyPieces(pieces: readonly Uint8Array[]): void {
    const total = pieces.reduce((sum, { length }) => sum + length, 0);
    if (total <= maxWholeBytes || this.method === "HEAD" || this.isLast()) {
      this.replyJson(200, Buffer.concat(pieces));
      return;
    }
    if (this.#replied || this.isGone) return;
    this.#replied = true;
    const { res } = this;
    const rest = new Pieces(pieces, total);
    res.cork(() => {
      writeJsonHeader(res);
      for (const [name, value] of this.headers) res.writeHeader(name, value);
      res.onWritable(() => this.isGone || rest.send(res));
      rest.send(res);
    });
  }

  #send(status: number, body: string | Uint8Array, writeHeaders: (res: HttpResponse) => void): void {
    if (this.#replied || this.isGone) return;
    this.#replied = true;
    const { res } = this;
    res.cork(() => {
      if (status !== 200) res.writeStatus(statusTexts[status] ?? `${status} Unknown`);
      writeHeaders(res);
      for (const [name, value] of this.headers) res.writeHeader(name, value);
      if (this.method === "HEAD" || status === 204 || status === 304) {
        if (this.method === "HEAD")
          res.writeHeader("Content-Length", String(typeof body === "string" ? Buffer.byteLength(body) : body.length));
        res.endWithoutBody();
      } else res.end(body, this.isLast());
    });
  }
}

/** The values of every header of this name, as if they were in one: a proxy may add a line of its own behind the client's. */
function allLines(req: HttpRequest, name: string): string {
  let lines = "";
  req.forEach((key, value) => {
    if (key === name) lines += lines === "" ? value : `,${value}`;
  });
  return lines;
}

/** Answers up to this size are handed over whole. */
const maxWholeBytes = 256 * 1024;

/** What is left to send of a body. */
class Pieces {
  #index = 0;
  /** Bytes of the body before the current piece. */
  #sent = 0;

  constructor(
    private readonly pieces: readonly Uint8Array[],
    private readonly total: number,
  ) {}

  /** Sends what the socket takes. Returns false when there is more. */
  send(res: HttpResponse): boolean {
    for (;;) {
      const piece = this.pieces[this.#index]!;
      const [isTaken, isDone] = res.tryEnd(piece.subarray(res.getWriteOffset() - this.#sent), this.total);
      if (isDone) return true;
      if (res.getWriteOffset() < this.#sent + piece.length) return false;
      this.#sent += piece.length;
      this.#index++;
      if (!isTaken) return false;
    }
  }
}

const writeJsonHeader = (res: HttpResponse): void => {
  res.writeHeader(jsonHeader.name, jsonHeader.value);
};
