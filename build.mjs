// What tsc leaves out of dist/: the SQL migrations, the names of emoji, the filter of breached passwords, the programs of
// processes with no rights, the pages of docs/ as HTML, the mark that makes the command line executable, and the one
// file that it runs.
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import markdownIt from "markdown-it";

// A migration that has another name now must not be applied under the old one as well.
rmSync("dist/storage/migrations", { recursive: true, force: true });
cpSync("storage/migrations", "dist/storage/migrations", { recursive: true });
for (const program of [
  "actors/markdown/emoji/names.txt",
  "actors/outbound/allowed-addresses.mjs",
  "actors/users/passwords/breached-passwords.bin",
  "http/link-previews/fetch-process.mjs",
  "http/mail-in/mail-process.mjs",
  "http/pictures/outside-programs.mjs",
  "http/pictures/picture-process.mjs",
])
  cpSync(program, `dist/${program}`);
chmodSync("dist/http/process/cli.js", 0o755);

// The server shows these below /docs/. What a link leads to outside of that folder, a server does not have.
const markdown = markdownIt();
markdown.core.ruler.push("links of a server", ({ tokens }) => {
  for (const { type, children } of tokens) {
    if (type !== "inline") continue;
    for (const token of children.filter(({ type }) => type === "link_open")) {
      const target = token.attrGet("href");
      if (target.startsWith("../")) token.attrs = [];
      else token.attrSet("href", target.replace(/^([\w-]+)\.md\b/, "/docs/$1"));
    }
  }
  // The policy of pages allows no style of an element.
  for (const token of tokens) if (token.attrGet("style")) token.attrs = [];
});
rmSync("dist/docs", { recursive: true, force: true });
mkdirSync("dist/docs", { recursive: true });
for (const name of readdirSync("docs").filter((name) => name.endsWith(".md")))
  writeFileSync(`dist/docs/${name.slice(0, -3)}.html`, markdown.render(readFileSync(`docs/${name}`, "utf8")));

await import("./bundle.mjs");
