/**
 * Reads JSON from outside. Parsing is quick, but what handles the value later is recursive and visits every part. So
 * depth and size are limited.
 */
import { badRequest } from "../errors.ts";

/** Levels of arrays and objects. The API has at most five, and some thousands would exhaust the stack. */
const maxDepth = 50;
/** Values in one text. This many are checked within some tens of milliseconds, and no list of the API needs more. */
const maxValues = 20_000;

/** Parses a JSON text. @throws SyntaxError; BAD_REQUEST for a text with too many levels or values */
export function readJsonText(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  if (text.length > maxDepth) checkAmount(text);
  if (!mayHideToString.test(text)) return JSON.parse(text, reviver);
  return JSON.parse(text, function (this: unknown, key, value: unknown) {
    return printable(reviver ? reviver.call(this, key, value) : value);
  });
}

/** A key `toString`, literally or with escaped letters. */
const mayHideToString = /toString|\\u00[4-7]/;

/**
 * Makes an object printable even when it has a key `toString`. A failed check puts the value into its message, and
 * would throw another error without this. The method is under a symbol: nobody who walks or encodes the object sees it,
 * and copies have it too.
 */
function printable(value: unknown): unknown {
  if (typeof value === "object" && value !== null && Object.hasOwn(value, "toString"))
    Object.assign(value, { [Symbol.toPrimitive]: () => "[object Object]" });
  return value;
}

function checkAmount(text: string): void {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (char === '"') {
      for (index++; index < text.length && text[index] !== '"'; index++) if (text[index] === "\\") index++;
    } else if (char === "[" || char === "{") {
      if (++depth > maxDepth) throw badRequest("JSON that is nested so deeply is not accepted.");
    } else if (char === "]" || char === "}") depth--;
    else if (char === "," && ++values > maxValues)
      throw badRequest(`JSON of more than ${maxValues} values is not accepted; please use several requests.`);
  }
}
