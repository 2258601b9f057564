/**
 * PATCH: what a directory changes of a resource. Source: RFC 7644, 3.5.2. Directories are taken as they are:
 *
 * | They send                                          | It is taken as                             |
 * | `Add`, `Replace`                                   | `add`, `replace`                           |
 * | a value without a path, with paths as names        | an operation for each name                 |
 * | `emails[type eq "work"].value` where there is none | an address of that type                    |
 * | a remove with a value                              | a remove of those items                    |
 * | attributes that RFC 7643 knows and are not kept    | nothing                                    |
 */
import {
  type Attribute,
  checkCount,
  type Document,
  findAttribute,
  findPart,
  readOne,
  readValue,
} from "./attributes.ts";
import { type Filter, fits, type PatchPath, parsePatchPath } from "./filter.ts";
import { refusal } from "./refusals.ts";

export interface Operation {
  op: "add" | "replace" | "remove";
  path: PatchPath;
  value: unknown;
}

/** Operations of one request. Entra sends one for each attribute or member. */
const maxOperations = 1000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The field of this name, whatever its case. */
const fieldOf = (of: Record<string, unknown>, name: string): unknown =>
  Object.entries(of).find(([key]) => key.toLowerCase() === name)?.[1];

/** The operations of a body, in order, each with a path. @throws a 400 */
export function readOperations(body: unknown): Operation[] {
  const listed = isObject(body) ? fieldOf(body, "operations") : undefined;
  if (!Array.isArray(listed) || listed.length === 0)
    throw refusal("invalidSyntax", "A PATCH has a list of Operations, which is not empty.");
  const operations = listed.flatMap(readOperation);
  if (operations.length > maxOperations)
    throw refusal("invalidValue", `A PATCH has at most ${maxOperations} operations; please use several requests.`);
  return operations;
}

function readOperation(given: unknown): Operation[] {
  if (!isObject(given)) throw refusal("invalidSyntax", "Each of the Operations is an object.");
  const op = String(fieldOf(given, "op") ?? "").toLowerCase();
  if (op !== "add" && op !== "replace" && op !== "remove")
    throw refusal("invalidSyntax", "The op of an operation is add, replace or remove.");
  const [path, value] = [fieldOf(given, "path"), fieldOf(given, "value")];
  if (typeof path === "string" && path.trim() !== "") return [{ op, path: parsePatchPath(path), value }];
  if (path !== undefined && path !== null && path !== "") throw refusal("invalidPath", "A path is a text.");
  if (op === "remove") throw refusal("noTarget", "A remove needs a path.");
  if (!isObject(value)) throw refusal("invalidValue", "Without a path the value is an object.");
  return Object.entries(value).map(([name, inner]) => ({ op, path: parsePatchPath(name), value: inner }));
}

/** The document with the operations done, one after the other. It is a new one. @throws a 400 */
export function patched(
  attributes: readonly Attribute[],
  document: Document,
  operations: readonly Operation[],
): Document {
  let next = { ...document };
  for (const { op, path, value } of operations) {
    const found = findAttribute(attributes, path.attribute);
    if (found === "passed over") continue;
    if (!found) throw refusal("invalidPath", `There is no attribute ${path.attribute}.`);
    const { [found.name]: before, ...others } = next;
    const after = changed(found, before, { op, path, value });
    next = after === undefined ? others : { ...others, [found.name]: after };
    if (after === undefined && before !== undefined && found.required && op === "remove" && found.type !== "complex")
      throw refusal("mutability", `${found.name} cannot be removed.`);
  }
  return next;
}

