/** Help on the command line: on everything, on a command, and on those that begin alike. */

import type { Command } from "./command.ts";
import { commonWords, type OptionName } from "./options.ts";
import { commandTable, optionsOf } from "./table.ts";

const width = 120;
/** Where the words begin. */
const column = 38;

/** What to do where words mean nothing. */
export const seeHelp = (name: string): string => `See parley ${name === "" ? "" : `${name} `}--help.`;

/** `words` behind `head`, and below each other where they are long. */
function entry(head: string, words: string): string {
  const lines: string[] = [];
  let line = `  ${head}`.padEnd(column);
  if (`  ${head}`.length >= column) {
    lines.push(line);
    line = " ".repeat(column);
  }
  for (const word of words.split(" ")) {
    if (line.trim() !== "" && line.length + word.length + 1 > width && line.length > column) {
      lines.push(line.trimEnd());
      line = " ".repeat(column);
    }
    line += line.length <= column ? word : ` ${word}`;
  }
  return [...lines, line].join("\n");
}

const called = (name: string, { usage }: Command): string => [name, usage].filter(Boolean).join(" ");

const listOf = (commands: Iterable<readonly [string, Command]>): string =>
  [...commands].map(([name, command]) => entry(called(name, command), command.does)).join("\n");

export const wholeHelp = (): string => `Usage: parley <command> [options]

${listOf(commandTable)}

Options:
${entry("--json", commonWords.json ?? "")}
${entry("--version", "Show which Parley this is")}
${entry("--help", "Show this; behind a command, what it takes")}

Where there are several organizations, --realm H says which one is meant. --json prints what a program can read.
Settings come from the environment: PORT, HOST, DATABASE_URL, REDIS_URL, PARLEY_*; see docs/settings.md.
`;

/** `--email E`: an option as the usage has it. */
function shown(option: OptionName, { usage }: Command): string {
  const [all] = new RegExp(`--${option}(?![a-z-])( [^\\s\\][]+)?`).exec(usage) ?? [];
  // A bar stands between options.
  return (all ?? (option === "realm" ? "--realm H" : `--${option}`)).replace(/ \|$/, "");
}

function commandHelp(name: string, command: Command): string {
  const taken = optionsOf(command).filter((option) => option !== "version");
  const isWhole = command.usage.includes("--realm") || command.isOfServer;
  const options = taken.map((option) =>
    entry(shown(option, command), command.words?.[option] ?? commonWords[option] ?? ""),
  );
  const example = ["parley", name, command.example].filter(Boolean).join(" ");
  return [
    `Usage: parley ${called(name, command)}${isWhole ? "" : " [--realm H]"}`,
    `${command.does}.`,
    `Options:\n${options.join("\n")}`,
    `Example:\n  ${example}\n`,
  ].join("\n\n");
}

/**
 * The help on what words name: a command, those that begin with a word, or everything.
 *
 * @returns undefined where they name nothing
 */
export function helpOn(words: string): string | undefined {
  if (words === "") return wholeHelp();
  const command = commandTable.get(words);
  if (command) return commandHelp(words, command);
  const alike = [...commandTable].filter(([name]) => name.startsWith(`${words} `));
  if (alike.length === 0) return undefined;
  return `Usage: parley ${words} <command> [options]\n\n${listOf(alike)}\n\n${seeHelp(`${words} <command>`)}\n`;
}
