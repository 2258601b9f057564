const voidElements = new Set(["br", "hr", "img"]);
const pictureFacts = [
  "animated",
  "original-content-type",
  "original-dimensions",
  "original-src",
  "transcoded-image",
].map((name) => `data-${name}`);
/** Elements with the attributes they may have; `svg`, `path` and MathML come from KaTeX. */
const allowed: Record<string, string[]> = {
  a: ["class", "data-id", "data-stream-id", "href", "title"],
  img: ["alt", "class", "loading", "src", "title", ...pictureFacts],
  video: ["preload", "src"],
  audio: ["controls", "data-original-url", "preload", "src", "title"],
  div: ["class", "data-code-language", "aria-hidden"],
  span: ["class", "data-user-id", "data-user-group-id", "aria-label", "aria-hidden", "role", "title", "style"],
  time: ["datetime"],
  ol: ["start"],
  th: ["style"],
  td: ["style"],
  svg: ["xmlns", "width", "height", "viewBox", "preserveAspectRatio", "class", "style"],
  path: ["d"],
  line: ["x1", "y1", "x2", "y2", "stroke-width"],
};
for (const tag of "p br hr em strong del code pre blockquote ul li table thead tbody tr h1 h2 h3 h4 h5 h6".split(" ")) {
  allowed[tag] = [];
}
const mathElements =
  "math semantics mrow mi mo mn ms mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mstyle mtable mtr mtd mlabeledtr mpadded menclose mphantom merror annotation";
const mathAttribute = /^(?!on)(?!href$)(?!src$)[a-z]+$/;

const tagPattern = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?: controls| [a-zA-Z][a-zA-Z0-9-]*="[^"<>]*")*)(\/?)>/y;
const safeSchemes =
  "https? ftp mid bitcoin geo im ircs? magnet mailto matrix mms news nntp openpgp4fpr sip sms smsto ssh tel urn webcal wtai xmpp zulip asanadesktop hansoft obsidian zotero";
const safeAddress = new RegExp(`^(?:(?:${safeSchemes.replaceAll(" ", "|")}):|[/#?.])`, "i");

/**
 * Throws unless the HTML is one that no browser can misread. It has only the listed elements and attributes, with
 * quoted values, closed in order. There is no anchor in an anchor, addresses have allowed schemes, and styles no
 * functions.
 *
 * @param endsParagraphs by the rules of HTML: a paragraph may end with what it is in, and once more
 */
export function assertSafeHtml(html: string, { endsParagraphs = false } = {}): void {
  const open: string[] = [];
  for (let position = html.indexOf("<"); position !== -1; position = html.indexOf("<", position)) {
    tagPattern.lastIndex = position;
    const match = tagPattern.exec(html);
    const fail = (reason: string): never => {
      throw new Error(`${reason} at ${JSON.stringify(html.slice(position, position + 120))}`);
    };
    const [whole, slash, tag, attributes, selfClosing] = match ?? fail("not a tag");
    position += whole.length;
    if (slash !== "") {
      while (endsParagraphs && tag !== "p" && open.at(-1) === "p") open.pop();
      if (endsParagraphs && tag === "p" && open.at(-1) !== "p") continue;
      if (open.pop() !== tag) fail(`</${tag}> closes another element`);
      continue;
    }
    const isMath = mathElements.split(" ").includes(tag!);
    if (!isMath && allowed[tag!] === undefined) fail(`element ${tag}`);
    if (tag === "a" && open.includes("a")) fail("an anchor in an anchor");
    for (const [, name, value] of attributes!.matchAll(/ ([a-zA-Z0-9-]+)="([^"]*)"/g)) {
      if (!(isMath ? mathAttribute.test(name!) : allowed[tag!]!.includes(name!))) fail(`attribute ${name} of ${tag}`);
      if ((name === "href" || name?.endsWith("src") || name === "data-original-url") && !safeAddress.test(value!))
        fail(`address ${value}`);
      if (name === "style" && /[()\\]|url|expression|@/i.test(value!)) fail(`style ${value}`);
    }
    if (!voidElements.has(tag!) && selfClosing === "") open.push(tag!);
  }
  if (open.length > 0) throw new Error(`not closed: ${open.join(" ")}`);
}
