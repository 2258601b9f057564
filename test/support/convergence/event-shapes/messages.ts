/** Shapes of the events about messages. https://zulip.com/api/get-events */
import { array, dynamic, enums, literal, nullable, object, optional, refine } from "superstruct";
import type { ClientProfile } from "../client-profile.ts";
import { bool, byId, exactly, type Fields, int, ints, risingInts, type Shape, str, strs } from "./objects.ts";

/** Makes the shape of one event, for one kind of client. The fields `id`, `type` and `op` are added to it. */
export type EventShape = (event: Record<string, unknown>, profile: ClientProfile) => Fields;

const REACTION_FIELDS = {
  emoji_name: str,
  emoji_code: str,
  reaction_type: enums(["unicode_emoji", "realm_emoji", "zulip_extra_emoji"]),
};

const reaction = object({ ...REACTION_FIELDS, user_id: int });
const submessage = object({ id: int, message_id: int, sender_id: int, msg_type: str, content: str });
const participant = object({ id: int, email: str, full_name: str, is_mirror_dummy: bool });
const topicLink = object({ text: str, url: str });

/** A message as message events carry it: 6.4 without flags, edit history and matches. */
export function message(profile: ClientProfile): Shape {
  return dynamic((given) => {
    const isChannel = (given as { type?: unknown } | null)?.type === "stream";
    return exactly({
      id: int,
      sender_id: int,
      sender_email: str,
      sender_full_name: str,
      sender_realm_str: str,
      avatar_url: nullable(str),
      content: str,
      content_type: literal(profile.applyMarkdown ? "text/html" : "text/x-markdown"),
      timestamp: int,
      client: str,
      type: enums(["stream", "private"]),
      ...(isChannel && { stream_id: int }),
      display_recipient: isChannel ? str : array(participant),
      recipient_id: int,
      subject: isChannel ? str : literal(""),
      topic_links: array(topicLink),
      is_me_message: bool,
      reactions: array(reaction),
      submessages: array(submessage),
      last_edit_timestamp: optional(int),
      last_moved_timestamp: optional(int),
    });
  });
}

/** Which fields an update_message event must have follows from what was changed. */
const updateMessage: EventShape = (event) => {
  const isMove = "new_stream_id" in event;
  const hasTopic = "subject" in event;
  const isEdit = "content" in event && event["rendering_only"] !== true;
  const isChannel = "stream_id" in event || isMove || hasTopic;
  return {
    user_id: event["rendering_only"] === true ? literal(null) : nullable(int),
    rendering_only: bool,
    message_id: int,
    message_ids: refine(risingInts, "complete", (ids) =>
      ids.includes(event["message_id"] as number) ? true : "Expected message_ids to contain message_id",
    ),
    flags: strs,
    edit_timestamp: int,
    ...(isChannel && { stream_id: int, stream_name: optional(str) }),
    ...(event["rendering_only"] === true && { content: str, rendered_content: str }),
    ...(isEdit &&
      // A channel move and a content edit never share an event, so the edit's fields count as extra ones then.
      !isMove && {
        orig_content: str,
        orig_rendered_content: str,
        content: str,
        rendered_content: str,
        is_me_message: bool,
      }),
    ...((isMove || hasTopic) && {
      orig_subject: str,
      propagate_mode: enums(["change_one", "change_later", "change_all"]),
    }),
    ...(hasTopic && { subject: str, topic_links: array(topicLink) }),
    ...(isMove && { new_stream_id: int }),
  };
};

const deleteMessage: EventShape = (event, profile) => ({
  ...(profile.capabilities.has("bulk_message_deletion") ? { message_ids: risingInts } : { message_id: int }),
  message_type: enums(["stream", "private"]),
  ...(event["message_type"] === "stream" && { stream_id: int, topic: str }),
});

const unreadDetails = dynamic((given) => {
  const isChannel = (given as { type?: unknown } | null)?.type === "stream";
  return exactly({
    type: enums(["stream", "private"]),
    mentioned: optional(bool),
    ...(isChannel ? { stream_id: int, topic: str } : { user_ids: ints }),
  });
});

const updateFlags: EventShape = (event) => {
  const isUnread = event["op"] === "remove" && event["flag"] === "read";
  const messages = (event["messages"] ?? []) as number[];
  const isWhole = event["all"] === true;
  return {
    operation: literal(event["op"] as string),
    flag: isWhole ? literal("read") : str,
    messages: refine(ints, "empty with all", (ids) =>
      isWhole === (ids.length === 0) ? true : "Expected messages to be empty exactly when all is true",
    ),
    all: bool,
    ...(isUnread && {
      message_details: refine(byId(unreadDetails), "complete", (details) =>
        Object.keys(details as object).length === messages.length &&
        messages.every((id) => String(id) in (details as object))
          ? true
          : "Expected details of exactly the named messages",
      ),
    }),
  };
};

const reactionEvent: EventShape = () => ({
  ...REACTION_FIELDS,
  message_id: int,
  user_id: int,
  // One terminal client fails without it.
  user: object({ user_id: int, email: str, full_name: str }),
});

/** Shapes by `type` or `type/op`. */
export const messageShapes: Readonly<Record<string, EventShape>> = {
  message: (_event, profile) => ({ message: message(profile), flags: strs, local_message_id: optional(str) }),
  update_message: updateMessage,
  delete_message: deleteMessage,
  "update_message_flags/add": updateFlags,
  "update_message_flags/remove": updateFlags,
  "reaction/add": reactionEvent,
  "reaction/remove": reactionEvent,
  submessage: () => ({ msg_type: str, message_id: int, submessage_id: int, sender_id: int, content: str }),
};
