/** Answers that are the same for everybody until what they are made from changes: each is made once, as bytes. */
import { createHash } from "node:crypto";
import { RawReply } from "../api/route.ts";

/** An answer that clients may keep as well, and ask whether it is still good (`If-None-Match`). */
export class KeptReply extends RawReply {
  declare readonly body: Uint8Array;
  readonly etag: string;

  /** @param secs for which a client need not ask again */
  constructor({ headers, body }: RawReply, secs: number) {
    const bytes = new Uint8Array(typeof body === "string" ? Buffer.from(body) : body);
    const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
    const caching = secs > 0 ? `public, max-age=${secs}` : "no-cache";
    const others = headers.filter(([name]) => name !== "Cache-Control");
    super(200, [...others, ["Cache-Control", caching], ["ETag", etag]], bytes);
    this.etag = etag;
  }

  /** Whether a client that has what its `If-None-Match` names has this. */
  isHad(ifNoneMatch: string): boolean {
    return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === this.etag);
  }
}

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
