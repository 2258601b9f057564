/**
 * Colours of channels in a person's sidebar, as 24-bit numbers (`0xrrggbb`). On the wire they are `#rrggbb` in lower
 * case, which the mobile client insists on; requests may also use the short form.
 * https://zulip.com/api/get-subscriptions
 */
import { defined } from "../../storage/failures.ts";

/**
 * Colours given to new subscriptions: those that the clients' colour pickers offer, so that a person who changed one
 * can choose it again. Source: the palette of the Zulip clients.
 */
export const channelColorPalette: readonly number[] = [
  0x76ce90, 0xfae589, 0xa6c7e5, 0xe79ab5, 0xbfd56f, 0xf4ae55, 0xb0a5fd, 0xaddfe5, 0xf5ce6e, 0xc2726a, 0x94c849,
  0xbd86e5, 0xee7e4a, 0xa6dcbf, 0x95a5fd, 0x53a063, 0x9987e1, 0xe4523d, 0xc2c2c2, 0x4f8de4, 0xc6a8ad, 0xe7cc4d,
  0xc8bebf, 0xa47462,
];

/**
 * The colour for a person's next subscription: the one of the palette that they use least, the earlier one if several
 * are used alike. So the first 24 channels all differ, and after that colours repeat evenly.
 */
export function pickColor(usedColors: Iterable<number>): number {
  const uses = new Map(channelColorPalette.map((color) => [color, 0]));
  for (const color of usedColors) {
    const count = uses.get(color);
    if (count !== undefined) uses.set(color, count + 1);
  }
  const [first, ...others] = uses;
  return others.reduce((least, next) => (next[1] < least[1] ? next : least), defined(first, "colour"))[0];
}

/** A colour as it is sent: `#rrggbb`, lower case. */
export function formatColor(color: number): string {
  return `#${color.toString(16).padStart(6, "0")}`;
}

/** Reads `#rrggbb` or `#rgb` in either case; `undefined` for anything else. */
export function parseColor(text: string): number | undefined {
  if (/^#[0-9a-f]{6}$/i.test(text)) return Number.parseInt(text.slice(1), 16);
  if (!/^#[0-9a-f]{3}$/i.test(text)) return undefined;
  return Number.parseInt(text.slice(1).replace(/./g, "$&$&"), 16);
}
