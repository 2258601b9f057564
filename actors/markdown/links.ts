import { LinkifyIt, type Match } from "linkify-it";
import type { MarkdownIt } from "markdown-it";

/**
 * The addresses that become links. Markdown links, autolinks, bare URLs and linkifiers all pass `safeHref`. It allows
 * known schemes only: a list of forbidden ones could never be complete.
 */
const allowedSchemes = new Set(["http", "https", "ftp", "mailto", "tel", "sms", "geo", "xmpp", "matrix", "zulip"]);
const schemePattern = /^([a-z][a-z0-9+.-]*):/i;

/**
 * Top-level domains that make a bare `example.com` a link. Country codes that are better known as file name extensions
 * (`main.py`, `README.md`, `build.sh`, `lib.rs`, `x.pl`, `a.cc`, …) are left out. With `https://` every domain works.
 */
const bareDomainEndings = (
  "com net org edu gov mil int io dev app chat ai co me info biz name online site blog wiki xyz tech cloud page news tv " +
  "at au be br ca ch cn cz de dk es eu fi fr gr hk hu ie il in ir is it jp kr lt lu lv mx nl no nz pt ro ru se sg si sk th tr tw ua uk us za"
).split(" ");

/**
 * Every kind of link contains one of these. Most texts contain none, and this test is many times faster than the
 * search.
 */
const mayContainLink = (text: string): boolean => /\.\S|\/\/|mailto:/i.test(text);

/**
 * Finds bare URLs, bare domains and e-mail addresses. The version of linkify-it in markdown-it is quadratic for some
 * texts; a later one is not.
 */
const linkify = new LinkifyIt({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: false }).tlds(bareDomainEndings);

/** The bare links in a text, ascending. */
export const findBareLinks = (text: string): Match[] => linkify.match(text) ?? [];

/** Configures the links of a parser: bare ones are found, and only safe schemes are allowed. */
export function addLinks(md: MarkdownIt): void {
  // The part of linkify-it that the parser uses.
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
  // Reference definitions could repeat one long address until 10,000 characters become megabytes of HTML.
  md.disable("reference");
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
  return path.startsWith("/user_uploads/") || path.startsWith("/#narrow/") ? path : href;
}
