/** The forms of events about messages, and of others that name topics. */
import type { UserId } from "../../storage/ids.ts";
import { canSeeEmail, canSeeUser, everybodyKnowsAll } from "../realm/access.ts";
import { emptyTopicDisplayName } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { unknownSender } from "../users/record.ts";
import type { Capability } from "./capabilities.ts";
import { eventForm, flag, type MessageForm, type Reader, same } from "./form.ts";
import type { FlagsNow, MessageEvent } from "./messages.ts";
import type { Registration } from "./registration.ts";

const messageForms = new Map<string, MessageForm>(
  [true, false].flatMap((html) =>
    [true, false].flatMap((gravatar) =>
      [true, false].map((emptyTopic): [string, MessageForm] => [
        `${html} ${gravatar} ${emptyTopic}`,
        Object.freeze({ html, gravatar, emptyTopic }),
      ]),
    ),
  ),
);

/** The form in which a queue gets messages with nothing special for it. */
export function messageForm(registration: Registration, has: ReadonlySet<Capability>): MessageForm {
  return messageForms.get(
    `${registration.apply_markdown} ${registration.client_gravatar} ${has.has("empty_topic_name")}`,
  )!;
}

const noFlags: string[] = [];
const noReaders: UserId[] = [];

/** The flags of one reader's copy of a new message. */
export function messageFlags(event: MessageEvent, userId: UserId): string[] {
  const own = event.flags[userId];
  const read =
    (event.read_by_sender && event.message.sender_id === userId) || isListed(event.read_by ?? noReaders, userId);
  if (!read && own === undefined) return event.common_flags;
  return [...(read ? ["read"] : noFlags), ...(own ?? noFlags), ...event.common_flags];
}

/** @param ids ascending */
function isListed(ids: readonly UserId[], id: UserId): boolean {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return ids[low] === id;
}

/** Whether the reader may not know of a user. */
export function isStranger(userId: UserId, reader: Reader, state: RealmState): boolean {
  if (everybodyKnowsAll(state)) return false;
  const target = state.users.get(userId);
  const user = state.users.get(reader.userId);
  return target !== undefined && user !== undefined && !canSeeUser(state, target, user);
}

/** Whether the reader may know the e-mail address of a user. */
export function seesEmailOf(userId: UserId, reader: Reader, state: RealmState): boolean {
  const target = state.users.get(userId);
  return target !== undefined && canSeeEmail(target, state.users.get(reader.userId));
}

const topicFor = (topic: string, emptyTopic: boolean): string =>
  topic === "" && !emptyTopic ? emptyTopicDisplayName : topic;

const topicForm = flag("emptyTopic");
/** The form of an event that names topics. It differs only where a topic is empty. */
const formOfTopic = (topic: string | undefined, reader: Reader) =>
  topicForm(topic !== "" || reader.has.has("empty_topic_name"));

interface FullMessageForm extends MessageForm {
  flags?: string[];
  /** Somebody who writes to a channel from outside may be unknown to a guest in it. */
  fromStranger?: true;
  /** The reader may know the address of a sender who does not show it to everybody. */
  hiddenGravatar?: true;
  /** The `local_id` of the send, for the queue that the send named. */
  localId?: string;
}

export const message = eventForm<"message", FullMessageForm>({
  form(event, reader, state) {
    const flags = messageFlags(event, reader.userId);
    const fromStranger = event.has_strangers === true && isStranger(event.message.sender_id, reader, state);
    const { local } = event;
    const isLocal = local !== undefined && local.queue_id === reader.id;
    const hiddenGravatar =
      event.message.hidden_gravatar !== undefined && seesEmailOf(event.message.sender_id, reader, state);
    if (flags.length === 0 && !fromStranger && !hiddenGravatar && !isLocal) return reader.messageForm;
    return {
      ...reader.messageForm,
      flags,
      ...(fromStranger && { fromStranger }),
      ...(hiddenGravatar && { hiddenGravatar }),
      ...(isLocal && { localId: local.local_id }),
    };
  },
  write(event, form, state) {
    const sent = form.fromStranger
      ? { ...event.message, ...unknownSender(state, event.message.sender_id) }
      : event.message;
    const { rendered_content, gravatar, hidden_gravatar, ...shown } = sent;
    if (form.hiddenGravatar && hidden_gravatar !== undefined) shown.avatar_url = hidden_gravatar;
    return {
      type: "message",
      message: {
        ...shown,
        avatar_url: gravatar && form.gravatar ? null : shown.avatar_url,
        content: form.html ? rendered_content : shown.content,
        content_type: form.html ? "text/html" : "text/x-markdown",
        subject: shown.type === "stream" ? topicFor(shown.subject, form.emptyTopic) : "",
        reactions: [],
        submessages: event.widget ? [event.widget] : [],
      },
      flags: form.flags ?? noFlags,
      ...(form.localId !== undefined && { local_message_id: form.localId }),
    };
  },
});

