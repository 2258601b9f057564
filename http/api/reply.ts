/**
 * Answers to requests. A handler returns the fields of a success answer, or a `Reply`. Each kind of reply knows how it
 * is sent, and whether it can tell the names of ignored parameters. Pages, files and documents cannot.
 */
import { createHash } from "node:crypto";
import { brotliCompress, gzip } from "node:zlib";
import type { ApiError } from "../../actors/errors.ts";
import { encodeParts, type Fields } from "../../actors/text/json-text.ts";
import { accepts, type Encoding } from "../server/content-encoding.ts";
import type { Exchange } from "../server/exchange.ts";
import { minCompressedBytes } from "../server/gzip.ts";
import type { Headers } from "../server/header-block.ts";
import type { ByteSource } from "../server/send-source.ts";

/** Headers that say when to try again, for pages as for JSON. */
export function retryHeaders({ code, status, extra }: ApiError): [name: string, value: string][] {
  if (code === "RATE_LIMIT_HIT" || status === 503) return [["Retry-After", String(extra["retry-after"] ?? 1)]];
  return [];
}

/** What a handler returns. */
export type Answer = Record<string, unknown> | Reply;

const success = { result: "success", msg: "" } as const;

export abstract class Reply {
  /** Writes it to the exchange. Returns its status, for the metrics and the log. */
  abstract sendTo(exchange: Exchange): number | Promise<number>;

  /** The same reply, which also tells the names of these ignored parameters if it can. */
  withIgnored(_parameters: readonly string[]): Reply {
    return this;
  }
}

/** Sends JSON, compressed if it is large enough. Returns its status. */
function sendText(exchange: Exchange, json: string): number | Promise<number> {
  if (!exchange.compresses(json.length)) {
    exchange.replyJson(200, json);
    return 200;
  }
  return exchange.replyCompressed(Buffer.from(json)).then(() => 200);
}

/** Fields of a success answer. */
class FieldsReply extends Reply {
  constructor(readonly fields: Readonly<Record<string, unknown>>) {
    super();
  }

  sendTo(exchange: Exchange): number | Promise<number> {
    return sendText(exchange, JSON.stringify({ ...success, ...this.fields }));
  }

  override withIgnored(parameters: readonly string[]): Reply {
    return new FieldsReply({ ...this.fields, ignored_parameters_unsupported: parameters });
  }
}

/** The reply that an answer stands for. */
export function replyOf(answer: Answer): Reply {
  return answer instanceof Reply ? answer : new FieldsReply(answer);
}

/**
 * Fields of a success answer that are JSON already, without braces: `"name":value,…`. For answers made of cached parts.
 */
export class EncodedReply extends Reply {
  constructor(readonly fields: string) {
    super();
  }

  sendTo(exchange: Exchange): number | Promise<number> {
    return sendText(exchange, `{"result":"success","msg":"",${this.fields}}`);
  }

  override withIgnored(parameters: readonly string[]): Reply {
    return new EncodedReply(`${this.fields},"ignored_parameters_unsupported":${JSON.stringify(parameters)}`);
  }
}

/**
 * Fields of a success answer, some of them JSON already: for large answers, sent as fast as the client takes them.
 */
export class PiecesReply extends Reply {
  /**
   * @param secrets fields that are not compressed. With them given, the others are compressed, whatever the endpoint
   * declares
   * @param isShared nearly all of it is kept for others anyway
   */
  constructor(
    readonly fields: readonly Fields[],
    readonly secrets?: ReadonlySet<string>,
    readonly isShared = false,
  ) {
    super();
  }

  async sendTo(exchange: Exchange): Promise<number> {
    if (this.secrets) exchange.mayCompress = true;
    await exchange.replyParts(encodeParts([success, ...this.fields], this.secrets), this.isShared);
    return 200;
  }

  override withIgnored(parameters: readonly string[]): Reply {
    return new PiecesReply(
      [...this.fields, { ignored_parameters_unsupported: parameters }],
      this.secrets,
      this.isShared,
    );
  }
}

