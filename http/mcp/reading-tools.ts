/** Tools that read. Those that Zulip has as well have its names, arguments and answers. */
import { array, boolean, defaulted, enums, integer, object, optional, string, unknown } from "superstruct";
import type { ListedChannel } from "../../actors/channels/shapes.ts";
import { either } from "../../actors/either.ts";
import { userId } from "../../actors/id-shapes.ts";
import { presenceMemory } from "../../actors/presence/memory.ts";
import { offlineAfterSecs } from "../../actors/presence/presence.ts";
import { accessChannel, accessChannelByName, apiEmail } from "../../actors/realm/access.ts";
import { memoryOf } from "../../actors/realm/memory.ts";
import { annotated, described } from "../../actors/shape.ts";
import { visibleUsers } from "../../actors/users/known-people.ts";
import type { TopicRow } from "../../storage/channels.ts";
import type { ChannelId, MessageId, UserId } from "../../storage/ids.ts";
import type { ChannelRow, UserRow } from "../../storage/rows.ts";
import { getChannels, getTopics } from "../resources/channels/channels.ts";
import { getLinkifiers } from "../resources/organization/linkifiers.ts";
import {
  channelName,
  firstOf,
  flag,
  fromMessage,
  inOneAnswer,
  limit,
  maxRows,
  openCount,
  topicName,
  words,
} from "./arguments.ts";
import { fetchMessages, notice } from "./messages.ts";
import { type Asked, at, callRoute, type Tool, tool } from "./tool.ts";

const maxTerms = 20;
/** Characters that a search has. */
const maxQueryLength = 1000;
const readsMessages = { method: "GET", path: "/messages" } as const;
const getsChannels = at("GET /streams", getChannels);
const getsTopics = at("GET /users/me/:stream_id/topics", getTopics);
const getsLinkifiers = at("GET /realm/linkifiers", getLinkifiers);

/** https://zulip.com/api/construct-narrow */
const narrowTerm = object({
  operator: described(string(), "Such as `channel`, `topic`, `sender`, `search`, `dm`, `has` or `is`."),
  operand: described(unknown(), "A name, an id, words, or a list of ids."),
  negated: described(optional(boolean()), "Whether the term must not fit."),
});

const anchors = ["newest", "oldest", "first_unread"] as const;

const getMessagesTool = tool({
  name: "get_messages",
  title: "Get messages",
  description:
    "Messages that fit a narrow, around an anchor, oldest first. The narrow is that of GET /messages at Zulip, " +
    "full-text search (operator `search`) included. To page, ask again with the first or last id as the anchor.",
  uses: readsMessages,
  takes: object({
    narrow: annotated(
      defaulted(array(narrowTerm), () => []),
      {
        type: "array",
        maxItems: maxTerms,
        default: [],
        description: "Terms that must all fit. An empty list is everything that the account received.",
      },
    ),
    anchor: annotated(defaulted(either(integer(), enums(anchors)), "newest"), {
      oneOf: [{ type: "integer" }, { type: "string", enum: anchors }],
      default: "newest",
      description: "A message's id, or a word.",
    }),
    include_anchor: flag("Whether the anchor itself is returned.", true),
    num_before: openCount("How many to return from before the anchor.", maxRows),
    num_after: openCount("How many to return from after the anchor.", 0),
  }),
  run: (asked, { num_before, num_after, ...given }) =>
    fetchMessages(asked, { ...given, num_before: inOneAnswer(num_before), num_after: inOneAnswer(num_after) }),
});

const pagedTakes = {
  before_id: fromMessage("Only older messages than this one."),
  limit: limit(20),
};

/** The newest messages, or those before one. */
const newest = (
  narrow: readonly unknown[],
  { before_id, limit }: { before_id?: MessageId | undefined; limit: number },
) => ({
  narrow,
  anchor: before_id ?? "newest",
  include_anchor: before_id === undefined,
  num_before: limit,
  num_after: 0,
});

const searchMessagesTool = tool({
  name: "search_messages",
  title: "Search messages",
  description:
    "Finds messages that the account may read by their words, newest last. To page, pass the first id as `before_id`.",
  uses: readsMessages,
  takes: object({
    query: words("Words that all occur, or a phrase in double quotes.", maxQueryLength),
    channel: optional(channelName()),
    topic: optional(topicName()),
    sender_id: described(optional(userId()), "Only messages of this person."),
    ...pagedTakes,
  }),
  run(asked, { query, channel, topic, sender_id, ...page }) {
    const narrow = [
      // Words in every public channel, and what else the account received.
      ...(channel === undefined ? [] : [term("channel", channel)]),
      ...(topic === undefined ? [] : [term("topic", topic)]),
      ...(sender_id === undefined ? [] : [term("sender", sender_id)]),
      term("search", query),
    ];
    return fetchMessages(asked, newest(narrow, page));
  },
});

const readTopicTool = tool({
  name: "read_topic",
  title: "Read a topic",
  description: "The messages of a topic, the newest or those before one, oldest first.",
  uses: readsMessages,
  takes: object({ channel: channelName(), topic: topicName(), ...pagedTakes }),
  run: (asked, { channel, topic, ...page }) =>
    fetchMessages(asked, newest([term("channel", channel), term("topic", topic)], page)),
});

const term = (operator: string, operand: unknown) => ({ operator, operand });

