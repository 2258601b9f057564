/**
 * One buffer for all that is written to streams, as `AnswerBuffer` is for polls. Many streams in a row are sent the
 * same events in the same form: then the text is reused.
 *
 * The format is https://html.spec.whatwg.org/multipage/server-sent-events.html: `id:`, which a browser sends back as
 * `Last-Event-ID` when it comes again, and `data:`, the event as a poll has it. JSON has no line breaks.
 */
import type { LogEntry } from "../realm/entry.ts";

const idField = Buffer.from("id: ");
const dataField = Buffer.from("\ndata: ");
const end = Buffer.from("\n\n");
/** Digits of a position, at most. */
const maxIdLength = 16;

export class StreamBuffer {
  #bytes = Buffer.alloc(64 * 1024);
  /** The events of the text that the buffer holds. */
  #events: Buffer[] = [];
  #text: Uint8Array = this.#bytes.subarray(0, 0);

  /**
   * The text of these events; valid until the next call.
   * @param entries theirs, and maybe more behind them
   * @param events each as JSON
   */
  assemble(entries: readonly LogEntry[], events: Buffer[]): Uint8Array {
    if (!this.#holds(events)) this.#fill(entries, events);
    return this.#text;
  }

  /** The text of one event; valid until the next call. */
  assembleOne(entry: LogEntry, event: Buffer): Uint8Array {
    if (this.#events.length !== 1 || this.#events[0] !== event) this.#fill([entry], [event]);
    return this.#text;
  }

  #holds(events: readonly Buffer[]): boolean {
    const held = this.#events;
    if (events.length !== held.length) return false;
    for (let index = 0; index < events.length; index++) if (events[index] !== held[index]) return false;
    return true;
  }

  #fill(entries: readonly LogEntry[], events: Buffer[]): void {
    let length = 0;
    for (const event of events) length += idField.length + maxIdLength + dataField.length + event.length + end.length;
    if (length > this.#bytes.length) this.#bytes = Buffer.alloc(length * 2);
    const bytes = this.#bytes;
    let at = 0;
    const put = (part: Uint8Array): void => {
      bytes.set(part, at);
      at += part.length;
    };
    for (const [index, event] of events.entries()) {
      put(idField);
      at += bytes.write(String(entries[index]!.position), at, "latin1");
      put(dataField);
      put(event);
      put(end);
    }
    this.#text = bytes.subarray(0, at);
    this.#events = events;
  }
}
