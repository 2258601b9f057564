/**
 * Requests to the API from a browser: below `/json`, with the session's cookie. Changes carry a token that only pages
 * of this server can read.
 */

import {
  type Access,
  ApiError,
  type CallOptions,
  encode,
  type Method,
  type Params,
  read,
  request,
} from "../../client/request.ts";
import { t } from "../texts.ts";

export { ApiError, encode, type Method, type Params } from "../../client/request.ts";

/** What is told to people. */
export const wordsOf = (error: ApiError): string => t.errors[error.code] ?? (error.message || t.noAnswer);

/** By https the cookie has another name; one from before that may be beside it. */
const csrfToken = (): string =>
  (/(?:^|;\s*)__Host-csrftoken=([^;]+)/.exec(document.cookie) ??
    /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie))?.[1] ?? "";

/** Whether this browser has logged in before. The log-in may be over. */
export const isPerhapsLoggedIn = (): boolean => csrfToken() !== "";

/** The log-in of this browser. */
export const pageAccess: Access = {
  base: "/json",
  init: (method) => ({
    credentials: "same-origin",
    ...(method !== "GET" && { headers: { "X-CSRFToken": csrfToken() } }),
  }),
};

/** Calls an endpoint. @throws ApiError; DOMException when it was aborted */
export const call = <T>(method: Method, path: string, params: Params = {}, options: CallOptions = {}): Promise<T> =>
  request<T>(pageAccess, method, path, params, options);

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
