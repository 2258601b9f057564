/**
 * `subscriptions/listen`: a stream that tells an assistant which of its resources have changed. It is an event queue
 * of the account with another form of its events, and ends with its connection. Who does not listen has none.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
import { ApiError } from "../../actors/errors.ts";
import { eventQueues } from "../../actors/event-queue/memory.ts";
import type { Capability } from "../../actors/events/capabilities.ts";
import { accessChannel } from "../../actors/realm/access.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import type { ChannelId } from "../../storage/ids.ts";
import { checkScope } from "../api/scopes.ts";
import type { StreamForm } from "../server/event-stream.ts";
import { placeOf } from "./resources.ts";
import type { Asked, Id, Json } from "./tool.ts";

/** Resources of one stream. */
const maxResources = 200;
/** A queue whose stream has broken is of no use to anybody: assistants listen anew. */
const idleTimeoutSecs = 60;
const capabilities: Capability[] = ["bulk_message_deletion", "archived_channels", "empty_topic_name"];
const messageTypes = ["message", "update_message", "delete_message"];
const listTypes = ["stream", "subscription"];

/** Begins a stream. @throws ApiError before it has begun */
export async function listen(asked: Asked, id: Id, wanted: Json): Promise<void> {
  const { realm, user, exchange, session, key, client } = asked;
  checkScope(key?.scope ?? "all", { method: "GET", path: "/events" });
  const resources = knownAmong(asked, wanted["resourceSubscriptions"]);
  const wantsList = wanted["resourcesListChanged"] === true;
  const queues = memoryOf(realm, eventQueues);
  const registration = {
    event_types: [...messageTypes, ...(wantsList ? listTypes : [])],
    narrow: [],
    apply_markdown: false,
    client_gravatar: true,
    slim_presence: true,
    all_public_streams: true,
    include_subscribers: false,
    capabilities,
    client,
    isAssistant: true as const,
  };
  const openedBy = session ?? key;
  const from = realm.position;
  const queue = await queues.register(user.id, registration, idleTimeoutSecs, from, from, openedBy);
  // It may have ended already, with the account or for want of room.
  const end = () => void queues.delete(queue.id, user.id).catch(() => {});
  const stream = exchange.eventStream(openedBy?.id, new Notifications(id, resources, wantsList, end));
  const poll = { queueId: queue.id, userId: user.id, lastEventId: from, dontBlock: false, session: openedBy };
  stream.serve(queues, await queues.poll({ ...poll, keyVersion: user.api_key_version }, stream));
}

/** Those of the wanted resources that the account may read, by channel. */
function knownAmong({ realm: { state }, user }: Asked, wanted: unknown): Map<ChannelId, Resource[]> {
  const known = new Map<ChannelId, Resource[]>();
  if (!Array.isArray(wanted)) return known;
  for (const uri of new Set(wanted.slice(0, maxResources))) {
    if (typeof uri !== "string") continue;
    const place = placeOf(uri);
    if (!place) continue;
    try {
      accessChannel(state, user, place.channelId);
    } catch (error) {
      if (error instanceof ApiError) continue;
      throw error;
    }
    const resource = { uri, topic: place.topic?.toLowerCase() };
    known.set(place.channelId, [...(known.get(place.channelId) ?? []), resource]);
  }
  return known;
}

interface Resource {
  uri: string;
  /** In lower case; undefined: the whole channel. */
  topic: string | undefined;
}

/** Events as they come, as far as they are read here. */
interface TopicEvent {
  type: string;
  stream_id?: ChannelId;
  new_stream_id?: ChannelId;
  topic?: string;
  subject?: string;
  orig_subject?: string;
  message?: { stream_id?: ChannelId; subject: string };
}

const signOfLife = Buffer.from(":\n\n");

class Notifications implements StreamForm {
  readonly beginning: string;

  constructor(
    private readonly id: Id,
    private readonly resources: ReadonlyMap<ChannelId, readonly Resource[]>,
    private readonly wantsList: boolean,
    readonly gone: () => void,
  ) {
    const notifications = {
      ...(resources.size > 0 && { resourceSubscriptions: [...resources.values()].flat().map(({ uri }) => uri) }),
      ...(wantsList && { resourcesListChanged: true }),
    };
    this.beginning = this.#notification("subscriptions/acknowledged", { notifications });
  }

  translate(events: Uint8Array): Uint8Array {
    const changed = new Set<string>();
    let isListChanged = false;
    for (const line of Buffer.from(events).toString().split("\n")) {
      if (!line.startsWith("data: ")) continue;
      const event: TopicEvent = JSON.parse(line.slice("data: ".length));
      if (listTypes.includes(event.type)) isListChanged = this.wantsList;
      else for (const uri of this.#changedBy(event)) changed.add(uri);
    }
    const told = [...changed].map((uri) => this.#notification("resources/updated", { uri }));
    if (isListChanged) told.push(this.#notification("resources/list_changed", {}));
    return told.length === 0 ? signOfLife : Buffer.from(told.join(""));
  }

  /** Where the event's messages are, and were before they were moved. */
  *#changedBy({ message, stream_id, new_stream_id, topic, subject, orig_subject }: TopicEvent): Generator<string> {
    const channels = [message?.stream_id, stream_id, new_stream_id];
    const topics = [message?.subject, topic, subject, orig_subject].map((name) => name?.toLowerCase());
    // An edit that moves nothing names no topic: any of the channel may be meant.
    const isAny = topics.every((name) => name === undefined);
    for (const channelId of channels) {
      if (channelId === undefined) continue;
      for (const resource of this.resources.get(channelId) ?? [])
        if (resource.topic === undefined || isAny || topics.includes(resource.topic)) yield resource.uri;
    }
  }

  #notification(method: string, params: Json): string {
    const _meta = { "io.modelcontextprotocol/subscriptionId": this.id };
    const message = { jsonrpc: "2.0", method: `notifications/${method}`, params: { ...params, _meta } };
    return `data: ${JSON.stringify(message)}\n\n`;
  }
}
