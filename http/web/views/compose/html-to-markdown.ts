/** What is pasted from a page or a document, as Markdown. Loaded when such a thing is pasted first. */
import { inertDocumentOf } from "../messages/rendered-html.ts";

/** Elements that say nothing. */
const silent = "SCRIPT, STYLE, TEMPLATE, HEAD, TITLE, META, LINK, SVG, BUTTON, INPUT, SELECT, TEXTAREA";
const blocks = "ADDRESS, ARTICLE, ASIDE, DIV, DL, DD, DT, FIGURE, FOOTER, HEADER, MAIN, NAV, P, SECTION";

/** Marks around a text within a line. */
const marks: Readonly<Record<string, string>> = {
  B: "**",
  STRONG: "**",
  I: "*",
  EM: "*",
  S: "~~",
  DEL: "~~",
  STRIKE: "~~",
};

export const markdownOf = (html: string): string =>
  childrenOf(inertDocumentOf(html).body)
    .replace(/[ \t]+\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();

const childrenOf = (element: Element): string => [...element.childNodes].map(textOf).join("");

function textOf(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return (node.textContent ?? "").replace(/[\s\u00a0]+/g, " ");
  return node instanceof Element ? elementText(node) : "";
}

function elementText(element: Element): string {
  const name = element.tagName.toUpperCase();
  if (element.matches(silent)) return "";
  const level = /^H([1-6])$/.exec(name)?.[1];
  if (level) return `\n\n${"#".repeat(Number(level))} ${lineOf(element)}\n\n`;
  switch (name) {
    case "BR":
      return "\n";
    case "HR":
      return "\n\n---\n\n";
    case "PRE":
      return `\n\n\`\`\`\n${(element.textContent ?? "").replace(/\n$/, "")}\n\`\`\`\n\n`;
    case "CODE":
      return around(element.textContent ?? "", "`");
    case "A":
      return element instanceof HTMLAnchorElement ? linkOf(element) : "";
    case "IMG":
      return element.getAttribute("alt") ?? "";
    case "UL":
    case "OL":
      return `\n${listOf(element)}\n`;
    case "BLOCKQUOTE":
      return `\n\n${childrenOf(element).trim().replace(/^/gm, "> ")}\n\n`;
    case "TABLE":
      return `\n\n${tableOf(element)}\n\n`;
  }
  const mark = isPlain(element) ? undefined : marks[name];
  if (mark) return around(childrenOf(element), mark);
  return element.matches(blocks) ? `\n\n${childrenOf(element)}\n\n` : childrenOf(element);
}

/** Documents put all of a text into an element of bold text that is not bold. */
const isPlain = (element: Element): boolean =>
  /font-weight:\s*(?:normal|400)/.test(element.getAttribute("data-style") ?? "");

const lineOf = (element: Element): string => childrenOf(element).replace(/\s+/g, " ").trim();

/** Marks stand right at the text: a space within them would make them stars. */
function around(text: string, mark: string): string {
  const [, before = "", inner = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return inner === "" || inner.includes("\n") ? text : `${before}${mark}${inner}${mark}${after}`;
}

function linkOf(link: HTMLAnchorElement): string {
  const text = lineOf(link);
  const address = link.getAttribute("href") ?? "";
  if (!/^(?:https?|mailto):/i.test(address) || text === "") return text;
  return text === address ? address : `[${text.replace(/[[\]]/g, "")}](${address})`;
}

function listOf(list: Element, indent = ""): string {
  let at = Number(list.getAttribute("start") ?? 1);
  const lines: string[] = [];
  for (const item of list.children) {
    if (item.tagName === "UL" || item.tagName === "OL") lines.push(listOf(item, `${indent}  `));
    if (item.tagName !== "LI") continue;
    const inner = [...item.children].filter(({ tagName }) => tagName === "UL" || tagName === "OL");
    const own = [...item.childNodes].filter((node) => !inner.some((one) => one === node)).map(textOf);
    const mark = list.tagName === "OL" ? `${at++}.` : "*";
    lines.push(`${indent}${mark} ${own.join("").replace(/\s+/g, " ").trim()}`);
    for (const one of inner) lines.push(listOf(one, `${indent}  `));
  }
  return lines.join("\n");
}

function tableOf(table: Element): string {
  const rows = [...table.querySelectorAll("tr")].map((row) =>
    [...row.children].map((cell) => lineOf(cell).replaceAll("|", "\\|")),
  );
  const width = Math.max(0, ...rows.map((cells) => cells.length));
  const lines = rows.map((cells) => `| ${Array.from({ length: width }, (_, at) => cells[at] ?? "").join(" | ")} |`);
  return [lines[0], `|${" --- |".repeat(width)}`, ...lines.slice(1)].join("\n");
}
