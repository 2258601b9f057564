/**
 * Writes `actors/markdown/emoji/names.txt`, the names of emoji as clients know them, from the public table of names:
 *
 *     node emoji-names.mjs emoji_names.py
 *
 * The table is `tools/setup/emoji/emoji_names.py` of github.com/zulip/zulip; no package has it. Taken from it are code
 * points and names, the preferred one first. Lines that say what `emoji-datasource` says anyway are left out.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [source] = process.argv.slice(2);
if (!source) throw new Error("usage: node emoji-names.mjs emoji_names.py");
const entryPattern =
  /"([0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*)":\s*\{\s*"canonical_name":\s*"([^"]+)",\s*"aliases":\s*\[([^\]]*)\]/g;
const dataSet = JSON.parse(readFileSync("node_modules/emoji-datasource/emoji.json", "utf8"));
const given = new Map(
  dataSet.map(({ unified, short_names }) => [
    unified.toLowerCase().replaceAll("-fe0f", ""),
    short_names.map((name) => name.replace(/(?<=\w)-/g, "_")).join(" "),
  ]),
);
// Our own aliases come before the data set: an emoji that has some needs its line.
const aliased = readFileSync("actors/markdown/emoji/aliases.ts", "utf8");
const lines = [];
let count = 0;
for (const [, code, name, aliases] of readFileSync(source, "utf8").matchAll(entryPattern)) {
  count++;
  const names = [name, ...[...aliases.matchAll(/"([^"]+)"/g)].map(([, alias]) => alias)].join(" ");
  if (!`${given.get(code) ?? ""} `.startsWith(`${names} `) || aliased.includes(`"${code}"`))
    lines.push(`${code} ${names}`);
}
if (count < 1000) throw new Error(`only ${count} emoji found in ${source}`);
writeFileSync("actors/markdown/emoji/names.txt", `${lines.join("\n")}\n`);
console.log(`${count} emoji, of which ${lines.length} have names of their own`);
