/** Events about channels and subscriptions: the four lists that a channel can be in, and its subscribers. */
import type { ClientProfile } from "./client-profile.ts";
import {
  accessItem,
  addSorted,
  type ChannelRecord,
  dropAll,
  type Handler,
  InapplicableEventError,
  listOf,
  putItem,
  type RegisterState,
  renewItem,
  takeItem,
} from "./state.ts";
import { unknowable } from "./unknowable.ts";

/** A channel is in exactly one of these lists. */
const STANDINGS = ["subscriptions", "unsubscribed", "never_subscribed"] as const;
const COPIES = [...STANDINGS, "streams"] as const;

/** Marks a channel in `never_subscribed` that may have been subscribed before: `stream/create` does not say. */
export const EARLIER_SUBSCRIPTION = "(earlier subscription)";

/** The channel's record in each list that has one. */
function copiesOf(state: RegisterState, streamId: number): ChannelRecord[] {
  return COPIES.flatMap((field) => state[field]?.filter((channel) => channel.stream_id === streamId) ?? []);
}

/** The same, each a copy to change. */
function renewCopies(state: RegisterState, streamId: number): ChannelRecord[] {
  return COPIES.flatMap((field) => renewItem(state[field], "stream_id", streamId) ?? []);
}

function accessCopies(state: RegisterState, streamId: number): ChannelRecord[] {
  const copies = copiesOf(state, streamId);
  if (copies.length === 0 && COPIES.some((field) => state[field])) {
    throw new InapplicableEventError(`channel ${streamId} is not known to this client`);
  }
  return copies;
}

function addSubscriptions(state: RegisterState, event: { subscriptions: ChannelRecord[] }): void {
  for (const subscription of event.subscriptions) {
    for (const field of STANDINGS) takeItem(state[field], "stream_id", subscription.stream_id);
    state.subscriptions?.push(structuredClone(subscription));
    for (const copy of renewCopies(state, subscription.stream_id))
      copy.subscriber_count = subscription.subscriber_count;
  }
}

function removeSubscriptions(state: RegisterState, event: { subscriptions: { stream_id: number }[] }): void {
  if (!state.subscriptions) return;
  for (const { stream_id } of event.subscriptions) {
    const channel = takeItem(state.subscriptions, "stream_id", stream_id);
    if (!channel) throw new InapplicableEventError(`subscription ${stream_id} was removed but this client has none`);
    state.unsubscribed?.push(channel);
    if (state.user_id !== undefined) changeSubscribers(state, stream_id, [state.user_id], "remove");
  }
}

function updateSubscription(
  state: RegisterState,
  event: { stream_id: number; property: string; value: unknown },
): void {
  if (!state.subscriptions) return;
  const channel =
    renewItem(state.subscriptions, "stream_id", event.stream_id) ??
    renewItem(state.unsubscribed, "stream_id", event.stream_id);
  if (!channel) throw new InapplicableEventError(`subscription ${event.stream_id} is not known to this client`);
  channel[event.property] = event.value;
}

type PeerEvent = { op: string; stream_ids: number[]; user_ids: number[] };

function changePeers(state: RegisterState, event: PeerEvent): void {
  for (const streamId of event.stream_ids) {
    accessCopies(state, streamId);
    const change = event.op === "peer_add" ? "add" : "remove";
    if (state.subscriptions) refuseUnreal(state, streamId, event.user_ids, change);
    changeSubscribers(state, streamId, event.user_ids, change);
  }
}

/** A user who is removed must be in the list, and one who is added must not: clients fail otherwise. */
function refuseUnreal(state: RegisterState, streamId: number, userIds: number[], change: "add" | "remove"): void {
  const subscribers = copiesOf(state, streamId).find((copy) => copy.subscribers)?.subscribers;
  if (!subscribers) return;
  const deactivated = new Set(state.realm_non_active_users?.map((user) => user.user_id));
  for (const userId of userIds) {
    // A deactivated user may have left the channel by an earlier event. Clients do not notice the difference.
    if (subscribers.includes(userId) === (change === "add") && !deactivated.has(userId)) {
      throw new InapplicableEventError(
        `peer_${change} of user ${userId} in channel ${streamId}, who is ${change === "add" ? "already" : "not"} in it`,
      );
    }
  }
}

