import { parseTemplate, type Template } from "url-template";

/**
 * RFC 6570 URI templates of linkifiers and playgrounds, which administrators write. `url-template` expands them, but it
 * accepts anything: a stray brace disappears, and an unknown operator becomes part of a name. So the syntax is checked
 * here first, by the grammar of the RFC:
 *
 *     template   = *( literal / "{" [ operator ] varspec *( "," varspec ) "}" )
 *     operator   = "+" / "#" / "." / "/" / ";" / "?" / "&"        ("=", ",", "!", "@", "|" are reserved)
 *     varspec    = varname [ ":" 1..9999 / "*" ]
 *     varname    = varchar *( ["."] varchar )                     varchar = ALPHA / DIGIT / "_" / %HH
 *
 * Literals exclude control characters, space, `"`, `<`, `>`, `\`, `^`, `` ` ``, `{`, `|`, `}`, and a `%` without two
 * hexadecimal digits. The apostrophe is allowed, by erratum 6937 of the RFC. Source: RFC 6570, section 2.
 */

/** Code units of a template: more than addresses have, and few enough to check at once. */
export const maxUriTemplateLength = 2_000;

/** A checked template. */
export interface UriTemplate {
  /** Names of its variables, distinct, in the order of first use. */
  readonly variables: readonly string[];
  /**
   * Expands the template with percent-encoded values; `null` means undefined.
   *
   * @throws URIError for unpaired surrogates.
   */
  expand(values: Readonly<Record<string, string | null>>): string;
}

/** A refused template. The message is shown to the administrator. */
export class UriTemplateError extends Error {
  override readonly name = "UriTemplateError";
}

const literal =
  /^(?:[^\u0000-\u0020"<>\\^`{|}%\u007f-\u009f\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff]|%[0-9A-Fa-f]{2})*$/;
const varspec = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*)(?::[1-9][0-9]{0,3}|\*)?$/;
const operators = "+#./;?&";
const reservedOperators = "=,!@|";

/** Parses a template. Linear in its length. @throws UriTemplateError */
export function parseUriTemplate(template: string): UriTemplate {
  if (template.length > maxUriTemplateLength) {
    throw new UriTemplateError(`URL template is too long: at most ${maxUriTemplateLength} characters are allowed.`);
  }
  const variables = new Set<string>();
  let position = 0;
  while (position < template.length) {
    const open = template.indexOf("{", position);
    const literalEnd = open === -1 ? template.length : open;
    checkLiteral(template.slice(position, literalEnd));
    if (open === -1) break;
    const close = template.indexOf("}", open);
    if (close === -1) throw new UriTemplateError("Invalid URL template: a “{” is never closed.");
    for (const name of readExpression(template.slice(open + 1, close))) variables.add(name);
    position = close + 1;
  }
  const parsed: Template = parseTemplate(template);
  return { variables: [...variables], expand: (values) => parsed.expand({ ...values }) };
}

function checkLiteral(text: string): void {
  if (text.includes("}")) throw new UriTemplateError("Invalid URL template: a “}” closes no expression.");
  if (!literal.test(text)) {
    throw new UriTemplateError("Invalid URL template: it has a character that must be percent-encoded.");
  }
}

function readExpression(expression: string): string[] {
  const first = expression.charAt(0);
  if (first === "") throw new UriTemplateError("Invalid URL template: “{}” names no variable.");
  if (reservedOperators.includes(first)) {
    throw new UriTemplateError(`Invalid URL template: the operator “${first}” is not supported.`);
  }
  const list = operators.includes(first) ? expression.slice(1) : expression;
  return list.split(",").map((spec) => {
    const match = varspec.exec(spec);
    if (!match) throw new UriTemplateError(`Invalid URL template: “{${expression}}” is not a valid expression.`);
    return match[1] ?? "";
  });
}

/** The one variable of a playground's template. */
const playgroundVariable = "code";

/**
 * Checks the `url_template` of a code playground: RFC 6570 with exactly one variable, named `code`. Returns an error
 * message, or undefined. https://zulip.com/api/add-code-playground
 */
export function checkPlaygroundUrlTemplate(template: string): string | undefined {
  let parsed: UriTemplate;
  try {
    parsed = parseUriTemplate(template);
  } catch (error) {
    if (error instanceof UriTemplateError) return error.message;
    throw error;
  }
  if (!parsed.variables.includes(playgroundVariable))
    return `URL template must contain the variable “${playgroundVariable}”.`;
  if (parsed.variables.length > 1) return `URL template must contain exactly one variable, “${playgroundVariable}”.`;
  // The code may be anything, and `{+code}` does not escape it. So it must not become the scheme.
  if (!isSafeUrl(parsed.expand({ [playgroundVariable]: "javascript:x" })))
    return "URL template must not make a script or data URL.";
  return undefined;
}

/**
 * Whether a URL is safe in a link. Browsers would run `javascript:` and `vbscript:`, and show a `data:` page as if it
 * were ours. They ignore control characters and spaces before and inside the scheme, so this does too.
 */
export function isSafeUrl(url: string): boolean {
  const start = url.slice(0, 100).replace(/[\u0000-\u0020\u007f-\u00a0]/g, "");
  return !/^(?:javascript|vbscript|data):/i.test(start);
}
