/** Finds texts of the page that are not in a table, by the syntax of its files. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSync } from "vite";
import { root, sources } from "../../../support/tree/imports.ts";

/** Attributes whose values people read or hear. */
const spoken = new Set([
  "title",
  "placeholder",
  "alt",
  "label",
  "hint",
  "empty",
  "action",
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "aria-valuetext",
  "aria-placeholder",
]);
/** Functions that show their first argument. */
const showing = /^(?:alert|confirm|prompt|note)$/;
/** What is the same in every language. */
const names = new Set(["Parley"]);

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

function* walk(node: Node, above: readonly Node[] = []): Generator<[Node, readonly Node[]]> {
  yield [node, above];
  const inner = [...above, node];
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* walk(child, inner);
}

const files = sources("http/web").filter((path) => !path.startsWith("http/web/languages/"));

async function* parsed(): AsyncGenerator<{ path: string; source: string; program: Node }> {
  for (const path of files) {
    const source = await readFile(join(root, path), "utf8");
    yield { path, source, program: parseSync(path, source, { lang: "tsx" }).program as unknown as Node };
  }
}

const place = (path: string, source: string, { start }: Node): string =>
  `${path}:${source.slice(0, start).split("\n").length}`;

/** The text of a literal, if it has letters. An address is none. */
function wordsOf(node: Node): string | undefined {
  const text =
    node.type === "JSXText"
      ? node["value"]
      : node.type === "Literal"
        ? node["value"]
        : node.type === "TemplateElement"
          ? (node["value"] as { cooked: string }).cooked
          : undefined;
  if (typeof text !== "string") return undefined;
  const words = text.replace(/&\w+;/g, " ").trim();
  return /\p{L}/u.test(words) && !/^https?:/.test(words) && !names.has(words) ? words : undefined;
}

const nameOf = (node: unknown): unknown =>
  isNode(node) ? (typeof node["name"] === "string" ? node["name"] : nameOf(node["property"])) : undefined;

/** What has a literal as its value, or as a part or a case of that. */
function holderOf(above: readonly Node[]): Node | undefined {
  return above.findLast(
    ({ type, operator }) =>
      !/^(?:Conditional|Logical|Parenthesized)Expression$|^TemplateLiteral$/.test(type) &&
      !(type === "BinaryExpression" && operator === "+"),
  );
}

/** Whether people see or hear what stands here. */
function isShown(node: Node, above: readonly Node[]): boolean {
  if (node.type === "JSXText") return true;
  const holder = holderOf(above);
  switch (holder?.type) {
    case "JSXExpressionContainer": {
      const parent = above[above.indexOf(holder) - 1];
      return parent?.type !== "JSXAttribute" || spoken.has(String(nameOf(parent["name"])));
    }
    case "JSXAttribute":
      return spoken.has(String(nameOf(holder["name"])));
    case "Property":
      return holder["key"] !== node && spoken.has(String((holder["key"] as Node)["value"] ?? nameOf(holder["key"])));
    case "CallExpression": {
      const [first] = holder["arguments"] as readonly Node[];
      return showing.test(String(nameOf(holder["callee"]))) && (first === node || above.includes(first!));
    }
    default:
      return false;
  }
}

/** Texts in markup, in attributes that are read, and in calls that show them: where they are, and what they say. */
export async function textsOutside(): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, source, program } of parsed())
    for (const [node, above] of walk(program)) {
      const words = wordsOf(node);
      if (words !== undefined && isShown(node, above)) found.push(`${place(path, source, node)} ${words}`);
    }
  return found;
}

/** Texts that are read when a file is loaded: they would stay in the language of that moment. */
export async function earlyReads(): Promise<string[]> {
  const found: string[] = [];
  for await (const { path, source, program } of parsed())
    for (const [node, above] of walk(program)) {
      if (node.type !== "MemberExpression" || above.some(({ type }) => /Function/.test(type))) continue;
      if (/^[ts]$/.test(String((node["object"] as Node)["name"]))) found.push(place(path, source, node));
    }
  return found;
}
