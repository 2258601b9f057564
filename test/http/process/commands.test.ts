/** Help on each command, what is said of words that mean nothing, and that the page of the documentation agrees. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { helpOn, wholeHelp } from "../../../http/process/commands/help.ts";
import { options } from "../../../http/process/commands/options.ts";
import { commandIn, commandTable, optionsIn, optionsOf, untaken } from "../../../http/process/commands/table.ts";
import { runCommand } from "../../support/server/command-line.ts";

const commands = [...commandTable];

describe.each(commands)("%s", (name, command) => {
  const help = helpOn(name) ?? "";

  it("says its usage, each option with its words, and an example that it takes", () => {
    expect(help).toContain(`Usage: parley ${name}`);
    expect(help).toContain(`${command.does}.`);
    for (const option of optionsOf(command).filter((one) => one !== "version"))
      expect(help, option).toMatch(new RegExp(`^  --${option}( \\S+)?(  +|\\n {38})\\w`, "m"));
    const example = /Example:\n {2}parley (.*)\n/.exec(help)?.[1] ?? "";
    expect(commandIn(example.split(" "))?.name).toBe(name);
    expect(untaken(command, optionsIn(example))).toBeUndefined();
    // Whatever it cannot do without, it shows.
    for (const needed of optionsIn(command.usage.replace(/\[[^[\]]*(\[[^\]]*\])?[^\]]*\]/g, "")))
      expect(example).toContain(`--${needed} `.trim());
  });

  it("has every option of its usage in the table of options, and words of no other", () => {
    const named = [...command.usage.matchAll(/--([a-z-]+)/g)].map(([, option]) => option);
    expect(named).toEqual(optionsIn(command.usage));
    expect(named).toEqual(expect.arrayContaining(Object.keys(command.words ?? {})));
    // What has a value there has one here.
    for (const option of optionsIn(command.usage))
      expect(new RegExp(`--${option} [A-Za-z0-9]`).test(command.usage), option).toBe(options[option].type === "string");
  });

  it("is in the help on everything, in lines of 120 columns", () => {
    const first = [name, command.usage].filter(Boolean).join(" ");
    expect(wholeHelp()).toContain(`\n  ${first}`);
    for (const line of [...wholeHelp().split("\n"), ...help.split("\n").slice(1)])
      expect(line.length).toBeLessThan(121);
  });
});

it("takes every option of the table somewhere", () => {
  const taken = new Set<string>(commands.flatMap(([, command]) => optionsOf(command)));
  expect(Object.keys(options).filter((option) => !taken.has(option))).toEqual([]);
});

it("is told alike in docs/command-line.md", () => {
  const page = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/command-line.md"), "utf8");
  const rows = [...page.matchAll(/^\| `parley (.*?)` \|/gm)].map(([, usage = ""]) => usage.replaceAll("\\|", "|"));
  expect(rows).toEqual(commands.map(([name, { usage }]) => [name, usage].filter(Boolean).join(" ")));
});

it.each([
  [["realm", "move", "--help"], 0, "Usage: parley realm move HOST --to NAME\n", ""],
  [["help", "realm", "move"], 0, "Usage: parley realm move HOST --to NAME\n", ""],
  [["import", "--help"], 0, "  import slack FOLDER", ""],
  [["import", "export.tar.gz", "-h"], 0, "  import slack FOLDER", ""],
  [[], 0, "Usage: parley <command>", ""],
  [["realm", "move", "--frob", "x"], 2, "", "'--frob'"],
  [["realm", "move", "--frob", "x"], 2, "", "\nSee parley realm move --help."],
  [["realm", "list", "--role", "member"], 2, "", "realm list takes no --role.\nSee parley realm list --help."],
  [["realm", "create", "--realm", "x"], 2, "", "realm create takes no --realm."],
  [["realm", "frob"], 2, "", 'There is no command "realm frob".\nSee parley realm --help.'],
  [["frob", "--help"], 2, "", 'There is no command "frob".\nSee parley --help.'],
  [["constructor"], 2, "", 'There is no command "constructor".\nSee parley --help.'],
  [["--frob"], 2, "", "\nSee parley --help."],
  [["user", "list", "--email"], 2, "", "See parley user list --help."],
  [["audit", "verify", "a", "b"], 2, "", 'audit verify does not know what to do with "b".'],
  [["backup"], 2, "", "backup needs the name of a file.\nSee parley backup --help."],
] as [string[], number, string, string][])("parley %j ends with %i", async (words, code, stdout, stderr) => {
  const outcome = await runCommand(words, {});
  expect(outcome.code).toBe(code);
  expect(outcome.stdout).toContain(stdout);
  expect(outcome.stderr).toContain(stderr);
  // What went well says nothing there, and what failed does not say all of the help.
  expect(outcome.stderr.split("\n").length).toBeLessThan(4);
});
