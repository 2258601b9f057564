/**
 * Channels as JSON text. A register lists every channel, and nearly all of the text is the same for everybody. Where a
 * person sees every channel of a block, the block's text is used as it is.
 */
import { type ChannelRow, channelGroupSettings } from "../../storage/rows.ts";
import { renderChannel } from "../channels/record.ts";
import { defineDerived, type RealmState } from "../realm/state/state.ts";
import { arrayOfPieces, type JsonText, type Piece } from "../text/json-text.ts";
import { SubscriberText } from "./subscriber-text.ts";

/** Channels that follow one another: few enough that some blocks hold none that a person is subscribed to. */
const channelsPerBlock = 32;

interface Kept {
  subscribers: number;
  text: string;
}

/** Every channel of a block, each record after a comma. */
interface Block {
  records: readonly string[];
  bytes: Uint8Array;
}

class ChannelText {
  /** Channels with who is subscribed to them. */
  readonly subscribers = new SubscriberText();
  /** By row: a changed channel has a new row. */
  readonly #kept = new WeakMap<ChannelRow, Kept>();
  /** With archived channels and without, by place. */
  readonly #blocks = { withArchived: new Map<number, Block>(), active: new Map<number, Block>() };

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

  /**
   * An array of the channels that are to be shown; archived ones, too, only where they are wanted.
   * @param openOf a record with more in it, after a comma and without the brace that ends it
   */
  list(
    state: RealmState,
    withArchived: boolean,
    isShown: (channel: ChannelRow) => boolean,
    openOf?: (channel: ChannelRow, text: string) => Piece,
  ): JsonText {
    const blocks = withArchived ? this.#blocks.withArchived : this.#blocks.active;
    const pieces: Piece[] = [];
    let records: string[] = [];
    let isWhole = true;
    let place = 0;
    const endBlock = (): void => {
      if (records.length > 0) pieces.push(isWhole ? blockOf(blocks, place, records) : `,${records.join(",")}`);
      records = [];
      isWhole = true;
    };
    // Channels are never removed, so that each stays in its place.
    for (const channel of state.channels.values()) {
      if (withArchived || !channel.is_archived) {
        if (isShown(channel)) {
          const text = this.of(state, channel);
          if (openOf) pieces.push(openOf(channel, text), "}");
          else records.push(text);
        } else isWhole = false;
      }
      if (++place % channelsPerBlock === 0) endBlock();
    }
    endBlock();
    return arrayOfPieces(pieces);
  }
}

/** The block that ends at this place, as it is now. */
function blockOf(blocks: Map<number, Block>, place: number, records: readonly string[]): Uint8Array {
  const kept = blocks.get(place);
  if (kept && kept.records.length === records.length && records.every((record, at) => record === kept.records[at]))
    return kept.bytes;
  const bytes = Buffer.from(`,${records.join(",")}`);
  blocks.set(place, { records, bytes });
  return bytes;
}

/** Every channel, as a register lists them. */
export const channelTexts = defineDerived<ChannelText>({ make: () => new ChannelText(), tables: [] });
