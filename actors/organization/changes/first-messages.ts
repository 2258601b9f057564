/** The first messages of a new organization: a topic, and a welcome to its owner. */
import { firstOf } from "../../../storage/failures.ts";
import type { ChannelId, MessageId, RecipientId } from "../../../storage/ids.ts";
import { ensureDirectConversation, insertMessage } from "../../../storage/messages/messages.ts";
import type { Sql } from "../../../storage/postgres.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { takeMessageBlocks } from "../../../storage/transfer/imports.ts";
import { type MarkdownContext, renderMarkdown } from "../../markdown/render.ts";
import { botWords } from "../../text/bot-words/words.ts";
import { firstMessageText, firstTopic, welcomeText } from "../welcome-texts.ts";

export interface Beginning {
  organization: string;
  channel: ChannelRow;
  owner: UserRow;
  welcomeBot: UserRow;
  /** UNIX seconds. */
  now: number;
}

/**
 * Stores the first messages, unread by the owner. Runs in the transaction that creates the organization, before it has
 * a writer.
 *
 * @returns the id of the channel's first message
 */
export async function writeFirstMessages(
  sql: Sql,
  { organization, channel, owner, welcomeBot, now }: Beginning,
): Promise<MessageId> {
  const realmId = owner.realm_id;
  const inChannel = firstOf(await takeMessageBlocks(sql, 1));
  const participants = [owner.id, welcomeBot.id].sort((a, b) => a - b);
  const conversation = await ensureDirectConversation(sql, realmId, participants);
  const write = (
    id: MessageId,
    place: { recipient_id: RecipientId; channel_id: ChannelId | null; topic: string },
    text: string,
  ) => {
    const rendered = renderMarkdown(text, contextOf(channel));
    return insertMessage(sql, realmId, {
      id,
      ...place,
      sender_id: welcomeBot.id,
      content: text,
      rendered_content: rendered.html,
      sent_at: now,
      client: "Internal",
      is_me_message: false,
      has_link: rendered.hasLink,
      has_image: false,
      has_attachment: false,
      read_by_sender: true,
      channel_wildcard: false,
      topic_wildcard: false,
      mentioned: null,
      topic_participants: null,
      alerted: null,
    });
  };
  const topic = { recipient_id: channel.recipient_id, channel_id: channel.id, topic: firstTopic };
  await write(inChannel, topic, firstMessageText(channel.name));
  const direct = { recipient_id: conversation, channel_id: null, topic: "" };
  await write(inChannel + 1, direct, welcomeText({ organization, isOwner: true, channel }, botWords.en));
  return inChannel;
}

/** The texts mention only the first channel. */
const contextOf = (channel: ChannelRow): MarkdownContext => ({
  realmUrl: "",
  findUsersByName: () => [],
  findUser: () => undefined,
  findUpload: () => undefined,
  findGroupByName: () => undefined,
  findChannelByName: (name) => (name === channel.name ? channel : undefined),
  findChannel: () => undefined,
  linkify: () => [],
  findRealmEmoji: () => undefined,
  externalContent: () => undefined,
  codePlaygroundDefaultLanguage: "",
});
