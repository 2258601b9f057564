/** Ids of different kinds do not fit one another. `npm run typecheck` tests this: a line that compiles fails it. */
import { describe, expect, it } from "vitest";
import type { OldUserId } from "../../actors/transfer/zulip/tables.ts";
import type { ChannelId, GroupId, LogPosition, MessageId, RecipientId, UserId } from "../../storage/ids.ts";

const userId: UserId = 7;
const channelId: ChannelId = 7;
const messageId: MessageId = 7;
const recipientId = 7 as RecipientId;
const position: LogPosition = 7;
const subscribe = (user: UserId, channel: ChannelId) => [user, channel];

describe("ids", () => {
  it("go where ids of their kind are wanted, and come from plain numbers", () => {
    const groupId: GroupId = Number("7");
    const users: ReadonlyMap<UserId, string> = new Map([[7, "Ada"]]);
    expect([subscribe(userId, channelId), users.get(userId), groupId]).toEqual([[7, 7], "Ada", 7]);
  });

  it("do not compile where ids of another kind are wanted", () => {
    // @ts-expect-error the other way round
    subscribe(channelId, userId);
    // @ts-expect-error a message's id is no user's
    subscribe(messageId, channelId);
    // @ts-expect-error the recipient of a channel's messages is not the channel
    subscribe(userId, recipientId);
    // @ts-expect-error a message's id is no place in the log
    const place: LogPosition = messageId;
    // @ts-expect-error a list of users is not a list of channels
    const channels: readonly ChannelId[] = [userId];
    // @ts-expect-error a map by users knows no channel
    const found = new Map<UserId, string>().get(channelId);
    // @ts-expect-error nobody is in a set of channels
    const isThere = new Set<ChannelId>().has(userId);
    // @ts-expect-error a place in the log is nobody
    const people: UserId[] = [userId, position];
    // @ts-expect-error an id of the server that is imported
    const imported: UserId = 7 as OldUserId;
    // @ts-expect-error a recipient is never a plain number
    const recipient: RecipientId = 7;
    // @ts-expect-error never the same
    const isSame = userId === channelId;
    expect([place, channels, found, isThere, people, imported, recipient, isSame]).toHaveLength(8);
  });
});
