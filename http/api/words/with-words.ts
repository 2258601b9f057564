type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A JSON Schema in which every property says what it means: by itself, or in these words.
 * @param wordsFor what a property's name means inside properties of these names, the nearest first
 */
export function withWords(
  schema: unknown,
  wordsFor: (name: string, inside: readonly string[]) => string | undefined,
  inside: readonly string[],
): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withWords(each, wordsFor, inside));
  if (!isObject(schema)) return schema;
  const described: Json = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties") described[keyword] = propertiesWithWords(value as Json, wordsFor, inside);
    else described[keyword] = parts.has(keyword) ? withWords(value, wordsFor, inside) : value;
  }
  return described;
}

/** Keywords that hold schemas of the same value, or of its items. */
const parts = new Set(["items", "prefixItems", "additionalProperties", "oneOf", "anyOf"]);

function propertiesWithWords(
  properties: Json,
  wordsFor: Parameters<typeof withWords>[1],
  inside: readonly string[],
): Json {
  const described = Object.entries(properties).map(([name, property]) => {
    const schema = withWords(property, wordsFor, [name, ...inside]) as Json;
    const description = schema["description"] ?? wordsFor(name, inside);
    return [name, { ...schema, ...(description !== undefined && { description }) }];
  });
  return Object.fromEntries(described) as Json;
}