const listChannelsTool = tool({
  name: "list_channels",
  title: "List channels",
  description: "Channels that the account may know of and use, by id. To page, pass the last id as `after_id`.",
  uses: getsChannels,
  takes: object({ after_id: described(optional(integer()), "Only channels with a higher id."), limit: limit(maxRows) }),
  async run(asked, { after_id, limit }) {
    const { page, has_more } = await channelsAfter(asked, after_id, limit);
    return { notice, channels: page, has_more };
  },
});

/** A page of the channels that are listed to the caller, by id. */
export async function channelsAfter(asked: Asked, afterId: ChannelId = 0, limit = maxRows) {
  const { streams } = (await callRoute(asked, getsChannels, {})) as { streams: ListedChannel[] };
  return firstOf(streams, limit, (channel) => {
    if (channel.stream_id <= afterId) return undefined;
    const { stream_id, name, description, invite_only, is_web_public } = channel;
    return { channel_id: stream_id, name, description, is_private: invite_only, is_web_public };
  });
}

const listTopicsTool = tool({
  name: "list_topics",
  title: "List topics",
  description:
    "Topics of a channel, the one with the newest message first. To page, pass the last `max_message_id` as `before_id`.",
  uses: getsTopics,
  takes: object({
    channel: channelName(),
    before_id: fromMessage("Only topics whose newest message is older than this one."),
    limit: limit(maxRows),
  }),
  run: (asked, { channel, before_id, limit }) => topicsOf(asked, channelOf(asked, channel), before_id, limit),
});

/** A channel by its name or id. @throws as `accessChannel` does */
function channelOf({ realm: { state }, user }: Asked, name: string | number): ChannelRow {
  return typeof name === "number" ? accessChannel(state, user, name) : accessChannelByName(state, user, name);
}

/** A page of a channel's topics, newest message first. */
export async function topicsOf(
  asked: Asked,
  { id }: ChannelRow,
  beforeId: MessageId = Number.MAX_SAFE_INTEGER,
  limit = maxRows,
): Promise<{ notice: string; topics: { name: string; max_message_id: MessageId }[]; has_more: boolean }> {
  const { topics } = (await callRoute(asked, getsTopics, { stream_id: id })) as {
    topics: TopicRow[];
  };
  const { page, has_more } = firstOf(topics, limit, ({ name, max_id }) =>
    max_id < beforeId ? { name, max_message_id: max_id } : undefined,
  );
  return { notice, topics: page, has_more };
}

const listLinkifiersTool = tool({
  name: "list_linkifiers",
  title: "List linkifiers",
  description: "Patterns that become links in messages, such as numbers of issues, and where each leads.",
  uses: getsLinkifiers,
  takes: object({}),
  async run(asked) {
    const { linkifiers } = (await callRoute(asked, getsLinkifiers, {})) as {
      linkifiers: { pattern: string; url_template: string }[];
    };
    const { page, has_more } = firstOf(linkifiers, maxRows, ({ pattern, url_template }) => ({ pattern, url_template }));
    return { notice, linkifiers: page, has_more };
  },
});

const pagedPeople = {
  after_id: described(optional(userId()), "Only people with a higher id."),
  limit: limit(50),
};

/** Accounts that the caller may know of, by id. */
function peopleAfter({ realm: { state }, user }: Asked, afterId: UserId): UserRow[] {
  const isListed = ({ id, is_active, is_system_bot }: UserRow) => id > afterId && is_active && !is_system_bot;
  return [...visibleUsers(state, user)].filter(isListed).sort((one, other) => one.id - other.id);
}

const getUsersTool = tool({
  name: "get_users",
  title: "List people",
  description:
    "Active accounts, by id, optionally those whose name or address contains a text. To page, pass the last id as `after_id`.",
  uses: { method: "GET", path: "/users" },
  takes: object({
    query: described(optional(words("", maxQueryLength)), "A part of a name or address; case is ignored."),
    ...pagedPeople,
    limit: openCount("How many to return at most.", 50, 1),
  }),
  run(asked, { query = "", after_id = 0, limit }) {
    const sought = query.toLowerCase();
    const { page, has_more } = firstOf(peopleAfter(asked, after_id), inOneAnswer(limit), (person) => {
      const email = apiEmail(asked.realm.state, person);
      if (!`${person.full_name}\n${email}`.toLowerCase().includes(sought)) return undefined;
      return { user_id: person.id, full_name: person.full_name, email, is_bot: person.is_bot };
    });
    return { notice, users: page, has_more };
  },
});

const whoIsHereTool = tool({
  name: "who_is_here",
  title: "Who is here",
  description:
    "People who were here in the last minutes and share their presence. To page, pass the last id as `after_id`.",
  uses: { method: "GET", path: "/realm/presence" },
  takes: object(pagedPeople),
  async run(asked, { after_id = 0, limit }) {
    const { realm } = asked;
    await realm.currentUnstored();
    const presence = memoryOf(realm, presenceMemory);
    const since = realm.environment.clock() - offlineAfterSecs;
    const { page, has_more } = firstOf(peopleAfter(asked, after_id), limit, (person) => {
      const here = presence.wasHere(person, since) ? presence.of(person) : undefined;
      if (!here) return undefined;
      const { status, timestamp } = here.aggregated;
      return { user_id: person.id, full_name: person.full_name, status, timestamp };
    });
    return { notice, people: page, has_more };
  },
});

export const readingTools: readonly Tool[] = [
  getMessagesTool,
  searchMessagesTool,
  readTopicTool,
  listChannelsTool,
  listTopicsTool,
  listLinkifiersTool,
  getUsersTool,
  whoIsHereTool,
];
