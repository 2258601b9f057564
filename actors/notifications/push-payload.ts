/**
 * The text of notifications, in three forms. One is for devices that have a key
 * (https://zulip.com/api/mobile-notifications), one for tokens of the older kind at Google's or Apple's service, one
 * for browsers.
 */

import { defined } from "../../storage/failures.ts";
import type { MessageId } from "../../storage/ids.ts";
import type { MissedMessage } from "../../storage/notifications/missed.ts";
import type { UserRow } from "../../storage/rows.ts";
import { languageFor, wordsIn } from "../email/words/words.ts";
import { groupMembers } from "../groups/changes/members.ts";
import { encodeHashComponent } from "../markdown/channel-links.ts";
import { apiEmail, canSeeUser } from "../realm/access.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { avatarUrl, unknownUser } from "../users/record.ts";
import { userSetting } from "../users/settings/settings.ts";
import { plainText } from "./plain-text.ts";
import type { NotificationReason } from "./wanted.ts";

/** What all forms are made of. */
export interface PushedMessage {
  state: RealmState;
  user: UserRow;
  message: MissedMessage;
  reason: NotificationReason;
}

/** For a device that has a key. */
export function sealedMessage({ state, user, message, reason }: PushedMessage) {
  return {
    type: "message",
    ...realmFields(state, user),
    ...senderFields(state, user, message),
    ...groupFields(state, user, message, reason),
    message_id: message.id,
    time: message.sent_at,
    content: plainText(message.rendered_content, message.content).text,
    ...(message.channel_id === null
      ? { recipient_type: "direct", recipient_user_ids: [...(message.participants ?? [])].sort((a, b) => a - b) }
      : {
          recipient_type: "channel",
          channel_id: message.channel_id,
          channel_name: channelName(state, message),
          topic: topicName(message),
        }),
  };
}

/** For devices that have a key: what they are to show no longer. */
export const sealedRemoval = (state: RealmState, user: UserRow, messageIds: readonly MessageId[]) => ({
  type: "remove",
  ...realmFields(state, user),
  message_ids: messageIds,
});

/** For tokens of the older kind: what each of the two services passes on. */
export interface LegacyPayloads {
  gcm_payload: object;
  apns_payload: object;
  gcm_options: { priority: "high" | "normal" };
}

export function legacyMessage(pushed: PushedMessage, badge: number): LegacyPayloads {
  const { state, user, message, reason } = pushed;
  const sender = senderFields(state, user, message);
  // The relay reads these: an organization may want that it reads no message.
  const { text, isCut } = state.setting("require_e2ee_push_notifications")
    ? { text: wordsIn(languageFor(state, user)).newMessage, isCut: false }
    : plainText(message.rendered_content, message.content);
  const shared = {
    ...legacyRealmFields(state, user),
    sender_id: sender.sender_id,
    sender_email: emailOf(state, user, message),
    time: message.sent_at,
    ...groupFields(state, user, message, reason),
    ...(message.channel_id === null
      ? { recipient_type: "private", ...peopleFields(message) }
      : {
          recipient_type: "stream",
          stream: channelName(state, message),
          stream_id: message.channel_id,
          topic: topicName(message),
        }),
  };
  return {
    gcm_payload: {
      ...shared,
      event: "message",
      zulip_message_id: message.id,
      content: text,
      content_truncated: isCut,
      sender_full_name: sender.sender_full_name,
      sender_avatar_url: sender.sender_avatar_url,
    },
    apns_payload: {
      alert: { title: titleOf(pushed), subtitle: subtitleOf(pushed), body: text },
      sound: "default",
      badge,
      custom: { zulip: { ...shared, message_ids: [message.id] } },
    },
    gcm_options: { priority: "high" },
  };
}

export function legacyRemoval(
  state: RealmState,
  user: UserRow,
  messageIds: readonly MessageId[],
  badge: number,
): LegacyPayloads {
  const removed = {
    ...legacyRealmFields(state, user),
    event: "remove",
    zulip_message_ids: messageIds.join(","),
  };
  return {
    gcm_payload: { ...removed, zulip_message_id: messageIds[0] },
    apns_payload: { badge, custom: { zulip: removed } },
    gcm_options: { priority: "normal" },
  };
}

/** What the page's worker shows, and where it leads. */
export interface BrowserMessage {
  title: string;
  body: string;
  /** Below the organization's address. */
  path: string;
  /** A further notification with it takes the place of the first: the page tells by the same. */
  tag: string;
}

