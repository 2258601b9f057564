import type { MarkdownIt, StateInline } from "markdown-it";
import { type BareLink, findBareLinks } from "./bare-links.ts";

/**
 * The addresses that become links. Markdown links, bare addresses and linkifiers all pass `isSafeHref`. It allows known
 * schemes only: a list of forbidden ones could never be complete. Source: html.spec.whatwg.org, Safelisted schemes; and
 * zulip/zulip, zerver/lib/markdown/__init__.py.
 */
const allowedSchemes = new Set(
  (
    "http https ftp mid bitcoin geo im irc ircs magnet mailto matrix mms news nntp openpgp4fpr sip sms smsto ssh tel " +
    "urn webcal wtai xmpp zulip asanadesktop hansoft obsidian zotero"
  ).split(" "),
);
const schemePattern = /^([a-z][a-z0-9+.-]*):/i;

/** Signs that syntax begins or ends with. Other text is skipped at once. */
const textPattern = /[^\n!#$&:<@[\\\]`]+/y;

/** Configures the links of a parser: bare ones are found, and only safe schemes are allowed. */
export function addLinks(md: MarkdownIt): void {
  const percentEncode = md.normalizeLink;
  md.normalizeLink = (url) => absoluteIfDomain(percentEncode(url));
  md.validateLink = isSafeHref;
  // Reference definitions could repeat one long address until 10,000 characters become megabytes of HTML.
  md.disable(["reference", "autolink"]);
  md.inline.ruler.at("text", parseText);
  md.inline.ruler.after("text", "bare_link", parseBareLink);
}

/** A text with its bare links, in order, and which of them is the next one. */
type LinkedState = StateInline & { linkLevel: number; bareLinks?: readonly BareLink[]; nextLink?: number };

function parseText(state: StateInline, silent: boolean): boolean {
  textPattern.lastIndex = state.pos;
  if (!textPattern.test(state.src)) return false;
  let end = Math.min(textPattern.lastIndex, state.posMax);
  // The end of a label is found first, and may be where a bare link would go on.
  if (!silent) {
    const linked = state as LinkedState;
    if (linked.linkLevel === 0) end = Math.min(end, nextBareLink(linked)?.start ?? end);
    if (end === state.pos) return false;
    state.pending += state.src.slice(state.pos, end);
  }
  state.pos = end;
  return true;
}

function parseBareLink(state: StateInline, silent: boolean): boolean {
  const linked = state as LinkedState;
  if (silent || linked.linkLevel > 0) return false;
  const link = nextBareLink(linked);
  if (link?.start !== state.pos || link.end > state.posMax) return false;
  const href = state.md.normalizeLink(link.href);
  if (!isSafeHref(href)) return false;
  const open = state.push("link_open", "a", 1);
  open.attrs = [["href", href]];
  open.info = "auto";
  state.push("text", "", 0).content = state.src.slice(link.start, link.end);
  state.push("link_close", "a", -1).info = "auto";
  state.pos = link.end;
  return true;
}

/** The first bare link at the place of the parser or behind it. A text is parsed from its beginning to its end. */
function nextBareLink(linked: LinkedState): BareLink | undefined {
  linked.bareLinks ??= findBareLinks(linked.src);
  linked.nextLink ??= 0;
  while ((linked.bareLinks[linked.nextLink]?.start ?? linked.pos) < linked.pos) linked.nextLink++;
  return linked.bareLinks[linked.nextLink];
}

/** Whether an address has an allowed scheme, or no scheme. */
export function isSafeHref(href: string): boolean {
  // Browsers ignore control characters and spaces before and inside a scheme.
  if (/^[\u0000-\u0020]|[\t\n\r]/.test(href)) return false;
  const scheme = schemePattern.exec(href)?.[1];
  return scheme === undefined || allowedSchemes.has(scheme.toLowerCase());
}

/**
 * `[x](example.com/y)` means the site, not a page beside the client's. So domains get a scheme. Paths and fragments
 * stay unchanged.
 */
function absoluteIfDomain(href: string): string {
  if (schemePattern.test(href) || /^[/#?.]/.test(href) || href === "") return href;
  if (href.startsWith("user_uploads/")) return `/${href}`;
  return `http://${href}`;
}

/**
 * Addresses inside the realm are written as relative ones. They survive a change of the domain, and clients open them
 * themselves.
 */
export function relativeToRealm(href: string, realmUrl: string): string {
  if (!href.startsWith(realmUrl)) return href;
  const path = href.slice(realmUrl.length);
  if (path.startsWith("/user_uploads/")) return path;
  return path.startsWith("/#") ? path.slice(1) : href;
}
