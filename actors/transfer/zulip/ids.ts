/**
 * New ids of everything that is imported. They are chosen once and stored with the import. So an import that goes on
 * after an interruption gives the same rows the same ids.
 */
import { defined } from "../../../storage/failures.ts";
import type {
  ChannelId,
  EmojiId,
  FolderId,
  GroupId,
  MessageId,
  ProfileFieldId,
  RealmId,
  RecipientId,
  UserId,
} from "../../../storage/ids.ts";
import type { Sql } from "../../../storage/postgres.ts";
import { nextIds } from "../../../storage/realms.ts";
import { takeMessageBlocks } from "../../../storage/transfer/imports.ts";
import type { MessageOrder } from "./message-order.ts";
import type { Survey } from "./survey.ts";
import type {
  OldChannelId,
  OldEmojiId,
  OldFieldId,
  OldFolderId,
  OldGroupId,
  OldMessageId,
  OldUserId,
} from "./tables.ts";

/** The ids that an import has reserved, as its row stores them. Each list follows the old ids in ascending order. */
export interface TakenIds {
  realm: RealmId;
  users: UserId[];
  /** Notification Bot and Welcome Bot. */
  systemBots: [notification: UserId, welcome: UserId];
  channels: ChannelId[];
  channelRecipients: RecipientId[];
  /** In the order of `Survey.conversations`. */
  conversationRecipients: RecipientId[];
  systemGroups: GroupId[];
  groups: GroupId[];
  emoji: EmojiId[];
  profileFields: ProfileFieldId[];
  folders: FolderId[];
  /** The first id of each block. */
  messageBlocks: MessageId[];
  /** File names are made with it, so they cannot be guessed. */
  secret: string;
}

const messagesPerBlock = 1000;

export async function takeIds(
  sql: Sql,
  realm: RealmId,
  survey: Survey,
  counts: { systemGroups: number; secret: string },
): Promise<TakenIds> {
  const { old } = survey;
  return {
    realm,
    users: await nextIds(sql, "user_ids", old.users.length),
    systemBots: (await nextIds(sql, "user_ids", 2)) as [UserId, UserId],
    channels: await nextIds(sql, "channel_ids", old.channels.length),
    channelRecipients: await nextIds(sql, "recipient_ids", old.channels.length),
    conversationRecipients: await nextIds(sql, "recipient_ids", survey.conversations.length),
    systemGroups: await nextIds(sql, "group_ids", counts.systemGroups),
    groups: await nextIds(sql, "group_ids", old.groups.length),
    emoji: await nextIds(sql, "object_ids", old.emoji.length),
    profileFields: await nextIds(sql, "profile_field_ids", old.profileFields.length),
    folders: (await nextIds(sql, "object_ids", old.folders.length)) as FolderId[],
    messageBlocks: await takeMessageBlocks(sql, Math.ceil(survey.messages.count / messagesPerBlock)),
    secret: counts.secret,
  };
}

/** Whether ids were taken for as much as the survey has found. */
export const fits = (taken: TakenIds, { old, messages, conversations }: Survey): boolean =>
  (["users", "channels", "groups", "emoji", "profileFields"] as const).every(
    (kind) => taken[kind].length === old[kind].length,
  ) &&
  taken.conversationRecipients.length === conversations.length &&
  taken.messageBlocks.length === Math.ceil(messages.count / messagesPerBlock);

/** New ids of messages: ascending in the order in which they were sent. */
export class MessageIds {
  constructor(
    readonly order: MessageOrder,
    private readonly blocks: readonly MessageId[],
  ) {}

  get(id: OldMessageId): MessageId | undefined {
    const at = this.order.find(id);
    return at < 0 ? undefined : this.ofRank(this.order.rank(at));
  }

  ofRank(rank: number): MessageId {
    return defined(this.blocks[Math.floor(rank / messagesPerBlock)], "block") + (rank % messagesPerBlock);
  }

  /** The highest new id; 0 when there is none. */
  get last(): MessageId {
    return this.order.count === 0 ? 0 : this.ofRank(this.order.count - 1);
  }
}

/** The new conversation of a message. */
export interface NewPlace {
  recipientId: RecipientId;
  channelId: ChannelId | null;
}

/** Old ids → new ones. */
export interface IdMaps {
  realm: RealmId;
  users: ReadonlyMap<OldUserId, UserId>;
  channels: ReadonlyMap<OldChannelId, ChannelId>;
  /** Includes system groups. */
  groups: ReadonlyMap<OldGroupId, GroupId>;
  emoji: ReadonlyMap<OldEmojiId, EmojiId>;
  profileFields: ReadonlyMap<OldFieldId, ProfileFieldId>;
  folders: ReadonlyMap<OldFolderId, FolderId>;
  messages: MessageIds;
}

export const zip = <Old extends number, New extends number>(
  old: readonly Old[],
  fresh: readonly New[],
): Map<Old, New> => new Map(old.map((id, index) => [id, defined(fresh[index], "new id")]));
