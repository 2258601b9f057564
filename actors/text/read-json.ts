/**
 * JSON from outside. Reading it is quick; what is done to a value afterwards recurses, and looks at each of its parts.
 */
import { badRequest } from "../errors.ts";

/** Levels of lists and objects: the API has five at most, and some thousands would exhaust the stack. */
const maxDepth = 50;
/**
 * Values in one text: as many as can be checked in some tens of milliseconds, and more than any list of the API needs.
 */
const maxValues = 20_000;

/** The value of a JSON text. @throws SyntaxError; BAD_REQUEST for one that is too deep or too long */
export function readJsonText(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  if (text.length > maxDepth) checkAmount(text);
  if (!mayHideToString.test(text)) return JSON.parse(text, reviver);
  return JSON.parse(text, function (this: unknown, key, value: unknown) {
    return printable(reviver ? reviver.call(this, key, value) : value);
  });
}

/** A key `toString`, plain or with letters that are escaped. */
const mayHideToString = /toString|\\u00[4-7]/;

/**
 * The object, which can be put into a text although a key of its own hides the method for it. Whoever checks a value
 * names it in the message of a failure, and would throw another error over it. A symbol is no key: nobody who walks or
 * encodes the object sees it, and copies have it too.
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
