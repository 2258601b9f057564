/** One request to the API and its answer, in a browser or in Node. */

/** An error of the API. `code` is from its table, or NETWORK when there was no answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    /** Seconds until a retry, if the server said so. */
    readonly retryAfterSecs?: number,
    /** The other fields of the answer. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }

  /** Whether a retry may succeed. */
  get isPassing(): boolean {
    return this.code === "NETWORK" || this.status >= 500 || this.code === "RATE_LIMIT_HIT";
  }
}

export type Params = Readonly<Record<string, unknown>>;
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface CallOptions {
  signal?: AbortSignal;
  /** The request outlives the page. Only for small requests. */
  keepalive?: boolean;
}

/** Where the API is, and as whom it is asked. */
export interface Access {
  /** What stands before each path: `https://chat.example.com/api/v1`, or `/json` in a page of the server. */
  readonly base: string;
  /** What each request carries besides its parameters: credentials. */
  init(method: Method): RequestInit;
}

/** Access by an account's API key. @param url the organization's address */
export function accessByKey(url: string, email: string, apiKey: string): Access {
  const bytes = new TextEncoder().encode(`${email}:${apiKey}`);
  const headers = { Authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
  return { base: `${url.replace(/\/$/, "")}/api/v1`, init: () => ({ headers, credentials: "omit" }) };
}

/** Encodes texts as they are, and anything else as JSON. Undefined values are left out. */
export function encode(params: Params): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) fields.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return fields;
}

/** Asks an endpoint. @throws ApiError; DOMException when it was aborted */
export async function request<T>(
  access: Access,
  method: Method,
  path: string,
  params: Params = {},
  options: CallOptions = {},
): Promise<T> {
  const fields = encode(params);
  const query = method === "GET" && fields.size > 0 ? `?${fields}` : "";
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${access.base}${path}${query}`, {
      ...access.init(method),
      method,
      ...(method !== "GET" && { body: fields }),
      ...(options.signal && { signal: options.signal }),
      ...(options.keepalive && { keepalive: true }),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError("", "NETWORK", 0);
  }
  return read<T>(status, text);
}

/** The body of an answer. @throws ApiError */
export function read<T>(status: number, text: string): T {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text);
  } catch {
    throw new ApiError("", status >= 500 || status === 0 ? "NETWORK" : "BAD_ANSWER", status);
  }
  if (status === 200 && body["result"] === "success") return body as T;
  const retryAfter = body["retry-after"];
  throw new ApiError(
    String(body["msg"] ?? ""),
    String(body["code"] ?? "UNKNOWN"),
    status,
    typeof retryAfter === "number" ? retryAfter : undefined,
    body,
  );
}
