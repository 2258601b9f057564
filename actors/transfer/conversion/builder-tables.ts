/** Tables of an export that follow from its people, channels and conversations. */
import type { MarkdownContext } from "../../markdown/render.ts";
import type { OldChannelId, OldEmojiId, OldRecipientId, OldUserId } from "../zulip/tables.ts";
import { recipientTypes } from "../zulip-export/recipients.ts";

/** Whom the texts of an export name, and where its messages go. */
export interface Named {
  readonly people: ReadonlyMap<OldUserId, string>;
  readonly channels: ReadonlyMap<OldChannelId, string>;
  readonly idsOfChannels: ReadonlyMap<string, OldChannelId>;
  readonly members: ReadonlyMap<OldChannelId, ReadonlySet<OldUserId>>;
  /** Direct ones of three people and more. */
  readonly conversations: ReadonlyMap<string, { id: OldRecipientId; people: readonly OldUserId[] }>;
  readonly emoji: ReadonlyMap<string, { id: OldEmojiId; fileName: string }>;
}

/** Three kinds of recipients, which share their ids. */
export const channelRecipient = (id: OldChannelId): OldRecipientId => id * 3;
export const personalRecipient = (id: OldUserId): OldRecipientId => id * 3 + 1;
export const groupRecipient = (number: number): OldRecipientId => number * 3 + 2;

export function* recipientsOf({ channels, people, conversations }: Named): Generator<object> {
  for (const id of channels.keys()) yield { id: channelRecipient(id), type: recipientTypes.channel, type_id: id };
  for (const id of people.keys()) yield { id: personalRecipient(id), type: recipientTypes.person, type_id: id };
  for (const { id } of conversations.values()) yield { id, type: recipientTypes.group, type_id: id };
}

export function* subscriptionsOf({ members, conversations }: Named): Generator<object> {
  const settings = { active: true, is_muted: false, color: "#c2c2c2", pin_to_top: false, ...inherited };
  for (const [channel, people] of members)
    for (const user_profile of people) yield { user_profile, recipient: channelRecipient(channel), ...settings };
  for (const { id, people } of conversations.values())
    for (const user_profile of people) yield { user_profile, recipient: id, ...settings };
}

/** Everybody has received and read all of the channels that they are in. */
export function* receivedOf({ members }: Named): Generator<object> {
  for (const [channel, people] of members) for (const user_profile of people) yield { user_profile, stream: channel };
}

const inherited = {
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
};

/** What texts of the export are rendered with. The import puts new ids and addresses into what comes of it. */
export const renderingContext = ({ people, channels, idsOfChannels, emoji }: Named): MarkdownContext => ({
  realmUrl: "http://localhost",
  findUsersByName: () => [],
  findUser: (id) => {
    const full_name = people.get(Number(id));
    return full_name === undefined ? undefined : { id, full_name };
  },
  findGroupByName: () => undefined,
  findChannelByName: (name) => {
    const id = idsOfChannels.get(name);
    return id === undefined ? undefined : { id: Number(id), name };
  },
  findChannel: (id) => {
    const name = channels.get(Number(id));
    return name === undefined ? undefined : { id, name };
  },
  linkify: () => [],
  findRealmEmoji: (name) => {
    const own = emoji.get(name);
    return own && { id: String(own.id), name, source_url: `/user_avatars/1/emoji/images/${own.fileName}` };
  },
  findUpload: () => undefined,
  externalContent: () => undefined,
  codePlaygroundDefaultLanguage: "",
});
