/** What a command is; `actors/commands.ts` lists them all. */
import type { RealmId, UserId } from "../../storage/ids.ts";
import type { Database } from "../../storage/postgres.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { History } from "../history/history.ts";
import type { Conversations, SendLedger } from "../messages/memories.ts";
import type { KnownTopics } from "../topics/known-topics.ts";
import type { Work } from "./commit/work.ts";
import type { RealmState } from "./state/state.ts";
import type { Tx } from "./transaction.ts";

/** What the writer's node remembers of the realm beside its state. */
export interface CommandRealm {
  readonly id: RealmId;
  /** Topics that certainly exist. */
  readonly topics: KnownTopics;
  /** Row ids of direct conversations, by their people. */
  readonly conversations: Conversations;
  /** Sends with an id chosen by the client. A repeated one is not sent twice. */
  readonly sends: SendLedger;
  /** The newest part of the history, and who has read what of it. */
  readonly history: History;
  /** Who took part in a topic and still reads the channel. Ascending. */
  topicParticipants(channel: ChannelRow, topic: string): Promise<UserId[]>;
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
