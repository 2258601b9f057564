/**
 * Values that are JSON already. A large answer is mostly text that was made before, for somebody else: it is put
 * together from pieces that are shared, and never stands in memory as one string.
 */

export type Piece = string | Uint8Array;

/** A value as JSON text, in pieces; bytes are UTF-8. */
export class JsonText {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** An array of values that are each JSON already. */
export const arrayOf = (texts: readonly string[]): JsonText => new JsonText([`[${texts.join(",")}]`]);

/** The JSON of an object whose values may be `JsonText`, in pieces: adjacent texts are one. */
export function encodePieces(fields: Readonly<Record<string, unknown>>): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let text = "";
  const add = (piece: Piece): void => {
    if (typeof piece === "string") {
      text += piece;
      return;
    }
    if (text !== "") pieces.push(Buffer.from(text));
    text = "";
    pieces.push(piece);
  };
  let separator = "{";
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    add(`${separator}${JSON.stringify(name)}:`);
    separator = ",";
    if (value instanceof JsonText) for (const piece of value.pieces) add(piece);
    else add(JSON.stringify(value));
  }
  add(separator === "{" ? "{}" : "}");
  pieces.push(Buffer.from(text));
  return pieces;
}
