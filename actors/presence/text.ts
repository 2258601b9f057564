/**
 * The presence of all people as JSON text, in blocks of people. A ping makes one block stale, and a full fetch joins
 * the texts of all blocks. A block leaves out entries older than the caller's limit. So each block notes the limits for
 * which its text is valid.
 */
import type { LogPosition, UserId } from "../../storage/ids.ts";
import { modernPresence, type PresenceTimes } from "./record.ts";

/** Small enough to build one again cheaply, large enough to join all of them cheaply. */
const peoplePerBlock = 256;

export interface PresenceEntry extends PresenceTimes {
  user_id: UserId;
  update_id: LogPosition;
}

interface Block {
  entries: PresenceEntry[];
  /** Undefined: stale. */
  text: string | undefined;
  /** The oldest entry in the text, and the newest one left out, in UNIX seconds. */
  oldest: number;
  newestLeftOut: LogPosition;
  lastUpdateId: LogPosition;
}

export class PresenceText {
  readonly #blocks: Block[] = [];
  readonly #blockOf = new Map<UserId, Block>();

  /** Notes a new or changed entry. */
  touch(entry: PresenceEntry): void {
    let block = this.#blockOf.get(entry.user_id);
    if (!block) {
      block = this.#blocks.at(-1);
      if (!block || block.entries.length >= peoplePerBlock) {
        block = { entries: [], text: undefined, oldest: 0, newestLeftOut: 0, lastUpdateId: -1 };
        this.#blocks.push(block);
      }
      block.entries.push(entry);
      this.#blockOf.set(entry.user_id, block);
    }
    block.text = undefined;
  }

  /** Makes the block of a person stale: they may have become visible or hidden. */
  forget(userId: UserId): void {
    const block = this.#blockOf.get(userId);
    if (block) block.text = undefined;
  }

  /**
   * @param since UNIX seconds; entries of people last here before that are left out
   * @returns the text of an object keyed by user id, and the newest update in it (-1 when it is empty)
   */
  render(since: number, isShown: (userId: UserId) => boolean): { json: string; lastUpdateId: LogPosition } {
    const texts: string[] = [];
    let lastUpdateId = -1;
    for (const block of this.#blocks) {
      if (block.text === undefined || since > block.oldest || since <= block.newestLeftOut)
        build(block, since, isShown);
      if (block.text) texts.push(block.text);
      lastUpdateId = Math.max(lastUpdateId, block.lastUpdateId);
    }
    return { json: `{${texts.join(",")}}`, lastUpdateId };
  }
}

function build(block: Block, since: number, isShown: (userId: UserId) => boolean): void {
  const texts: string[] = [];
  block.oldest = Number.POSITIVE_INFINITY;
  block.newestLeftOut = Number.NEGATIVE_INFINITY;
  block.lastUpdateId = -1;
  for (const entry of block.entries) {
    if (!isShown(entry.user_id)) continue;
    if (entry.idle_at < since) {
      block.newestLeftOut = Math.max(block.newestLeftOut, entry.idle_at);
      continue;
    }
    block.oldest = Math.min(block.oldest, entry.idle_at);
    block.lastUpdateId = Math.max(block.lastUpdateId, entry.update_id);
    texts.push(`"${entry.user_id}":${JSON.stringify(modernPresence(entry))}`);
  }
  block.text = texts.join(",");
}
