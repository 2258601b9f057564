/** What this server is, for somebody who opens its address in a browser. */
import type { Language } from "../../actors/text/languages.ts";
import { roles } from "../../storage/rows.ts";
import type { RawReply } from "../api/reply.ts";
import { escapeHtml, page } from "./page.ts";
import { type PageWords, pageWords } from "./words/words.ts";

export interface Landing {
  language: Language;
  realmName: string;
  /** HTML that was rendered from the organization's Markdown, safe. */
  description: string;
  url: string;
  version: string;
  featureLevel: number;
  /** Whoever is logged in. */
  user: { name: string; email: string; role: number } | undefined;
}

export function landingPage(landing: Landing): RawReply {
  const { language, url, user } = landing;
  const words = pageWords(language);
  return page({
    title: landing.realmName,
    language,
    body: `<h1>${escapeHtml(landing.realmName)}</h1>
${landing.description}
${user ? account(user, url, words) : guest(words)}
<h2>${escapeHtml(words.thisServer)}</h2>
<p>${escapeHtml(words.aboutParley(landing.version, String(landing.featureLevel)))}</p>
<pre dir="ltr"><code>${escapeHtml(url)}</code></pre>
<p><a href="/api/">${escapeHtml(words.apiOfServer)}</a> · <a href="/docs/">${escapeHtml(words.documentation)}</a></p>`,
  });
}

const guest = (words: PageWords) => `<p><a class="button" href="/login/">${escapeHtml(words.logIn)}</a></p>
<p class="soft">${escapeHtml(words.askInvitation)}</p>`;

/** Who is logged in, by their role. */
function loggedIn({ name, email, role }: NonNullable<Landing["user"]>, words: PageWords): string {
  if (role === roles.owner) return words.loggedInOwner(name, email);
  if (role === roles.administrator) return words.loggedInAdministrator(name, email);
  if (role === roles.moderator) return words.loggedInModerator(name, email);
  return role === roles.guest ? words.loggedInGuest(name, email) : words.loggedInMember(name, email);
}

function account(user: NonNullable<Landing["user"]>, url: string, words: PageWords): string {
  return `<p>${escapeHtml(loggedIn(user, words))}</p>
<h2>${escapeHtml(words.apiKey)}</h2>
<p>${escapeHtml(words.apiKeyHint)}</p>
<pre dir="ltr"><code>curl ${escapeHtml(url)}/api/v1/fetch_api_key \\
  --data-urlencode ${escapeHtml(shellWord(`username=${user.email}`))} \\
  --data-urlencode 'password=…'</code></pre>
<p class="hint">${escapeHtml(words.apiKeySecret)}</p>`;
}

/** As one word of a command line, whatever is in it. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
