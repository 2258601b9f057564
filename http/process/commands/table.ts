/** Every command of the command line. Help, checks and docs/command-line.md follow from it. */
import type { Command } from "./command.ts";
import { everywhere, type OptionName, options } from "./options.ts";
import { organizationCommands } from "./organizations.ts";
import { peopleCommands } from "./people.ts";
import { serverCommands, startingCommands } from "./servers.ts";

const commands = { ...startingCommands, ...organizationCommands, ...peopleCommands, ...serverCommands };

export type CommandName = keyof typeof commands;

export const commandTable: ReadonlyMap<string, Command> = new Map<string, Command>(Object.entries(commands));

export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name);

const isOption = (name: string): name is OptionName => Object.hasOwn(options, name);

/** The options of a usage, in its order. */
export const optionsIn = (usage: string): OptionName[] =>
  [...usage.matchAll(/--([a-z-]+)/g)].map(([, name = ""]) => name).filter(isOption);

/** All that a command takes, its own first. */
export function optionsOf({ usage, isOfServer }: Command): OptionName[] {
  return [...new Set<OptionName>([...optionsIn(usage), ...(isOfServer ? [] : (["realm"] as const)), ...everywhere])];
}

/** Whether words of a command line name something behind the command. It may be called anything. */
export const takesPlace = ({ usage }: Command): boolean => /^\[?[A-Z]/.test(usage);

/** The command that words begin with, and the words behind it. */
export function commandIn(words: readonly string[]): { name: CommandName; others: string[] } | undefined {
  for (const length of [2, 1]) {
    const name = words.slice(0, length).join(" ");
    if (words.length >= length && isCommand(name)) return { name, others: words.slice(length) };
  }
  return undefined;
}

/** Of options that were given, the first that a command does not take. */
export function untaken(command: Command, given: readonly string[]): string | undefined {
  const taken = new Set<string>(optionsOf(command));
  return given.find((option) => !taken.has(option));
}
