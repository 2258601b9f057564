/**
 * Nodes seal everything they put into Redis, since others may write there too. The seal is HMAC-SHA-256, under a key
 * that only nodes have, over the bytes and the name of their place. Each message, batch or value has one seal.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { oldestOf } from "../failures.ts";

/** The nodes of one database: their name in Redis, and the key that only they have. */
export interface Installation {
  name: string;
  key: Buffer;
}

const macBytes = 32;
/** The first message of an unknown sender is accepted if it is not older than this, by both clocks. */
const firstWordMs = 600_000;
/** The most senders remembered. The one that has been silent for longest is forgotten first. */
const maxSenders = 10_000;

export class Seal {
  constructor(private readonly key: Buffer) {}

  /** The bytes, with their seal before them. */
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
 * Tells a message from a copy of it. A sender numbers its messages in ascending order, and one connection keeps the
 * order. Of an unknown sender only recent messages are accepted, so an old message to all nodes is refused by its time.
 * It may be a copy of one by a node that is gone. A message to this node alone cannot be older than the node.
 */
export class ReplayWindow {
  readonly #last = new Map<string, number>();

  accepts(from: string, number: number, sentAt: number, now: number): boolean {
    const last = this.#last.get(from);
    if (last === undefined ? Math.abs(now - sentAt) > firstWordMs : number <= last) return false;
    this.#last.delete(from);
    this.#last.set(from, number);
    if (this.#last.size > maxSenders) this.#last.delete(oldestOf(this.#last));
    return true;
  }
}
