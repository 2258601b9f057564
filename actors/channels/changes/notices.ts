/**
 * The notification bot's messages about channels: announcements of new ones, and notices in a channel's own topic when
 * somebody creates or changes it.
 */
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { sendBotMessage, wordsOfBot } from "../../messages/changes/system-messages.ts";
import type { RealmState } from "../../realm/state/state.ts";
import type { Tx } from "../../realm/transaction.ts";
import type { BotWords } from "../../text/bot-words/en.ts";
import { takesMessages } from "../channel-machine.ts";

/** Names a person without notifying them. */
const nameOf = (user: UserRow): string => `@_**${user.full_name}|${user.id}**`;
const quote = (text: string, { wasEmpty }: BotWords): string => (text === "" ? `> *${wasEmpty}*` : `> ${text}`);

/** A text whose Markdown, above all its mentions, is escaped, to stand in a sentence. */
const plain = (text: string): string => text.replace(/[\\`*@#<>[\]|~$]/g, "\\$&");
const bold = (text: string): string => `**${plain(text)}**`;

/** A link to a channel: by its name, if the name can stand in a link. */
function linkTo(state: RealmState, { id, name }: ChannelRow): string {
  return /[*`>|]/.test(name) ? `[#${plain(name)}](${state.url}/#narrow/channel/${id})` : `#**${name}**`;
}

/** The name of a channel's privacy. */
function privacyName(
  channel: Pick<ChannelRow, "invite_only" | "is_web_public" | "history_public_to_subscribers">,
  words: BotWords,
): string {
  if (channel.is_web_public) return words.webPublic;
  if (!channel.invite_only) return words.public;
  return channel.history_public_to_subscribers ? words.privateShared : words.privateProtected;
}

/** Announces a new channel, unless only its own people may know of it. */
export async function announceChannel(tx: Tx, creator: UserRow, channel: ChannelRow): Promise<void> {
  const target = announcementsChannel(tx.state);
  if (!target || channel.invite_only) return;
  const words = wordsOfBot(tx.state);
  const about = channel.description === "" ? "" : `\n\n${quote(channel.description, words)}`;
  const text = `${words.openedChannel(nameOf(creator), linkTo(tx.state, channel))}${about}`;
  await sendBotMessage(tx, "notification", { channel: target, topic: topicIn(target, words.newChannels) }, text, {
    readBy: [creator.id],
    channels: [channel],
  });
}

/**
 * Says in a new channel who created it, who may see it and what it is for. Whoever the command subscribes comes before:
 * it is unread for them, also where a later part of the command subscribes them. The words are those that Zulip's
 * clients know.
 */
export async function noteCreated(tx: Tx, creator: UserRow, channel: ChannelRow): Promise<void> {
  const words = wordsOfBot(tx.state);
  const about = channel.description === "" ? `*${words.noDescription}*` : channel.description;
  const text = `${words.createdChannel(privacyName(channel, words), nameOf(creator))}\n\`\`\`\` quote\n${about}\n\`\`\`\``;
  if (tx.turns.length === 0) return note(tx, creator, channel, text);
  tx.later(async (next) => {
    const now = next.state.channels.get(channel.id);
    if (now && takesMessages(now)) await note(next, creator, now, text);
  });
}

function announcementsChannel(state: RealmState): ChannelRow | undefined {
  const channel = state.channels.get(state.setting("new_stream_announcements_stream_id"));
  return channel && takesMessages(channel) ? channel : undefined;
}

/**
 * Says in the channel what was changed about it: name, description, privacy. Nothing if the organization has turned
 * such notices off. Nothing in an archived channel: clients that do not know those were told that it is gone.
 */
export async function noteChanges(tx: Tx, actor: UserRow, before: ChannelRow, after: ChannelRow): Promise<void> {
  if (!takesMessages(after)) return;
  const words = wordsOfBot(tx.state);
  if (before.name !== after.name) {
    await note(tx, actor, after, words.renamedChannel(nameOf(actor), bold(before.name), bold(after.name)));
  }
  if (before.description !== after.description) {
    const [old, now] = [quote(before.description, words), quote(after.description, words)];
    const text = words.changedDescription(nameOf(actor), old, now);
    await note(tx, actor, after, text);
  }
  const [from, to] = [privacyName(before, words), privacyName(after, words)];
  if (from !== to) {
    await note(tx, actor, after, words.changedPrivacy(nameOf(actor), from, to));
  }
}

export function noteArchived(tx: Tx, actor: UserRow, channel: ChannelRow): Promise<void> {
  return note(tx, actor, channel, wordsOfBot(tx.state).archived(nameOf(actor)));
}

export function noteUnarchived(tx: Tx, actor: UserRow, channel: ChannelRow): Promise<void> {
  return note(tx, actor, channel, wordsOfBot(tx.state).unarchived(nameOf(actor)));
}

async function note(tx: Tx, actor: UserRow, channel: ChannelRow, text: string): Promise<void> {
  if (!tx.state.setting("send_channel_events_messages")) return;
  await sendBotMessage(
    tx,
    "notification",
    { channel, topic: topicIn(channel, wordsOfBot(tx.state).channelEvents) },
    text,
    {
      readBy: [actor.id],
      channels: [channel],
    },
  );
}

/** The topic of a notice. Where only the empty topic is allowed, notices go there. */
function topicIn(channel: ChannelRow, topic: string): string {
  return channel.topics_policy === "empty_topic_only" ? "" : topic;
}
