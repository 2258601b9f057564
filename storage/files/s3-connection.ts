/**
 * Requests to an S3 store. Each is bounded in time and in the bytes of its answer, and tried again where that may help.
 * A body is bytes, or a file of the disk, so it can be sent again.
 */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { codeOf, FilesUnavailable } from "../failures.ts";
import { type KeySettings, KeySource } from "./s3-keys.ts";
import { canonicalQuery, encodeStrictly, sign, signQuery } from "./s3-signature.ts";

export interface S3Settings extends KeySettings {
  bucket: string;
  /** Undefined: AWS's of the region. */
  endpoint: string | undefined;
  region: string;
  /** Before each key, without a slash at its end. */
  prefix: string;
  /** Where the bucket is named: in the path, or in the host. Undefined: in the path of an endpoint that was given. */
  style: "path" | "host" | undefined;
  /** Asked of the store for each file. */
  encryption: "AES256" | "aws:kms" | undefined;
  kmsKey: string | undefined;
  /** A request without any progress for so long is given up. */
  timeoutMs: number;
  /** For how long the addresses of files work that are given to others. Undefined: none are given. */
  addressSecs: number | undefined;
  /** Where others reach the store. Undefined: where this server does. */
  addressEndpoint: string | undefined;
}

/** Bytes of a file of the disk. */
export interface BodyOnDisk {
  file: string;
  size: number;
  /** SHA-256 in hexadecimal digits. */
  hash: string;
}

export interface S3Request {
  method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Undefined: of the bucket. */
  key?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | BodyOnDisk;
  /** Statuses that are answers besides those of success. */
  alsoGood?: readonly number[];
  /** Bytes of an answer; more is a failure. */
  maxBytes?: number;
  /** How many times as long as another the store may be silent. */
  patience?: number;
}

export interface S3Answer {
  status: number;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** Lists of a thousand names take less. */
const defaultMaxBytes = 2 * 1024 * 1024;
/** Of a refusal this much is looked at. */
const refusalBytes = 16 * 1024;
const attempts = 3;
const againAfterMs = 200;
const socketsAtOnce = 128;

/** A failure that another attempt may not meet. */
class Passing extends FilesUnavailable {}

export class S3Connection {
  readonly #agent: HttpAgent;
  readonly #base: URL;
  /** As others reach it. */
  readonly #publicBase: URL;
  readonly #keys: KeySource;

  constructor(readonly settings: S3Settings) {
    this.#base = baseOf(settings, settings.endpoint);
    this.#publicBase = baseOf(settings, settings.addressEndpoint ?? settings.endpoint);
    const options = { keepAlive: true, maxSockets: socketsAtOnce, timeout: settings.timeoutMs };
    this.#agent = this.#base.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
    this.#keys = new KeySource(settings);
  }

  /** What is asked of the store for a new file. */
  storing(): Record<string, string> {
    const { encryption, kmsKey } = this.settings;
    return {
      ...(encryption !== undefined && { "x-amz-server-side-encryption": encryption }),
      ...(kmsKey !== undefined && { "x-amz-server-side-encryption-aws-kms-key-id": kmsKey }),
    };
  }

