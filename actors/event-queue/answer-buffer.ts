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
  #bytes = Buffer.alloc(64 * 1024);

  /** The JSON body of `GET /events`; valid until the next call. @param queueId ASCII */
  assemble(queueId: string, events: readonly Buffer[]): Uint8Array {
    let length = head.length + middle.length + queueId.length + tail.length + events.length;
    for (const event of events) length += event.length;
    if (length > this.#bytes.length) this.#bytes = Buffer.alloc(length * 2);
    const bytes = this.#bytes;
    bytes.set(head, 0);
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
}
