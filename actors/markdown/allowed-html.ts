/**
 * HTML of messages that another server rendered. A tag, attribute, class or style stays only if our renderer or Zulip's
 * makes such; what stays keeps its bytes. A rendering that either made comes out as it went in. Any other text comes
 * out as HTML that no browser misreads: tags of known elements, closed in order, with known attributes.
 *
 * Renderings are not made anew: people and channels have been renamed since, and mentions of old names would be lost.
 */
import { katexClasses, mathElements, messageClasses, pygmentsClasses } from "./allowed-names.ts";
import { maxHtmlUnits } from "./limits.ts";
import { isSafeHref } from "./links.ts";
import { renderPlainText } from "./render.ts";

/** Elements around a text: formulas of our renderer have a thousand. A browser has a limit of its own. */
const maxDepth = 2_000;

type Check = (value: string) => boolean;
const matches =
  (pattern: RegExp): Check =>
  (value) =>
    pattern.test(value);
const isAnything: Check = () => true;
const isNumber = matches(/^-?[0-9.]{1,12}(?:em|ex|px|pt|%)?$/);
const isId = matches(/^(?:\d{1,16}|\*)$/);

/** A character reference in an address could hide its scheme. Only `&amp;` is written where `&` stands. */
const isAddress: Check = (value) => {
  const href = value.replaceAll("&amp;", "&").replaceAll("&quot;", '"').replaceAll("&#39;", "'");
  return !/&#|&colon|&newline|&tab/i.test(href) && /^(?:[a-z]+:|[/#?.])/i.test(href) && isSafeHref(href);
};
const isSource: Check = (value) => isAddress(value) && /^(?:https?:\/\/|\/)/i.test(value);

const length = "-?[0-9.]{1,12}(?:em|ex|px|pt|%)?";
const color = "#[0-9a-f]{3,8}|[a-z]{3,24}";
const styles: readonly RegExp[] = [
  /^text-align: ?(?:left|right|center)$/,
  // KaTeX moves a large operator to the height of the line.
  /^position:relative$/,
  new RegExp(
    `^(?:height|width|min-width|vertical-align|top|bottom|left|margin|margin-(?:left|right|top|bottom)|padding-left|border-(?:(?:top|right|bottom|left)-)?width):${length}$`,
  ),
  new RegExp(`^(?:color|background-color|border-color):(?:${color})$`, "i"),
  /^border-(?:right-)?style:(?:solid|dashed)$/,
  // The picture of a linked page, from the organization itself.
  /^background-image: url\(&quot;\/(?:link_previews|external_content)\/[\w./-]+&quot;\)$/,
];
const isStyle: Check = (value) =>
  value
    .split(/;(?![^(]*\))/)
    .every((rule) => rule.trim() === "" || styles.some((pattern) => pattern.test(rule.trim())));

/** The attributes of each element; `class` is apart. */
const attributes: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  a: {
    "data-id": matches(/^[\w-]{1,64}$/),
    "data-stream-id": isId,
    href: isAddress,
    rel: matches(/^[a-z ]{1,40}$/),
    style: isStyle,
    target: matches(/^_(?:blank|top)$/),
    title: isAnything,
  },
  img: {
    alt: isAnything,
    "data-animated": matches(/^true$/),
    "data-original-content-type": matches(/^[\w.+/-]{1,100}$/),
    "data-original-dimensions": matches(/^\d{1,6}x\d{1,6}$/),
    "data-original-src": isSource,
    "data-transcoded-image": matches(/^[\w.-]{1,40}$/),
    loading: matches(/^lazy$/),
    src: isSource,
    title: isAnything,
  },
  video: { poster: isSource, preload: matches(/^(?:none|metadata)$/), src: isSource },
  audio: {
    controls: matches(/^$/),
    "data-original-url": isSource,
    preload: matches(/^(?:none|metadata)$/),
    src: isSource,
    title: isAnything,
  },
  div: { "aria-hidden": matches(/^true$/), "data-code-language": isAnything },
  span: {
    "aria-hidden": matches(/^true$/),
    "aria-label": isAnything,
    "data-user-group-id": isId,
    "data-user-id": isId,
    role: matches(/^img$/),
    style: isStyle,
    title: isAnything,
  },
  time: { datetime: matches(/^[\dTZ:.+-]{1,40}$/) },
  ol: { start: matches(/^\d{1,9}$/) },
  th: { align: matches(/^(?:left|right|center)$/), style: isStyle },
  td: { align: matches(/^(?:left|right|center)$/), style: isStyle },
  svg: {
    height: isNumber,
    preserveAspectRatio: matches(/^[A-Za-z ]{1,40}$/),
    style: isStyle,
    viewBox: matches(/^[-0-9. ]{1,60}$/),
    width: isNumber,
    xmlns: matches(/^http:\/\/www\.w3\.org\/2000\/svg$/),
  },
  path: { d: matches(/^[\sA-Za-z0-9.,-]*$/) },
  line: { "stroke-width": isNumber, x1: isNumber, x2: isNumber, y1: isNumber, y2: isNumber },
};
const plainElements = new Set(
  "p br hr em strong del code pre blockquote ul li table thead tbody tr h1 h2 h3 h4 h5 h6".split(" "),
);
const voidElements = new Set(["br", "hr", "img"]);
/** Their content is no text of a message. */
const hiddenElements =
  /<(script|style|title|textarea|template|noscript|iframe|object|xmp|noembed|noframes|select)(?=[\s/>])[\s\S]*?(?:<\/\1\s*>|$)/gi;
