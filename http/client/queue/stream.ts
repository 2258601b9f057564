/**
 * Events on a stream, read by hand: a browser's EventSource reports neither why a stream was refused nor its
 * heartbeats. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type { ClientEvent } from "../events.ts";
import { pause } from "../pause.ts";
import { type Access, ApiError, encode, read as readAnswer } from "../request.ts";
import type { Attempt, Cursor } from "./attempt.ts";

/** A stream begins at once. If nothing comes within this time, something on the way holds it back. */
const beginsWithinMs = 10_000;

/** The delay when the server has not set one. */
const defaultRetryMs = 1000;

class Swallowed extends Error {}

/** Whether a stream was held back on the way. Polls may get through. */
export const isSwallowed = (error: unknown): boolean => error instanceof Swallowed;

/** Reads a stream until it ends, then waits for the delay that the server set. @throws ApiError; Swallowed */
export async function read(access: Access, cursor: Cursor, { signal, alive, take }: Attempt): Promise<void> {
  const swallowed = new AbortController();
  const timer = setTimeout(() => swallowed.abort(new Swallowed()), beginsWithinMs);
  const stop = () => swallowed.abort();
  signal.addEventListener("abort", stop);
  try {
    const reader = await open(access, cursor, swallowed.signal);
    const decoder = new TextDecoder();
    let retryMs = defaultRetryMs;
    for (let text = ""; ; ) {
      const { done, value } = await reader.read();
      if (done) return await pause(retryMs, signal);
      clearTimeout(timer);
      alive();
      const parts = (text + decoder.decode(value, { stream: true })).split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) retryMs = Number(fieldOf(part, "retry") ?? retryMs);
      take(parts.flatMap(eventOf));
    }
  } catch (error) {
    if (isSwallowed(swallowed.signal.reason)) throw swallowed.signal.reason;
    throw error instanceof ApiError || signal.aborted ? error : new ApiError("", "NETWORK", 0);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

async function open(
  { base, init }: Access,
  { queueId, lastEventId }: Cursor,
  signal: AbortSignal,
): Promise<ReadableStreamDefaultReader<Uint8Array>> {
  const { headers, ...credentials } = init("GET");
  const response = await fetch(`${base}/events?${encode({ queue_id: queueId, last_event_id: lastEventId })}`, {
    ...credentials,
    headers: { ...(headers as Record<string, string>), Accept: "text/event-stream" },
    cache: "no-store",
    signal,
  });
  const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
  if (isStream && response.body) return response.body.getReader();
  readAnswer(response.status, await response.text());
  throw new Swallowed();
}

const fieldOf = (part: string, name: string): string | undefined =>
  part
    .split("\n")
    .find((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);

function eventOf(part: string): ClientEvent[] {
  const data = fieldOf(part, "data");
  return data === undefined ? [] : [JSON.parse(data)];
}
