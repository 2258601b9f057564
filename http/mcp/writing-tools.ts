/** Tools that change something, each by an endpoint of the API. */
import { array, object, optional, size } from "superstruct";
import { badRequest } from "../../actors/errors.ts";
import { messageId } from "../../actors/id-shapes.ts";
import { accessChannel, accessChannelByName } from "../../actors/realm/access.ts";
import { annotated, described } from "../../actors/shape.ts";
import { addReaction, removeReaction } from "../resources/messages/change.ts";
import { markTopicAsRead, updateMessageFlags } from "../resources/messages/flags.ts";
import { sendMessage } from "../resources/messages/send.ts";
import { createDrafts } from "../resources/personal/drafts.ts";
import { channelName, content, people, topicName, words } from "./arguments.ts";
import { type Asked, at, callRoute, type Tool, tool } from "./tool.ts";

/** Messages that are marked as read at once. */
const maxMarked = 1000;
const maxEmojiLength = 100;

const sends = at("POST /messages", sendMessage);
const savesDrafts = at("POST /drafts", createDrafts);
const reacts = at("POST /messages/:message_id/reactions", addReaction);
const takesBack = at("DELETE /messages/:message_id/reactions", removeReaction);
const flags = at("POST /messages/flags", updateMessageFlags);
const marksTopic = at("POST /mark_topic_as_read", markTopicAsRead);

const destination = {
  channel: described(optional(channelName()), "The channel, for a message in a topic."),
  topic: optional(topicName()),
  to: optional(people("Ids of people, for a direct message.")),
};

interface Destination {
  channel?: string | number | undefined;
  topic?: string | undefined;
  to?: number[] | undefined;
}

/** @throws BAD_REQUEST unless exactly one is named */
function checkDestination({ channel, to }: Destination): void {
  if ((channel === undefined) === (to === undefined))
    throw badRequest("Either a channel (with a topic) or the people of a direct message have to be named.");
}

function channelIdOf({ realm: { state }, user }: Asked, name: string | number): number {
  return (typeof name === "number" ? accessChannel(state, user, name) : accessChannelByName(state, user, name)).id;
}

const sendMessageTool = tool({
  name: "send_message",
  title: "Send a message",
  description: "Sends a message to a topic of a channel, or to people, in the account's name. It cannot be unseen.",
  uses: sends,
  isIdempotent: false,
  takes: object({ ...destination, content: content() }),
  async run(asked, given) {
    checkDestination(given);
    const { channel, topic, to } = given;
    const target =
      channel === undefined
        ? { type: "direct", to }
        : { type: "channel", to: JSON.stringify(channel), topic: topic ?? "" };
    const { id } = await callRoute(asked, sends, { ...target, content: given.content });
    return { message_id: id };
  },
});

const saveDraftTool = tool({
  name: "save_draft",
  title: "Save a draft",
  description: "Saves a draft that its person finds in their clients, to look at and send. Nobody else sees it.",
  uses: savesDrafts,
  isIdempotent: false,
  takes: object({ ...destination, content: content() }),
  async run(asked, given) {
    checkDestination(given);
    const { channel, topic, to } = given;
    const target =
      channel === undefined
        ? { type: "private", to, topic: "" }
        : { type: "stream", to: [channelIdOf(asked, channel)], topic: topic ?? "" };
    const { ids } = await callRoute(asked, savesDrafts, { drafts: [{ ...target, content: given.content }] });
    return { draft_id: Array.isArray(ids) ? ids[0] : undefined };
  },
});

const reaction = object({
  message_id: described(messageId(), "The message."),
  emoji_name: words("The emoji's name, such as `thumbs_up`.", maxEmojiLength),
});

const addReactionTool = tool({
  name: "add_reaction",
  title: "React",
  description: "Adds an emoji reaction of the account to a message.",
  uses: reacts,
  takes: reaction,
  run: (asked, given) => callRoute(asked, reacts, given),
});

const removeReactionTool = tool({
  name: "remove_reaction",
  title: "Take a reaction back",
  description: "Removes an emoji reaction of the account from a message.",
  uses: takesBack,
  takes: reaction,
  run: (asked, given) => callRoute(asked, takesBack, given),
});

const markReadTool = tool({
  name: "mark_read",
  title: "Mark as read",
  description: "Marks messages as read for the account: some by their ids, or all of a topic.",
  uses: flags,
  takes: object({
    message_ids: annotated(optional(size(array(messageId()), 1, maxMarked)), {
      description: "The messages.",
      minItems: 1,
      maxItems: maxMarked,
    }),
    channel: described(optional(channelName()), "The channel of the topic."),
    topic: optional(topicName()),
  }),
  run(asked, { message_ids: messages, channel, topic }) {
    if (messages && channel === undefined && topic === undefined)
      return callRoute(asked, flags, { messages, op: "add", flag: "read" });
    if (messages || channel === undefined || topic === undefined)
      throw badRequest("Either ids of messages or a channel and a topic have to be named.");
    return callRoute(asked, marksTopic, { stream_id: channelIdOf(asked, channel), topic_name: topic });
  },
});

export const writingTools: readonly Tool[] = [
  sendMessageTool,
  saveDraftTool,
  addReactionTool,
  removeReactionTool,
  markReadTool,
];
