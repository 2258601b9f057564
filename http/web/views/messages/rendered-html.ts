/**
 * The only place where HTML becomes nodes of the page: HTML that the server rendered from Markdown. The browser
 * enforces this: under `require-trusted-types-for 'script'` no other text can become markup. Scripts in it do not run.
 * The content security policy refuses event handlers and styles in attributes. The styles of formulas are set one by
 * one, since the policy has no `unsafe-inline`.
 */
interface Policy {
  createHTML(html: string): string;
}
interface Policies {
  createPolicy(name: string, rules: { createHTML(html: string): string }): Policy;
}

const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes;
const policy: Policy = policies?.createPolicy("parley-rendered", { createHTML: (html) => html }) ?? {
  createHTML: (html) => html,
};

const styleAttribute = /(<[a-z][^<>]*?)\sstyle="([^"]*)"/gi;

/** Nodes of HTML that the server rendered. */
export function nodesOf(html: string): DocumentFragment {
  const template = document.createElement("template");
  const isStyled = html.includes(' style="');
  template.innerHTML = policy.createHTML(isStyled ? html.replace(styleAttribute, '$1 data-style="$2"') : html);
  const { content } = template;
  if (isStyled)
    for (const element of content.querySelectorAll<HTMLElement | SVGElement>("[data-style]")) {
      element.style.cssText = element.dataset["style"] ?? "";
      delete element.dataset["style"];
    }
  return content;
}

/**
 * A document of any HTML, to read from. Nothing of it runs or is fetched, and none of its nodes comes into the page.
 * A style is in `data-style`: the policy of the page holds for such a document, too, and complains.
 */
export function inertDocumentOf(html: string): Document {
  const quiet = html
    .replace(/<style\b[\s\S]*?<\/style>/gi, "")
    .replace(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\s(style|on[a-z]+)\s*=/gi, " data-$1="));
  return new DOMParser().parseFromString(policy.createHTML(quiet), "text/html");
}
