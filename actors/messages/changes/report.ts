/** Reports of messages to moderators, as messages in a channel of theirs. */
import type { MessageId, UserId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { takesMessages } from "../../channels/channel-machine.ts";
import { badRequest } from "../../errors.ts";
import { command } from "../../realm/command.ts";
import { limits } from "../../realm/state/settings.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import type { BotWords } from "../../text/bot-words/en.ts";
import { quoted } from "../../text/quotation.ts";
import { isLonger } from "../../text/texts.ts";
import { accessMessage } from "../access.ts";
import { conversationOf } from "../audience.ts";
import { truncate, truncationNotice } from "../typed-text.ts";
import { silentMention, topicLink } from "./move-notices.ts";
import { sendBotMessage, wordsOfBot } from "./system-messages.ts";

/** Reasons for a report, with their names for people. https://zulip.com/api/report-message */
export const reportMessageTypes = [
  { key: "spam", name: "Spam" },
  { key: "harassment", name: "Harassment" },
  { key: "inappropriate", name: "Inappropriate content" },
  { key: "norms", name: "Violates community norms" },
  { key: "other", name: "Other reason" },
] as const;
export type ReportMessageType = (typeof reportMessageTypes)[number]["key"];

export interface ReportMessageArgs {
  userId: UserId;
  messageId: MessageId;
  type: ReportMessageType;
  description: string;
}

/** How long the quotation in a report may be. The rest says who reports what and why. */
const maxQuoted = limits.message - 2 * limits.reportDescription - 1000;

/** Posts the report as the notification bot. @throws BAD_REQUEST */
export const reportMessage = command(async (tx: Tx, args: ReportMessageArgs) => {
  const { state } = tx;
  const reporter = tx.user(args.userId);
  const channel = state.channels.get(state.setting("moderation_request_channel_id"));
  if (!channel || !takesMessages(channel))
    throw badRequest("Moderation request channel must be specified to enable message reporting.");
  const description = args.description.trim();
  if (isLonger(description, limits.reportDescription))
    throw badRequest(`description is too long (limit: ${limits.reportDescription} characters)`);
  if (args.type === "other" && description === "") throw badRequest("An explanation is required.");
  const message = await accessMessage(state, tx.sql, reporter, args.messageId);
  const sender = state.knownUser(message.sender_id);
  const words = wordsOfBot(state);
  const parts = [
    words.reported(silentMention(reporter), place(state, message, reporter, sender, words), silentMention(sender)),
    `- ${words.reason(words[args.type])}${description === "" ? "" : `\n- ${words.notes}\n${quoted(description)}`}`,
    quoted(truncate(message.content, maxQuoted, truncationNotice)),
  ];
  await sendBotMessage(
    tx,
    "notification",
    { channel, topic: truncate(words.requestsAbout(sender.full_name), limits.topic, "...") },
    parts.join("\n\n"),
  );
  return {};
});

/** Where the message is: a link in a channel. Others cannot follow a link to a direct message. */
function place(state: RealmState, message: MessageAccess, reporter: UserRow, sender: UserRow, words: BotWords): string {
  const { channel, participants } = conversationOf(state, message);
  if (channel) return topicLink({ channel, topic: message.topic }, message.id);
  const others = participants.filter((id) => id !== sender.id && id !== reporter.id);
  const names = others.map((id) => silentMention(state.knownUser(id))).join(", ");
  if (participants.length === 1) return words.noteToOneself;
  if (sender.id === reporter.id) return words.directMessageTo(names);
  return names === "" ? words.directMessageToThem : words.directMessageToThemAnd(names);
}
