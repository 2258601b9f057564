/** Things that one request has at a time. Whoever comes takes it over: its client has left, and come again. */
interface Holder {
  giveUp(): void;
  ended: Promise<void>;
}

export class Takeovers {
  readonly #holders = new Map<string, Holder>();

  /**
   * Acts when nobody else does so with this thing.
   *
   * @param giveUp has `act` end soon, as somebody else has come
   */
  async hold<T>(thing: string, giveUp: () => void, act: () => Promise<T>): Promise<T> {
    for (let holder = this.#holders.get(thing); holder; holder = this.#holders.get(thing)) {
      holder.giveUp();
      await holder.ended;
    }
    let end = (): void => {};
    this.#holders.set(thing, { giveUp, ended: new Promise((resolve) => (end = resolve)) });
    try {
      return await act();
    } finally {
      this.#holders.delete(thing);
      end();
    }
  }
}