const mathAttribute = /^(?!on|href|src|style|class|id)[a-z]{1,30}$/;

const part =
  /<!--[\s\S]*?(?:-->|$)|<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:[\s/]+[^\s"'<>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>`=]+))?){0,40})\s*(\/?)>|[<>]/g;
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>`=]+)))?/g;

/**
 * The allowed part of HTML that another server made of `source`. A rendering that is too long becomes the text itself.
 */
export function allowedHtml(html: string, source: string): string {
  if (html.length > maxHtmlUnits) return renderPlainText(source).html;
  const open: string[] = [];
  let kept = "";
  let from = 0;
  const text = html.includes("<") ? html.replace(hiddenElements, "") : html;
  part.lastIndex = 0;
  for (let found = part.exec(text); found !== null; found = part.exec(text)) {
    kept += text.slice(from, found.index);
    from = part.lastIndex;
    const [whole, slash, name, given = "", end] = found;
    if (name === undefined) kept += whole === "<" ? "&lt;" : whole === ">" ? "&gt;" : "";
    else if (slash === "/") kept += closing(open, name);
    else kept += opening(open, whole, { name, given, isClosed: end === "/" });
  }
  return kept + text.slice(from) + closing(open, undefined);
}

/** The end of each of these is the end of a paragraph in it, by the rules of HTML. */
const endParagraphs = new Set(["blockquote", "div", "li"]);

/**
 * Tags that end an element, and those in it; of all elements when there is no name. Zulip leaves out the end of a
 * paragraph, or ends one too many: to browsers that is an empty one.
 */
function closing(open: string[], name: string | undefined): string {
  const at = name === undefined ? 0 : open.lastIndexOf(name);
  if (at < 0) return name === "p" ? "</p>" : "";
  const ended = open.splice(at).reverse();
  const isImplied = name !== undefined && endParagraphs.has(name);
  return ended.map((one) => (one === "p" && isImplied ? "" : `</${one}>`)).join("");
}

function opening(
  open: string[],
  whole: string,
  { name, given, isClosed }: { name: string; given: string; isClosed: boolean },
): string {
  const known = attributes[name];
  const isMath = mathElements.has(name);
  if ((known === undefined && !isMath && !plainElements.has(name)) || (name === "a" && open.includes("a"))) return "";
  if (open.length >= maxDepth) return "";
  const isForeign = isMath || name === "svg" || name === "path" || name === "line";
  const isEmpty = voidElements.has(name) || (isClosed && isForeign);
  if (!isEmpty) open.push(name);
  if (whole.length === name.length + 2) return whole;
  let kept = "";
  for (const [, attributeName = "", double, single, bare] of given.matchAll(attribute)) {
    const value = double ?? single ?? bare ?? "";
    const safe = /[<>"]/.test(value) ? escapeMarks(value) : value;
    if (attributeName === "class") {
      const classes = safe.split(" ").filter((one) => isKnownClass(name, one));
      if (classes.length > 0) kept += ` class="${classes.join(" ")}"`;
    } else if (
      isMath
        ? mathAttribute.test(attributeName)
        : Object.hasOwn(known ?? {}, attributeName) && known?.[attributeName]?.(safe)
    )
      kept += attributeName === "controls" ? " controls" : ` ${attributeName}="${safe}"`;
  }
  return `<${name}${kept}${isClosed && isForeign ? "/" : ""}>`;
}

const escapeMarks = (value: string): string =>
  value.replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const classedElements = new Set(["a", "div", "img", "span"]);

const isKnownClass = (element: string, name: string): boolean =>
  (messageClasses.has(name) && classedElements.has(element)) ||
  (element === "span" &&
    (pygmentsClasses.has(name) || katexClasses.has(name) || /^emoji-[0-9a-f-]{2,60}$/.test(name))) ||
  (element === "svg" && katexClasses.has(name));
