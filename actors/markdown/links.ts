import { LinkifyIt, type Match } from "linkify-it";
import type { MarkdownIt } from "markdown-it";

/**
 * Which addresses become links. Markdown links, autolinks, bare URLs and linkifiers all pass `safeHref`: an allow list
 * of schemes, because a list of forbidden ones is never finished.
 */
const allowedSchemes = new Set(["http", "https", "ftp", "mailto", "tel", "sms", "geo", "xmpp", "matrix", "zulip"]);
const schemePattern = /^([a-z][a-z0-9+.-]*):/i;

/**
 * Top-level domains that make a bare `example.com` a link. Country codes that are better known as file name extensions
 * (`main.py`, `README.md`, `build.sh`, `lib.rs`, `x.pl`, `a.cc`, …) are left out; any domain works with `https://` in
 * front.
 */
const bareDomainEndings = (
  "com net org edu gov mil int io dev app chat ai co me info biz name online site blog wiki xyz tech cloud page news tv " +
  "at au be br ca ch cn cz de dk es eu fi fr gr hk hu ie il in ir is it jp kr lt lu lv mx nl no nz pt ro ru se sg si sk th tr tw ua uk us za"
).split(" ");

/** Every kind of link has one of these; most texts have none, and this is many times faster than the search. */
const mayContainLink = (text: string): boolean => /\.\S|\/\/|mailto:/i.test(text);

/**
 * Finds bare URLs, bare domains and e-mail addresses. The line of linkify-it that markdown-it brings takes the square
 * of a text's length for some texts; a later one does not.
 */
const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: false }).tlds(bareDomainEndings);

/** The links that stand in a text as they are, ascending. */
export const findBareLinks = (text: string): Match[] => linkify.match(text) ?? [];

/** Configures a parser's links: bare ones, and safe schemes only. */
export function addLinks(md: MarkdownIt): void {
  // What the parser asks of it.
  const finder = {
    pretest: mayContainLink,
    test: (text: string) => mayContainLink(text) && linkify.test(text),
    match: (text: string) => linkify.match(text),
    matchAtStart: (text: string) => linkify.matchAtStart(text),
  };
  Object.assign(md, { linkify: finder });
  const percentEncode = md.normalizeLink;
  md.normalizeLink = (url) => absoluteIfDomain(percentEncode(url));
  md.validateLink = isSafeHref;
  // Definitions elsewhere in the text would let 10,000 characters repeat a long address into megabytes of HTML.
  md.disable("reference");
}

/** Whether an address has an allowed scheme, or none. */
export function isSafeHref(href: string): boolean {
  // Browsers skip control characters and spaces before and inside a scheme.
  if (/^[\u0000-\u0020]|[\t\n\r]/.test(href)) return false;
  const scheme = schemePattern.exec(href)?.[1];
  return scheme === undefined || allowedSchemes.has(scheme.toLowerCase());
}

/**
 * `[x](example.com/y)` means the site, not a page beside the client's: schemes are added, paths and fragments left
 * alone.
 */
function absoluteIfDomain(href: string): string {
  if (schemePattern.test(href) || /^[/#?.]/.test(href) || href === "") return href;
  if (href.startsWith("user_uploads/")) return `/${href}`;
  return `http://${href}`;
}

/**
 * Addresses inside the realm are written relative to it, so that they survive a change of its domain and open in the
 * client.
 */
export function relativeToRealm(href: string, realmUrl: string): string {
  if (!href.startsWith(realmUrl)) return href;
  const path = href.slice(realmUrl.length);
  return path.startsWith("/user_uploads/") || path.startsWith("/#narrow/") ? path : href;
}
