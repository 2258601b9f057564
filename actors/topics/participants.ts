import type { UserId } from "../../storage/ids.ts";
import { findTopicParticipants } from "../../storage/messages/messages.ts";
import type { Sql } from "../../storage/postgres.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import type { RealmState } from "../realm/state/state.ts";

/** Who took part in a topic and still reads the channel: the people a topic wildcard mentions. Ascending. */
export async function topicParticipants(
  sql: Sql,
  state: RealmState,
  { id, recipient_id }: Pick<ChannelRow, "id" | "recipient_id">,
  topic: string,
): Promise<UserId[]> {
  const ids = await findTopicParticipants(sql, recipient_id, topic);
  return ids.filter((userId) => state.subscriptions.has(userId, id));
}
