/** What this server is, for somebody who opens its address in a browser. */
import type { RawReply } from "../api/reply.ts";
import { escapeHtml, page } from "./page.ts";

export interface Landing {
  realmName: string;
  /** HTML that was rendered from the organization's Markdown, safe. */
  description: string;
  url: string;
  version: string;
  featureLevel: number;
  /** Whoever is logged in. */
  user: { name: string; email: string; role: string } | undefined;
}

export function landingPage(landing: Landing): RawReply {
  return page({
    title: landing.realmName,
    body: `<h1>${escapeHtml(landing.realmName)}</h1>
${landing.description}
${landing.user ? account(landing.user, landing.url) : guest}
<h2>This server</h2>
<p>This is Parley, a server for team chat. It speaks the Zulip API (${escapeHtml(landing.version)}, feature level ${landing.featureLevel}), so
the Zulip mobile applications, Zulip Terminal and bots written for Zulip work with it: give them this address.</p>
<pre><code>${escapeHtml(landing.url)}</code></pre>
<p><a href="/api/">The API of this server</a> · <a href="/docs/">Its documentation</a></p>`,
  });
}

const guest = `<p><a class="button" href="/login/">Log in</a></p>
<p class="soft">To join, ask a member for an invitation.</p>`;

function account(user: { name: string; email: string; role: string }, url: string): string {
  return `<p>You are logged in as <strong>${escapeHtml(user.name)}</strong> (${escapeHtml(user.email)}), ${escapeHtml(user.role)}.</p>
<h2>Your API key</h2>
<p>Clients fetch it themselves when you log in with your email and password. To see it, ask for it:</p>
<pre><code>curl ${escapeHtml(url)}/api/v1/fetch_api_key \\
  --data-urlencode ${escapeHtml(shellWord(`username=${user.email}`))} \\
  --data-urlencode 'password=…'</code></pre>
<p class="hint">Keep it like your password: whoever has it, can act as you.</p>`;
}

/** As one word of a command line, whatever is in it. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
