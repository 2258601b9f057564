/** The notification bot's messages about moves, in the old and the new topic, and about resolved topics. */
import type { MessageId, UserId } from "../../../storage/ids.ts";
import { findMessages } from "../../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { encodeHashComponent } from "../../markdown/channel-links.ts";
import { emptyTopicDisplayName } from "../../realm/state/settings.ts";
import type { Tx } from "../../realm/transaction.ts";
import { botWords } from "../../text/bot-words/words.ts";
import { visibility } from "../../topics/changes/visibility-policies.ts";
import { userSetting } from "../../users/settings/settings.ts";
import { resolvedPrefix } from "../permissions.ts";
import { erase } from "./erase.ts";
import type { Move, MoveRequest } from "./move-plan.ts";
import { sendBotMessage, systemBot, wordsOfBot } from "./system-messages.ts";

interface Thread {
  channel: ChannelRow;
  topic: string;
}

/** Characters that the short form of a link cannot contain. */
const breaksShortLink = /[`>*&@[\]$]|\\/;

/** Markdown of a link to a topic, or to a message in it. */
export function topicLink({ channel, topic }: Thread, messageId?: MessageId): string {
  if (!breaksShortLink.test(channel.name) && !breaksShortLink.test(topic))
    return `#**${channel.name}>${topic}${messageId === undefined ? "" : `@${messageId}`}**`;
  const plain = (text: string) => text.replace(/[\\`*_[\]<>~$&@]/g, (character) => `&#${character.charCodeAt(0)};`);
  const slug = encodeHashComponent(channel.name.replaceAll(" ", "-"));
  const near = messageId === undefined ? "" : `/near/${messageId}`;
  return `[#${plain(channel.name)} > ${plain(topic === "" ? emptyTopicDisplayName : topic)}](#narrow/channel/${channel.id}-${slug}/topic/${encodeHashComponent(topic)}${near})`;
}

/** Markdown that names a person without notifying them. */
export const silentMention = (user: UserRow): string => `@_**${user.full_name}|${user.id}**`;

/** Sends the notices of a move that were asked for. */
export async function sendMoveNotices(
  tx: Tx,
  user: UserRow,
  from: Thread,
  to: Thread,
  move: Move,
  request: MoveRequest,
): Promise<void> {
  const by = silentMention(user);
  const words = wordsOfBot(tx.state);
  if (move.isToggle) {
    if (!move.isWholeTopic) return;
    if (await withdrawNotice(tx, to, move)) return;
    const marked = to.topic.startsWith(resolvedPrefix) ? words.resolved(by) : words.unresolved(by);
    await sendBotMessage(tx, "notification", to, marked, {
      readBy: readersOfResolution(tx, user, from),
    });
    return;
  }
  const { count, isWholeTopic } = move;
  if (request.notifyNewThread) {
    const link = topicLink(from);
    const ofMessages = count === 1 ? words.messageCame(link, by) : words.messagesCame(count, link, by);
    const text = isWholeTopic ? words.topicCame(link, by) : ofMessages;
    await sendBotMessage(tx, "notification", to, text, { readBy: [user.id] });
  }
  if (request.notifyOldThread) {
    const link = topicLink(to);
    const ofMessages = count === 1 ? words.messageWent(link, by) : words.messagesWent(count, link, by);
    const text = isWholeTopic ? words.topicWent(link, by) : ofMessages;
    await sendBotMessage(tx, "notification", from, text, { readBy: [user.id] });
  }
}

/** A topic that is marked back within this time was marked as resolved, or unresolved, by mistake. Source: Zulip. */
const markedBackSecs = 60;
/** In any language: the organization's may have changed since. Texts have no signs of regular expressions but dots. */
const resolutionNotices = Object.values(botWords).flatMap(({ resolved, unresolved }) =>
  [resolved, unresolved].map((text) => new RegExp(`^${text("@_\\*\\*.*\\*\\*")}$`)),
);

/** Deletes the notice of a moment ago where a topic ends with it. Returns whether it did. */
async function withdrawNotice(tx: Tx, { topic }: Thread, move: Move): Promise<boolean> {
  if (move.targetHadTopic) return false;
  const [last] = await findMessages(tx.sql, tx.realmId, move.ids.slice(-1));
  const isNotice =
    last?.sender_id === systemBot(tx.state, "notification").id &&
    resolutionNotices.some((notice) => notice.test(last.content)) &&
    tx.now - last.sent_at <= markedBackSecs;
  if (!isNotice) return false;
  await erase(tx, [{ ...last, topic }]);
  return true;
}

/** People for whom a notice about a resolved topic counts as read at once, by their own setting. */
function readersOfResolution(tx: Tx, actor: UserRow, { channel, topic }: Thread): UserId[] {
  const { state } = tx;
  const readers: UserId[] = [];
  for (const id of state.subscriptions.subscribers(channel.id).values()) {
    const user = state.knownUser(id);
    const setting = userSetting(user, "resolved_topic_notice_auto_read_policy");
    const isFollowed = state.topicPolicy(id, channel.id, topic) === visibility.followed;
    if (id === actor.id || setting === "always" || (setting === "except_followed" && !isFollowed)) readers.push(id);
  }
  return readers;
}
