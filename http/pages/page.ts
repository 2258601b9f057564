/**
 * The few pages a person needs before they have a client: own HTML and CSS, nothing from elsewhere, and they work
 * without JavaScript. Every text that is not ours goes through `escapeHtml`; the Content-Security-Policy lets nothing
 * else run.
 */
import { createHash } from "node:crypto";
import { ApiError, badRequest } from "../../actors/errors.ts";
import { directionOf, type Language } from "../../actors/text/languages.ts";
import { RawReply, retryHeaders } from "../api/reply.ts";
import type { Exchange } from "../server/exchange.ts";
import { refusalIn } from "./words/refusals/refusals.ts";
import { type Asking, languageOfPage } from "./words/words.ts";

const css = `
:root { color-scheme: light dark; --ink: #1c2430; --paper: #f6f7f9; --card: #fff; --line: #cfd6e0; --accent: #1f6573; --soft: #556070; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --paper: #12161c; --card: #1a2029; --line: #384252; --accent: #6cc3d3; --soft: #a3aebd; --bad: #ff8a80; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { width: calc(100% - 1.5rem); max-width: 30rem; margin: 8vh auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
main.wide { max-width: 64rem; margin: 2rem auto; }
h1 { margin: 0 0 .25rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
.soft { color: var(--soft); }
label { display: block; margin-top: 1rem; font-weight: 600; }
input { width: 100%; margin-top: .3rem; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
.choice { font-weight: 400; }
input[type=checkbox] { width: auto; margin-block: 0; margin-inline: 0 .4rem; }
input[readonly] { color: var(--soft); }
.hint { font-size: .875rem; color: var(--soft); }
button, .button { display: inline-block; margin-top: 1.5rem; padding: .65rem 1.2rem; font: inherit; font-weight: 600; color: var(--card); background: var(--accent); border: 0; border-radius: 8px; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.error { padding: .6rem .8rem; color: var(--bad); border: 1px solid var(--bad); border-radius: 8px; }
pre { padding: .8rem; overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; font-size: .85rem; }
code { font-family: ui-monospace, monospace; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding-block: .3rem; padding-inline: 0 .6rem; text-align: start; vertical-align: top; border-bottom: 1px solid var(--line); }
details { margin: .4rem 0; padding: .5rem .8rem; border: 1px solid var(--line); border-radius: 8px; }
summary { cursor: pointer; overflow-wrap: anywhere; }
.method { display: inline-block; min-width: 4.5rem; font-weight: 700; }
`;

const hashOf = (source: string): string => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
const styleHash = hashOf(css);

/** Text as it may stand in HTML, in an attribute too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export interface Page {
  /** Plain text. */
  title: string;
  /** HTML. */
  body: string;
  /** 200 when left out. */
  status?: number;
  isWide?: boolean;
  /** What it is written in; English when left out. */
  language?: Language;
  /** A script of ours, that may ask this server. */
  script?: string;
}

export function page({ title, body, status = 200, isWide = false, language = "en", script }: Page): RawReply {
  const policy = [
    "default-src 'none'",
    `style-src ${styleHash}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`, "connect-src 'self'"]),
    // A log-in may end in the application that asked for it.
    "form-action 'self' zulip:",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  const html = `<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${css}</style>
</head>
<body>
<main${isWide ? ' class="wide"' : ""}>
${body}
</main>${script === undefined ? "" : `\n<script>${script}</script>`}
</body>
</html>
`;
  return new RawReply(
    status,
    [
      ["Content-Type", "text/html; charset=utf-8"],
      ["Cache-Control", "no-store"],
      ["Content-Security-Policy", policy.join("; ")],
      ["Referrer-Policy", "same-origin"],
    ],
    html,
  );
}

/** A form on another site does nothing here. @throws BAD_REQUEST */
export function checkOrigin({ origin, host }: Exchange): void {
  if (origin === "") return;
  if (!URL.canParse(origin) || new URL(origin).host.toLowerCase() !== host.toLowerCase())
    throw badRequest("This form was not sent from this site.");
}

/** Sends a browser elsewhere, with GET. */
export function redirect(location: string): RawReply {
  return new RawReply(
    302,
    [
      ["Location", location],
      ["Cache-Control", "no-store"],
    ],
    "",
  );
}

/** What went wrong with a form, where screen readers say it first. */
export const errorNote = (message: string | undefined): string =>
  message === undefined ? "" : `<p class="error" role="alert" id="error">${escapeHtml(message)}</p>`;

/** What a page that was refused says of it. */
export interface Refused {
  error: string;
  status: number;
}

/** Shows what was asked for, or the page that says why not, in its language. */
export async function orRefused(
  asking: Asking,
  show: () => Promise<RawReply> | RawReply,
  refusedPage: (refused: Refused, error: ApiError) => Promise<RawReply> | RawReply,
): Promise<RawReply> {
  try {
    return await show();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    asking.exchange.headers.push(...retryHeaders(error));
    return refusedPage({ error: refusalIn(languageOfPage(asking), error), status: error.status }, error);
  }
}
