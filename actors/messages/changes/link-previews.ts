/**
 * Previews of the pages that a message links to, below its text: `<div class="message_embed">`. The writer of the realm
 * asks for them when the message is there (`wanted-previews.ts`). When they come, one `update_message` event with
 * `rendering_only` brings the new HTML. Nothing else of the message changes, and it does not count as edited.
 * https://zulip.com/help/image-video-and-website-previews
 */
import type { MessageId } from "../../../storage/ids.ts";
import { findMessageAccess, type MessageAccess } from "../../../storage/messages/access.ts";
import { updateRendering } from "../../../storage/messages/changes.ts";
import { maxHtmlUnits } from "../../markdown/limits.ts";
import { escapeHtml } from "../../markdown/rendering.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";
import { conversationOf, messageAudience } from "../audience.ts";
import { digest, embedBegin } from "../wanted-previews.ts";
import { flagsNow } from "./flags-now.ts";

/** What is shown of a page. */
export interface Embed {
  url: string;
  title: string;
  description: string;
  /** Address of its picture, within the organization. */
  image: string;
}

/** Shows previews below a message that still says what it said. */
export const addLinkPreviews = command(
  async (tx, args: { messageId: MessageId; basis: string; embeds: readonly Embed[] }) => {
    const [message] = await findMessageAccess(tx.sql, tx.realmId, null, [args.messageId]);
    if (!message || digest(message.rendered_content) !== args.basis) return {};
    const html = [message.rendered_content, ...args.embeds.map(embedHtml)].join("\n");
    if (html.length > maxHtmlUnits) return {};
    await showRendering(tx, message, html);
    return {};
  },
);

/** Shows other HTML for a message that says what it said. */
export async function showRendering(tx: Tx, message: MessageAccess, html: string): Promise<void> {
  const conversation = conversationOf(tx.state, message);
  const { channel } = conversation;
  const audience = await messageAudience(tx.state, tx.sql, conversation, [message.id]);
  const flags = await flagsNow(tx, message, message.participants);
  tx.write((sql) => updateRendering(sql, tx.realmId, message.id, html));
  tx.event(
    {
      type: "update_message",
      user_id: null,
      rendering_only: true,
      message_id: message.id,
      message_ids: [message.id],
      edit_timestamp: tx.now,
      ...flags,
      ...(channel && { stream_id: channel.id }),
      content: message.content,
      rendered_content: html,
    },
    audience,
  );
}

/** The previews below a message's own HTML, which has no such elements. */
export function embedsIn(html: string): string {
  const at = html.indexOf(`\n${embedBegin}`);
  return at === -1 ? "" : html.slice(at);
}

function embedHtml({ url, title, description, image }: Embed): string {
  const href = escapeHtml(url);
  const name = escapeHtml(title);
  return [
    embedBegin,
    `<a class="message_embed_image" href="${href}" style="background-image: url(&quot;${escapeHtml(image)}&quot;)"></a>`,
    '<div class="data-container">',
    title === "" ? "" : `<div class="message_embed_title"><a href="${href}" title="${name}">${name}</a></div>`,
    description === "" ? "" : `<div class="message_embed_description">${escapeHtml(description)}</div>`,
    "</div></div>",
  ].join("");
}
