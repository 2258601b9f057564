/**
 * One request of a test's client, over Node's own HTTP client. Node's `fetch` takes three times its processor time, and
 * tests make a hundred thousand requests.
 */
import { Agent, type IncomingMessage, request } from "node:http";
import { gunzipSync, inflateSync } from "node:zlib";

/** What is sent. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** An empty body is also one: null sends none. */
  readonly body: URLSearchParams | FormData | null;
  /** Gives up after this long. */
  readonly timeoutMs: number;
  /** Gives up when this fires. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer, with the text that its body is. */
interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A connection that is idle for longer is closed, before a server closes it under a request. */
const IDLE_MS = 4000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** What a browser's `fetch` takes as well. */
const accepted = { Accept: "*/*", "Accept-Encoding": "gzip, deflate" };

/**
 * Makes it, follows no redirect, and reads the whole answer.
 *
 * @throws DOMException named `TimeoutError` after `timeoutMs`, and what `signal` was aborted with.
 */
export async function send({ method, url, headers, body, timeoutMs, signal }: Sent): Promise<Answered> {
  signal?.throwIfAborted();
  const { type, bytes } = await encoded(body);
  const typed = bytes === undefined ? {} : { "Content-Type": type, "Content-Length": String(bytes.length) };
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    const made = request(target, { method, agent, headers: { ...accepted, ...typed, ...headers } });
    const giveUp = (reason: unknown): void => {
      made.destroy();
      fail(reason);
    };
    const timer = setTimeout(() => giveUp(new DOMException("It took too long.", "TimeoutError")), timeoutMs);
    const stop = (): void => giveUp(signal?.reason);
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
    };
    const fail = (reason: unknown): void => {
      end();
      reject(reason);
    };
    signal?.addEventListener("abort", stop);
    made.on("error", fail);
    made.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", fail);
      response.on("end", () => {
        end();
        try {
          resolve(answered(response, Buffer.concat(chunks)));
        } catch (error) {
          reject(error);
        }
      });
    });
    made.end(bytes);
  });
}

async function encoded(body: Sent["body"]): Promise<{ type: string; bytes: Buffer | undefined }> {
  if (body === null) return { type: "", bytes: undefined };
  if (body instanceof URLSearchParams)
    return { type: "application/x-www-form-urlencoded;charset=UTF-8", bytes: Buffer.from(body.toString()) };
  const form = new Response(body);
  return { type: form.headers.get("content-type") ?? "", bytes: Buffer.from(await form.arrayBuffer()) };
}

/** Few tests look at headers, so they are put together when one does. */
function answered({ statusCode = 0, rawHeaders, headers }: IncomingMessage, bytes: Buffer): Answered {
  let made: Headers | undefined;
  return {
    status: statusCode,
    text: decode(headers["content-encoding"], bytes).toString(),
    get headers() {
      made ??= headersOf(rawHeaders);
      return made;
    },
  };
}

function decode(encoding: string | undefined, bytes: Buffer): Buffer {
  // An answer to HEAD, and a 304, tell the encoding of a body that is not there.
  if (encoding === undefined || bytes.length === 0) return bytes;
  if (encoding === "gzip") return gunzipSync(bytes);
  if (encoding === "deflate") return inflateSync(bytes);
  throw new Error(`An answer is encoded as ${encoding}, which was not asked for.`);
}

/** @param raw names and values by turns */
function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let place = 0; place + 1 < raw.length; place += 2) headers.append(raw[place]!, raw[place + 1]!);
  return headers;
}
