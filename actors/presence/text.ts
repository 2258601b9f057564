/**
 * The presence of all people as JSON text, in the order in which it changed, in blocks. Whoever asks what changed lacks
 * some last blocks wholly, and one more in part. The text of a whole block is made once for all who lack it. A change
 * takes a person out of their block and into the last one, so it makes one block stale.
 */
import { lastOf } from "../../storage/failures.ts";
import type { LogPosition, UserId } from "../../storage/ids.ts";
import { JsonText, type Piece } from "../text/json-text.ts";
import type { PresenceTimes } from "./record.ts";

/** Small enough to make one again cheaply, large enough to put many together cheaply. */
const peoplePerBlock = 256;

export interface PresenceEntry extends PresenceTimes {
  user_id: UserId;
  update_id: LogPosition;
}

/** A block's text, a comma before each entry. */
interface BlockText {
  /**
   * Bytes, which compression knows again, once it is asked for a second time. The first and the last of a caller's
   * blocks change with nearly every report.
   */
  piece: Piece;
  /** When the people in it were last here, in UNIX seconds. */
  oldest: number;
  newest: number;
  lastUpdateId: LogPosition;
}

interface Block {
  /** Ascending by update. Never empty. */
  entries: PresenceEntry[];
  /** By the field that everybody sees. A missing one is stale. */
  readonly texts: Map<PresenceField, BlockText>;
}

/** An entry as a field of an object, `"name":value`. Undefined: it is not shown. */
export type PresenceField = (entry: PresenceEntry) => string | undefined;

/** Which entries are wanted. */
export interface PresenceRange {
  /** Those that changed after this update. */
  after: LogPosition;
  /** Of these, whoever was here since then, in UNIX seconds. */
  since: number;
}

export class PresenceText {
  /** Ascending by update. */
  readonly #blocks: Block[] = [];
  readonly #blockOf = new Map<UserId, Block>();

  /** Notes a new entry, or one with other times or a later update. */
  note(entry: PresenceEntry): void {
    const block = this.#blockOf.get(entry.user_id);
    if (block) this.#remove(block, entry.user_id);
    this.#insert(entry);
  }

  /** Makes the block of a person stale: they may have become visible or hidden. */
  forget(userId: UserId): void {
    this.#blockOf.get(userId)?.texts.clear();
  }

  /** Makes all blocks stale. */
  forgetAll(): void {
    for (const { texts } of this.#blocks) texts.clear();
  }

  /**
   * @param isKept whether others see the same fields
   * @returns the text of an object, and the newest update in it (`after` when it is empty)
   */
  render(
    field: PresenceField,
    { after, since }: PresenceRange,
    isKept: boolean,
  ): { json: JsonText; lastUpdateId: LogPosition } {
    const shared: Piece[] = [];
    let own = "";
    let lastUpdateId = after;
    const found = (text: BlockText): void => {
      if (text.piece.length === 0) return;
      if (typeof text.piece === "string") own += text.piece;
      else shared.push(text.piece);
      lastUpdateId = Math.max(lastUpdateId, text.lastUpdateId);
    };
    for (let index = this.#firstAfter(after); index < this.#blocks.length; index++) {
      const block = this.#blocks[index]!;
      const isWhole = isKept && block.entries[0]!.update_id > after;
      const text = isWhole ? this.#textOf(block, field) : undefined;
      if (text && text.oldest >= since) found(text);
      else if (!text || text.newest >= since)
        found(
          textOf(
            block.entries.filter((entry) => entry.update_id > after && entry.idle_at >= since),
            field,
          ),
        );
    }
    return { json: objectOf(own, shared), lastUpdateId };
  }

  #textOf(block: Block, field: PresenceField): BlockText {
    const kept = block.texts.get(field);
    const text = kept ?? textOf(block.entries, field);
    if (!kept) block.texts.set(field, text);
    // The memory of each piece is its own: gzip keeps what it made of one by its memory.
    else if (typeof text.piece === "string" && text.piece !== "") text.piece = new TextEncoder().encode(text.piece);
    return text;
  }

  /** Index of the first block with an update after `id`. */
  #firstAfter(id: LogPosition): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lastOf(this.#blocks[middle]!.entries).update_id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #remove(block: Block, userId: UserId): void {
    block.texts.clear();
    block.entries.splice(
      block.entries.findIndex(({ user_id }) => user_id === userId),
      1,
    );
    const index = this.#blocks.indexOf(block);
    if (block.entries.length === 0) this.#blocks.splice(index, 1);
    else if (!this.#join(index)) this.#join(index - 1);
  }

  /** Joins a block with the next if both have room in one. */
  #join(index: number): boolean {
    const [block, next] = this.#blocks.slice(Math.max(index, 0), index + 2);
    if (!block || !next || block.entries.length + next.entries.length > peoplePerBlock) return false;
    block.texts.clear();
    for (const entry of next.entries) {
      block.entries.push(entry);
      this.#blockOf.set(entry.user_id, block);
    }
    this.#blocks.splice(index + 1, 1);
    return true;
  }

  #insert(entry: PresenceEntry): void {
    // Nearly every update is the newest one: few come late.
    let index = this.#blocks.length - 1;
    while (index > 0 && this.#blocks[index]!.entries[0]!.update_id > entry.update_id) index--;
    const block = this.#blocks[index];
    const place = block?.entries.findLastIndex(({ update_id }) => update_id <= entry.update_id) ?? -1;
    if (!block || place === peoplePerBlock - 1) {
      this.#addBlock(index + 1, [entry]);
      return;
    }
    block.texts.clear();
    block.entries.splice(place + 1, 0, entry);
    this.#blockOf.set(entry.user_id, block);
    if (block.entries.length > peoplePerBlock) this.#addBlock(index + 1, block.entries.splice(peoplePerBlock / 2));
  }

  #addBlock(index: number, entries: PresenceEntry[]): void {
    const block: Block = { entries, texts: new Map() };
    for (const { user_id } of entries) this.#blockOf.set(user_id, block);
    this.#blocks.splice(index, 0, block);
  }
}

function textOf(entries: readonly PresenceEntry[], field: PresenceField): BlockText {
  const text = { oldest: Number.POSITIVE_INFINITY, newest: Number.NEGATIVE_INFINITY, lastUpdateId: -1 };
  let piece = "";
  for (const entry of entries) {
    const shown = field(entry);
    if (shown === undefined) continue;
    piece += `,${shown}`;
    text.oldest = Math.min(text.oldest, entry.idle_at);
    text.newest = Math.max(text.newest, entry.idle_at);
    text.lastUpdateId = Math.max(text.lastUpdateId, entry.update_id);
  }
  return { ...text, piece };
}

/** An object of entries that each have a comma before them. */
function objectOf(own: string, shared: readonly Piece[]): JsonText {
  if (own !== "") return new JsonText([`{${own.slice(1)}`, ...shared, "}"]);
  const [first, ...rest] = shared;
  return new JsonText(first === undefined ? ["{}"] : ["{", first.slice(1), ...rest, "}"]);
}
