/** Answers that are the same for everybody until what they are made from changes: each is made once, as bytes. */
import { KeptReply, type RawReply } from "../api/reply.ts";

export class KeptAnswers {
  readonly #kept = new Map<string, { madeFrom: string; reply: KeptReply }>();

  /**
   * The answer of this name, made when nobody has asked for it before and when what it is made from has changed.
   * @param name one of few: each is kept for good
   */
  get(name: string, madeFrom: string, secs: number, make: () => RawReply): KeptReply {
    const kept = this.#kept.get(name);
    if (kept?.madeFrom === madeFrom) return kept.reply;
    const reply = new KeptReply(make(), secs);
    this.#kept.set(name, { madeFrom, reply });
    return reply;
  }
}
