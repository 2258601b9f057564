/**
 * Rendered messages as mail programs may have them. They are our renderer's HTML, in which `<` and `>` stand in tags
 * only. Addresses are whole. Attributes, pictures and what only the page's own style makes sense of are left out. A
 * link that shows nothing but a picture shows where it leads.
 */
import { escapeHtml } from "../markdown/rendering.ts";

const kept = new Set(
  "p br hr ul ol li strong em del code pre blockquote h1 h2 h3 h4 h5 h6 table thead tbody tr th td".split(" "),
);
/** A message of more markup than this is shown as its source. */
const maxHtml = 20_000;

/**
 * @param html what our Markdown renderer made
 * @param source the message as it was typed, or its beginning
 * @param isCut it is not the whole message, which is why the source is shown
 */
export function mailHtml(html: string, source: string, url: string, isCut = false): string {
  // Formulas say everything twice, once as pictures made of letters.
  if (isCut || html.length > maxHtml || html.includes('class="katex'))
    return `<p>${escapeHtml(source).replaceAll("\n", "<br>")}</p>`;
  const linked = new Set<string>();
  let unseen = "";
  return html.replace(/<(\/?)([a-z0-9]+)([^>]*)>/gi, (_tag, slash: string, tag: string, attributes: string) => {
    const name = tag.toLowerCase();
    if (name === "a" && slash === "") {
      const href = attributeOf("href", attributes) ?? "";
      unseen = linked.has(href) ? "" : href;
      linked.add(href);
      return anchor(href, url);
    }
    if (name === "a") return "</a>";
    if ((name === "img" || name === "video") && slash === "") return attributeOf("alt", attributes) ?? unseen;
    return kept.has(name) ? `<${slash}${name}>` : "";
  });
}

const attributeOf = (name: string, attributes: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];

/** Where a link leads, with the address of the organization where it has none; nowhere for what is no web address. */
function anchor(href: string, url: string): string {
  const isOwn = (href.startsWith("/") && !href.startsWith("//")) || href.startsWith("#");
  const whole = isOwn ? `${url}${href.startsWith("#") ? "/" : ""}${href}` : href;
  return /^(?:https?:\/\/|mailto:)/i.test(whole) ? `<a href="${whole}">` : "<a>";
}
