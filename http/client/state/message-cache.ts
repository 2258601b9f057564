/** The known messages by id, updated by events. Lists of messages contain only ids. */
import type {
  ClientEvent,
  DeleteMessageEvent,
  MessageFlagsEvent,
  NewMessageEvent,
  ReactionEvent,
  SubmessageEvent,
  UpdateMessageEvent,
} from "../events.ts";
import type { Message, MessageId, Reaction } from "../types.ts";
import { togglesResolved } from "./resolved.ts";

/** A message stays what it is: in a channel, or to people. */
type Changeable = Omit<Message, "type" | "stream_id" | "display_recipient">;

export class MessageCache {
  readonly #messages = new Map<MessageId, Message>();

  get(id: MessageId): Message | undefined {
    return this.#messages.get(id);
  }

  get size(): number {
    return this.#messages.size;
  }

  /** Adds fetched messages. Events since the fetch are newer than its answer. */
  add(messages: readonly Message[]): void {
    for (const message of messages) this.#messages.set(message.id, message);
  }

  /** Drops all other messages. */
  keepOnly(ids: ReadonlySet<MessageId>): void {
    for (const id of this.#messages.keys()) if (!ids.has(id)) this.#messages.delete(id);
  }

  clear(): void {
    this.#messages.clear();
  }

  /** Applies an event. Returns the messages that changed. */
  apply(event: ClientEvent): readonly MessageId[] {
    switch (event.type) {
      case "message":
        return this.#receive(event);
      case "update_message":
        return this.#update(event);
      case "delete_message":
        return this.#remove(event);
      case "update_message_flags":
        return this.#flag(event);
      case "reaction":
        return this.#react(event);
      case "submessage":
        return this.#addSubmessage(event);
      default:
        return [];
    }
  }

  /** A changed message is a new object, so views notice the change by identity. */
  #change(id: MessageId, change: (message: Message) => Partial<Changeable>): MessageId[] {
    const message = this.#messages.get(id);
    if (!message) return [];
    this.#messages.set(id, { ...message, ...change(message) });
    return [id];
  }

  #receive({ message, flags }: NewMessageEvent): MessageId[] {
    this.#messages.set(message.id, { ...message, flags });
    return [message.id];
  }

  #update(event: UpdateMessageEvent): MessageId[] {
    const changed = new Set<MessageId>();
    const { rendered_content: content } = event;
    if (content !== undefined) {
      const at = event.edit_timestamp;
      for (const id of this.#change(event.message_id, (message) => ({
        content,
        flags: mergeFlags(message.flags, event.flags),
        ...(!event.rendering_only && at !== undefined && { last_edit_timestamp: at }),
      })))
        changed.add(id);
    }
    if (event.subject === undefined && event.new_stream_id === undefined) return [...changed];
    for (const id of event.message_ids) {
      const message = this.#messages.get(id);
      if (!message) continue;
      this.#messages.set(id, moved(message, event));
      changed.add(id);
    }
    return [...changed];
  }

  #remove({ message_ids: ids }: DeleteMessageEvent): MessageId[] {
    for (const id of ids) this.#messages.delete(id);
    return ids;
  }

  #flag({ op, flag, messages, all }: MessageFlagsEvent): MessageId[] {
    const ids = all ? [...this.#messages.keys()] : messages;
    return ids.flatMap((id) =>
      this.#messages.get(id)?.flags.includes(flag) === (op === "add")
        ? []
        : this.#change(id, ({ flags }) => ({
            flags: op === "add" ? [...flags, flag] : flags.filter((one) => one !== flag),
          })),
    );
  }

  #react({ op, message_id, emoji_code, emoji_name, reaction_type, user_id }: ReactionEvent): MessageId[] {
    const isSame = (one: Reaction) =>
      one.user_id === user_id && one.emoji_code === emoji_code && one.reaction_type === reaction_type;
    return this.#change(message_id, ({ reactions }) => {
      const others = reactions.filter((one) => !isSame(one));
      return { reactions: op === "add" ? [...others, { emoji_code, emoji_name, reaction_type, user_id }] : others };
    });
  }

  #addSubmessage({ submessage_id, message_id, sender_id, msg_type, content }: SubmessageEvent): MessageId[] {
    return this.#change(message_id, ({ submessages }) => ({
      submessages: [
        ...submessages.filter(({ id }) => id !== submessage_id),
        { id: submessage_id, message_id, sender_id, msg_type, content },
      ],
    }));
  }
}

function mergeFlags(before: readonly string[], told: readonly string[]): string[] {
  // Flags that follow from the text come with the event. The person's own flags stay.
  const ofPerson = before.filter((flag) => flag === "starred" || flag === "read" || flag === "collapsed");
  return [...new Set([...ofPerson, ...told])];
}

function moved(message: Message, event: UpdateMessageEvent): Message {
  const { subject, orig_subject = message.subject, topic_links = [], new_stream_id, edit_timestamp } = event;
  const isMark = new_stream_id === undefined && subject !== undefined && togglesResolved(orig_subject, subject);
  const now: Message = {
    ...message,
    ...(subject !== undefined && { subject, topic_links }),
    ...(edit_timestamp !== undefined && !isMark && { last_moved_timestamp: edit_timestamp }),
  };
  return now.type === "stream" && new_stream_id !== undefined ? { ...now, stream_id: new_stream_id } : now;
}
