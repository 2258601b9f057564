/**
 * The one way in for HTML: what the server rendered from Markdown becomes nodes here, and nowhere else. The browser is
 * told so: under `require-trusted-types-for 'script'` no other text can become markup. Scripts in it would not run,
 * handlers and styles in attributes are refused by the page's policy; styles of formulas are set one by one, as a
 * policy without `unsafe-inline` demands.
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
