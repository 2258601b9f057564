/** Messages of the organization's own bots: announcements, welcomes, notices about moved topics, reports. */
import { defined } from "../../../storage/failures.ts";
import type { MessageId, UserId } from "../../../storage/ids.ts";
import { ensureDirectConversation, topicExists } from "../../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { languageFor } from "../../email/words/words.ts";
import { type MarkdownContext, renderMarkdown } from "../../markdown/render.ts";
import { markdownContext } from "../../organization/markdown-context.ts";
import { notificationBotName, welcomeBotName } from "../../organization/system-bots.ts";
import { botDomainOf } from "../../realm/state/bot-domain.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import type { BotWords } from "../../text/bot-words/en.ts";
import { botWords } from "../../text/bot-words/words.ts";
import { knownTopic, truncate, truncationNotice } from "../typed-text.ts";
import { storeMessage } from "./compose.ts";

export type BotName = "notification" | "welcome";

const addresses: Record<BotName, string> = { notification: "notification-bot", welcome: "welcome-bot" };
const names: Record<BotName, string> = { notification: notificationBotName, welcome: welcomeBotName };

/** One of the organization's own bots. */
export function systemBot(state: RealmState, bot: BotName): UserRow {
  const known = state.userByEmail(`${addresses[bot]}@${botDomainOf(state.row.host ?? "")}`);
  if (known?.is_system_bot) return known;
  // The bots keep their addresses when an organization's host changes.
  return defined(
    state.usersByName(names[bot]).find((user) => user.is_system_bot),
    names[bot],
  );
}

/** What the organization's bots say to somebody, or in a channel, where the organization's language is read. */
export const wordsOfBot = (state: RealmState, reader?: UserRow): BotWords => botWords[languageFor(state, reader)];

/** Where a bot writes: into a topic, or to people in one conversation with the bot. */
export type BotMessageTarget = { channel: ChannelRow; topic: string } | { userIds: readonly UserId[] };

/**
 * Posts as one of the organization's bots, as part of the running command. Its event follows the ones recorded so far.
 * The channel, its subscribers and the users may be new in this command. A caller that puts the channel's row
 * afterwards must start from `tx.channelNow(id)`, which has the first message.
 *
 * @param content Markdown; it is cut at the limit
 * @param options.readBy people for whom it counts as read at once: those who caused the notice
 * @param options.channels channels that are new in this command and that the text may link to
 * @param options.author the text's author: it mentions only people whom they may know of
 * @returns the message's id
 */
export async function sendBotMessage(
  tx: Tx,
  bot: BotName,
  to: BotMessageTarget,
  content: string,
  options: { readBy?: readonly UserId[]; channels?: readonly ChannelRow[]; author?: UserRow } = {},
): Promise<MessageId> {
  const { state } = tx;
  const sender = systemBot(state, bot);
  const text = truncate(content.trim(), limits.message, truncationNotice);
  const known = markdownContext(state, options.author ?? sender);
  const context: MarkdownContext = {
    ...known,
    findChannelByName: (name) =>
      options.channels?.find((channel) => channel.name.toLowerCase() === name.toLowerCase()) ??
      known.findChannelByName(name),
  };
  const common = {
    sender,
    topicParticipants: undefined,
    content: text,
    rendered: renderMarkdown(text, context),
    client: "Internal",
    readBySender: true,
    readBy: options.readBy,
  };
  if ("userIds" in to) {
    const participants = [...new Set([...to.userIds, sender.id])].sort((a, b) => a - b);
    // The conversation is made at once. If the command is refused, an empty one is rolled back with it, or found again
    // later.
    const recipientId = await ensureDirectConversation(tx.sql, tx.realmId, participants);
    const sent = await storeMessage(tx, {
      ...common,
      channel: undefined,
      participants,
      recipientId,
      topic: "",
      topicIsNew: false,
    });
    return sent.id;
  }
  const topic = knownTopic(to.topic);
  const sent = await storeMessage(tx, {
    ...common,
    channel: to.channel,
    participants: undefined,
    recipientId: to.channel.recipient_id,
    topic,
    topicIsNew: !(await topicExists(tx.sql, to.channel.recipient_id, topic)),
  });
  return sent.id;
}
