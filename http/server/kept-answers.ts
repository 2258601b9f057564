/** Answers that are the same for everybody until their source changes. Each is made once, as bytes. */
import { KeptReply, type RawReply } from "../api/reply.ts";

export class KeptAnswers {
  readonly #kept = new Map<string, { madeFrom: string; reply: KeptReply }>();

  /**
   * The answer of this name. It is made when first asked for, and again when its source has changed.
   * @param name one of a few: each answer is kept for good
   */
  get(name: string, madeFrom: string, secs: number, make: () => RawReply): KeptReply {
    const kept = this.#kept.get(name);
    if (kept?.madeFrom === madeFrom) return kept.reply;
    const reply = new KeptReply(make(), secs);
    this.#kept.set(name, { madeFrom, reply });
    return reply;
  }
}
