/**
 * Reads a stream of events as a browser's EventSource does.
 * https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
import type { WireEvent } from "../convergence/client-state.ts";

/** What one part of a stream says: an event, or anything else that it holds. */
export interface StreamPart {
  /** `id:` of the part. */
  readonly id: string | undefined;
  readonly event: WireEvent | undefined;
  /** Lines that begin with a colon. */
  readonly comments: readonly string[];
  /** Milliseconds after which to come again. */
  readonly retryMs: number | undefined;
}

/** Every part until the stream ends, those together that came together. */
export async function* streamParts(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamPart[]> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const parts = text.split("\n\n");
    text = parts.pop()!;
    if (parts.length > 0) yield parts.map(readPart);
  }
}

function readPart(text: string): StreamPart {
  const lines = text.split("\n");
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [id, data, retry] = [field("id"), field("data"), field("retry")];
  const event = data === undefined ? undefined : (JSON.parse(data) as WireEvent);
  if (event !== undefined && String(event.id) !== id) throw new Error(`event ${event.id} came with the id ${id}`);
  return {
    id,
    event,
    comments: lines.filter((line) => line.startsWith(":")),
    retryMs: retry === undefined ? undefined : Number(retry),
  };
}
