/**
 * Every command that changes a realm, by name: names and plain arguments, so that a node which does not write the realm
 * can hand them to the one that does. What a command does is in the file of its resource.
 */
import type { Database } from "../../storage/postgres.ts";
import type { RealmActor } from "./actor.ts";
import type { Work } from "./log.ts";
import type { RealmState } from "./state.ts";
import type { Tx } from "./tx.ts";
import { sendMessage } from "./send-message.ts";

export interface CommandContext {
  realm: RealmActor;
  state: RealmState;
  /** For what can be found out before the command takes its place in the mailbox. */
  database: Database;
}

/** Runs on the writer's node: prepares what needs no order, and returns what the mailbox is to decide. */
export type Command<A, R> = (context: CommandContext, args: A) => Work<R> | Promise<Work<R>>;

/** A command that is decided in one go. */
export function command<A, R>(decide: (tx: Tx, args: A) => Promise<R> | R): Command<A, R> {
  return (_context, args) => ({ decide: (tx) => decide(tx, args) });
}

export const commands = {
  sendMessage,
} satisfies Record<string, Command<never, unknown>>;

export type CommandName = keyof typeof commands;
export type ArgsOf<N extends CommandName> = Parameters<(typeof commands)[N]>[1];
export type ReplyOf<N extends CommandName> = Awaited<ReturnType<(typeof commands)[N]>> extends Work<infer R> ? R : never;
