/**
 * Requests to the API from a browser: below `/json`, with the session's cookie. Changes carry a token that only pages
 * of this server can read.
 */

import { t } from "../texts.ts";

/** An error of the API. `code` is from its table, or NETWORK when there was no answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    message: string,
    readonly code: string,
    readonly status: number,
    /** Seconds until a retry, if the server said so. */
    readonly retryAfterSecs?: number,
  ) {
    super(message);
  }

  /** What is told to people. */
  get words(): string {
    return t.errors[this.code] ?? (this.message || t.noAnswer);
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

/** Encodes texts as they are, and anything else as JSON. Undefined values are left out. */
export function encode(params: Params): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    if (value !== undefined) fields.append(name, typeof value === "string" ? value : JSON.stringify(value));
  return fields;
}

/** By https the cookie has another name; one from before that may be beside it. */
const csrfToken = (): string =>
  (/(?:^|;\s*)__Host-csrftoken=([^;]+)/.exec(document.cookie) ??
    /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie))?.[1] ?? "";

/** Whether this browser has logged in before. The log-in may be over. */
export const isPerhapsLoggedIn = (): boolean => csrfToken() !== "";

/** Calls an endpoint. @throws ApiError; DOMException when it was aborted */
export async function call<T>(
  method: Method,
  path: string,
  params: Params = {},
  options: CallOptions = {},
): Promise<T> {
  const fields = encode(params);
  const query = method === "GET" && fields.size > 0 ? `?${fields}` : "";
  let response: Response;
  try {
    response = await fetch(`/json${path}${query}`, {
      method,
      credentials: "same-origin",
      ...(method !== "GET" && { body: fields, headers: { "X-CSRFToken": csrfToken() } }),
      ...(options.signal && { signal: options.signal }),
      ...(options.keepalive && { keepalive: true }),
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError("", "NETWORK", 0);
  }
  return read<T>(response.status, await response.text().catch(() => ""));
}

/** The body of an answer. @throws ApiError */
export function read<T>(status: number, text: string): T {
  let body: Record<string, unknown>;
  try {
    body = JSON.parse(text) as Record<string, unknown>;
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
  );
}

export interface UploadOptions {
  /** Goes with them. */
  params?: Params;
  onProgress?(share: number): void;
  signal?: AbortSignal;
}

/**
 * Uploads files and reports progress. @throws ApiError, also when it was cancelled (`CANCELLED`)
 */
export async function upload<T>(
  path: string,
  files: Readonly<Record<string, Blob>>,
  { params = {}, onProgress, signal }: UploadOptions = {},
): Promise<T> {
  const form = new FormData();
  for (const [name, value] of encode(params)) form.append(name, value);
  for (const [name, file] of Object.entries(files)) form.append(name, file);
  const { status, text } = await transmit("POST", path, form, {
    onProgress: (bytes, all) => onProgress?.(bytes / all),
    ...(signal && { signal }),
  });
  return read<T>(status, text);
}

interface Transmission {
  headers?: Readonly<Record<string, string>>;
  /** Told how many bytes of the body have gone, and how many it has. */
  onProgress?(bytes: number, all: number): void;
  signal?: AbortSignal;
}

interface Answered {
  status: number;
  text: string;
  header(name: string): string | null;
}

/**
 * Sends a body and tells its progress, which `fetch` cannot. @throws ApiError without an answer (`NETWORK`), or when it
 * was cancelled (`CANCELLED`)
 */
export function transmit(
  method: Method | "HEAD",
  path: string,
  body: Blob | FormData | null,
  { headers = {}, onProgress, signal }: Transmission = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(new ApiError("", "CANCELLED", 0));
    if (signal?.aborted) return cancelled();
    const request = new XMLHttpRequest();
    request.open(method, `/json${path}`);
    for (const [name, value] of Object.entries({ ...headers, "X-CSRFToken": csrfToken() }))
      request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) onProgress?.(event.loaded, event.total);
    });
    request.addEventListener("load", () =>
      resolve({
        status: request.status,
        text: request.responseText,
        header: (name) => request.getResponseHeader(name),
      }),
    );
    request.addEventListener("error", () => reject(new ApiError("", "NETWORK", 0)));
    request.addEventListener("abort", cancelled);
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
