/** Finds the events on a stream, however its bytes are cut. */

/** What a client looks at in an event. */
export interface SeenEvent {
  id: number;
  type: string;
  message?: { id: number; stream_id?: number; content: string };
}

const headEnd = "\r\n\r\n";

export class EventStream {
  #hasHead = false;
  #rest = "";

  /** @param onPiece called for each piece that came; without events it was a heartbeat */
  constructor(private readonly onPiece: (events: SeenEvent[]) => void) {}

  /** @throws Error when the answer is no stream, with its status and body */
  push(chunk: Buffer): void {
    this.#rest += chunk.toString("latin1");
    if (!this.#hasHead) {
      const end = this.#rest.indexOf(headEnd);
      if (end < 0) return;
      if (!this.#rest.startsWith("HTTP/1.1 200 ")) throw new Error(this.#rest.slice(0, 1000));
      this.#hasHead = true;
      this.#rest = this.#rest.slice(end + headEnd.length);
      if (this.#rest === "") return;
    }
    const whole = this.#rest.lastIndexOf("\n\n") + 2;
    if (whole < 2) return;
    const text = this.#rest.slice(0, whole);
    this.#rest = this.#rest.slice(whole);
    const data = [...text.matchAll(/^data: (.*)$/gm)];
    this.onPiece(data.map(([, json]) => JSON.parse(json ?? "") as SeenEvent));
  }
}
