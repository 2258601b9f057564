/** The HTML of messages of Microsoft Teams as Markdown. https://learn.microsoft.com/graph/api/resources/itembody */
import { Parser } from "htmlparser2";

/** What elements stand for. */
export interface Elements {
  /** What `<at id="0">` mentions; undefined: nothing known. */
  mention(id: string): string | undefined;
  /** Of a picture by its address; undefined: it is somewhere else. */
  picture(address: string): string | undefined;
}

/** What more of a body is not read. */
export const maxHtml = 500_000;
/** Elements in elements, beyond which they are plain text. */
const maxDepth = 60;
const marks: Readonly<Record<string, string>> = {
  b: "**",
  strong: "**",
  i: "*",
  em: "*",
  s: "~~",
  del: "~~",
  strike: "~~",
};
const silent = new Set(["script", "style", "title", "template", "attachment", "systemeventmessage"]);
const blocks = new Set(["p", "div", "ul", "ol", "table"]);

interface Frame {
  name: string;
  attributes: Readonly<Record<string, string>>;
  parts: string[];
}

export function markdownOf(html: string, elements: Elements): string {
  const root: Frame = { name: "", attributes: {}, parts: [] };
  const stack = [root];
  let verbatim = 0;
  const top = (): Frame => stack.at(-1) ?? root;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        stack.push({ name, attributes, parts: [] });
        if (name === "pre" || name === "codeblock") verbatim++;
      },
      ontext(text) {
        top().parts.push(verbatim > 0 ? text : text.replace(/[\s\u00a0]+/g, " "));
      },
      onclosetag(name) {
        const frame = stack.length > 1 ? stack.pop() : undefined;
        if (!frame) return;
        if (name === "pre" || name === "codeblock") verbatim--;
        const text = frame.parts.join("");
        top().parts.push(
          stack.length > maxDepth ? text : elementText(frame, text, { elements, outer: top(), verbatim }),
        );
      },
    },
    { decodeEntities: true },
  );
  parser.end(html.slice(0, maxHtml));
  return root.parts
    .join("")
    .replace(/[^\S\n]+$/gm, "")
    .replace(/^ +(?=\S)/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/(@\*\*[^*\n]+\*\*)(?: \1)+/g, "$1")
    .trim();
}

function elementText(
  { name, attributes }: Frame,
  text: string,
  { elements, outer, verbatim }: { elements: Elements; outer: Frame; verbatim: number },
): string {
  if (silent.has(name)) return "";
  const mark = marks[name];
  if (mark !== undefined && Object.hasOwn(marks, name)) return around(text, mark);
  if (blocks.has(name)) return `\n${text}\n`;
  if (/^h[1-6]$/.test(name)) return `\n${around(text, "**")}\n`;
  switch (name) {
    case "br":
      return "\n";
    case "at":
      return elements.mention(attributes["id"] ?? "") ?? `@${text}`;
    case "a":
      return linkOf(attributes["href"] ?? "", text.trim());
    case "emoji":
    case "customemoji":
      return attributes["alt"] ?? text;
    case "img":
      return elements.picture(attributes["src"] ?? "") ?? attributes["alt"] ?? "";
    case "code":
      return verbatim > 0 ? text : around(text, "`");
    case "pre":
    case "codeblock":
      return verbatim > 0 ? text : fenced(text);
    case "li":
      return `\n${outer.name === "ol" ? "1." : "*"} ${text.trim()}`;
    case "blockquote":
      return `\n${text.trim().replace(/^/gm, "> ")}\n\n`;
    case "tr":
      return `\n| ${text}`;
    case "th":
    case "td":
      return `${text
        .trim()
        .replace(/\s*\n\s*/g, " ")
        .replaceAll("|", "\\|")} | `;
    default:
      return text;
  }
}

/** Marks stand right at the words of a line. */
function around(text: string, mark: string): string {
  const words = text.trim();
  if (words === "" || words.includes("\n")) return text;
  const before = text.slice(0, text.indexOf(words));
  return `${before}${mark}${words}${mark}${text.slice(before.length + words.length)}`;
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `\n${fence}\n${text.replace(/^\n|\n$/g, "")}\n${fence}\n`;
}

function linkOf(address: string, words: string): string {
  if (!/^(?:https?|mailto):[^\s<>()]+$/i.test(address) || words === "") return words;
  return words === address ? address : `[${words.replace(/[[\]\n]/g, "")}](${address})`;
}
