/**
 * New ids of everything that is imported. They are chosen once and stored with the import. So an import that goes on
 * after an interruption gives the same rows the same ids.
 */
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

export const messagesPerBlock = 1000;

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
    messageBlocks: await takeMessageBlocks(sql, Math.ceil(survey.messageIds.length / messagesPerBlock)),
    secret: counts.secret,
  };
}

/** Old message id → new one, as two sorted arrays: there are millions. */
export class MessageIds {
  private constructor(
    /** Ascending. */
    private readonly old: Float64Array,
    private readonly fresh: Float64Array,
    /** The highest new id; 0 when there is none. */
    readonly last: MessageId,
  ) {}

  /** Gives messages ids from these blocks, in the order in which they were sent. */
  static inOrder(ids: ArrayLike<OldMessageId>, sentAt: ArrayLike<number>, blocks: readonly MessageId[]): MessageIds {
    const byTime = Uint32Array.from({ length: ids.length }, (_, index) => index);
    const byId = byTime.slice();
    byTime.sort((a, b) => sentAt[a]! - sentAt[b]! || ids[a]! - ids[b]!);
    byId.sort((a, b) => ids[a]! - ids[b]!);
    const fresh = new Float64Array(ids.length);
    let last = 0;
    byTime.forEach((index, place) => {
      last = blocks[Math.floor(place / messagesPerBlock)]! + (place % messagesPerBlock);
      fresh[index] = last;
    });
    return new MessageIds(
      Float64Array.from(byId, (index) => ids[index]!),
      Float64Array.from(byId, (index) => fresh[index]!),
      last,
    );
  }

  get(id: OldMessageId): MessageId | undefined {
    let [low, high] = [0, this.old.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = this.old[middle]!;
      if (found === id) return this.fresh[middle]!;
      if (found < id) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }
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
): Map<Old, New> => new Map(old.map((id, index) => [id, fresh[index]!]));
