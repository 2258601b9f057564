/**
 * A small HTTP client for tests, with nothing between it and the wire but Node's own.
 * Parameters are encoded as clients do: a string as it is, anything else as JSON. https://zulip.com/api/rest
 */
import type { RegisterState, WireEvent } from "../convergence/client-state.ts";
import { streamParts } from "./event-stream.ts";
import { send } from "./request.ts";

/** A JSON object. */
export type JsonObject = Record<string, unknown>;

/** An answer, whatever its status. */
export interface ApiResponse {
  readonly status: number;
  /** The JSON object answered; `{}` when the answer is no JSON object. */
  readonly body: JsonObject;
  readonly headers: Headers;
  /** The answer as it came. */
  readonly text: string;
  /** Method and path, for failures. */
  readonly request: string;
}

/** A file of a multipart body. */
export interface ApiFile {
  readonly filename: string;
  readonly content: string | Uint8Array<ArrayBuffer>;
  /** Media type of the part. */
  readonly type?: string;
}

/** How one request differs from the ordinary one. */
export interface RequestOptions {
  /** Where the parameters go: GET defaults to `query`, every other method to `form` (urlencoded body). */
  readonly encoding?: "query" | "form" | "multipart";
  /** Files by part name; implies `multipart`. */
  readonly files?: Readonly<Record<string, ApiFile>>;
  /** Further request headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Takes `path` as it is instead of below `/api/v1`. */
  readonly root?: boolean;
  /** Gives up after this long. */
  readonly timeoutMs?: number;
  /** Gives up when this fires. */
  readonly signal?: AbortSignal;
}

/** A queue and the newest event seen of it. The client moves `lastEventId` on. */
export interface QueueCursor {
  readonly queueId: string;
  lastEventId: number;
}

/**
 * Longest wait for an ordinary answer. It is well above the 60 s that tests' servers give a command or a read. Their
 * answer says what was late, and an aborted request says nothing.
 */
const REQUEST_TIMEOUT_MS = 150_000;
/** Polls that `drain` makes at most: a queue that never runs empty is a bug. */
const MAX_DRAIN_POLLS = 1000;

/** Thrown when an answer is not the expected one. */
export class UnexpectedAnswerError extends Error {
  override readonly name = "UnexpectedAnswerError";
}

/** How events are fetched where a test leaves it open: by polls, or each time from a stream. */
const isStreaming = process.env["PARLEY_TEST_TRANSPORT"] === "stream";

/** Looks at each answer below `/api/v1`, and throws for one that is not as it should be. */
export type AnswerCheck = (method: string, path: string, response: ApiResponse) => void;

/** One account's way to the server. With several nodes each request goes to another one than the request before. */
export class ApiClient {
  /** Root of the first node. */
  readonly url: string;
  readonly #urls: readonly string[];
  #requests = 0;
  readonly email: string | undefined;
  readonly #headers: Record<string, string>;
  readonly #check: AnswerCheck | undefined;

  /**
   * Without `apiKey` the requests carry no credentials. `url` is the server's root, without `/api/v1`, or that of each
   * node.
   */
  constructor(options: {
    url: string | readonly string[];
    email?: string;
    apiKey?: string;
    userAgent?: string;
    check?: AnswerCheck;
  }) {
    this.#check = options.check;
    this.#urls = [options.url].flat().map((url) => url.replace(/\/$/, ""));
    this.url = this.#urls[0]!;
    this.email = options.email;
    this.#headers = { "User-Agent": options.userAgent ?? "ParleyTest/1.0" };
    if (options.apiKey !== undefined) {
      const credentials = Buffer.from(`${options.email ?? ""}:${options.apiKey}`).toString("base64");
      this.#headers["Authorization"] = `Basic ${credentials}`;
    }
  }

  get(path: string, params?: JsonObject, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("GET", path, params, options);
  }

  post(path: string, params?: JsonObject, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("POST", path, params, options);
  }

  patch(path: string, params?: JsonObject, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("PATCH", path, params, options);
  }

  put(path: string, params?: JsonObject, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("PUT", path, params, options);
  }

  delete(path: string, params?: JsonObject, options?: RequestOptions): Promise<ApiResponse> {
    return this.request("DELETE", path, params, options);
  }

