/**
 * Finds what came on a stream of events, however it is cut. Thousands of streams bring the same bytes. So a chunk that
 * is the same as the one before (of any stream of this process) is not looked at again.
 */

/** What a piece of a stream brought. */
export interface Brought {
  /** 0: no event. */
  lastEventId: number;
  messages: number;
}

const lastChunk = { bytes: Buffer.alloc(0), brought: { lastEventId: 0, messages: 0 } as Brought };
const headEnd = "\r\n\r\n";

export class StreamParser {
  #hasHead = false;
  #rest = "";
  /** The head of the answer. */
  head = "";

  constructor(private readonly onBrought: (brought: Brought, chunk: Buffer) => void) {}

  push(chunk: Buffer): void {
    if (!this.#hasHead) {
      this.#rest += chunk.toString("latin1");
      const end = this.#rest.indexOf(headEnd);
      if (end < 0) return;
      if (!this.#rest.startsWith("HTTP/1.1 200 ")) throw new Error(`no stream: ${this.#rest.slice(0, 500)}`);
      this.head = this.#rest.slice(0, end + headEnd.length);
      this.#hasHead = true;
      const body = Buffer.from(this.#rest.slice(end + headEnd.length), "latin1");
      this.#rest = "";
      if (body.length > 0) this.push(body);
      return;
    }
    if (this.#rest === "" && chunk.equals(lastChunk.bytes)) {
      if (lastChunk.brought.lastEventId > 0) this.onBrought(lastChunk.brought, chunk);
      return;
    }
    const text = this.#rest + chunk.toString("latin1");
    const whole = text.lastIndexOf("\n\n") + 2;
    this.#rest = whole < 2 ? text : text.slice(whole);
    if (whole < 2) return;
    const brought = read(text.slice(0, whole));
    if (this.#rest === "" && text.length === chunk.length) {
      lastChunk.bytes = Buffer.from(chunk);
      lastChunk.brought = brought;
    }
    if (brought.lastEventId > 0) this.onBrought(brought, chunk);
  }
}

function read(text: string): Brought {
  let lastEventId = 0;
  let messages = 0;
  for (const [, id, data] of text.matchAll(/^id: (\d+)\ndata: (.*)$/gm)) {
    lastEventId = Number(id);
    if (data!.includes('"type":"message"')) messages++;
  }
  return { lastEventId, messages };
}
