/** The edit history of a message as snapshots. https://zulip.com/api/get-message-history */
import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { renderMarkdown, renderPlainText } from "../../markdown/render.ts";
import { markdownContext } from "../../organization/markdown-context.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { accessMessage } from "../access.ts";
import { shownTopic, visibleEdits } from "../record.ts";
import { htmlDiff } from "./edit-diff.ts";

/** A message right after an edit; the first one is the message as it was sent. */
export interface MessageSnapshot {
  topic: string;
  content: string;
  rendered_content: string;
  /** UNIX seconds */
  timestamp: number;
  user_id: UserId | null;
  prev_topic?: string;
  stream?: ChannelId;
  prev_stream?: ChannelId;
  prev_content?: string;
  prev_rendered_content?: string;
  content_html_diff?: string;
}

/** UTF-16 units of HTML in one answer. Beyond it older texts are shown as plain text, without marks. */
const answerUnits = 1_000_000;

/**
 * A message's snapshots, oldest first.
 *
 * @throws BAD_REQUEST when there is no such message as far as the reader may know, or histories are not shown at all
 */
export async function messageHistory(
  realm: RealmReader,
  user: UserRow,
  id: MessageId,
  view: { allowEmptyTopicName: boolean },
): Promise<MessageSnapshot[]> {
  const { state, database } = realm;
  const message = await accessMessage(state, database.sql, user, id);
  if (state.setting("message_edit_history_visibility_policy") === "none")
    throw badRequest("Message edit history is disabled in this organization.");
  const topicOf = (topic: string) => (message.channel_id === null ? topic : shownTopic(topic, view));
  const edits = visibleEdits(state, message.edit_history) ?? [];
  const author = state.users.get(message.sender_id);
  const html = new HistoryHtml(state, author);
  let { topic, content } = message;
  let rendered_content = html.of(content, message.rendered_content);
  const snapshots: MessageSnapshot[] = [];
  // Goes back from the message as it is now: each edit has what was there before it.
  for (const edit of edits) {
    const snapshot: MessageSnapshot = {
      topic: topicOf(topic),
      content,
      rendered_content,
      timestamp: edit.timestamp,
      user_id: edit.user_id,
      ...(edit.prev_topic !== undefined && { prev_topic: topicOf(edit.prev_topic) }),
      ...(edit.prev_stream !== undefined && { stream: edit.stream!, prev_stream: edit.prev_stream }),
    };
    if (edit.prev_content !== undefined) {
      const before = html.of(edit.prev_content, edit.prev_rendered_content);
      Object.assign(snapshot, {
        prev_content: edit.prev_content,
        prev_rendered_content: before,
        content_html_diff: html.diff(before, rendered_content),
      } satisfies Partial<MessageSnapshot>);
      content = edit.prev_content;
      rendered_content = before;
      // A diff may take some tens of milliseconds, and a message may have had hundreds of edits.
      await new Promise((resolve) => setImmediate(resolve));
    }
    topic = edit.prev_topic ?? topic;
    snapshots.push(snapshot);
  }
  snapshots.push({
    topic: topicOf(topic),
    content,
    rendered_content,
    timestamp: message.sent_at,
    user_id: message.sender_id,
  });
  return snapshots.reverse();
}

/** The HTML of one history, as long as the answer has room for it. */
class HistoryHtml {
  #unitsLeft = answerUnits;

  constructor(
    private readonly state: RealmState,
    private readonly author: UserRow | undefined,
  ) {}

  /** HTML of an earlier text. It is rendered anew if it was not kept, and plain text beyond the budget. */
  of(content: string, kept: string | undefined): string {
    if (this.#unitsLeft <= 0) return renderPlainText(content).html;
    const html = kept ?? renderMarkdown(content, markdownContext(this.state, this.author)).html;
    this.#unitsLeft -= html.length;
    return html;
  }

  diff(before: string, after: string): string {
    const diff = this.#unitsLeft > 0 ? htmlDiff(before, after) : after;
    this.#unitsLeft -= diff.length;
    return diff;
  }
}
