/** What a command is; `actors/nouns.ts` lists them all. */
import type { RealmId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import type { Work } from "./commit/work.ts";
import type { Memories } from "./memory.ts";
import type { RealmState } from "./state/state.ts";
import type { Tx } from "./transaction.ts";

/** The realm on its writer's node. */
export interface CommandRealm {
  readonly id: RealmId;
  /** What nouns remember of it; see `memoryOf`. */
  readonly memories: Memories;
}

export interface CommandContext {
  realm: CommandRealm;
  state: RealmState;
  /** For reads that do not wait in the mailbox. */
  database: Database;
}

/** Runs on the writer's node. It prepares what needs no order, and returns the work that the mailbox decides. */
export type Command<A, R> = (context: CommandContext, args: A) => Work<R> | Promise<Work<R>>;

/** A command without preparation. Arguments and reply are plain data, since they may travel between nodes. */
export function command<A, R>(decide: (tx: Tx, args: A) => Promise<R> | R): Command<A, R> {
  return (_context, args) => ({ decide: (tx) => decide(tx, args) });
}

/** The commands that there are. The core names none of a noun: whoever lists them adds the table. */
// biome-ignore lint/suspicious/noEmptyInterface: Whoever lists the commands adds them.
export interface CommandVocabulary {}

/** Commands by name. */
export type CommandTable = Readonly<Record<string, Command<never, unknown>>>;

type Table = CommandVocabulary extends { commands: infer C extends CommandTable } ? C : CommandTable;

export type CommandName = keyof Table & string;
export type ArgsOf<N extends CommandName> = Parameters<Table[N]>[1];
export type ReplyOf<N extends CommandName> = Awaited<ReturnType<Table[N]>> extends Work<infer R> ? R : never;
