/** Records changes of messages of one topic or conversation: rows, histories, and the event that tells of it. */

import type { MessageAccess } from "../../../storage/messages/access.ts";
import { type AttachmentRecord, findLinkedPaths } from "../../../storage/messages/attachments.ts";
import { type EditedContent, recordChange, updateContent } from "../../../storage/messages/changes.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import type { RealmEvent } from "../../events/events.ts";
import type { RenderedMessage } from "../../markdown/render.ts";
import type { Tx } from "../../realm/transaction.ts";
import { claimAttachments } from "../../uploads/attachments.ts";
import { releaseAttachments } from "../../uploads/release-attachments.ts";
import { conversationOf, messageAudience } from "../audience.ts";
import { keptOf } from "./edit-history.ts";
import { flagsNow } from "./flags-now.ts";
import { movedAudience, recordMove } from "./move.ts";
import type { Move, PropagateMode } from "./move-plan.ts";

/** New content of a message. */
export interface Edit {
  content: string;
  rendered: RenderedMessage;
}

interface Change {
  content?: { edited: EditedContent; edit: Edit } | undefined;
  move?: Move | undefined;
}

/** Records a change of messages of one topic or conversation, and tells of it. Returns what nothing links to now. */
export async function recordEdit(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  channel: ChannelRow | undefined,
  { content, move }: Change,
  { propagateMode }: { propagateMode: PropagateMode },
): Promise<AttachmentRecord[]> {
  const { state } = tx;
  const edited = content?.edited;
  const after = { ...message, ...edited, topic: move?.topic ?? message.topic };
  const kept = edited && keptOf(message);
  const flags = await flagsNow(tx, after, message.participants);
  const ids = move?.ids ?? [message.id];
  const audience =
    channel && move
      ? await movedAudience(tx, channel, move.target, ids)
      : await messageAudience(state, tx.sql, conversationOf(state, message), ids);
  tx.write((sql) =>
    recordChange(sql, tx.realmId, ids, {
      userId: user.id,
      now: tx.now,
      topic: move?.topicChanges ? move.topic : undefined,
      channels: channel && move?.target ? { from: channel.id, to: move.target } : undefined,
      isMove: move !== undefined && !move.isToggle,
      content: kept,
    }),
  );
  const detached = content ? await storeEdit(tx, user, message, content.edited, content.edit) : [];
  const event: RealmEvent = {
    type: "update_message",
    user_id: user.id,
    rendering_only: false,
    message_id: message.id,
    message_ids: ids,
    edit_timestamp: tx.now,
    ...flags,
    ...(channel && { stream_id: channel.id }),
    ...(edited && {
      orig_content: message.content,
      orig_rendered_content: message.rendered_content,
      content: edited.content,
      rendered_content: edited.rendered_content,
      is_me_message: edited.is_me_message,
    }),
    ...(move && moveFields(move, message, propagateMode)),
  };
  if (channel && move) await recordMove(tx, message, channel, move, event, audience);
  else tx.event(event, audience);
  return detached;
}

function moveFields(move: Move, message: MessageAccess, propagateMode: PropagateMode): Record<string, unknown> {
  return {
    orig_subject: message.topic,
    propagate_mode: propagateMode,
    ...(move.topicChanges && { subject: move.topic, topic_links: move.topicLinks }),
    ...(move.target && { new_stream_id: move.target.id }),
  };
}

/** Writes the content and the message's links to uploads. */
async function storeEdit(
  tx: Tx,
  user: UserRow,
  message: MessageAccess,
  edited: EditedContent,
  { rendered }: Edit,
): Promise<AttachmentRecord[]> {
  tx.write((sql) => updateContent(sql, tx.realmId, message.id, tx.now, edited));
  if (!message.has_attachment && !rendered.hasAttachment) return [];
  const linked = await findLinkedPaths(tx.sql, tx.realmId, message.id);
  const added = rendered.attachmentPathIds.filter((path) => !linked.has(path));
  if (added.length > 0) await claimAttachments(tx, user, message.id, added);
  return releaseAttachments(tx, [message.id], rendered.attachmentPathIds);
}
