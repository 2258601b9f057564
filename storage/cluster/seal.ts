/**
 * What nodes put into a Redis that others may write to, they seal: HMAC-SHA-256 under a key that only nodes have, over
 * the bytes and the name of the place that they are for. One for each letter, batch or value, however much it holds.
 */
import { createHmac, timingSafeEqual } from "node:crypto";

/** Nodes of one database: what they are called where others may be, and what only they know. */
export interface Installation {
  name: string;
  key: Buffer;
}

const macBytes = 32;
/** A first word from somebody unknown is believed when it is not older than this by the clocks of both. */
const firstWordMs = 600_000;
/** Senders remembered; nodes that came and went are forgotten first. */
const maxSenders = 10_000;

export class Seal {
  constructor(private readonly key: Buffer) {}

  /** The bytes behind their authenticator. */
  close(place: string, bytes: Buffer): Buffer {
    return Buffer.concat([this.#mac(place, bytes), bytes]);
  }

  /** The bytes that were sealed for this place; undefined for anything else. */
  open(place: string, sealed: unknown): Buffer | undefined {
    if (!Buffer.isBuffer(sealed) || sealed.length < macBytes) return undefined;
    const bytes = sealed.subarray(macBytes);
    return timingSafeEqual(sealed.subarray(0, macBytes), this.#mac(place, bytes)) ? bytes : undefined;
  }

  #mac(place: string, bytes: Buffer): Buffer {
    return createHmac("sha256", this.key).update(`${place}\n`).update(bytes).digest();
  }
}

/**
 * Tells a letter from a copy of it. A sender numbers what it sends, upwards, and one connection keeps the order. Who
 * heard nothing from a sender yet takes what was sent lately: a letter to this node alone cannot be older than the
 * node, and an old one to all, as a copy of a node's that is gone, is refused by its time.
 */
export class Newness {
  readonly #last = new Map<string, number>();

  isNew(from: string, number: number, sentAt: number, now: number): boolean {
    const last = this.#last.get(from);
    if (last === undefined ? Math.abs(now - sentAt) > firstWordMs : number <= last) return false;
    this.#last.delete(from);
    this.#last.set(from, number);
    if (this.#last.size > maxSenders) this.#last.delete(this.#last.keys().next().value!);
    return true;
  }
}
