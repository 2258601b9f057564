/** Channels as JSON text. A register lists every channel for everybody, and nearly all of it is the same for all. */
import { type ChannelRow, channelGroupSettings } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderChannel } from "./record.ts";

interface Kept {
  subscribers: number;
  text: string;
}

export class ChannelText {
  /** By row: a change brings another row. */
  readonly #kept = new WeakMap<ChannelRow, Kept>();

  /** `renderChannel` as text. */
  of(state: RealmState, channel: ChannelRow): string {
    const subscribers = state.subscriptions.countActive(channel.id);
    const kept = this.#kept.get(channel);
    if (kept?.subscribers === subscribers) return kept.text;
    const text = JSON.stringify(renderChannel(state, channel));
    // Groups without a name are shown without whoever was deactivated since.
    if (channelGroupSettings.every((name) => typeof channel[name] === "number"))
      this.#kept.set(channel, { subscribers, text });
    return text;
  }
}

/** The text of an object that also has `fields`; neither of the two is empty. */
export function withFields(text: string, fields: Readonly<Record<string, unknown>>): string {
  return `${text.slice(0, -1)},${JSON.stringify(fields).slice(1)}`;
}
