/** The parts that a noun adds to every realm. `actors/nouns.ts` lists the nouns and hands their sum to the core. */

import type { CommandTable } from "./command.ts";
import type { AuditedTables } from "./commit/audit.ts";
import type { Job } from "./job.ts";
import type { Memory } from "./memory.ts";

export interface Noun {
  /** Its commands, by the names under which nodes forward them to each other. */
  readonly commands?: CommandTable;
  /** Its jobs, which run by the clock on the node that writes the realm. */
  readonly jobs?: readonly Job[];
  /** Its memories, which each node keeps beside the replica. */
  readonly memories?: readonly Memory<unknown>[];
  /** Tables whose changes are in the audit log. */
  readonly audits?: AuditedTables;
}

export const defineNoun = <const N extends Noun>(noun: N): N => noun;

/** What all nouns add. */
export type Nouns = Readonly<Required<Noun>>;

/** Adds up nouns. Memories hear of an entry in this order. @throws when two nouns have a command of one name */
export function sumOf(nouns: readonly Noun[]): Nouns {
  const commands = nouns.flatMap((noun) => Object.entries(noun.commands ?? {}));
  const twice = commands.find(([name], index) => commands.findIndex(([other]) => other === name) !== index);
  if (twice) throw new Error(`Two commands are called ${twice[0]}.`);
  return {
    commands: Object.fromEntries(commands),
    jobs: nouns.flatMap((noun) => noun.jobs ?? []),
    memories: nouns.flatMap((noun) => noun.memories ?? []),
    audits: Object.assign({}, ...nouns.map((noun) => noun.audits)),
  };
}
