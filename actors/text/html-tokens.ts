/**
 * Splits HTML of our own Markdown renderer into tokens for comparing: words, white space, tags, and *atoms*. Atoms are
 * elements that only make sense whole: a link, a mention, an emoji, a formula, an image. It relies on the renderer: `<`
 * and `>` appear in tags only, and everything else is escaped. Other input gives odd tokens, but never an error.
 * Joined, the tokens always give the input. Time is linear in the length of the input.
 */
/** A piece of HTML. Joined in order, the strings of all tokens are the input. */
export interface HtmlToken {
  readonly kind: "word" | "space" | "atom" | "open" | "close";
  /** Lower-case tag name of `open` and `close`, else empty. */
  readonly name: string;
  readonly string: string;
  /** Two tokens are equal when their keys are: the string, but all white space is equal. */
  readonly key: string;
}

const voidElements = new Set(["br", "hr", "img", "input", "source", "wbr"]);
/** Elements that are one token with their content. `span` is one: mentions, emoji, formulas and code colours use it. */
const wholeElements = new Set(["a", "audio", "iframe", "math", "span", "svg", "time", "video"]);

/**
 * White space; an entity; one character of a script without spaces; a run of letters; or any one character. Each
 * alternative reads its characters once, so a text is read at most twice.
 */
const textPart =
  /\s+|&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]|[\p{L}\p{M}\p{N}_]+|./gisu;

/** Cuts HTML into tokens. */
export function tokenizeHtml(html: string): HtmlToken[] {
  const parts = splitAtTags(html);
  const ends = findElementEnds(parts);
  const tokens: HtmlToken[] = [];
  let taken = 0;
  for (const [i, part] of parts.entries()) {
    if (i < taken) continue;
    const end = ends.get(i);
    if (part.name === "") {
      for (const [text] of part.string.matchAll(textPart)) tokens.push(textToken(text));
    } else if (voidElements.has(part.name)) {
      tokens.push({ kind: "atom", name: "", string: part.string, key: part.string });
    } else if (wholeElements.has(part.name) && end !== undefined) {
      taken = end + 1;
      let string = "";
      for (const inner of parts.slice(i, taken)) string += inner.string;
      tokens.push({ kind: "atom", name: "", string, key: string });
    } else {
      tokens.push({ kind: part.isClose ? "close" : "open", name: part.name, string: part.string, key: part.string });
    }
  }
  return tokens;
}

function textToken(text: string): HtmlToken {
  return /^\s/.test(text)
    ? { kind: "space", name: "", string: text, key: " " }
    : { kind: "word", name: "", string: text, key: text };
}

/** A tag (`name` is not empty) or the text between two tags. */
interface Part {
  string: string;
  name: string;
  isClose: boolean;
}

function splitAtTags(html: string): Part[] {
  const parts: Part[] = [];
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf("<", position);
    const close = open === -1 ? -1 : html.indexOf(">", open);
    const textEnd = close === -1 ? html.length : open;
    if (textEnd > position) parts.push({ string: html.slice(position, textEnd), name: "", isClose: false });
    if (close === -1) break;
    const string = html.slice(open, close + 1);
    const name = /^<\/?([a-z][a-z0-9-]{0,30})/i.exec(string)?.[1]?.toLowerCase() ?? "";
    parts.push({ string, name, isClose: string.startsWith("</") });
    position = close + 1;
  }
  return parts;
}

/** Pairs each opening tag with its closing tag, by index. Tags that do not nest have no partner. */
function findElementEnds(parts: readonly Part[]): Map<number, number> {
  const ends = new Map<number, number>();
  const open: { name: string; index: number }[] = [];
  parts.forEach((part, position) => {
    if (part.name === "" || voidElements.has(part.name)) return;
    const last = open.at(-1);
    if (!part.isClose) open.push({ name: part.name, index: position });
    else if (last?.name === part.name) {
      ends.set(last.index, position);
      open.pop();
    }
  });
  return ends;
}
