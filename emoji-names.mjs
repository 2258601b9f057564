/**
 * Writes `actors/markdown/emoji/names.ts`, the names of emoji as clients know them, from the public table of names:
 *
 *     node emoji-names.mjs emoji_names.py
 *
 * The table is `tools/setup/emoji/emoji_names.py` of github.com/zulip/zulip. Taken from it are code points and names,
 * the preferred one first.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [source] = process.argv.slice(2);
if (!source) throw new Error("usage: node emoji-names.mjs emoji_names.py");
const entryPattern =
  /"([0-9a-f]{4,6}(?:-[0-9a-f]{4,6})*)":\s*\{\s*"canonical_name":\s*"([^"]+)",\s*"aliases":\s*\[([^\]]*)\]/g;
const lines = [];
for (const [, code, name, aliases] of readFileSync(source, "utf8").matchAll(entryPattern)) {
  lines.push([code, name, ...[...aliases.matchAll(/"([^"]+)"/g)].map(([, alias]) => alias)].join(" "));
}
if (lines.length < 1000) throw new Error(`only ${lines.length} emoji found in ${source}`);
writeFileSync(
  "actors/markdown/emoji/names.ts",
  `/**
 * Written by \`node emoji-names.mjs\`: one line for each emoji that clients know, with its code, its preferred name and
 * its other names. Source: zulip/zulip, tools/setup/emoji/emoji_names.py.
 */
export const emojiNamesTable = \`
${lines.join("\n")}
\`;
`,
);
console.log(`${lines.length} emoji`);
