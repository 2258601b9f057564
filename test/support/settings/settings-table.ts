/** The table of docs/settings.md, from the declarations of the settings. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allSettings } from "../../../http/process/settings/read-settings.ts";
import type { Setting } from "../../../http/process/settings/setting.ts";

const file = join(import.meta.dirname, "../../../docs/settings.md");

export const readDocument = (): string => readFileSync(file, "utf8");

/** Settings after each other with the same words are one row. Those without are for no operator. */
function rows(): Setting[][] {
  const told: Setting[][] = [];
  for (const setting of allSettings()) {
    const last = told.at(-1);
    if (setting.words === undefined) continue;
    if (last?.[0]?.words === setting.words) last.push(setting);
    else told.push([setting]);
  }
  return told;
}

/** The document with the table as it should be. */
export function withTable(text: string): string {
  const lines = rows().map((settings) => {
    const variables = settings.map(({ variable }) => `\`${variable}\``).join(", ");
    const defaults = settings.map(({ shown }) => shown);
    const shown = defaults.every((each) => each === "none") ? "none" : defaults.join(", ");
    return `| ${variables} | ${shown} | ${settings[0]?.words} |\n`;
  });
  return text.replace(/(?<=\n\| --- \| --- \| --- \|\n)(?:\| `.*\n)+/, () => lines.join(""));
}

export function writeTable(): void {
  writeFileSync(file, withTable(readDocument()));
}
