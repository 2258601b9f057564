/** A text as a picture that telephones read. */
import { encode } from "uqr";

/** The dark modules of a QR code: the sides of a square in modules, and the path of an SVG that fills them. */
export function qrCode(text: string): { size: number; path: string } {
  const { data, size } = encode(text);
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return { size, path };
}
