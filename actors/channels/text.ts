/** Channels as JSON text. A register lists every channel, and nearly all of the text is the same for everybody. */
import { type ChannelRow, channelGroupSettings } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderChannel } from "./record.ts";

interface Kept {
  subscribers: number;
  text: string;
}

export class ChannelText {
  /** By row: a changed channel has a new row. */
  readonly #kept = new WeakMap<ChannelRow, Kept>();

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
}

/** The text of an object with `fields` added. Neither of the two may be empty. */
export function withFields(text: string, fields: Readonly<Record<string, unknown>>): string {
  return `${text.slice(0, -1)},${JSON.stringify(fields).slice(1)}`;
}
