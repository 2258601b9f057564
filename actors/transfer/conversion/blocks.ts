/** Blocks of which programs and Slack's own editor make a message. https://docs.slack.dev/reference/block-kit/blocks */
import { array, type Infer, string, type, unknown } from "superstruct";
import { quoted } from "../../text/quotation.ts";
import { fitting, maybe } from "./forms.ts";
import { isAddress, linkTo, type Reading } from "./reading.ts";

const element = type({
  type: string(),
  text: maybe(unknown()),
  url: maybe(string()),
  name: maybe(string()),
  user_id: maybe(string()),
  channel_id: maybe(string()),
  usergroup_id: maybe(string()),
  range: maybe(string()),
  fallback: maybe(string()),
  value: maybe(string()),
  alt_text: maybe(string()),
  style: maybe(unknown()),
  elements: maybe(unknown()),
});
type Element = Infer<typeof element>;

const blockForm = type({
  type: string(),
  text: maybe(unknown()),
  fields: maybe(unknown()),
  accessory: maybe(unknown()),
  elements: maybe(unknown()),
  title: maybe(unknown()),
  title_url: maybe(string()),
  image_url: maybe(string()),
  alt_text: maybe(string()),
  rows: maybe(array(array(unknown()))),
});
type Block = Infer<typeof blockForm>;

const textForm = type({ type: string(), text: string() });

/** Lists in lists, and what else may stand in itself. */
const maxDepth = 6;

/** Whether it is no more than Slack's editor makes of what somebody typed: then the message's text says all of it. */
export const isTyped = (blocks: unknown): boolean =>
  !Array.isArray(blocks) || blocks.every((block) => blockForm.is(block) && block.type === "rich_text");

export function textOfBlocks(blocks: unknown, reading: Reading): string {
  return fitting(blocks, blockForm, reading.onOther)
    .map((block) => blockText(block, reading))
    .filter((text) => text.trim() !== "")
    .join("\n");
}

function blockText(block: Block, reading: Reading): string {
  switch (block.type) {
    case "section":
      return sectionText(block, reading);
    case "header": {
      const words = textIn(block.text, reading).trim();
      return words === "" ? "" : `**${words}**`;
    }
    case "markdown":
      return typeof block.text === "string" ? block.text : "";
    case "context":
      return elementsOf(block.elements, reading)
        .map((one) => (one.type === "image" ? (one.alt_text ?? "") : textIn(one, reading)))
        .join(" ");
    case "image":
      return linkOr(block.image_url, textIn(block.title, reading) || (block.alt_text ?? ""));
    case "video":
      return linkOr(block.title_url, textIn(block.title, reading) || (block.alt_text ?? ""));
    case "rich_text":
      return richText(block.elements, reading, 0);
    case "table":
      return tableText(block.rows ?? [], reading);
    case "divider":
      return "";
    case "actions":
    case "input":
      reading.note("buttons and menus of messages", Array.isArray(block.elements) ? block.elements.length : 1);
      return "";
    default:
      reading.note("blocks of messages, of kinds that are not read");
      return "";
  }
}

function sectionText({ text, fields, accessory }: Block, reading: Reading): string {
  const [beside] = elementsOf(accessory == null ? [] : [accessory], reading);
  if (beside && beside.type !== "image") reading.note("buttons and menus of messages");
  return [
    textIn(text, reading),
    ...fitting(fields, textForm, reading.onOther).map((field) => textIn(field, reading)),
    beside?.type === "image" ? (beside.alt_text ?? "") : "",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

const linkOr = (url: string | null | undefined, words: string): string => (isAddress(url) ? linkTo(url, words) : words);

function textIn(text: unknown, reading: Reading): string {
  if (text === undefined || text === null) return "";
  if (!textForm.is(text)) {
    reading.onOther();
    return "";
  }
  return text.type === "mrkdwn" ? reading.text(text.text) : reading.plain(text.text);
}

const elementsOf = (elements: unknown, reading: Reading): Element[] => fitting(elements, element, reading.onOther);

function richText(elements: unknown, reading: Reading, depth: number): string {
  if (depth > maxDepth) {
    reading.note("blocks of messages, of kinds that are not read");
    return "";
  }
  return elementsOf(elements, reading)
    .map((one) => richElement(one, reading, depth))
    .filter((text) => text !== "")
    .join(depth === 0 ? "\n" : "");
}

function richElement(one: Element, reading: Reading, depth: number): string {
  const inner = () => richText(one.elements, reading, depth + 1);
  switch (one.type) {
    case "rich_text_section":
      return inner();
    case "rich_text_quote":
      return quoted(inner());
    case "rich_text_preformatted":
      return `\`\`\`\n${inner()}\n\`\`\``;
    case "rich_text_list":
      return elementsOf(one.elements, reading)
        .map(
          (item, index) =>
            `${one.style === "ordered" ? `${index + 1}.` : "*"} ${richElement(item, reading, depth + 1)}`,
        )
        .join("\n");
    case "text":
      return styled(typeof one.text === "string" ? one.text : "", one.style);
    case "link":
      return linkOr(one.url, typeof one.text === "string" ? one.text : "");
    case "emoji":
      return one.name ? `:${one.name.replaceAll("-", "_")}:` : "";
    // Texts of the program refer to these by the same ids.
    case "user":
      return reading.text(`<@${one.user_id ?? ""}>`);
    case "channel":
      return reading.text(`<#${one.channel_id ?? ""}>`);
    case "usergroup":
      return reading.text(`<!subteam^${one.usergroup_id ?? ""}>`);
    case "broadcast":
      return reading.text(`<!${one.range ?? ""}>`);
    case "date":
      return one.fallback ?? "";
    case "color":
      return one.value ?? "";
    default:
      reading.note("blocks of messages, of kinds that are not read");
      return "";
  }
}

const styleForm = type({
  bold: maybe(unknown()),
  italic: maybe(unknown()),
  strike: maybe(unknown()),
  code: maybe(unknown()),
});

/** Marks stand right at the words. */
function styled(text: string, style: unknown): string {
  if (!styleForm.is(style)) return text;
  const marks = style.code ? ["`"] : [style.strike && "~~", style.italic && "*", style.bold && "**"];
  const words = text.trim();
  if (words === "" || words.includes("\n")) return text;
  const [before, after] = [text.slice(0, text.indexOf(words)), text.trimStart().slice(words.length)];
  return `${before}${marks.reduce<string>((inner, mark) => (mark ? `${mark}${inner}${mark}` : inner), words)}${after}`;
}

/** The first row is the head, as Slack shows it. */
function tableText(rows: readonly unknown[][], reading: Reading): string {
  const [head, ...others] = rows.map((cells) =>
    elementsOf(cells, reading).map((cell) => {
      const words = cell.type === "rich_text" ? richText(cell.elements, reading, 0) : String(cell.text ?? "");
      return words.replace(/\s*\n\s*/g, " ").replaceAll("|", "\\|");
    }),
  );
  if (head === undefined) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return `\n${[line(head), line(head.map(() => "---")), ...others.map(line)].join("\n")}\n`;
}
