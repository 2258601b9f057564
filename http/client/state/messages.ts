/** Events about messages, applied to the fetched lists of ids. The contents of messages are not part of the state. */
import type { ClientProfile } from "./client-profile.ts";
import { addSorted, dropAll, type Handler, InapplicableEventError, type RegisterState } from "./state.ts";
import { unknowable } from "./unknowable.ts";
import { addUnread, clearUnread, isMention, moveUnread, removeUnread, setMention } from "./unread.ts";

interface MessageEvent {
  message: {
    id: number;
    stream_id?: number;
    subject: string;
    display_recipient: string | { id: number }[];
  };
  flags: string[];
}

function addMessage(state: RegisterState, { message, flags }: MessageEvent): void {
  const { id } = message;
  if (state.max_message_id !== undefined) {
    state.max_message_id = typeof state.max_message_id === "number" ? Math.max(state.max_message_id, id) : id;
  }
  const others = othersOf(state, message.display_recipient);
  if (others) bumpConversation(state, others, id);
  if (flags.includes("starred") && state.starred_messages) addSorted(state.starred_messages, [id]);
  if (flags.includes("read")) return;
  const conversation = others ? { others } : { stream_id: message.stream_id ?? 0, topic: message.subject };
  addUnread(state, id, conversation, isMention(flags));
}

function othersOf(state: RegisterState, recipient: string | { id: number }[]): number[] | undefined {
  if (typeof recipient === "string") return undefined;
  return recipient
    .map((user) => user.id)
    .filter((id) => id !== state.user_id)
    .sort((a, b) => a - b);
}

/** Moves a conversation to the front: newest first. */
function bumpConversation(state: RegisterState, others: number[], id: number): void {
  const list = state.recent_private_conversations;
  if (!list) return;
  const place = list.findIndex(
    ({ user_ids }) => user_ids.length === others.length && user_ids.every((userId) => others.includes(userId)),
  );
  if (place >= 0) list.splice(place, 1);
  list.unshift({ max_message_id: id, user_ids: others });
}

interface UpdateMessageEvent {
  rendering_only: boolean;
  message_id: number;
  message_ids: number[];
  flags: string[];
  content?: string;
  new_stream_id?: number;
  subject?: string;
}

function updateMessage(state: RegisterState, event: UpdateMessageEvent): void {
  if (event.subject !== undefined || event.new_stream_id !== undefined) {
    moveUnread(state, event.message_ids, { stream_id: event.new_stream_id, topic: event.subject });
  }
  if (event.content !== undefined) setMention(state, event.message_id, isMention(event.flags));
}

function deleteMessages(state: RegisterState, event: { message_ids?: number[]; message_id?: number }): void {
  const ids = event.message_ids ?? [event.message_id ?? 0];
  removeUnread(state, ids);
  const gone = new Set<unknown>(ids);
  if (state.starred_messages) dropAll<unknown>(state.starred_messages, gone);
  if (gone.has(state.max_message_id)) state.max_message_id = unknowable("newestMessageDeleted");
  for (const conversation of state.recent_private_conversations ?? []) {
    if (gone.has(conversation.max_message_id)) conversation.max_message_id = unknowable("newestDirectMessageDeleted");
  }
}

interface FlagsEvent {
  op: "add" | "remove";
  flag: string;
  messages: number[];
  all: boolean;
  message_details?: Record<
    string,
    {
      type: string;
      mentioned?: boolean;
      stream_id?: number | undefined;
      topic?: string | undefined;
      user_ids?: number[];
    }
  >;
}

function updateFlags(state: RegisterState, event: FlagsEvent, profile: ClientProfile): void {
  if (event.flag === "starred" && state.starred_messages) {
    if (event.op === "add") addSorted(state.starred_messages, event.messages);
    else dropAll(state.starred_messages, new Set(event.messages));
  }
  if (event.flag !== "read") return;
  if (event.op === "remove") markUnread(state, event, profile);
  else if (event.all) clearUnread(state);
  else removeUnread(state, event.messages);
}

function markUnread(state: RegisterState, event: FlagsEvent, profile: ClientProfile): void {
  for (const id of event.messages) {
    const details = event.message_details?.[String(id)];
    if (!details) throw new InapplicableEventError(`${profile.name}: message ${id} became unread without details`);
    const conversation =
      details.type === "stream"
        ? { stream_id: details.stream_id ?? 0, topic: details.topic ?? "" }
        : { others: details.user_ids ?? [] };
    addUnread(state, id, conversation, details.mentioned ?? false);
  }
}

const changesNoState: Handler = () => {};

/** Handlers of the events about messages, by `type` or `type/op`. */
export const messageHandlers: Readonly<Record<string, Handler>> = {
  message: addMessage,
  update_message: updateMessage,
  delete_message: deleteMessages,
  "update_message_flags/add": updateFlags,
  "update_message_flags/remove": updateFlags,
  "reaction/add": changesNoState,
  "reaction/remove": changesNoState,
  submessage: changesNoState,
  "typing/start": changesNoState,
  "typing/stop": changesNoState,
  "typing_edit_message/start": changesNoState,
  "typing_edit_message/stop": changesNoState,
};
