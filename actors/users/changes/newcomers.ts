/** What new people find: a welcome by Welcome Bot, and the newest messages of their channels. */
import type { UserId } from "../../../storage/ids.ts";
import { addRecentHistory } from "../../../storage/messages/history-of-newcomers.ts";
import { conversationHasMessages, ensureDirectConversation } from "../../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../../storage/rows.ts";
import { sendBotMessage, systemBot, wordsOfBot } from "../../messages/changes/system-messages.ts";
import { normalizeContent } from "../../messages/typed-text.ts";
import { welcomeText } from "../../organization/welcome-texts.ts";
import { isOwner, requireAdmin } from "../../realm/access.ts";
import { command } from "../../realm/command.ts";
import type { Tx } from "../../realm/transaction.ts";

/** A newcomer receives so many messages of their channels. */
const historyMessages = 1000;
/** Older messages are not received. */
const historySecs = 12 * 7 * 86_400;
/** So many of the newest are unread: enough to look at, and few enough to read. */
const unreadMessages = 20;

declare module "../../realm/state/state.ts" {
  interface ServerChoices {
    /** Welcome Bot writes to whoever joins, who finds the newest messages of the default channels unread. */
    welcomesNewcomers: boolean;
  }
}

/** What a newcomer starts with. */
interface Beginnings {
  /** The newcomer's channels. */
  channels: readonly ChannelRow[];
  /** The text after the server's own welcome. The default is the organization's text; none when empty. */
  ownText?: string | undefined;
}

/** For a newly created account: sends the welcome, and adds the newest messages of public channels. */
export async function receiveNewcomer(tx: Tx, user: UserRow, beginnings: Beginnings): Promise<void> {
  const recipientIds = openOf(beginnings.channels).map(({ recipient_id }) => recipient_id);
  const limits = { since: tx.now - historySecs, messages: historyMessages, unread: unreadMessages };
  if (tx.state.server.welcomesNewcomers && recipientIds.length > 0)
    tx.write((sql) => addRecentHistory(sql, tx.realmId, user.id, recipientIds, limits));
  await welcome(tx, user, beginnings);
}

async function welcome(tx: Tx, user: UserRow, { channels, ownText }: Beginnings): Promise<void> {
  const { state } = tx;
  if (state.server.welcomesNewcomers) {
    const everyone = state.systemGroup("role:everyone");
    const channel = openOf(channels).find(({ can_send_message_group }) => can_send_message_group === everyone);
    const text = welcomeText(
      { organization: state.row.name, isOwner: isOwner(user), channel },
      wordsOfBot(state, user),
    );
    await sendBotMessage(tx, "welcome", { userIds: [user.id] }, text);
  }
  const own = ownText ?? state.setting("welcome_message_custom_text");
  if (own.trim() !== "") await sendBotMessage(tx, "welcome", { userIds: [user.id] }, own);
}

const openOf = (channels: readonly ChannelRow[]): ChannelRow[] => channels.filter(({ invite_only }) => !invite_only);

/**
 * Sends the welcome at a person's first log-in, if they had none. An import adds many people, and most of them never
 * log in.
 */
export async function welcomeAtFirstLogin(tx: Tx, user: UserRow): Promise<void> {
  const { state } = tx;
  if (user.is_bot || !state.server.welcomesNewcomers) return;
  const participants = [user.id, systemBot(state, "welcome").id].sort((a, b) => a - b);
  const conversation = await ensureDirectConversation(tx.sql, tx.realmId, participants);
  if (await conversationHasMessages(tx.sql, conversation)) return;
  const channels = [...state.subscriptions.channelsOf(user.id)].sort((a, b) => a - b);
  await welcome(tx, user, { channels: channels.map((id) => state.knownChannel(id)) });
}

/** Shows an administrator how a welcome text will look. @throws BAD_REQUEST */
export const testWelcomeText = command(async (tx: Tx, args: { userId: UserId; text: string }) => {
  requireAdmin(tx.user(args.userId));
  const text = normalizeContent(args.text);
  return { message_id: await sendBotMessage(tx, "welcome", { userIds: [args.userId] }, text) };
});
