/** Answers that are the same for everybody until their source changes. Each is made once, as bytes. */
import { KeptReply, type RawReply } from "../api/reply.ts";

export class KeptAnswers {
  /** How many answers were made so far. */
  made = 0;
  readonly #kept = new Map<string, { madeFrom: string; reply: KeptReply }>();
  readonly #making = new Map<string, { madeFrom: string; reply: Promise<KeptReply> }>();

  /**
   * The answer of this name. It is made when first asked for, and again when its source has changed.
   * @param name one of a few: each answer is kept for good
   */
  get(name: string, madeFrom: string, secs: number, make: () => RawReply): KeptReply {
    const kept = this.#kept.get(name);
    if (kept?.madeFrom === madeFrom) return kept.reply;
    const reply = new KeptReply(make(), secs);
    this.made++;
    this.#kept.set(name, { madeFrom, reply });
    return reply;
  }

  /** The same for an answer that takes long to make, so that others come between. Those who wait for it share it. */
  async getSoon(name: string, madeFrom: string, secs: number, make: () => Promise<RawReply>): Promise<KeptReply> {
    const kept = this.#kept.get(name);
    if (kept?.madeFrom === madeFrom) return kept.reply;
    const begun = this.#making.get(name);
    if (begun?.madeFrom === madeFrom) return begun.reply;
    const making = {
      madeFrom,
      reply: make()
        .then((made) => this.get(name, madeFrom, secs, () => made))
        .finally(() => this.#making.get(name) === making && this.#making.delete(name)),
    };
    this.#making.set(name, making);
    return making.reply;
  }
}
