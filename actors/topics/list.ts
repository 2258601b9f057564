/** The topics of a channel. https://zulip.com/api/get-stream-topics */
import { findReceivedTopics, findTopics, type TopicRow } from "../../storage/channels.ts";
import type { ChannelId } from "../../storage/ids.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest, errors } from "../errors.ts";
import { canReadContent, canReadHistory } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";

/**
 * Topics of a channel that a person may read, newest message first. Without access to the history, those that they
 * received messages in. `user` is undefined for a spectator.
 *
 * @throws BAD_REQUEST, for a spectator UNAUTHENTICATED_USER
 */
export async function listTopics(
  { state, database }: RealmReader,
  user: UserRow | undefined,
  channelId: ChannelId,
): Promise<TopicRow[]> {
  const channel = state.channels.get(channelId);
  if (!channel || !canReadContent(state, channel, user)) {
    if (!user) throw errors.UNAUTHENTICATED_USER();
    throw badRequest("Invalid channel ID");
  }
  return user && !canReadHistory(state, channel, user)
    ? findReceivedTopics(database.sql, channel.recipient_id, user.id)
    : findTopics(database.sql, channel.recipient_id);
}
