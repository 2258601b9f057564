/** The API of this server for people: every endpoint with its parameters, from the same table that serves them. */
import { openApiPath } from "../api/openapi.ts";
import type { Param } from "../api/params.ts";
import type { RawReply } from "../api/reply.ts";
import type { Endpoint } from "../api/route.ts";
import { escapeHtml, page } from "./page.ts";

/** Hides what does not match. Without it the page shows everything. */
const script = `
"use strict";
const box = document.getElementById("filter");
const entries = [...document.querySelectorAll("details")];
box.closest("p").hidden = false;
box.addEventListener("input", () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const entry of entries) {
    const text = entry.textContent.toLowerCase();
    entry.hidden = !words.every((word) => text.includes(word));
  }
  for (const heading of document.querySelectorAll("section")) {
    heading.hidden = [...heading.querySelectorAll("details")].every((entry) => entry.hidden);
  }
});
`;

export function apiPage(routes: readonly Endpoint[], realmName: string): RawReply {
  const groups = new Map<string, Endpoint[]>();
  for (const route of routes) {
    if (route.path.startsWith("^")) continue;
    const name = route.path.split("/")[1]!;
    groups.set(name, [...(groups.get(name) ?? []), route]);
  }
  const sections = [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, group]) => `<section><h2>${escapeHtml(name)}</h2>\n${group.map(endpoint).join("\n")}</section>`);
  return page({
    title: `The API of ${realmName}`,
    isWide: true,
    script,
    body: `<h1>The API of ${escapeHtml(realmName)}</h1>
<p>For programs: <a href="/api/v1/openapi.json">openapi.json</a>. Every path is below <code>/api/v1</code>. Log in with HTTP Basic:
your email and your API key. Values that are no texts are JSON in the text of one field.</p>
<p hidden><label for="filter">Find</label><input id="filter" type="search" autocomplete="off"></p>
${sections.join("\n")}`,
  });
}

function endpoint(route: Endpoint): string {
  const params = Object.entries(route.params);
  return `<details><summary><span class="method">${route.method}</span> <code>${escapeHtml(openApiPath(route.path))}</code>
<br><span class="soft">${escapeHtml(route.summary)}</span></summary>
${params.length > 0 ? parameterTable(params) : "<p>It takes no parameters.</p>"}
${answer(route)}
<p class="hint">${access(route)}${link(route.doc)}</p>
</details>`;
}

function parameterTable(params: [string, Param<unknown>][]): string {
  const rows = params.map(([name, param]) => {
    const { description, default: fallback, ...rest } = param.schema;
    const kind = typeof rest["type"] === "string" ? rest["type"] : "value";
    const values = Array.isArray(rest["enum"]) ? `: ${rest["enum"].join(", ")}` : "";
    const limit = param.maxLength === undefined ? "" : `, up to ${param.maxLength.toLocaleString("en")} characters`;
    const need = param.isRequired ? "required" : fallback === undefined ? "optional" : JSON.stringify(fallback);
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(kind + values + limit)}</td><td>${escapeHtml(need)}</td><td>${escapeHtml(
      typeof description === "string" ? description : "",
    )}</td></tr>`;
  });
  return `<table><thead><tr><th>Parameter</th><th>Type</th><th>Default</th><th></th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function answer(route: Endpoint): string {
  if (!route.returns) return "";
  const names = Object.keys(route.returns);
  if (names.length === 0) return "<p>It answers with the envelope alone.</p>";
  return `<p>It answers with ${names.map((name) => `<code>${escapeHtml(name)}</code>`).join(", ")}.</p>`;
}

function access(route: Endpoint): string {
  if (route.auth.includes("anybody")) return "Open to anybody. ";
  return route.permission && route.permission !== "guest" ? `For ${route.permission}s and above. ` : "";
}

const link = (doc: string): string =>
  /^https:\/\//.test(doc) ? `<a href="${escapeHtml(doc)}" rel="noreferrer">Documentation of this endpoint</a>` : "";
