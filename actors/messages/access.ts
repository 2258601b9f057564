/**
 * Which messages a person may read: direct messages of their own conversations, and of each channel as much as
 * `readableMessages` says. Where history is protected they may read what they received while subscribed. A message that
 * they may not read gives the error of one that does not exist.
 */
import type { MessageId } from "../../storage/ids.ts";
import { findMessageAccess, type MessageAccess } from "../../storage/messages/access.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import { readableMessages } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";

/** The columns that decide who may read a message. */
type Readable = Pick<MessageAccess, "channel_id" | "participants" | "received">;

/** Whether the person may read this message. `user` undefined: a spectator, who reads web-public channels. */
export function canReadMessage(state: RealmState, message: Readable, user: UserRow | undefined): boolean {
  if (message.channel_id === null) return user !== undefined && (message.participants?.includes(user.id) ?? false);
  const channel = state.channels.get(message.channel_id);
  const readable = channel ? readableMessages(state, channel, user) : "none";
  return readable === "all" || (readable === "received" && message.received);
}

/**
 * A message that the person may read, with its direct conversation's people.
 *
 * @param sql the pool, or in a command `tx.sql`
 * @throws BAD_REQUEST "Invalid message(s)" when there is none as far as they may know
 */
export async function accessMessage(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  id: MessageId,
): Promise<MessageAccess> {
  const [message] = await accessMessages(state, sql, user, [id]);
  if (!message) throw badRequest("Invalid message(s)");
  return message;
}

/** Like `accessMessage`, but undefined where that throws. */
export async function findReadable(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  id: MessageId,
): Promise<MessageAccess | undefined> {
  return (await accessMessages(state, sql, user, [id]))[0];
}

/** The messages among `ids` that the person may read, by ascending id. The others are left out. One query. */
export async function accessMessages(
  state: RealmState,
  sql: Sql,
  user: UserRow | undefined,
  ids: readonly MessageId[],
): Promise<MessageAccess[]> {
  const found = await findMessageAccess(sql, state.id, user?.id ?? null, ids);
  return found.filter((message) => canReadMessage(state, message, user));
}
