/** What a value is to be, in the words of a refusal: by the type of a struct, or of a refinement. */
const kinds: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  type: "an object",
  record: "an object",
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "a boolean",
  tuple: "a list of the right length",
  enums: "one of the allowed values",
  literal: "one of the allowed values",
  nonempty: "non-empty",
  size: "of an allowed length",
  min: "large enough",
  max: "small enough",
  pattern: "of the right form",
};

export const kindWords = (type: string): string => kinds[type] ?? "valid";