  /**
   * Makes one request. Parameters that are `undefined` are left out. Any status is an answer; only network faults
   * throw.
   */
  async request(
    method: string,
    path: string,
    params: JsonObject = {},
    options: RequestOptions = {},
  ): Promise<ApiResponse> {
    const encoding = options.files ? "multipart" : (options.encoding ?? (method === "GET" ? "query" : "form"));
    const fields = encodeParams(params);
    const node = this.#urls[this.#requests++ % this.#urls.length]!;
    const target = `${node}${options.root ? "" : "/api/v1"}${path}`;
    const query = encoding === "query" && fields.length > 0 ? `?${new URLSearchParams(fields)}` : "";
    const answered = await send({
      method,
      url: target + query,
      headers: { ...this.#headers, ...options.headers },
      body: encoding === "query" ? null : bodyOf(fields, encoding, options.files),
      timeoutMs: options.timeoutMs ?? REQUEST_TIMEOUT_MS,
      signal: options.signal,
    });
    const answer: ApiResponse = {
      status: answered.status,
      body: parseObject(answered.text),
      get headers() {
        return answered.headers;
      },
      text: answered.text,
      request: `${method} ${path}`,
    };
    if (!options.root) this.#check?.(method, path, answer);
    return answer;
  }

  /** POST /register. @throws UnexpectedAnswerError unless it succeeds. */
  async register(params: JsonObject = {}): Promise<RegisterState> {
    return expectSuccess(await this.post("/register", params));
  }

  /**
   * GET /events. With `dontBlock` it answers at once, else it is held until something happens.
   *
   * @throws UnexpectedAnswerError unless it succeeds.
   */
  async events(
    queueId: string,
    lastEventId: number,
    options: { dontBlock?: boolean; timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<WireEvent[]> {
    if (isStreaming) return this.#fromStream(queueId, lastEventId, options);
    const { dontBlock, ...rest } = options;
    const params = { queue_id: queueId, last_event_id: lastEventId, ...(dontBlock && { dont_block: true }) };
    const body = expectSuccess(await this.get("/events", params, rest));
    if (!Array.isArray(body["events"])) throw new UnexpectedAnswerError("GET /events: no list of events");
    return body["events"] as WireEvent[];
  }

  /**
   * Opens a stream of events, which come as the server sent them: those of one piece together. It is left by returning
   * from the loop over them, or through the signal.
   *
   * @throws UnexpectedAnswerError when it is refused
   */
  async stream(
    queueId: string,
    lastEventId: number,
    options: { dontBlock?: boolean; signal?: AbortSignal } = {},
  ): Promise<AsyncGenerator<WireEvent[]>> {
    const node = this.#urls[this.#requests++ % this.#urls.length]!;
    const query = new URLSearchParams({
      queue_id: queueId,
      last_event_id: String(lastEventId),
      ...(options.dontBlock && { dont_block: "true" }),
    });
    const response = await fetch(`${node}/api/v1/events?${query}`, {
      headers: { ...this.#headers, Accept: "text/event-stream" },
      signal: options.signal ?? null,
    });
    const { status, headers, body } = response;
    if (status === 200 && headers.get("content-type") === "text/event-stream") return eventsOf(body!);
    const text = await response.text();
    fail({ status, body: parseObject(text), headers, text, request: "GET /events as a stream" }, "a stream");
  }

  /** What a poll would be answered with: the events of the first piece that brings any. */
  async #fromStream(
    queueId: string,
    lastEventId: number,
    options: { dontBlock?: boolean; timeoutMs?: number; signal?: AbortSignal },
  ): Promise<WireEvent[]> {
    const timeout = AbortSignal.timeout(options.timeoutMs ?? REQUEST_TIMEOUT_MS);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    for (;;) {
      const events: WireEvent[] = [];
      for await (const piece of await this.stream(queueId, lastEventId, { ...options, signal })) {
        events.push(...piece);
        if (!options.dontBlock) break;
      }
      // A stream that ended without an event was ended by the server: its client comes again.
      if (events.length > 0 || options.dontBlock) return events;
    }
  }

  /**
   * Everything that waits in the queue, acknowledged batch by batch; advances `queue.lastEventId`.
   *
   * @param least events that are waited for: those nobody waits to be stored, such as typing, may follow their answer
   */
  async drain(queue: QueueCursor, least = 0): Promise<WireEvent[]> {
    const drained: WireEvent[] = [];
    for (let polls = 0; polls < MAX_DRAIN_POLLS; polls++) {
      const dontBlock = drained.length >= least;
      const events = await this.events(queue.queueId, queue.lastEventId, { dontBlock });
      const last = events.at(-1);
      if (!last) return drained;
      advance(queue, events);
      drained.push(...events);
    }
    throw new UnexpectedAnswerError(`queue ${queue.queueId} is not empty after ${MAX_DRAIN_POLLS} polls`);
  }

  /**
   * Long-polls until an event satisfies `predicate`, and returns it. Earlier events are acknowledged, later ones stay
   * in the queue.
   *
   * @throws UnexpectedAnswerError after `timeoutMs`, naming the events that came instead.
   */
  async nextEvent(
    queue: QueueCursor,
    predicate: (event: WireEvent) => boolean,
    timeoutMs = 60_000,
  ): Promise<WireEvent> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const seen: string[] = [];
    while (!deadline.aborted) {
      const events = await this.#poll(queue, deadline, timeoutMs);
      const place = events.findIndex(predicate);
      advance(queue, place < 0 ? events : events.slice(0, place + 1));
      if (place >= 0) return events[place] as WireEvent;
      seen.push(...events.map((event) => event.type));
    }
    throw new UnexpectedAnswerError(`no such event within ${timeoutMs} ms; came: ${seen.join(", ") || "nothing"}`);
  }

  /** One held poll; nothing when the deadline passes first. */
  async #poll(queue: QueueCursor, deadline: AbortSignal, timeoutMs: number): Promise<WireEvent[]> {
    try {
      return await this.events(queue.queueId, queue.lastEventId, { signal: deadline, timeoutMs: timeoutMs + 1000 });
    } catch (error) {
      if (deadline.aborted) return [];
      throw error;
    }
  }
}

/** The cursor of a registration. @throws UnexpectedAnswerError when it has no queue. */
export function cursorOf(state: RegisterState): QueueCursor {
  if (typeof state.queue_id !== "string") throw new UnexpectedAnswerError("the registration has no queue");
  return { queueId: state.queue_id, lastEventId: state.last_event_id ?? -1 };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<WireEvent[]> {
  for await (const parts of streamParts(body)) {
    const events = parts.flatMap(({ event }) => event ?? []);
    if (events.length > 0) yield events;
  }
}

/** Moves the cursor past `events`, which must come in rising order. */
function advance(queue: QueueCursor, events: readonly WireEvent[]): void {
  for (const event of events) {
    if (event.id <= queue.lastEventId) {
      throw new UnexpectedAnswerError(`event ${event.id} (${event.type}) came after event ${queue.lastEventId}`);
    }
    queue.lastEventId = event.id;
  }
}

/** The body of a success. @throws UnexpectedAnswerError for any other answer, quoting it. */
export function expectSuccess(response: ApiResponse): JsonObject {
  const { status, body } = response;
  if (status !== 200 || body["result"] !== "success" || body["msg"] !== "") fail(response, "success");
  return body;
}

/** The body of an error of this status and, when given, code. @throws UnexpectedAnswerError for any other answer. */
export function expectError(response: ApiResponse, status: number, code?: string): JsonObject {
  const { body } = response;
  const isError = response.status === status && body["result"] === "error" && typeof body["msg"] === "string";
  if (!isError || (code !== undefined && body["code"] !== code)) {
    fail(response, `error ${status}${code === undefined ? "" : ` ${code}`}`);
  }
  return body;
}

/** Longest quotation of an answer, in characters. */
const MAX_QUOTE_CHARS = 500;

function fail(response: ApiResponse, wanted: string): never {
  const quote = response.text.slice(0, MAX_QUOTE_CHARS);
  throw new UnexpectedAnswerError(`${response.request}: expected ${wanted}, got ${response.status}: ${quote}`);
}

/** A string is sent as it is, anything else as JSON. */
function encodeParams(params: JsonObject): [string, string][] {
  return Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]);
}

function bodyOf(
  fields: [string, string][],
  encoding: "form" | "multipart",
  files: Readonly<Record<string, ApiFile>> = {},
): URLSearchParams | FormData {
  if (encoding === "form") return new URLSearchParams(fields);
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const [name, file] of Object.entries(files)) {
    form.append(name, new Blob([file.content], { type: file.type ?? "" }), file.filename);
  }
  return form;
}

function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}
