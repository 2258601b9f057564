/**
 * The push notification relay ("bouncer"). It holds the credentials of Apple's and Google's push services, and passes
 * notifications on to them. Each kind of failure has its own result, because somebody else has to act:
 *
 * | The relay                                        | Result                            | Who acts                 |
 * | answers 2xx                                      | ok                                |                          |
 * | cannot be reached, or not within the time limit  | FAILED_TO_CONNECT_BOUNCER         | try again later          |
 * | answers 5xx                                      | INTERNAL_SERVER_ERROR_ON_BOUNCER  | the relay's people       |
 * | answers anything else (credentials, plan, …)     | ADMIN_ACTION_REQUIRED             | this server's people     |
 *
 * https://zulip.com/api/test-notify
 */

import { type Tracer, tracedRequest } from "../tracing.ts";

/** Milliseconds after which a request to the relay is given up. The caller's own client waits about twice as long. */
export const relayTimeoutMs = 10_000;
/** Bytes that are read of an answer. The relay's answers are short. */
const maxAnswerBytes = 65_536;

/** Error codes for a notification that the relay did not take. */
export type RelayFailureCode =
  | "FAILED_TO_CONNECT_BOUNCER"
  | "INTERNAL_SERVER_ERROR_ON_BOUNCER"
  | "ADMIN_ACTION_REQUIRED";

/** The outcome of a request to the relay. */
export type RelayResult =
  | { ok: true; answer: unknown }
  | {
      ok: false;
      code: RelayFailureCode;
      /** For the log: the HTTP status and the relay's own words, or the network error. Never shown to users. */
      reason: string;
    };

/** How to reach the relay. */
export interface RelayOptions {
  /** For tests; the platform's `fetch` by default. */
  fetch?: typeof fetch;
  /** Credentials of this server at the relay, sent as HTTP Basic authentication. */
  credentials?: { id: string; key: string };
  tracer?: Tracer | undefined;
  /** Milliseconds after which the relay counts as unreachable; {@link relayTimeoutMs} by default. */
  timeoutMs?: number;
}

/**
 * Posts a JSON body to the relay. Never throws: a failure of the relay must not break what caused the notification.
 * `answer` is the parsed JSON of a good answer, or undefined if it is not JSON.
 */
export function sendToRelay(relayUrl: string, body: object, options: RelayOptions = {}): Promise<RelayResult> {
  return tracedRequest(
    options.tracer,
    "push relay",
    (traced) => post(relayUrl, body, options, traced),
    (result) => (result.ok ? undefined : result.code),
  );
}

async function post(
  relayUrl: string,
  body: object,
  options: RelayOptions,
  traced: Readonly<Record<string, string>>,
): Promise<RelayResult> {
  const headers: Record<string, string> = { ...traced, "content-type": "application/json" };
  if (options.credentials) {
    const { id, key } = options.credentials;
    headers["authorization"] = `Basic ${Buffer.from(`${id}:${key}`).toString("base64")}`;
  }
  try {
    const response = await (options.fetch ?? fetch)(relayUrl, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      // Redirects are not followed: the credentials go to the configured relay only.
      redirect: "manual",
      signal: AbortSignal.timeout(options.timeoutMs ?? relayTimeoutMs),
    });
    const text = await readAnswer(response);
    if (response.ok) return { ok: true, answer: parseJson(text) };
    const code = response.status >= 500 ? "INTERNAL_SERVER_ERROR_ON_BOUNCER" : "ADMIN_ACTION_REQUIRED";
    return { ok: false, code, reason: `${response.status}: ${text.slice(0, 200)}` };
  } catch (error) {
    return { ok: false, code: "FAILED_TO_CONNECT_BOUNCER", reason: describe(error) };
  }
}

/** Reads an answer, but not without end. */
export async function readAnswer(response: Response, maxBytes = maxAnswerBytes): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.length;
    // Leaving the loop cancels the rest of the answer.
    if (bytes > maxBytes) break;
  }
  return text + decoder.decode();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A network error, for the log. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
