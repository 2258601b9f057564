/**
 * The picture of the one emoji that every organization has and Unicode does not, at the address where clients look for
 * it: two speech bubbles.
 */
import { RawReply } from "../../api/reply.ts";
import { route } from "../../api/route.ts";
import { encodePng } from "./png.ts";

const sizePx = 64;
const clear = 0;
const teal = 1;
const white = 2;
const amber = 3;

/** The colour of a pixel; both coordinates go from 0 to 64. */
function colourAt(x: number, y: number): number {
  const isIn = (left: number, top: number, right: number, bottom: number) =>
    x >= left && x < right && y >= top && y < bottom;
  if (isIn(10, 18, 42, 38) || (y >= 38 && y < 46 && x >= 16 && x < 32 - 2 * (y - 38))) return white;
  if (isIn(44, 28, 56, 50) || isIn(28, 41, 56, 50) || (y >= 50 && y < 55 && x >= 42 + 2 * (y - 50) && x < 54))
    return amber;
  const [dx, dy] = [x - sizePx / 2 + 0.5, y - sizePx / 2 + 0.5];
  return dx * dx + dy * dy <= (sizePx / 2) ** 2 ? teal : clear;
}

function draw(): Buffer {
  const rowBytes = 1 + sizePx / 4;
  const rows = Buffer.alloc(rowBytes * sizePx);
  for (let y = 0; y < sizePx; y++)
    for (let x = 0; x < sizePx; x++) {
      const at = y * rowBytes + 1 + (x >> 2);
      rows[at] = rows.readUInt8(at) | (colourAt(x, y) << (6 - 2 * (x & 3)));
    }
  const palette = [0, 0, 0, 0x35, 0x60, 0x6b, 0xff, 0xff, 0xff, 0xf2, 0xb8, 0x4b];
  return encodePng({ sizePx, bits: 2, rows, palette, isFirstClear: true });
}

export const readExtraEmoji = route({
  doc: "https://zulip.com/api/message-formatting",
  summary: "The picture of `:zulip:`.",
  auth: ["anybody"],
  rateLimit: "none",
  params: {},
  handle({ app }) {
    const headers = [["Content-Type", "image/png"]] as const;
    return app.keptAnswers.get("extra emoji", "", 86_400, () => new RawReply(200, headers, draw()));
  },
});
