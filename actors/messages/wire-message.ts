/** A message in the wire's form, as events carry it and answers are made of it. */
import { defined } from "../../storage/failures.ts";
import type { UserId } from "../../storage/ids.ts";
import type { MessageRow } from "../../storage/messages/messages.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import type { WireMessage } from "../events/messages.ts";
import { renderTopicLinks } from "../markdown/render.ts";
import { markdownContext } from "../organization/markdown-context.ts";
import { apiEmail } from "../realm/access.ts";
import type { RealmState } from "../realm/state/state.ts";
import { senderAvatar } from "../users/record.ts";

/** The columns that a message's wire form is made of. */
export type WireRow = Pick<
  MessageRow,
  | "id"
  | "recipient_id"
  | "channel_id"
  | "topic"
  | "content"
  | "rendered_content"
  | "sent_at"
  | "client"
  | "is_me_message"
>;

/** The fields of a message that its sender decides. */
export type WireSender = Pick<
  WireMessage,
  "sender_id" | "sender_full_name" | "sender_email" | "sender_realm_str" | "avatar_url" | "gravatar" | "hidden_gravatar"
>;

export const wireSender = (state: RealmState, sender: UserRow): WireSender => ({
  sender_id: sender.id,
  sender_full_name: sender.full_name,
  sender_email: apiEmail(state, sender),
  sender_realm_str: state.subdomain,
  ...senderAvatar(state, sender),
});

/** The fields of a message that its conversation and its topic decide. */
export const wireConversation = (
  state: RealmState,
  message: Pick<WireRow, "recipient_id" | "channel_id" | "topic">,
  participants: readonly UserId[] | undefined,
  channel: ChannelRow | undefined = message.channel_id === null ? undefined : state.channels.get(message.channel_id),
  findUser: (id: UserId) => UserRow | undefined = (id) => state.users.get(id),
) => ({
  recipient_id: message.recipient_id,
  subject: message.topic,
  topic_links: channel ? renderTopicLinks(message.topic, markdownContext(state, undefined)) : [],
  type: channel ? ("stream" as const) : ("private" as const),
  ...(channel && { stream_id: channel.id }),
  display_recipient: channel
    ? channel.name
    : (participants ?? []).map((id) => {
        const user = defined(findUser(id), "such user");
        return { id, email: apiEmail(state, user), full_name: user.full_name, is_mirror_dummy: false };
      }),
});

/** A message in the wire's form, both contents side by side. */
export function wireMessage(
  state: RealmState,
  message: WireRow,
  sender: UserRow,
  participants: readonly UserId[] | undefined,
  channel?: ChannelRow,
  findUser?: (id: UserId) => UserRow | undefined,
): WireMessage {
  return {
    id: message.id,
    content: message.content,
    rendered_content: message.rendered_content,
    timestamp: message.sent_at,
    client: message.client,
    is_me_message: message.is_me_message,
    ...wireSender(state, sender),
    ...wireConversation(state, message, participants, channel, findUser),
  };
}
