/** What a command is; `actors/commands.ts` lists them all. */
import type { Database } from "../../storage/postgres.ts";
import type { RealmActor } from "./realm.ts";
import type { RealmState } from "./state/state.ts";
import type { Tx } from "./transaction.ts";
import type { Work } from "./writer.ts";

export interface CommandContext {
  realm: RealmActor;
  state: RealmState;
  /** For what can be found out before the command takes its place in the mailbox. */
  database: Database;
}

/** Runs on the writer's node: prepares what needs no order, and returns what the mailbox is to decide. */
export type Command<A, R> = (context: CommandContext, args: A) => Work<R> | Promise<Work<R>>;

/** A command that is decided in one go. Arguments and reply are plain data: they may travel between nodes. */
export function command<A, R>(decide: (tx: Tx, args: A) => Promise<R> | R): Command<A, R> {
  return (_context, args) => ({ decide: (tx) => decide(tx, args) });
}
