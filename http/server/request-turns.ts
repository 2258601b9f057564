/**
 * Requests begin in the order in which they came, a few in each turn of the event loop. One packet may hold thousands:
 * without this they would all be answered before anybody else is heard. It also bounds what one connection is given. A
 * native build closes a connection that asks again, in the same packet, while its answer waits for a later turn.
 * Clients that wait for their answers do not notice.
 */
const begunPerTurn = 32;

export class RequestTurns {
  #begun = 0;
  #isScheduled = false;
  #waiting: (() => void)[] = [];

  /** Undefined: begin at once. Else when to begin. */
  take(): Promise<void> | undefined {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(this.#next);
    }
    if (this.#begun < begunPerTurn && this.#waiting.length === 0) {
      this.#begun++;
      return undefined;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  readonly #next = (): void => {
    const granted = this.#waiting.splice(0, begunPerTurn);
    this.#begun = granted.length;
    this.#isScheduled = granted.length > 0;
    if (this.#isScheduled) setImmediate(this.#next);
    for (const begin of granted) begin();
  };
}