export function browserMessage(pushed: PushedMessage): BrowserMessage {
  const { state, user, message } = pushed;
  const name = senderFields(state, user, message).sender_full_name;
  const place = message.channel_id === null ? "" : ` (#${channelName(state, message)} › ${topicName(message)})`;
  const isSecret = message.channel_id === null && !userSetting(user, "pm_content_in_desktop_notifications");
  return {
    title: `${name}${place}`,
    body: isSecret
      ? wordsIn(languageFor(state, user)).newDirectMessage
      : plainText(message.rendered_content, message.content).text,
    path: `/#narrow/${narrowOf(state, message)}/near/${message.id}`,
    tag: `message-${message.id}`,
  };
}

const realmFields = (state: RealmState, user: UserRow) => ({
  realm_name: state.row.name,
  realm_url: state.url,
  user_id: user.id,
});

/** What every notification of the older kind begins with. */
export const legacyRealmFields = (state: RealmState, user: UserRow) => ({
  server: new URL(state.url).host,
  realm_id: state.id,
  realm_uri: state.url,
  ...realmFields(state, user),
});

function senderFields(state: RealmState, user: UserRow, { sender_id }: MissedMessage) {
  const sender = state.users.get(sender_id);
  const isSeen = sender !== undefined && canSeeUser(state, sender, user);
  const { full_name, avatar_url } = isSeen
    ? { full_name: sender.full_name, avatar_url: avatarUrl(state, sender, user) }
    : unknownUser(state, sender_id);
  return {
    sender_id,
    sender_full_name: full_name,
    sender_avatar_url: new URL(avatar_url ?? "", state.url).href,
  };
}

function emailOf(state: RealmState, user: UserRow, { sender_id }: MissedMessage): string {
  const sender = state.users.get(sender_id);
  return sender && canSeeUser(state, sender, user) ? apiEmail(state, sender) : unknownUser(state, sender_id).email;
}

/** Of a conversation between more than two, everybody in it. */
const peopleFields = ({ participants }: MissedMessage) =>
  participants && participants.length > 2 ? { pm_users: [...participants].sort((a, b) => a - b).join(",") } : {};

/** The smallest group by which somebody is mentioned, who is not mentioned by name. */
function groupFields(state: RealmState, user: UserRow, message: MissedMessage, reason: NotificationReason) {
  const html = message.rendered_content;
  if (reason !== "mentioned" && reason !== "direct_message") return {};
  if (html.includes(`class="user-mention" data-user-id="${user.id}"`)) return {};
  const ids = new Set(
    [...html.matchAll(/class="user-group-mention" data-user-group-id="(\d+)"/g)].map(([, id]) => Number(id)),
  );
  const theirs = [...ids].flatMap((id) => {
    const group = state.groups.byId.get(id);
    return group && state.groups.isMember(id, user) ? [group] : [];
  });
  // Nobody counts the members of one group, for each of them.
  if (theirs.length > 1) {
    const sizes = new Map(theirs.map((group) => [group, groupMembers(state, group, false).length]));
    theirs.sort((a, b) => defined(sizes.get(a), "size") - defined(sizes.get(b), "size"));
  }
  const [group] = theirs;
  return group ? { mentioned_user_group_id: group.id, mentioned_user_group_name: group.name } : {};
}

const channelName = (state: RealmState, { channel_id }: MissedMessage): string =>
  state.channels.get(channel_id!)?.name ?? "";

const topicName = ({ topic }: MissedMessage): string => (topic === "" ? emptyTopicDisplayName : topic);

function titleOf({ state, user, message }: PushedMessage): string {
  if (message.channel_id !== null) return `#${channelName(state, message)} > ${topicName(message)}`;
  const { participants } = message;
  if (!participants || participants.length <= 2) return senderFields(state, user, message).sender_full_name;
  return participants
    .slice(0, 10)
    .map((id) => senderFields(state, user, { ...message, sender_id: id }).sender_full_name)
    .join(", ");
}

function subtitleOf({ state, user, message, reason }: PushedMessage): string {
  const name = senderFields(state, user, message).sender_full_name;
  if (reason === "mentioned") return `${name} mentioned you:`;
  if (reason.includes("wildcard")) return `${name} mentioned everyone:`;
  return message.channel_id === null && (message.participants?.length ?? 0) <= 2 ? "" : `${name}:`;
}

/** The address of a message's conversation in the page. */
function narrowOf(state: RealmState, message: MissedMessage): string {
  if (message.channel_id === null) return `dm/${(message.participants ?? []).join(",")}`;
  const name = encodeHashComponent(channelName(state, message).replaceAll(" ", "-"));
  return `channel/${message.channel_id}-${name}/topic/${encodeHashComponent(message.topic)}`;
}
