/**
 * One buffer for all answers to polls. An answer is put together here from encoded events, and given to the socket,
 * which copies it before it returns. A string or a buffer for each of thousands of polls would cost more than the
 * delivery. The same events go to many queues in a row: then only the queue's id is written anew.
 */
const head = Buffer.from('{"result":"success","msg":"","events":[');
const middle = Buffer.from('],"queue_id":"');
const tail = Buffer.from('"}');
const comma = 44;

export class AnswerBuffer {
  #bytes = withHead(64 * 1024);
  /** The events of the answer that the buffer holds, and the length of its queue's id. */
  #events: Buffer[] = [];
  #idLength = 0;
  #idAt = 0;
  #answer: Uint8Array = this.#bytes;

  /** The JSON body of `GET /events`; valid until the next call. @param queueId ASCII */
  assemble(queueId: string, events: Buffer[]): Uint8Array {
    if (!this.#holds(queueId, events)) this.#fill(queueId, events);
    this.#bytes.latin1Write(queueId, this.#idAt, queueId.length);
    return this.#answer;
  }

  /** The same for one event. */
  assembleOne(queueId: string, event: Buffer): Uint8Array {
    if (this.#events.length !== 1 || this.#events[0] !== event || queueId.length !== this.#idLength)
      this.#fill(queueId, [event]);
    this.#bytes.latin1Write(queueId, this.#idAt, queueId.length);
    return this.#answer;
  }

  #holds(queueId: string, events: readonly Buffer[]): boolean {
    const held = this.#events;
    if (events.length !== held.length || queueId.length !== this.#idLength) return false;
    for (let index = 0; index < events.length; index++) if (events[index] !== held[index]) return false;
    return true;
  }

  #fill(queueId: string, events: Buffer[]): void {
    let length = head.length + middle.length + queueId.length + tail.length + events.length;
    for (const event of events) length += event.length;
    if (length > this.#bytes.length) this.#bytes = withHead(length * 2);
    const bytes = this.#bytes;
    let at = head.length;
    for (const event of events) {
      if (at > head.length) bytes[at++] = comma;
      bytes.set(event, at);
      at += event.length;
    }
    bytes.set(middle, at);
    this.#idAt = at + middle.length;
    at = this.#idAt + queueId.length;
    bytes.set(tail, at);
    this.#answer = bytes.subarray(0, at + tail.length);
    this.#events = events;
    this.#idLength = queueId.length;
  }
}

function withHead(size: number): LatinBuffer {
  const bytes = Buffer.alloc(size) as LatinBuffer;
  bytes.set(head, 0);
  return bytes;
}

/** Node's own method behind `write(…, "latin1")`, without the look-up of the encoding. */
interface LatinBuffer extends Buffer {
  latin1Write(text: string, offset: number, length: number): number;
}
