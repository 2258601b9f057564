/** Flags on messages: read, starred, collapsed. */

import { array, boolean, integer, nullable } from "superstruct";
import { channelId, messageId } from "../../../actors/id-shapes.ts";
import { changeableFlags } from "../../../actors/messages/changes/flags.ts";
import { findIds } from "../../../actors/narrow/fetch-messages.ts";
import { described } from "../../../actors/shape.ts";
import type { ChannelId } from "../../../storage/ids.ts";
import { bool, count, int, oneOf, text } from "../../api/params.ts";
import { anyAccount, route } from "../../api/route.ts";
import { anchorDateParam, anchorParam, messageIdsParam, narrowParam, readAnchor, readNarrow } from "./narrow-param.ts";

/** Adds a flag to messages, or removes it. https://zulip.com/api/update-message-flags */
export const updateMessageFlags = route({
  doc: "https://zulip.com/api/update-message-flags",
  summary: "Adds a personal flag to messages, or takes it off.",
  auth: anyAccount,
  isUnaudited: true,
  params: {
    messages: messageIdsParam().describe("Ids of the messages."),
    op: oneOf("add", "remove").describe("Whether to set the flag or take it off."),
    flag: oneOf(...changeableFlags),
  },
  returns: {
    messages: described(array(messageId()), "Ids of the messages."),
    ignored_because_not_subscribed_channels: array(channelId()),
  },
  async handle({ realm, user, params }) {
    const { ignoredChannelIds } = await realm.execute("updateMessageFlags", {
      userId: user.id,
      messageIds: params.messages,
      op: params.op,
      flag: params.flag,
    });
    return { messages: params.messages, ignored_because_not_subscribed_channels: ignoredChannelIds };
  },
});

/** Adds or removes a flag on the messages of a narrow. https://zulip.com/api/update-message-flags-for-narrow */
export const updateFlagsForNarrow = route({
  doc: "https://zulip.com/api/update-message-flags-for-narrow",
  summary: "Adds a personal flag to the messages around an anchor that fit a narrow, or takes it off.",
  auth: anyAccount,
  isUnaudited: true,
  params: {
    anchor: anchorParam(),
    anchor_date: anchorDateParam(),
    include_anchor: bool().default(true),
    num_before: count(),
    num_after: count(),
    narrow: narrowParam(),
    op: oneOf("add", "remove").describe("Whether to set the flag or take it off."),
    flag: oneOf(...changeableFlags),
  },
  returns: {
    processed_count: described(integer(), "How many messages were looked at."),
    updated_count: described(integer(), "How many messages changed."),
    first_processed_id: described(nullable(messageId()), "The oldest message that was looked at."),
    last_processed_id: described(nullable(messageId()), "The newest message that was looked at: where to go on."),
    found_oldest: boolean(),
    found_newest: boolean(),
    ignored_because_not_subscribed_channels: array(channelId()),
  },
  async handle({ realm, user, params }) {
    const { ids, found } = await findIds(realm, user, readNarrow(params.narrow), {
      anchor: readAnchor(params.anchor, params.anchor_date),
      includeAnchor: params.include_anchor,
      numBefore: params.num_before,
      numAfter: params.num_after,
    });
    const { updatedCount, ignoredChannelIds } = await realm.execute("updateMessageFlags", {
      userId: user.id,
      messageIds: ids,
      op: params.op,
      flag: params.flag,
    });
    return {
      processed_count: ids.length,
      updated_count: updatedCount,
      first_processed_id: ids[0] ?? null,
      last_processed_id: ids.at(-1) ?? null,
      found_oldest: found.found_oldest,
      found_newest: found.found_newest,
      ignored_because_not_subscribed_channels: ignoredChannelIds,
    };
  },
});

/** Marks everything read. https://zulip.com/api/mark-all-as-read */
export const markAllAsRead = route({
  doc: "https://zulip.com/api/mark-all-as-read",
  summary: "Marks all messages as read.",
  auth: anyAccount,
  isUnaudited: true,
  params: {},
  returns: { complete: boolean() },
  async handle({ realm, user }) {
    await realm.execute("markAllAsRead", { userId: user.id });
    return { complete: true };
  },
});

/** Marks a channel read. https://zulip.com/api/mark-stream-as-read */
export const markStreamAsRead = route({
  doc: "https://zulip.com/api/mark-stream-as-read",
  summary: "Marks all messages of a channel as read.",
  auth: anyAccount,
  isUnaudited: true,
  params: { stream_id: int<ChannelId>() },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("markChannelAsRead", { userId: user.id, channelId: params.stream_id });
    return {};
  },
});

/** Marks a topic read. https://zulip.com/api/mark-topic-as-read */
export const markTopicAsRead = route({
  doc: "https://zulip.com/api/mark-topic-as-read",
  summary: "Marks all messages of a topic as read.",
  auth: anyAccount,
  isUnaudited: true,
  params: { stream_id: int<ChannelId>(), topic_name: text() },
  returns: {},
  async handle({ realm, user, params }) {
    await realm.execute("markChannelAsRead", {
      userId: user.id,
      channelId: params.stream_id,
      topic: params.topic_name,
    });
    return {};
  },
});
