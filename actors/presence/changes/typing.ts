/** Typing notifications. Their events are not stored. They need no order, so they are not commands. */
import type { ChannelId, MessageId, UserId } from "../../../storage/ids.ts";
import type { MessageAccess } from "../../../storage/messages/access.ts";
import type { UserRow } from "../../../storage/rows.ts";
import { badRequest } from "../../errors.ts";
import { accessMessage } from "../../messages/access.ts";
import { conversationOf, messageAudience } from "../../messages/audience.ts";
import { checkCanEditContent } from "../../messages/permissions.ts";
import { normalizeTopic } from "../../messages/typed-text.ts";
import { accessChannel, apiEmail, canReadContent, canSeeUser, checkCanPost } from "../../realm/access.ts";
import type { Audience, Entry } from "../../realm/entry.ts";
import type { RealmReader } from "../../realm/reader.ts";
import type { RealmState } from "../../realm/state/state.ts";
import { userSetting } from "../../users/settings/settings.ts";

export type TypingOp = "start" | "stop";

/** Larger conversations get no typing notifications: their number grows with the square of the audience. */
const largestAudience = 100;

type SendSetting = "send_private_typing_notifications" | "send_stream_typing_notifications";

function checkSends(user: UserRow, setting: SendSetting): void {
  if (userSetting(user, setting)) return;
  const kind = setting === "send_private_typing_notifications" ? "direct messages" : "channel messages";
  throw badRequest(`User has disabled typing notifications for ${kind}`);
}

const receives = (state: RealmState, id: UserId): boolean => {
  const user = state.users.get(id);
  return user?.is_active === true && userSetting(user, "receives_typing_notifications") === true;
};

/** Undefined when there are too many recipients. @throws BAD_REQUEST */
export function typingToPeople(
  state: RealmState,
  sender: UserRow,
  op: TypingOp,
  userIds: readonly UserId[],
): Entry | undefined {
  checkSends(sender, "send_private_typing_notifications");
  if (userIds.length === 0) throw badRequest("Empty 'to' list");
  for (const id of userIds) {
    const user = state.users.get(id);
    if (!user?.is_active || !canSeeUser(state, user, sender)) throw badRequest(`Invalid user ID ${id}`);
  }
  const ids = [...new Set([...userIds, sender.id])].sort((a, b) => a - b);
  if (ids.length > largestAudience) return undefined;
  const person = (id: UserId) => ({ user_id: id, email: apiEmail(state, state.knownUser(id)) });
  return {
    event: { type: "typing", op, message_type: "direct", sender: person(sender.id), recipients: ids.map(person) },
    audience: { to: "users", ids: ids.filter((id) => receives(state, id)) },
  };
}

/** Undefined when the channel has too many subscribers. @throws BAD_REQUEST */
export function typingInChannel(
  state: RealmState,
  sender: UserRow,
  op: TypingOp,
  channelId: ChannelId,
  topic: string,
): Entry | undefined {
  checkSends(sender, "send_stream_typing_notifications");
  const channel = accessChannel(state, sender, channelId);
  if (!canReadContent(state, channel, sender)) throw badRequest("Invalid channel ID");
  checkCanPost(state, channel, sender);
  const audience = smallAudience(state, { to: "subscribers", channelId: channel.id });
  return (
    audience && {
      event: {
        type: "typing",
        op,
        message_type: "stream",
        sender: { user_id: sender.id, email: apiEmail(state, sender) },
        stream_id: channel.id,
        topic: normalizeTopic(topic),
      },
      audience,
    }
  );
}

/** Typing notifications for the edit of a message. Undefined when nobody is to be told. @throws BAD_REQUEST */
export async function typingEdit(
  { state, database: { sql }, environment }: RealmReader,
  user: UserRow,
  op: TypingOp,
  messageId: MessageId,
): Promise<Entry | undefined> {
  const message: MessageAccess = await accessMessage(state, sql, user, messageId);
  checkCanEditContent(state, user, message, environment.clock());
  const conversation = conversationOf(state, message);
  const { channel, participants } = conversation;
  checkSends(user, channel ? "send_stream_typing_notifications" : "send_private_typing_notifications");
  const audience = smallAudience(state, await messageAudience(state, sql, conversation, [message.id]));
  return (
    audience && {
      event: {
        type: "typing_edit_message",
        op,
        sender_id: user.id,
        message_id: message.id,
        recipient: channel
          ? { type: "channel", channel_id: channel.id, topic: message.topic }
          : { type: "direct", user_ids: [...participants] },
      },
      audience,
    }
  );
}

/** The people of an audience who want typing notifications, if there are few enough. */
function smallAudience(state: RealmState, audience: Audience): Audience | undefined {
  const ids =
    audience.to === "users"
      ? audience.ids
      : audience.to === "subscribers"
        ? state.subscriptions.subscribers(audience.channelId).values()
        : [];
  if (ids.length > largestAudience) return undefined;
  return { to: "users", ids: [...ids].filter((id) => receives(state, id)) };
}
