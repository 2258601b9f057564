/** What somebody finds who is new: a word by Welcome Bot, and the newest messages of their channels. */
import type { UserId } from "../../storage/ids.ts";
import { addRecentHistory } from "../../storage/messages/history-of-newcomers.ts";
import { conversationHasMessages, ensureDirectConversation } from "../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { normalizeContent } from "../messages/send.ts";
import { sendBotMessage, systemBot } from "../messages/system-messages.ts";
import { isOwner, requireAdmin } from "../realm/access.ts";
import { command } from "../realm/command.ts";
import type { Tx } from "../realm/transaction.ts";
import { welcomeText } from "./welcome-texts.ts";

/** So many messages of their channels are in a newcomer's own history, */
const historyMessages = 1000;
/** not older than this, */
const historySecs = 12 * 7 * 86_400;
/** and the newest of them unread: something to look at, and not a mountain. */
const unreadMessages = 20;

/** What a newcomer begins with. */
interface Beginnings {
  /** Those they are in from now on. */
  channels: readonly ChannelRow[];
  /** Said after the server's own welcome; the organization's text unless told, none when empty. */
  ownText?: string;
}

/** For a person whose account is made now: their welcome, and what was said last in public channels. */
export async function receiveNewcomer(tx: Tx, user: UserRow, beginnings: Beginnings): Promise<void> {
  const recipientIds = openOf(beginnings.channels).map(({ recipient_id }) => recipient_id);
  const limits = { since: tx.now - historySecs, messages: historyMessages, unread: unreadMessages };
  if (tx.state.welcomesNewcomers && recipientIds.length > 0)
    tx.write((sql) => addRecentHistory(sql, tx.realmId, user.id, recipientIds, limits));
  await welcome(tx, user, beginnings);
}

async function welcome(tx: Tx, user: UserRow, { channels, ownText }: Beginnings): Promise<void> {
  const { state } = tx;
  if (state.welcomesNewcomers) {
    const everyone = state.systemGroup("role:everyone");
    const channel = openOf(channels).find(({ can_send_message_group }) => can_send_message_group === everyone);
    const text = welcomeText({ organization: state.row.name, isOwner: isOwner(user), channel });
    await sendBotMessage(tx, "welcome", { userIds: [user.id] }, text);
  }
  const own = ownText ?? (state.setting("welcome_message_custom_text") as string);
  if (own.trim() !== "") await sendBotMessage(tx, "welcome", { userIds: [user.id] }, own);
}

const openOf = (channels: readonly ChannelRow[]): ChannelRow[] => channels.filter(({ invite_only }) => !invite_only);

/**
 * Welcomes at their first log-in whom nobody has welcomed: an import brings in many people, of whom most never come.
 */
export async function welcomeAtFirstLogin(tx: Tx, user: UserRow): Promise<void> {
  const { state } = tx;
  if (user.is_bot || !state.welcomesNewcomers) return;
  const participants = [user.id, systemBot(state, "welcome").id].sort((a, b) => a - b);
  const conversation = await ensureDirectConversation(tx.sql, tx.realmId, participants);
  if (await conversationHasMessages(tx.sql, conversation)) return;
  const channels = [...state.subscriptions.channelsOf(user.id)].sort((a, b) => a - b);
  await welcome(tx, user, { channels: channels.map((id) => state.channels.get(id)!) });
}

/** Shows an administrator how a text looks that newcomers are to be welcomed with. @throws BAD_REQUEST */
export const testWelcomeText = command(async (tx: Tx, args: { userId: UserId; text: string }) => {
  requireAdmin(tx.user(args.userId));
  const text = normalizeContent(args.text);
  return { message_id: await sendBotMessage(tx, "welcome", { userIds: [args.userId] }, text) };
});