/** What becomes of one attribute. */
function changed(of: Attribute, before: unknown, { op, path, value }: Operation): unknown {
  if (of.type !== "complex") {
    if (path.filter || path.part !== undefined) throw refusal("invalidPath", `${of.name} has no parts.`);
    return op === "remove" ? undefined : readValue(of, value);
  }
  const part = path.part === undefined ? undefined : findPart(of, path.part);
  if (path.part !== undefined && !part) throw refusal("invalidPath", `${of.name} has no part ${path.part}.`);
  if (of.multiValued) {
    const items = changedList(of, Array.isArray(before) ? before : [], op, path.filter, part, value);
    checkCount(of, items ?? []);
    return items;
  }
  if (path.filter) throw refusal("invalidPath", `${of.name} is no list.`);
  return merged(of, isObject(before) ? before : undefined, op, part, value);
}

/** One object after a change to it, or to a part. Parts that are not named stay as they are. */
function merged(
  of: Attribute,
  before: Document | undefined,
  op: Operation["op"],
  part: Attribute | undefined,
  value: unknown,
): Document | undefined {
  if (op === "remove" && !part) return undefined;
  const given = part ? { [part.name]: op === "remove" ? undefined : readOne(part, value) } : partsOf(of, value);
  const after = { ...before, ...given };
  for (const [name, inner] of Object.entries(after)) if (inner === undefined) delete after[name];
  return Object.keys(after).length === 0 ? undefined : after;
}

/** The parts that a value names. An empty one removes its part. */
function partsOf(of: Attribute, value: unknown): Document {
  if (!isObject(value)) throw refusal("invalidValue", `${of.name} is an object.`);
  const parts: Document = {};
  for (const [name, inner] of Object.entries(value)) {
    const sub = findPart(of, name);
    if (sub) parts[sub.name] = readOne(sub, inner);
  }
  return parts;
}

function changedList(
  of: Attribute,
  items: Document[],
  op: Operation["op"],
  filter: Filter | undefined,
  part: Attribute | undefined,
  value: unknown,
): Document[] | undefined {
  if (!filter && !part) {
    if (op === "remove" && (value === undefined || value === null)) return undefined;
    const read = readValue(of, value);
    const given: Document[] = Array.isArray(read) ? read : [];
    const isNamed = (item: Document) => given.some((one) => one["value"] === item["value"]);
    if (op === "replace") return filled(given);
    if (op === "remove") return filled(items.filter((item) => !isNamed(item)));
    return filled(withOnePrimary([...items.filter((item) => !isNamed(item)), ...given], given));
  }
  const isMeant = (item: Document) => !filter || fits(filter, item);
  if (op === "remove" && !part) return filled(items.filter((item) => !isMeant(item)));
  const touched: Document[] = [];
  const after = items.flatMap((item) => {
    if (!isMeant(item)) return [item];
    const next = merged(of, item, op, part, value);
    if (next) touched.push(next);
    return next ? [next] : [];
  });
  if (op !== "remove" && !items.some(isMeant)) {
    const made = merged(of, namedBy(of, filter), op, part, value);
    if (made) touched.push(made);
    if (made) after.push(made);
  }
  return filled(
    withOnePrimary(
      after.filter(({ value: inner }) => inner !== undefined),
      touched,
    ),
  );
}

const filled = (items: Document[]): Document[] | undefined => (items.length === 0 ? undefined : items);

/** At most one item is the primary one: that which was made so last. */
function withOnePrimary(items: Document[], touched: readonly Document[]): Document[] {
  const primary = touched.findLast((item) => item["primary"] === true);
  if (!primary) return items;
  return items.map((item) => (item["primary"] === true && item !== primary ? { ...item, primary: false } : item));
}

/** The item that a filter of equalities asks for. @throws a 400 with `noTarget` for another filter */
function namedBy(of: Attribute, filter: Filter | undefined): Document {
  if (!filter) return {};
  if (filter.kind === "all") return Object.assign({}, ...filter.filters.map((one) => namedBy(of, one)));
  const part = filter.kind === "compare" && filter.operator === "eq" ? findPart(of, filter.path) : undefined;
  if (filter.kind !== "compare" || !part) throw refusal("noTarget", `No value of ${of.name} is meant by the filter.`);
  return { [part.name]: readOne(part, filter.value) };
}
