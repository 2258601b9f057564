/**
 * Addresses in a text that become links without any syntax: `https://…`, `example.com/path`, `ada@example.com`. The
 * rules are Zulip's. An address begins behind white space or an opening sign and ends before white space, with
 * punctuation between; in it round brackets are paired. What breaks a rule is no link at all, rather than half of one.
 * Source: zulip/zulip, zerver/lib/markdown/__init__.py, the pattern of web links.
 */
export interface BareLink {
  start: number;
  end: number;
  href: string;
}

/** Schemes that make an address of what follows `://`. */
const schemes = ["https", "http", "obsidian", "zotero", "hansoft", "asanadesktop"];

/**
 * Top-level domains that make a bare `example.com` a link. Country codes that are better known as file name extensions
 * (`main.py`, `README.md`, `build.sh`, `lib.rs`, `x.pl`, `a.cc`, …) are left out. With `https://` every domain works,
 * with a path every country's.
 */
const domainEndings = (
  "com net org edu gov mil int io dev app chat ai co me info biz name online site blog wiki xyz tech cloud page news tv " +
  "at au be br ca ch cn cz de dk es eu fi fr gd gr hk hu ie il in ir is it jp kr lt lu lv mx nl no nz pt ro ru se sg si sk th tr tw ua uk us za"
).split(" ");
const domainEnding = `(?:${domainEndings.join("|")})(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`;
/** `md` and `py` are file names even there. */
const countryBeforePath = "(?!(?:md|py)/)[a-z]{2}(?=(?::\\d{1,5})?/)";

/** Every address contains one of these. Most texts contain none, and this test is many times faster than the search. */
const mayContainLink = /\.[^\s.]|:\/\/|@/;
const none: readonly BareLink[] = [];

const beginning = new RegExp(
  [
    // After a letter of another script an address begins only with its scheme, so that runs of letters are read once.
    `(?<![^\\s'"(,:<*~[\\u0080-\\u{10ffff}])(?<scheme>${schemes.join("|")})://[\\p{L}\\p{N}_][\\p{L}\\p{N}_.:@-]*`,
    `(?<![^\\s'"(,:<*~[])(?<email>[\\p{L}\\p{N}_.+-]{1,100}@[\\p{L}\\p{N}_.-]{1,200}\\.[\\p{L}\\p{N}_]{1,63})`,
    `(?<![^\\s'"(,:<*~[])(?:[\\p{L}\\p{N}_-]{1,63}\\.){1,8}(?:${domainEnding}|${countryBeforePath})(?::\\d{1,5}(?=/))?`,
  ].join("|"),
  "giu",
);

/** Deepest round brackets in an address, and how many. */
const maxDepth = 7;
const maxBrackets = 100;
const pathPattern = /[^\s()"]*/y;
/** What may follow an address before white space, and is no part of it at its end. */
const trailing = "!:;?,.'>*~]…。，、！？；：」』】》”’";
const afterPattern = new RegExp(`[)"${trailing.replace("]", "\\]")}]*(?=\\s|$)`, "uy");

/** The bare links in a text, ascending. */
export function findBareLinks(text: string): readonly BareLink[] {
  if (!mayContainLink.test(text)) return none;
  const found: BareLink[] = [];
  // A pattern with a state of its own: calls do not share one.
  const pattern = new RegExp(beginning);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { scheme, email } = match.groups ?? {};
    const from = match.index + match[0].length;
    const reach = email === undefined ? endOfPath(text, from) : from;
    const end = reach === undefined ? undefined : endOfLink(text, match.index, reach);
    if (end === undefined) {
      pattern.lastIndex = from;
      continue;
    }
    const address = text.slice(match.index, end);
    const prefix = scheme !== undefined ? "" : email !== undefined ? "mailto:" : "http://";
    found.push({ start: match.index, end, href: prefix + address });
    pattern.lastIndex = end;
  }
  return found;
}

/** The end of a path or a query that begins at `from`. Undefined when its brackets are not paired. */
function endOfPath(text: string, from: number): number | undefined {
  if (!"/?#".includes(text[from] ?? " ")) return from;
  let depth = 0;
  let brackets = 0;
  for (let position = from; ; position++) {
    pathPattern.lastIndex = position;
    pathPattern.test(text);
    position = pathPattern.lastIndex;
    if (text[position] === "(") {
      if (++depth > maxDepth || ++brackets > maxBrackets) return undefined;
    } else if (text[position] !== ")" || --depth < 0) return depth > 0 ? undefined : position;
  }
}

/** The end of an address that may reach until `reach`: without the punctuation behind it. */
function endOfLink(text: string, start: number, reach: number): number | undefined {
  afterPattern.lastIndex = reach;
  if (!afterPattern.test(text)) return undefined;
  let end = reach;
  while (end > start && trailing.includes(text.charAt(end - 1))) end--;
  return end;
}
