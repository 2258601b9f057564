/**
 * Values that are JSON already. A large answer is mostly text that was made before, for somebody else: it is put
 * together from pieces that are shared, and never stands in memory as one string.
 */

export type Piece = string | Uint8Array;

/** A value as JSON text, in pieces; bytes are UTF-8. */
export class JsonText {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** Some fields of an object as JSON text without its braces: `"name":value,…`. */
export class JsonFields {
  constructor(readonly bytes: Uint8Array) {}
}

/** Fields of an object: by name, a value may be `JsonText`; or as text. */
export type Fields = Readonly<Record<string, unknown>> | JsonFields;

/** An array of values that are each JSON already. */
export const arrayOf = (texts: readonly string[]): JsonText => new JsonText([`[${texts.join(",")}]`]);

/** An array of values in pieces, each value after a comma. */
export function arrayOfPieces([first, ...rest]: readonly Piece[]): JsonText {
  if (first === undefined) return new JsonText(["[]"]);
  return new JsonText(["[", typeof first === "string" ? first.slice(1) : first.subarray(1), ...rest, "]"]);
}

/** A stretch of an answer's bytes, and whose they are. */
export interface AnswerPart {
  bytes: Uint8Array;
  /** The same bytes are in the answers of others; this answer's own; or a secret, which stands apart. */
  kind: "shared" | "own" | "secret";
}

/**
 * The JSON of an object with all of these fields, in parts: adjacent texts are one.
 * @param secrets names of fields whose values are secrets
 */
export function encodeParts(groups: readonly Fields[], secrets: ReadonlySet<string> = new Set()): AnswerPart[] {
  const parts: AnswerPart[] = [];
  let text = "";
  const flush = (kind: "own" | "secret"): void => {
    if (text !== "") parts.push({ bytes: Buffer.from(text), kind });
    text = "";
  };
  const add = (piece: Piece): void => {
    if (typeof piece === "string") {
      text += piece;
      return;
    }
    flush("own");
    parts.push({ bytes: piece, kind: "shared" });
  };
  let separator = "{";
  for (const fields of groups) {
    if (fields instanceof JsonFields) {
      if (fields.bytes.length === 0) continue;
      add(separator);
      add(fields.bytes);
      separator = ",";
      continue;
    }
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue;
      add(`${separator}${JSON.stringify(name)}:`);
      separator = ",";
      const isSecret = secrets.has(name);
      if (isSecret) flush("own");
      if (value instanceof JsonText) for (const piece of value.pieces) add(piece);
      else add(JSON.stringify(value));
      if (isSecret) flush("secret");
    }
  }
  add(separator === "{" ? "{}" : "}");
  flush("own");
  return parts;
}
