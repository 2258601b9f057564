/**
 * Channels as JSON text. A register lists every channel, and nearly all of the text is the same for everybody. Where a
 * person sees every channel of a block, the block's text is used as it is. It is compressed once for all of them.
 */
import { type ChannelRow, channelGroupSettings } from "../../storage/rows.ts";
import { renderChannel } from "../channels/record.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { arrayOfPieces, type JsonText, type Piece } from "../text/json-text.ts";
import { SubscriberText, type WantedSubscribers } from "./subscriber-text.ts";

/** Channels that follow one another: few enough that some blocks hold none that a person is subscribed to. */
const channelsPerBlock = 32;
/** With subscribers a record is longer, so that fewer are worth a block, and more blocks are whole. */
const openChannelsPerBlock = 8;
/** Shorter text costs less to compress with what is around it than to be a piece of its own. */
const minPieceLength = 4 * 1024;

interface Kept {
  subscribers: number;
  text: string;
}

/** Every channel of a block, each record after a comma. */
interface Block {
  records: readonly Piece[];
  /** The same, joined where they are short. */
  pieces: readonly Piece[];
}

/** By the number of channels up to its end. */
type Blocks = Map<number, Block>;

/** How channels are listed with their subscribers. */
export interface OpenRecords {
  wanted: WantedSubscribers;
  /** A record with its subscribers in it, after a comma and without the brace that ends it. */
  open(channel: ChannelRow, text: string): Piece;
}

class ChannelText {
  /** Channels with who is subscribed to them. */
  readonly subscribers = new SubscriberText();
  /** By row: a changed channel has a new row. */
  readonly #kept = new WeakMap<ChannelRow, Kept>();
  /** By which subscribers are in them, with archived channels and without. */
  readonly #blocks = new Map<string, Blocks>();

  /** `renderChannel` as text. */
  of(state: RealmState, channel: ChannelRow): string {
    const subscribers = state.subscriptions.countActive(channel.id);
    const kept = this.#kept.get(channel);
    if (kept?.subscribers === subscribers) return kept.text;
    const text = JSON.stringify(renderChannel(state, channel));
    // Anonymous groups are shown without members who were deactivated since.
    if (channelGroupSettings.every((name) => typeof channel[name] === "number"))
      this.#kept.set(channel, { subscribers, text });
    return text;
  }

  /** An array of the channels that are to be shown; archived ones, too, only where they are wanted. */
  list(
    state: RealmState,
    withArchived: boolean,
    isShown: (channel: ChannelRow) => boolean,
    subscribers?: OpenRecords,
  ): JsonText {
    const blocks = this.#blocksOf(`${subscribers?.wanted} ${withArchived}`);
    const perBlock = subscribers ? openChannelsPerBlock : channelsPerBlock;
    const pieces: Piece[] = [];
    let records: Piece[] = [];
    let isWhole = true;
    let place = 0;
    const endBlock = (): void => {
      if (records.length > 0) pieces.push(...(isWhole ? blockOf(blocks, place, records) : records));
      records = [];
      isWhole = true;
    };
    // Channels are never removed, so that each stays in its place.
    for (const channel of state.channels.values()) {
      if (withArchived || !channel.is_archived) {
        if (isShown(channel)) {
          const text = this.of(state, channel);
          if (subscribers) records.push(subscribers.open(channel, text), "}");
          else records.push(",", text);
        } else isWhole = false;
      }
      if (++place % perBlock === 0) endBlock();
    }
    endBlock();
    return arrayOfPieces(pieces);
  }

  #blocksOf(kind: string): Blocks {
    let blocks = this.#blocks.get(kind);
    if (!blocks) this.#blocks.set(kind, (blocks = new Map()));
    return blocks;
  }
}

/** The block that ends at this place, as it is now. */
function blockOf(blocks: Blocks, place: number, records: readonly Piece[]): readonly Piece[] {
  const kept = blocks.get(place);
  if (kept && kept.records.length === records.length && records.every((record, at) => record === kept.records[at]))
    return kept.pieces;
  const pieces: Piece[] = [];
  let text = "";
  const flush = (): void => {
    // The memory of each is its own: gzip keeps what it made of one by its memory.
    if (text !== "") pieces.push(text.length < minPieceLength ? text : new TextEncoder().encode(text));
    text = "";
  };
  for (const record of records) {
    if (typeof record === "string") text += record;
    else {
      flush();
      pieces.push(record);
    }
  }
  flush();
  blocks.set(place, { records, pieces });
  return pieces;
}

/** Every channel, as a register lists them. */
export const channelTexts = defineDerived<ChannelText>({ make: () => new ChannelText(), tables: [] });