/** An answer that is not the API's envelope: a page, a document, a redirect. */
export class RawReply extends Reply {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly body: string | Uint8Array,
  ) {
    super();
  }

  sendTo(exchange: Exchange): number {
    exchange.reply(this.status, this.headers, this.body);
    return this.status;
  }
}

/** Best first. */
const encodings: readonly Encoding[] = ["br", "gzip"];
type Compressor = (bytes: Uint8Array, done: (error: Error | null, compressed: Buffer) => void) => void;
const compressors: Readonly<Record<Encoding, Compressor>> = { br: brotliCompress, gzip };

/** An answer that clients may cache and revalidate (`If-None-Match`). */
export class KeptReply extends RawReply {
  declare readonly body: Uint8Array;
  readonly etag: string;
  /** Compressed in the background when first asked for. Until it is ready clients get the body as it is. */
  readonly #compressed = new Map<Encoding, Uint8Array | "making">();

  /** @param secs how long a client need not ask again */
  constructor({ headers, body }: RawReply, secs: number) {
    const bytes = new Uint8Array(typeof body === "string" ? Buffer.from(body) : body);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const caching = secs > 0 ? `public, max-age=${secs}` : "no-cache";
    const others = headers.filter(([name]) => name !== "Cache-Control");
    super(200, [...others, ["Cache-Control", caching], ["ETag", etag], ["Vary", "Accept-Encoding"]], bytes);
    this.etag = etag;
  }

  override sendTo(exchange: Exchange): number {
    if (this.#isHad(exchange.ifNoneMatch)) {
      exchange.reply(304, this.headers, "");
      return 304;
    }
    const encoding = encodings.find((each) => accepts(exchange.acceptEncoding, each));
    const made = encoding && this.#as(encoding);
    if (!made) return super.sendTo(exchange);
    exchange.reply(200, [...this.headers, ["Content-Encoding", encoding]], made);
    return 200;
  }

  #as(encoding: Encoding): Uint8Array | undefined {
    if (this.body.length < minCompressedBytes) return undefined;
    const made = this.#compressed.get(encoding);
    if (made !== undefined) return made === "making" ? undefined : made;
    this.#compressed.set(encoding, "making");
    compressors[encoding](this.body, (error, bytes) => {
      if (!error) this.#compressed.set(encoding, bytes);
    });
    return undefined;
  }

  /** Whether the client's `If-None-Match` names this body. */
  #isHad(ifNoneMatch: string): boolean {
    return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === this.etag);
  }
}

/** A file. It is sent as fast as the client takes it, and is never in memory as a whole. */
export class FileReply extends Reply {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    readonly source: ByteSource,
  ) {
    super();
  }

  async sendTo(exchange: Exchange): Promise<number> {
    await exchange.replySource(this.status, this.headers, this.source);
    return this.status;
  }
}

/** JSON without the API's envelope, sent in the same way as the API's answers. */
export class JsonReply extends Reply {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super();
  }

  sendTo(exchange: Exchange): number {
    exchange.replyJson(this.status, this.body);
    return this.status;
  }
}

/** Fields that are made while nothing else waits for them: the request has given back what it held to read. */
export class AwaitedReply extends Reply {
  constructor(private readonly make: () => Promise<Readonly<Record<string, unknown>>>) {
    super();
  }

  async sendTo(exchange: Exchange): Promise<number> {
    return new FieldsReply(await this.make()).sendTo(exchange);
  }

  override withIgnored(parameters: readonly string[]): Reply {
    return new AwaitedReply(async () => ({ ...(await this.make()), ignored_parameters_unsupported: parameters }));
  }
}

/** The handler has arranged for the answer to be written to the exchange. */
export class Later extends Reply {
  sendTo(): number {
    return 200;
  }
}

/** JSON of an error, with only the fields that strict clients know. */
export function errorBody(error: ApiError): string {
  return JSON.stringify({ result: "error", msg: error.message, code: error.code, ...error.extra });
}
