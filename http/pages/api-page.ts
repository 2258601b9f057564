/** The API for people: every endpoint with its parameters, examples and answers, from the table that serves it. */
import { setImmediate } from "node:timers/promises";
import { describedSchema, describedSuccess, isListed, openApiPath, operationId } from "../api/openapi.ts";
import type { Param } from "../api/params.ts";
import type { RawReply } from "../api/reply.ts";
import type { Endpoint } from "../api/route.ts";
import { writtenExample } from "./api-examples.ts";
import { echoBots } from "./echo-bots.ts";
import { escapeHtml, page } from "./page.ts";
import { fieldsOf, typeOf } from "./schema-words.ts";

/** Hides what does not match, and opens what a link leads to. Without it the page shows everything. */
const script = `
"use strict";
const box = document.getElementById("filter");
const entries = [...document.querySelectorAll("details")];
const texts = new Map();
box.closest("p").hidden = false;
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const entry of entries) {
    if (!texts.has(entry)) texts.set(entry, entry.textContent.toLowerCase());
    entry.hidden = !words.every((word) => texts.get(entry).includes(word));
  }
  for (const section of document.querySelectorAll("section.noun")) {
    section.hidden = [...section.querySelectorAll("details")].every((entry) => entry.hidden);
  }
});
function open() {
  const target = document.getElementById(location.hash.slice(1));
  if (target?.tagName !== "DETAILS") return;
  target.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", open);
open();
`;

interface Shown {
  realmName: string;
  /** Address of the organization, without a trailing slash. */
  url: string;
}

