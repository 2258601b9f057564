/** JSON Schema in words: the type of a value, and the fields inside it. */
import { firstOf } from "../../storage/failures.ts";

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const objectIn = (value: unknown): Json => (isObject(value) ? value : {});
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** A value's type in a few words, such as `list of integers` or `integer or null`. */
export function typeOf(schema: unknown): string {
  return [...new Set(kindsOf(schema))].join(" or ");
}

function kindsOf(schema: unknown): string[] {
  if (!isObject(schema)) return ["anything"];
  if (Array.isArray(schema["enum"]))
    return schema["enum"].map((value) => (typeof value === "string" ? value || "empty" : String(value)));
  if ("const" in schema) return [String(schema["const"])];
  const choices = schema["oneOf"] ?? schema["anyOf"];
  if (Array.isArray(choices)) return choices.flatMap(kindsOf);
  const types = [schema["type"] ?? "anything"].flat().map(String);
  return types.map((type) => kindOf(type, schema));
}

function kindOf(type: string, schema: Json): string {
  if (type === "array") return schema["items"] ? `list of: ${typeOf(schema["items"])}` : "list";
  if (type === "object")
    return isObject(schema["additionalProperties"])
      ? `object by name of: ${typeOf(schema["additionalProperties"])}`
      : "object";
  const { minimum, maximum } = schema;
  if (minimum !== undefined && maximum !== undefined) return `${type} from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `${type} from ${minimum}`;
  return maximum === undefined ? type : `${type} up to ${maximum}`;
}

interface Field {
  /** Such as `messages[].reactions[].user_id`; `*` is whatever name an object is under. */
  path: string;
  type: string;
  /** Whether what it is in always has it. */
  isAlways: boolean;
  meaning: string;
}

/** Of more choices, only the fields that all of them have are told: nobody reads hundreds. */
const maxChoices = 20;

/** All fields inside a value, with those inside them. @param path what the value is called, may be empty */
export function fieldsOf(schema: unknown, path: string): Field[] {
  if (!isObject(schema)) return [];
  const fields: Field[] = [];
  const required = new Set(listIn(schema["required"]));
  for (const [name, property] of Object.entries(objectIn(schema["properties"]))) {
    const at = path === "" ? name : `${path}.${name}`;
    const meaning = objectIn(property)["description"];
    fields.push({
      path: at,
      type: typeOf(property),
      isAlways: required.has(name),
      meaning: typeof meaning === "string" ? meaning : "",
    });
    fields.push(...fieldsOf(property, at));
  }
  fields.push(...fieldsOf(schema["items"], `${path}[]`));
  fields.push(...fieldsOf(schema["additionalProperties"], `${path}.*`));
  const choices = [listIn(schema["oneOf"]), listIn(schema["anyOf"])].flat().map(objectIn);
  if (choices.length > maxChoices) return [...fields, ...sharedFields(choices, path)];
  for (const choice of choices) fields.push(...fieldsOf(choice, path));
  // The branches of a choice may have fields in common.
  return [...new Map(fields.reverse().map((field) => [field.path, field])).values()].reverse();
}

function sharedFields(choices: readonly Json[], path: string): Field[] {
  const of = (choice: Json) => objectIn(choice["properties"]);
  const shared = Object.entries(of(firstOf(choices))).filter(([name]) => choices.every((choice) => name in of(choice)));
  return shared.map(([name, first]) => ({
    path: `${path}.${name}`,
    type: typeOf({ anyOf: choices.map((choice) => of(choice)[name]) }),
    isAlways: choices.every(({ required }) => listIn(required).includes(name)),
    meaning: String(objectIn(first)["description"] ?? ""),
  }));
}
