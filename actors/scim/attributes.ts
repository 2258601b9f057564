/**
 * The attributes of users and groups that are kept, in the form in which SCIM describes them to directories. What a
 * directory sends is read by the same declaration. Source: RFC 7643, 4 and 7.
 */
import { isLonger } from "../text/texts.ts";
import { refusal } from "./refusals.ts";

export interface Attribute {
  name: string;
  type: "string" | "boolean" | "complex" | "reference";
  multiValued: boolean;
  description: string;
  required: boolean;
  caseExact: boolean;
  mutability: "readWrite" | "readOnly" | "immutable";
  returned: "default";
  uniqueness: "none" | "server";
  canonicalValues?: string[];
  referenceTypes?: string[];
  subAttributes?: Attribute[];
}

const attribute = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: "string",
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

export const userSchema = "urn:ietf:params:scim:schemas:core:2.0:User";
export const groupSchema = "urn:ietf:params:scim:schemas:core:2.0:Group";

export const userAttributes: readonly Attribute[] = [
  attribute("userName", "How the directory calls the account.", { required: true, uniqueness: "server" }),
  attribute("name", "The parts of the name.", {
    type: "complex",
    subAttributes: [
      attribute("formatted", "The whole name."),
      attribute("familyName", "The family name."),
      attribute("givenName", "The given name."),
      attribute("middleName", "Further names."),
      attribute("honorificPrefix", "What stands before the name."),
      attribute("honorificSuffix", "What stands behind the name."),
    ],
  }),
  attribute("displayName", "The name that people see.", { required: true }),
  attribute("emails", "Addresses. The primary one, else the first, is the account's.", {
    type: "complex",
    multiValued: true,
    required: true,
    subAttributes: [
      attribute("value", "The address.", { required: true }),
      attribute("type", "What the address is for.", { canonicalValues: ["work", "home", "other"] }),
      attribute("primary", "Whether the address is the account's.", { type: "boolean" }),
    ],
  }),
  attribute("active", "Whether the person may log in.", { type: "boolean", required: true }),
];

export const groupAttributes: readonly Attribute[] = [
  attribute("displayName", "The group's name.", { required: true, uniqueness: "server" }),
  attribute("members", "The people of the group.", {
    type: "complex",
    multiValued: true,
    subAttributes: [
      attribute("value", "The user's id.", { caseExact: true, mutability: "immutable" }),
      attribute("$ref", "The user's address.", {
        type: "reference",
        caseExact: true,
        mutability: "immutable",
        referenceTypes: ["User"],
      }),
      attribute("type", "What it is: a user.", { mutability: "immutable", canonicalValues: ["User"] }),
    ],
  }),
];

/** Of every resource. It is in no schema. */
const externalId = attribute("externalId", "The directory's own id.", { caseExact: true });

/** What RFC 7643 knows and is not kept. Directories send it unasked, so it is passed over. */
const passedOver: ReadonlySet<string> = new Set(
  `schemas id meta nickname profileurl title usertype preferredlanguage locale timezone password phonenumbers ims photos
   addresses groups entitlements roles x509certificates`.split(/\s+/),
);

/** A resource as a directory means it, or as it is stored: only attributes that are kept, without empty ones. */
export type Document = Record<string, unknown>;

/** Characters of a text. No name or address is longer. */
const maxText = 1000;
/** Items of a list that is stored with its resource. */
const maxItems = 20;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An attribute that is kept, by its name without case, or that one is passed over. Undefined: nobody knows it. */
export function findAttribute(attributes: readonly Attribute[], name: string): Attribute | "passed over" | undefined {
  const lower = name.toLowerCase();
  if (lower === "externalid") return externalId;
  const found = attributes.find((one) => one.name.toLowerCase() === lower);
  if (found) return found;
  // Extensions are named by their schemas.
  return passedOver.has(lower) || lower.startsWith("urn:") ? "passed over" : undefined;
}

/**
 * A resource as a directory sends it whole. What is not known is passed over.
 *
 * @param needed the attribute without which there is no resource
 * @throws a 400
 */
export function readDocument(attributes: readonly Attribute[], needed: string, sent: unknown): Document {
  if (!isObject(sent)) throw refusal("invalidSyntax", "The body must be a JSON object.");
  const document: Document = {};
  for (const [name, value] of Object.entries(sent)) {
    const found = findAttribute(attributes, name);
    if (found === undefined || found === "passed over") continue;
    const read = readValue(found, value);
    if (read !== undefined) document[found.name] = read;
  }
  if (document[needed] === undefined) throw refusal("invalidValue", `${needed} is missing.`);
  return document;
}

/** A value as it is stored; undefined for none. @throws a 400 with `invalidValue` */
export function readValue(of: Attribute, value: unknown): unknown {
  if (value === null || value === undefined) return undefined;
  if (!of.multiValued) return readOne(of, value);
  const items = Array.isArray(value) ? value : [value];
  checkCount(of, items);
  const read = items.map((item) => readOne(of, item)).filter((item) => item !== undefined);
  return read.length === 0 ? undefined : read;
}

/** @throws a 400 with `invalidValue` for more items than are stored with their resource */
export function checkCount(of: Attribute, items: readonly unknown[]): void {
  if (items.length > maxItems) throw refusal("invalidValue", `${of.name} has at most ${maxItems} values.`);
}

/** One value, or an item of a list. @throws a 400 with `invalidValue` */
export function readOne(of: Attribute, value: unknown): unknown {
  if (value === null || value === undefined || value === "") return undefined;
  if (of.type === "boolean") {
    // Entra writes booleans as texts.
    const word = String(value).toLowerCase();
    if (word === "true" || word === "false") return word === "true";
    throw refusal("invalidValue", `${of.name} is true or false.`);
  }
  if (of.type !== "complex") {
    if (typeof value !== "string" && typeof value !== "number") throw refusal("invalidValue", `${of.name} is a text.`);
    const text = String(value);
    if (isLonger(text, maxText)) throw refusal("invalidValue", `${of.name} has at most ${maxText} characters.`);
    return text;
  }
  const given = isObject(value) ? value : { value };
  const read: Record<string, unknown> = {};
  for (const [name, part] of Object.entries(given)) {
    const sub = findPart(of, name);
    const one = sub && readOne(sub, part);
    if (sub && one !== undefined) read[sub.name] = one;
  }
  for (const sub of of.subAttributes ?? []) if (sub.required && read[sub.name] === undefined) return undefined;
  return Object.keys(read).length === 0 ? undefined : read;
}

/** A part of a complex attribute, by its name without case. */
export function findPart(of: Attribute, name: string): Attribute | undefined {
  const lower = name.toLowerCase();
  return of.subAttributes?.find((sub) => sub.name.toLowerCase() === lower);
}
