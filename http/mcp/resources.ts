/**
 * Channels and topics as resources: `parley://channel/7` is a channel with its topics, and
 * `parley://channel/7/topic/release%20plan` a topic with its newest messages.
 */
import { decodePercent } from "../../actors/percent-encoding.ts";
import { accessChannel } from "../../actors/realm/access.ts";
import { lastOf } from "../../storage/failures.ts";
import type { ChannelId } from "../../storage/ids.ts";
import type { ChannelRow } from "../../storage/rows.ts";
import { fetchMessages } from "./messages.ts";
import { channelsAfter, topicsOf } from "./reading-tools.ts";
import type { Asked, Json } from "./tool.ts";

/** Messages of a topic that is read as a resource. */
const topicMessages = 50;
const mimeType = "application/json";

const channelUri = (id: ChannelId): string => `parley://channel/${id}`;
const topicUri = (id: ChannelId, topic: string): string => `${channelUri(id)}/topic/${encodeURIComponent(topic)}`;
const uriPattern = /^parley:\/\/channel\/(\d{1,15})(?:\/topic\/([^/?#]*))?$/;

export const resourceTemplates: readonly Json[] = [
  {
    uriTemplate: "parley://channel/{channel_id}",
    name: "channel",
    title: "A channel",
    description: "A channel and its topics, the one with the newest message first.",
    mimeType,
  },
  {
    uriTemplate: "parley://channel/{channel_id}/topic/{topic}",
    name: "topic",
    title: "A topic",
    description: "A topic and its newest messages, oldest first.",
    mimeType,
  },
];

/** A page of the channels, after the one whose id the cursor is. */
export async function listResources(asked: Asked, afterId: ChannelId): Promise<Json> {
  const { page, has_more } = await channelsAfter(asked, afterId);
  const resources = page.map(({ channel_id, name, description }) => ({
    uri: channelUri(channel_id),
    name,
    title: `#${name}`,
    ...(description !== "" && { description }),
    mimeType,
  }));
  return { resources, ...(has_more && { nextCursor: String(lastOf(page).channel_id) }) };
}

/** Which channel or topic a resource is; undefined: none. */
export function placeOf(uri: string): { channelId: ChannelId; topic?: string } | undefined {
  const [, id, topic] = uriPattern.exec(uri) ?? [];
  const name = topic === undefined ? undefined : decodePercent(topic);
  if (id === undefined || (topic !== undefined && name === undefined)) return undefined;
  return { channelId: Number(id), ...(name !== undefined && { topic: name }) };
}

/** Undefined: there is no such resource, or the caller may not know of it. */
export async function readResource(asked: Asked, uri: string): Promise<Json | undefined> {
  const place = placeOf(uri);
  if (!place) return undefined;
  const { channelId, topic } = place;
  const channel = accessChannel(asked.realm.state, asked.user, channelId);
  const value = topic === undefined ? await channelValue(asked, channel) : await topicValue(asked, channel, topic);
  return { contents: [{ uri, mimeType, text: JSON.stringify(value) }] };
}

async function channelValue(asked: Asked, channel: ChannelRow): Promise<Json> {
  const { topics, ...rest } = await topicsOf(asked, channel);
  const { id, name, description } = channel;
  const linked = topics.map((topic) => ({ ...topic, uri: topicUri(id, topic.name) }));
  return { ...rest, channel_id: id, name, description, topics: linked };
}

function topicValue(asked: Asked, { id }: ChannelRow, topic: string): Promise<Json> {
  const narrow = [
    { operator: "channel", operand: id },
    { operator: "topic", operand: topic },
  ];
  return fetchMessages(asked, { narrow, anchor: "newest", num_before: topicMessages, num_after: 0 });
}
