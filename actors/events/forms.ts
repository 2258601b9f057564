/**
 * The forms that events take for queues that declared different formats, by type. A type that is not listed has one
 * form. One whose event in the log is not what clients are sent has to be listed.
 */
import type { LogPosition } from "../../storage/ids.ts";
import type { LogEntry } from "../realm/entry.ts";
import type { RealmState } from "../realm/state/state.ts";
import { stream, subscription } from "./channel-forms.ts";
import type { FormedType, RealmEvent } from "./events.ts";
import { type AnyEventForm, type EventForm, type Form, type Reader, same, type WireEvent } from "./form.ts";
import * as messages from "./message-forms.ts";
import { presence, realmEmoji, realmUser, userGroup } from "./people-forms.ts";

const forms: { readonly [T in RealmEvent["type"]]?: AnyEventForm<T> } & {
  readonly [T in FormedType]: AnyEventForm<T>;
} = {
  device: messages.device,
  message: messages.message,
  update_message: messages.updateMessage,
  delete_message: messages.deleteMessage,
  update_message_flags: messages.updateMessageFlags,
  typing: messages.typing,
  typing_edit_message: messages.typingEditMessage,
  user_topic: messages.userTopic,
  muted_topics: messages.mutedTopics,
  reaction: messages.reaction,
  presence,
  realm_user: realmUser,
  realm_emoji: realmEmoji,
  user_group: userGroup,
  stream,
  subscription,
};

const oneForm: EventForm<RealmEvent, Form> = { form: () => same, write: (event): WireEvent => ({ ...event }) };

/** The JSON of an entry's event, or events joined by commas, as `reader` gets it; with ids. */
export function encodeFor(entry: LogEntry, reader: Reader, state: RealmState): Buffer {
  const event = entry.event!;
  // The table gives each type the form of its own events.
  const { form: formOf, write } = (forms[event.type] as EventForm<RealmEvent, Form> | undefined) ?? oneForm;
  const form = formOf(event, reader, state);
  const { encoded: known } = entry;
  if (known?.form === form) return known.bytes;
  // Most readers share a few frozen forms, which are compared by identity. Other forms are compared by content.
  const key = Object.isFrozen(form) ? form : JSON.stringify(form);
  const bytes = known?.byForm.get(key) ?? encode(entry.position, write(event, form, state));
  if (known === undefined) entry.encoded = { byForm: new Map([[key, bytes]]), form, bytes };
  else {
    known.byForm.set(key, bytes);
    known.form = form;
    known.bytes = bytes;
  }
  return bytes;
}

function encode(position: LogPosition, written: WireEvent | WireEvent[]): Buffer {
  const parts = Array.isArray(written) ? written : [written];
  const first = position - parts.length + 1;
  return Buffer.from(parts.map((part, index) => JSON.stringify({ ...part, id: first + index })).join(","));
}