/** It takes a while to make. Between two endpoints others have their turn. */
export async function apiPage(routes: readonly Endpoint[], { realmName, url }: Shown): Promise<RawReply> {
  const groups = new Map<string, Endpoint[]>();
  for (const route of routes) {
    if (route.path.startsWith("^") || !isListed(route)) continue;
    const [, name = ""] = route.path.split("/");
    groups.set(name, [...(groups.get(name) ?? []), route]);
  }
  const sorted = [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
  const sections: string[] = [];
  for (const [name, group] of sorted) {
    const entries: string[] = [];
    for (const route of group) {
      entries.push(endpoint(route, url));
      await setImmediate();
    }
    const heading = `<section class="noun" id="noun-${escapeHtml(name)}"><h2>${escapeHtml(name)}</h2>`;
    sections.push(`${heading}\n${entries.join("\n")}</section>`);
  }
  return page({
    title: `The API of ${realmName}`,
    isWide: true,
    script,
    body: `<h1>The API of ${escapeHtml(realmName)}</h1>
<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a>. Every path is below <code>/api/v1</code>. Log in with HTTP Basic:
your email and your API key. Values that are no texts are JSON in the text of one field.</p>
${beforehand(url)}
${bots}
<nav aria-label="Endpoints"><p>${sorted.map(([name]) => `<a href="#noun-${escapeHtml(name)}">${escapeHtml(name)}</a>`).join(" · ")}</p></nav>
<p hidden><label for="filter">Find</label><input id="filter" type="search" autocomplete="off"></p>
${sections.join("\n")}`,
  });
}

const code = (text: string, language: string): string =>
  `<p class="hint">${language}</p>\n<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`;

/** What the examples take for granted. */
const beforehand = (url: string): string => `<section><h2>Before the examples</h2>
<p>Your key is in the settings of the page on which you chat, where you also get the file <code>zuliprc</code> that clients
read. Endpoints for browsers are below <code>/json</code>, by the cookies of a log-in, and changes also need the token
that is in the cookie <code>csrftoken</code> (by https <code>__Host-csrftoken</code>).</p>
${code(
  `EMAIL=ada@example.com   # yours
KEY=$(sed -n 's/^key=//p' zuliprc)
curl -sS -u "$EMAIL:$KEY" ${url}/api/v1/users/me`,
  "curl",
)}
${code(`import requests, zulip   # pip install requests zulip\n\nclient = zulip.Client(config_file="zuliprc")`, "Python")}
${code(`import zulip from "zulip-js"; // npm install zulip-js\n\nconst client = await zulip({ zuliprc: "zuliprc" });`, "JavaScript")}
</section>`;

const bots = `<section id="write-a-bot"><h2>Write a bot</h2>
<p>Make a bot in your settings, or by <a href="#post_bots">POST /bots</a>, and put its address and key into a file
<code>zuliprc</code>. This one repeats what people write to it, or where they mention it.</p>
${code(echoBots.python, "Python")}
${code(echoBots.javascript, "JavaScript")}
</section>`;

function endpoint(route: Endpoint, url: string): string {
  const params = Object.entries(route.params);
  const id = operationId(route);
  const example = writtenExample(route, url);
  return `<details id="${id}"><summary><span class="method">${route.method}</span> <code>${escapeHtml(openApiPath(route.path))}</code>
<br><span class="soft">${escapeHtml(route.summary)}</span></summary>
${params.length > 0 || route.file ? parameterTable(route, params) : "<p>It takes no parameters.</p>"}
${code(example.curl, "curl")}
${code(example.python, "Python")}
${code(example.javascript, "JavaScript")}
${answer(route)}
<p class="hint">${access(route)}<a href="#${id}">Link to this endpoint</a>${link(route.doc)}</p>
</details>`;
}

function parameterTable(route: Endpoint, params: [string, Param<unknown>][]): string {
  const rows = params.flatMap(([name, param]) => {
    const schema = describedSchema(name, param);
    const { default: fallback } = schema;
    const limit = param.maxLength === undefined ? "" : `, up to ${param.maxLength.toLocaleString("en")} characters`;
    const aliases = param.aliases.length === 0 ? "" : ` Also called ${param.aliases.join(", ")}.`;
    const need = param.isRequired ? "required" : fallback === undefined ? "optional" : JSON.stringify(fallback);
    const own = row([name, typeOf(schema) + limit, need, `${String(schema["description"] ?? "")}${aliases}`]);
    return [
      own,
      ...fieldsOf(schema, name).map(({ path, type, isAlways, meaning }) =>
        row([path, type, isAlways ? "required" : "optional", meaning]),
      ),
    ];
  });
  if (route.file)
    rows.push(
      row([
        "file",
        "a file, as a part of a multipart body",
        route.file.isRequired ? "required" : "optional",
        route.file.description,
      ]),
    );
  return table(["Parameter", "Type", "Default", "Meaning"], rows);
}

function answer(route: Endpoint): string {
  const { returns } = route;
  if (!returns) return "<p>It answers with no JSON, or leads elsewhere.</p>";
  const stream = route.stream === undefined ? "" : `<p>${escapeHtml(route.stream)}</p>`;
  const fields = fieldsOf(describedSuccess(route), "").filter(({ path }) => !envelope.has(path) || path in returns);
  if (fields.length === 0) return "<p>It answers with <code>result</code> and <code>msg</code> alone.</p>";
  const rows = fields.map(({ path, type, isAlways, meaning }) =>
    row([path, type, isAlways ? "always" : "sometimes", meaning]),
  );
  return `<p>It answers with <code>result</code>, <code>msg</code>, and:</p>
${table(["Field", "Type", "There", "Meaning"], rows)}${stream}`;
}

/** Fields that every answer has. */
const envelope = new Set(["result", "msg", "ignored_parameters_unsupported"]);

const table = (heads: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th>${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;

/** Cells of plain text; the first one is code. */
function row([name, ...cells]: readonly [string, ...string[]]): string {
  return `<tr><td><code>${escapeHtml(name)}</code></td>${cells.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`;
}

function access(route: Endpoint): string {
  if (route.auth.includes("anybody")) return "Open to anybody. ";
  if (!route.auth.includes("apiKey")) return "For browsers, by their log-in. ";
  return route.permission && route.permission !== "guest" ? `For ${route.permission}s and above. ` : "";
}

const link = (doc: string): string =>
  /^https:\/\//.test(doc) ? ` · <a href="${escapeHtml(doc)}" rel="noreferrer">Its documentation at Zulip</a>` : "";