  /** @throws FilesUnavailable when the store cannot be asked, refuses, or does not answer in time */
  async ask(wanted: S3Request): Promise<S3Answer> {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(wanted);
      } catch (error) {
        // A store that is silent is not asked for as long again.
        const isLate = performance.now() - began > this.settings.timeoutMs / 2;
        if (!(error instanceof Passing) || attempt === attempts || isLate) throw error;
        await delay(againAfterMs * attempt ** 2);
      }
    }
  }

  async #attempt(wanted: S3Request): Promise<S3Answer> {
    const answer = await this.#send(wanted);
    const { status, body } = answer;
    const isGood = (status >= 200 && status < 300) || wanted.alsoGood?.includes(status);
    // A multipart upload may fail after its status was sent.
    const code = tagIn(body.subarray(0, refusalBytes).toString("latin1"), "Code");
    if (isGood && !(wanted.method === "POST" && code !== undefined)) return answer;
    const what = `The object store answered ${wanted.method} with ${status}${code === undefined ? "" : ` ${code.slice(0, 60)}`}.`;
    if (status === 403 || status === 401) this.#keys.forget();
    const isPassing = status >= 500 || status === 429 || status === 408 || (isGood && status === 200);
    throw isPassing || code === "ExpiredToken" ? new Passing(what) : new FilesUnavailable(what);
  }

  async #send({
    method,
    key,
    query = {},
    headers = {},
    body,
    maxBytes = defaultMaxBytes,
    patience = 1,
  }: S3Request): Promise<S3Answer> {
    const path = this.#pathOf(this.#base, key);
    const search = canonicalQuery(query);
    const bytes = body === undefined ? new Uint8Array() : body;
    const isOnDisk = "file" in bytes;
    const signed = sign(
      {
        method,
        path,
        query: search,
        headers: { ...headers, host: this.#base.host, "content-length": String(isOnDisk ? bytes.size : bytes.length) },
        bodyHash: isOnDisk ? bytes.hash : createHash("sha256").update(bytes).digest("hex"),
      },
      await this.#keys.keys(),
      this.settings.region,
      new Date(),
    );
    const timeoutMs = this.settings.timeoutMs * patience;
    const request = this.#base.protocol === "https:" ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const url = `${this.#base.origin}${path}${search === "" ? "" : `?${search}`}`;
      const asked = request(url, { method, headers: signed, agent: this.#agent });
      const silent = () => asked.destroy(new Error(`nothing came for ${timeoutMs} ms`));
      // It may wait for a connection, which no timeout of a socket covers.
      const timer = setTimeout(silent, timeoutMs);
      const progress = () => timer.refresh();
      const end = (error: Error) => {
        clearTimeout(timer);
        const why = codeOf(error) ?? error.message;
        reject(new Passing(`The object store cannot be asked: ${why}.`));
      };
      asked.on("error", end);
      asked.on("socket", (socket) => socket.on("drain", progress));
      asked.on("close", () => asked.socket?.off("drain", progress));
      asked.on("response", (answer) => {
        progress();
        collect(answer, method === "HEAD" ? 0 : maxBytes, progress).then(
          (all) => {
            clearTimeout(timer);
            resolve({ status: answer.statusCode!, headers: answer.headers, body: all });
          },
          (error: Error) => {
            asked.destroy();
            end(error);
          },
        );
      });
      if (isOnDisk) pipeline(createReadStream(bytes.file), asked, (error) => error && asked.destroy(error));
      else asked.end(bytes);
    });
  }

  get publicOrigin(): string {
    return this.#publicBase.origin;
  }

  /**
   * An address by which anybody reads an object for some time from `now` on. The store looks at the query when it
   * answers.
   */
  async addressOf(key: string, query: Readonly<Record<string, string>>, secs: number, now: Date): Promise<string> {
    const { host, origin } = this.#publicBase;
    const path = this.#pathOf(this.#publicBase, key);
    const keys = await this.#keys.keys();
    return `${origin}${path}?${signQuery({ host, path, query, secs }, keys, this.settings.region, now)}`;
  }

  #pathOf({ pathname }: URL, key: string | undefined): string {
    return key === undefined ? pathname : `${pathname.replace(/\/$/, "")}/${this.#keyOf(key)}`;
  }

  #keyOf(key: string): string {
    const { prefix } = this.settings;
    return (prefix === "" ? key : `${prefix}/${key}`).split("/").map(encodeStrictly).join("/");
  }
}

/** Where the bucket is. */
function baseOf({ region, bucket, style }: S3Settings, endpoint: string | undefined): URL {
  const at = endpoint ?? `https://s3.${region}.amazonaws.com`;
  const isInHost = (style ?? (endpoint === undefined ? "host" : "path")) === "host";
  return new URL(isInHost ? at.replace("://", `://${bucket}.`) : `${at}/${encodeStrictly(bucket)}`);
}

async function collect(answer: AsyncIterable<Buffer>, maxBytes: number, progress: () => void): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of answer) {
    progress();
    size += piece.length;
    if (size > maxBytes) throw new Error(`its answer has more than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The text of the first element of a name that has no others in it. */
export function tagIn(xml: string, name: string): string | undefined {
  const begin = xml.indexOf(`<${name}>`);
  if (begin < 0) return undefined;
  const end = xml.indexOf(`</${name}>`, begin);
  if (end < 0) return undefined;
  return xml
    .slice(begin + name.length + 2, end)
    .replace(/&(?:#(\d{1,6})|#x([\da-f]{1,5})|(\w{2,4}));/gi, (whole, decimal, hex, word) =>
      word === undefined
        ? String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal))
        : (entities[word] ?? whole),
    );
}

/** The insides of all elements of a name. */
export function* elementsIn(xml: string, name: string): Generator<string, void, void> {
  const [open, close] = [`<${name}>`, `</${name}>`];
  for (let at = xml.indexOf(open); at >= 0; at = xml.indexOf(open, at)) {
    const end = xml.indexOf(close, at);
    if (end < 0) return;
    yield xml.slice(at + open.length, end);
    at = end + close.length;
  }
}
