/**
 * One buffer for every answer to a poll. An answer is copied together here from events that are encoded already, and
 * handed to the socket, which copies it again before it returns; building a string, or a buffer of its own, for each of
 * thousands of polls would cost more than the delivery.
 */
const head = Buffer.from('{"result":"success","msg":"","events":[');
const middle = Buffer.from('],"queue_id":"');
const tail = Buffer.from('"}');
const comma = 44;

export class AnswerBuffer {
  #bytes = withHead(64 * 1024);
  #lastEvent: Buffer | undefined;
  #lastView: Uint8Array = this.#bytes;

  /** The body with a single event, by far the most frequent one. */
  assembleOne(queueId: string, event: Buffer): Uint8Array {
    const length = head.length + event.length + middle.length + queueId.length + tail.length;
    if (length > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    const at = head.length + event.length + middle.length;
    bytes.latin1Write(queueId, at, queueId.length);
    // The same event goes to many queues in a row: then only the queue's id differs.
    if (this.#lastEvent !== event || this.#lastView.length !== length) {
      bytes.set(event, head.length);
      bytes.set(middle, head.length + event.length);
      bytes.set(tail, at + queueId.length);
      this.#lastEvent = event;
      this.#lastView = bytes.subarray(0, length);
    }
    return this.#lastView;
  }

  /** The JSON body of `GET /events`; valid until the next call. @param queueId ASCII */
  assemble(queueId: string, events: readonly Buffer[]): Uint8Array {
    let length = head.length + middle.length + queueId.length + tail.length + events.length;
    for (const event of events) length += event.length;
    if (length > this.#bytes.length) this.#grow(length);
    const bytes = this.#bytes;
    this.#lastEvent = undefined;
    let at = head.length;
    for (let index = 0; index < events.length; index++) {
      if (index > 0) bytes[at++] = comma;
      bytes.set(events[index]!, at);
      at += events[index]!.length;
    }
    bytes.set(middle, at);
    at += middle.length;
    at += bytes.write(queueId, at, "latin1");
    bytes.set(tail, at);
    return bytes.subarray(0, at + tail.length);
  }

  #grow(length: number): void {
    this.#bytes = withHead(length * 2);
    this.#lastEvent = undefined;
  }
}

function withHead(size: number): LatinBuffer {
  const bytes = Buffer.alloc(size) as LatinBuffer;
  bytes.set(head, 0);
  return bytes;
}

/** Node's own method behind `write(…, "latin1")`, without the detour that finds it by name. */
interface LatinBuffer extends Buffer {
  latin1Write(text: string, offset: number, length: number): number;
}
