/** The edit history of a message as snapshots. Source: spec/http-api.md, "Message edit snapshot". */
import type { MessageAccess } from "../../storage/messages/access.ts";
import type { EditHistoryEntry } from "../../storage/messages/messages.ts";
import type { UserRow } from "../../storage/rows.ts";
import { badRequest } from "../errors.ts";
import type { RealmActor } from "../realm/realm.ts";
import { accessMessage } from "./access.ts";
import { htmlDiff } from "./edit-diff.ts";
import { shownTopic, visibleEdits } from "./record.ts";

/** A message right after an edit; the first one is the message as it was sent. */
export interface MessageSnapshot {
  topic: string;
  content: string;
  rendered_content: string;
  /** UNIX seconds */
  timestamp: number;
  user_id: number | null;
  prev_topic?: string;
  stream?: number;
  prev_stream?: number;
  prev_content?: string;
  prev_rendered_content?: string;
  content_html_diff?: string;
}

/**
 * A message's snapshots, oldest first.
 *
 * @throws BAD_REQUEST when there is no such message as far as the reader may know, or histories are not shown at all
 */
export async function messageHistory(
  realm: RealmActor,
  user: UserRow,
  id: number,
  view: { allowEmptyTopicName: boolean },
): Promise<MessageSnapshot[]> {
  const { state, database } = realm;
  const message = await accessMessage(state, database.sql, user, id);
  if (state.setting("message_edit_history_visibility_policy") === "none")
    throw badRequest("Message edit history is disabled in this organization.");
  const topicOf = (topic: string) => (message.channel_id === null ? topic : shownTopic(topic, view));
  const snapshots: MessageSnapshot[] = [];
  for (const snapshot of snapshotsOf(message, visibleEdits(state, message.edit_history) ?? [])) {
    snapshot.topic = topicOf(snapshot.topic);
    if (snapshot.prev_topic !== undefined) snapshot.prev_topic = topicOf(snapshot.prev_topic);
    if (snapshot.prev_rendered_content !== undefined) {
      snapshot.content_html_diff = htmlDiff(snapshot.prev_rendered_content, snapshot.rendered_content);
      // A diff may take some tens of milliseconds, and a message may have had hundreds of edits.
      await new Promise((resolve) => setImmediate(resolve));
    }
    snapshots.push(snapshot);
  }
  return snapshots;
}

/** Goes back from what the message is now: each edit says what was there before it. Oldest first. */
function snapshotsOf(message: MessageAccess, edits: readonly EditHistoryEntry[]): MessageSnapshot[] {
  let { topic, content, rendered_content } = message;
  const snapshots: MessageSnapshot[] = [];
  for (const edit of edits) {
    snapshots.push({
      topic,
      content,
      rendered_content,
      timestamp: edit.timestamp,
      user_id: edit.user_id,
      ...(edit.prev_topic !== undefined && { prev_topic: edit.prev_topic }),
      ...(edit.prev_stream !== undefined && { stream: edit.stream!, prev_stream: edit.prev_stream }),
      ...(edit.prev_content !== undefined && {
        prev_content: edit.prev_content,
        prev_rendered_content: edit.prev_rendered_content ?? "",
      }),
    });
    topic = edit.prev_topic ?? topic;
    content = edit.prev_content ?? content;
    rendered_content = edit.prev_rendered_content ?? rendered_content;
  }
  snapshots.push({
    topic,
    content,
    rendered_content,
    timestamp: message.sent_at,
    user_id: message.sender_id,
  });
  return snapshots.reverse();
}
