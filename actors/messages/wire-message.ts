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

/** A message in the wire's form, both contents side by side. */
export function wireMessage(
  state: RealmState,
  message: WireRow,
  sender: UserRow,
  participants: readonly UserId[] | undefined,
  channel: ChannelRow | undefined = message.channel_id === null ? undefined : state.channels.get(message.channel_id),
  findUser: (id: UserId) => UserRow | undefined = (id) => state.users.get(id),
): WireMessage {
  return {
    id: message.id,
    sender_id: sender.id,
    content: message.content,
    rendered_content: message.rendered_content,
    recipient_id: message.recipient_id,
    timestamp: message.sent_at,
    client: message.client,
    subject: message.topic,
    topic_links: channel ? renderTopicLinks(message.topic, markdownContext(state, undefined)) : [],
    is_me_message: message.is_me_message,
    sender_full_name: sender.full_name,
    sender_email: apiEmail(state, sender),
    sender_realm_str: state.subdomain,
    ...senderAvatar(state, sender),
    type: channel ? "stream" : "private",
    ...(channel && { stream_id: channel.id }),
    display_recipient: channel
      ? channel.name
      : (participants ?? []).map((id) => {
          const user = defined(findUser(id), "such user");
          return { id, email: apiEmail(state, user), full_name: user.full_name, is_mirror_dummy: false };
        }),
  };
}