export const updateMessage = eventForm<"update_message", { emptyTopic: boolean; flags: string[] }>({
  form: (event, reader) => ({
    emptyTopic: reader.has.has("empty_topic_name"),
    flags: editedFlags(event, reader.userId),
  }),
  write(event, { emptyTopic, flags }) {
    const { user_flags: _u, common_flags: _c, read_by: _r, unread_by: _n, ...fields } = event;
    return {
      ...fields,
      flags,
      ...(fields.orig_subject !== undefined && { orig_subject: topicFor(fields.orig_subject, emptyTopic) }),
      ...(fields.subject !== undefined && { subject: topicFor(fields.subject, emptyTopic) }),
    };
  },
});

/** A reader's flags on an edited message. */
function editedFlags({ user_flags, common_flags, read_by, unread_by }: FlagsNow, userId: UserId): string[] {
  const hasRead = unread_by ? !isListed(unread_by, userId) : isListed(read_by ?? noReaders, userId);
  return [...(hasRead ? ["read"] : noFlags), ...(user_flags[userId] ?? noFlags), ...common_flags];
}

export const deleteMessage = eventForm<"delete_message", { bulk: boolean; emptyTopic: boolean }>({
  form: (_, reader) => ({
    bulk: reader.has.has("bulk_message_deletion"),
    emptyTopic: reader.has.has("empty_topic_name"),
  }),
  write(event, { bulk, emptyTopic }) {
    const shown = event.topic === undefined ? event : { ...event, topic: topicFor(event.topic, emptyTopic) };
    if (bulk) return { ...shown };
    const { message_ids, ...rest } = shown;
    return message_ids.map((message_id) => ({ ...rest, message_id }));
  },
});

export const updateMessageFlags = eventForm<"update_message_flags", { emptyTopic: boolean }>({
  form: (_, reader) => topicForm(reader.has.has("empty_topic_name")),
  write(event, { emptyTopic }) {
    const details = event.message_details;
    if (!details || emptyTopic) return { ...event };
    const shown = Object.entries(details).map(([id, detail]) => [
      id,
      detail.type === "private" ? detail : { ...detail, topic: topicFor(detail.topic, emptyTopic) },
    ]);
    return { ...event, message_details: Object.fromEntries(shown) };
  },
});

export const typing = eventForm<"typing", { emptyTopic: boolean }>({
  form: (event, reader) => formOfTopic(event.message_type === "stream" ? event.topic : undefined, reader),
  write: (event, { emptyTopic }) =>
    event.message_type === "stream" ? { ...event, topic: topicFor(event.topic, emptyTopic) } : { ...event },
});

/** The event about an edit under way names its conversation inside `recipient`. */
export const typingEditMessage = eventForm<"typing_edit_message", { emptyTopic: boolean }>({
  form: ({ recipient }, reader) => formOfTopic(recipient.type === "channel" ? recipient.topic : undefined, reader),
  write: (event, { emptyTopic }) =>
    event.recipient.type === "channel"
      ? { ...event, recipient: { ...event.recipient, topic: topicFor(event.recipient.topic, emptyTopic) } }
      : { ...event },
});

export const userTopic = eventForm<"user_topic", { emptyTopic: boolean }>({
  form: (event, reader) => formOfTopic(event.topic_name, reader),
  write: (event, { emptyTopic }) => ({ ...event, topic_name: topicFor(event.topic_name, emptyTopic) }),
});

export const mutedTopics = eventForm<"muted_topics", { emptyTopic: boolean }>({
  form: (event, reader) => formOfTopic(event.muted_topics.some(([, topic]) => topic === "") ? "" : undefined, reader),
  write: (event, { emptyTopic }) => ({
    ...event,
    muted_topics: event.muted_topics.map(([channel, topic, at]) => [channel, topicFor(topic, emptyTopic), at]),
  }),
});

const reactionForm = flag("fromStranger");

/** `user` says who reacted, for readers who may know them. */
export const reaction = eventForm<"reaction", { fromStranger: boolean }>({
  form: (event, reader, state) => reactionForm(isStranger(event.user_id, reader, state)),
  write(event, { fromStranger }, state) {
    if (!fromStranger) return { ...event };
    const { sender_email: email, sender_full_name: full_name } = unknownSender(state, event.user_id);
    return { ...event, user: { user_id: event.user_id, email, full_name } };
  },
});

/** `client` names the client whose queues get the event. It is not sent. */
export const device = eventForm<"device", object>({
  form: () => same,
  write: ({ client: _, ...event }) => event,
});