/** Adds or removes subscribers in every copy of the channel, and updates `subscriber_count`. */
function changeSubscribers(state: RegisterState, streamId: number, userIds: number[], change: "add" | "remove"): void {
  const copies = renewCopies(state, streamId);
  for (const copy of copies) {
    for (const list of [copy.subscribers, copy.partial_subscribers]) {
      if (list && change === "add") addSorted(list, userIds);
      else if (list) dropAll(list, new Set(userIds));
    }
  }
  const known = copies.find((copy) => copy.subscribers)?.subscribers;
  for (const copy of copies) {
    if (copy.subscriber_count === undefined) continue;
    // With the whole list, the count is its length. Without it, the count is updated by the difference.
    copy.subscriber_count = known
      ? known.length
      : copy.subscriber_count + (change === "add" ? userIds.length : -userIds.length);
  }
}

function createChannels(state: RegisterState, event: { streams: ChannelRecord[] }, profile: ClientProfile): void {
  for (const channel of event.streams) {
    putItem(state.streams, "stream_id", structuredClone(channel));
    const standing = STANDINGS.find((field) => state[field]?.some((known) => known.stream_id === channel.stream_id));
    if (standing || !state.never_subscribed) continue;
    state.never_subscribed.push({
      ...structuredClone(channel),
      // The subscribers follow in peer_add events.
      ...(profile.includeSubscribers !== "false" && { subscribers: [] }),
      [EARLIER_SUBSCRIPTION]: unknowable("earlierSubscription"),
    });
  }
}

function deleteChannels(state: RegisterState, event: { stream_ids: number[] }): void {
  for (const streamId of event.stream_ids) {
    accessCopies(state, streamId);
    for (const field of COPIES) takeItem(state[field], "stream_id", streamId);
  }
}

interface StreamUpdateEvent {
  stream_id: number;
  property: string;
  value: unknown;
  rendered_description?: string;
  history_public_to_subscribers?: boolean;
  is_web_public?: boolean;
}

function updateChannel(state: RegisterState, event: StreamUpdateEvent, profile: ClientProfile): void {
  if (event.property === "is_archived" && !profile.capabilities.has("archived_channels")) {
    throw new InapplicableEventError(`${profile.name}: is_archived was sent to a client without archived_channels`);
  }
  accessCopies(state, event.stream_id);
  const copies = renewCopies(state, event.stream_id);
  if (event.property === "name") renameMutedTopics(state, copies[0]?.name, String(event.value));
  const { rendered_description, history_public_to_subscribers, is_web_public } = event;
  for (const copy of copies) {
    copy[event.property] = structuredClone(event.value);
    if (event.property === "description") copy["rendered_description"] = rendered_description;
    if (event.property === "invite_only") Object.assign(copy, { history_public_to_subscribers, is_web_public });
    // 2 means only administrators. An older boolean says the same. https://zulip.com/api/get-streams
    if (event.property === "stream_post_policy") copy["is_announcement_only"] = event.value === 2;
  }
}

/** `muted_topics` contains channel names, so clients rename them there too. */
function renameMutedTopics(state: RegisterState, from: string | undefined, to: string): void {
  for (const entry of state.muted_topics ?? []) if (entry[0] === from) entry[0] = to;
}

function addFolder(state: RegisterState, event: { channel_folder: Record<string, unknown> }): void {
  putItem(listOf(state, "channel_folders"), "id", structuredClone(event.channel_folder));
}

function updateFolder(state: RegisterState, event: { channel_folder_id: number; data: object }): void {
  const folders = listOf(state, "channel_folders");
  Object.assign(accessItem(folders, "id", event.channel_folder_id, "channel folder") ?? {}, event.data);
}

function reorderFolders(state: RegisterState, event: { order: number[] }): void {
  for (const folder of state.channel_folders ?? []) {
    const place = event.order.indexOf(folder.id);
    if (place < 0) throw new InapplicableEventError(`channel_folder/reorder leaves folder ${folder.id} out`);
    folder.order = place;
  }
}

function replaceDefaultGroups(state: RegisterState, event: { default_stream_groups: unknown[] }): void {
  if (state["realm_default_stream_groups"]) state["realm_default_stream_groups"] = event.default_stream_groups;
}

function replaceDefaults(state: RegisterState, event: { default_streams: number[] }): void {
  if (state["realm_default_streams"]) state["realm_default_streams"] = event.default_streams;
}

/** Handlers of the events about channels, by `type/op`. */
export const channelHandlers: Readonly<Record<string, Handler>> = {
  "subscription/add": addSubscriptions,
  "subscription/remove": removeSubscriptions,
  "subscription/update": updateSubscription,
  "subscription/peer_add": changePeers,
  "subscription/peer_remove": changePeers,
  "stream/create": createChannels,
  "stream/delete": deleteChannels,
  "stream/update": updateChannel,
  "channel_folder/add": addFolder,
  "channel_folder/update": updateFolder,
  "channel_folder/reorder": reorderFolders,
  default_streams: replaceDefaults,
  default_stream_groups: replaceDefaultGroups,
};
