/**
 * Values that are JSON already. Most of a large answer was encoded before, for somebody else. It is put together from
 * shared pieces, and is never one string in memory.
 */

export type Piece = string | Uint8Array;

/** A value as JSON text, in pieces. Bytes are UTF-8. */
export class JsonText {
  constructor(readonly pieces: readonly Piece[]) {}
}

/** Some fields of an object as JSON text without its braces: `"name":value,…`. */
export class JsonFields {
  constructor(readonly bytes: Uint8Array) {}
}

/** Fields of an object: by name, where a value may be `JsonText`, or already as text. */
export type Fields = Readonly<Record<string, unknown>> | JsonFields;

/** An array of values that are JSON already. */
export const arrayOf = (texts: readonly string[]): JsonText => new JsonText([`[${texts.join(",")}]`]);

/** An array of values in pieces, with commas between them. */
export function arrayOfPieces([first, ...rest]: readonly Piece[]): JsonText {
  if (first === undefined) return new JsonText(["[]"]);
  return new JsonText(["[", typeof first === "string" ? first.slice(1) : first.subarray(1), ...rest, "]"]);
}

/** Some of an answer's bytes, and their kind. */
export interface AnswerPart {
  bytes: Uint8Array;
  /** Shared with other answers, this answer's own, or a secret. */
  kind: "shared" | "own" | "secret";
}

/**
 * The JSON of an object with all of these fields, in parts. Adjacent texts are joined.
 * @param secrets names of fields with secret values
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
