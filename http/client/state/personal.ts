/**
 * Events about the caller's own data: drafts, snippets, reminders, muted topics and users, devices, onboarding steps.
 */
import { accessItem, type Handler, listOf, putItem, type RegisterState, removeItem, type UserTopic } from "./state.ts";
import { sameTopic } from "./unread.ts";

/** Replaces a whole fetched field by the event's field of the same name. */
function replace(field: string, eventField = field): Handler {
  return (state: RegisterState, event: Record<string, unknown>) => {
    if (field in state) state[field] = structuredClone(event[eventField]);
  };
}

/** Appends each object of `event[eventField]` (one object or a list) to a list keyed by `key`. */
function add(list: string, eventField: string, key: string): Handler {
  return (state: RegisterState, event: Record<string, unknown>) => {
    for (const item of [event[eventField]].flat()) {
      putItem(listOf(state, list), key, structuredClone(item as Record<string, unknown>));
    }
  };
}

/** Replaces one object of a list keyed by `key`. */
function update(list: string, eventField: string, key: string): Handler {
  return (state: RegisterState, event: Record<string, unknown>) => {
    const item = structuredClone(event[eventField] as Record<string, unknown>);
    accessItem(listOf(state, list), key, item[key], eventField);
    putItem(listOf(state, list), key, item);
  };
}

/** Removes the object named by `event[eventField]` from a list keyed by `key`. */
function remove(list: string, eventField: string, key: string): Handler {
  return (state: RegisterState, event: Record<string, unknown>) => {
    removeItem(listOf(state, list), key, event[eventField], eventField);
  };
}

/** Drafts are listed newest edit first. */
function thenSortDrafts(handler: Handler): Handler {
  return (state: RegisterState, event: never, profile) => {
    handler(state, event, profile);
    state.drafts?.sort((a, b) => b.timestamp - a.timestamp);
  };
}

function updateUserTopic(state: RegisterState, event: UserTopic): void {
  if (!state.user_topics) return;
  const { stream_id, topic_name, last_updated, visibility_policy } = event;
  state.user_topics = state.user_topics.filter(
    (entry) => entry.stream_id !== stream_id || !sameTopic(entry.topic_name, topic_name),
  );
  // 0 means no policy. Such topics are not listed.
  if (visibility_policy !== 0) state.user_topics.push({ stream_id, topic_name, last_updated, visibility_policy });
}

type NavigationUpdate = { fragment: string; data: { name?: string | null; is_pinned?: boolean } };

function updateNavigationView(state: RegisterState, event: NavigationUpdate): void {
  const view = accessItem(listOf(state, "navigation_views"), "fragment", event.fragment, "navigation view");
  Object.assign(view ?? {}, event.data);
}

const DEVICE_FIELDS = [
  "push_key_id",
  "push_token_id",
  "pending_push_token_id",
  "push_token_last_updated_timestamp",
  "push_registration_error_code",
];

type DeviceEvent = { op: string; device_id: number } & Record<string, unknown>;

function changeDevice(state: RegisterState, event: DeviceEvent): void {
  const { devices } = state;
  if (!devices) return;
  const key = String(event.device_id);
  if (event.op === "remove") {
    delete devices[key];
    return;
  }
  const device = devices[key] ?? Object.fromEntries(DEVICE_FIELDS.map((field) => [field, null]));
  for (const field of DEVICE_FIELDS) if (event[field] !== undefined) device[field] = event[field];
  devices[key] = device;
}

const changesNoState: Handler = () => {};

/** Handlers of the events about the caller's own data, by `type` or `type/op`. */
export const personalHandlers: Readonly<Record<string, Handler>> = {
  user_topic: updateUserTopic,
  muted_topics: replace("muted_topics"),
  muted_users: replace("muted_users"),
  alert_words: replace("alert_words"),
  onboarding_steps: replace("onboarding_steps"),
  has_zoom_token: replace("has_zoom_token", "value"),
  has_webex_token: replace("has_webex_token", "value"),
  "device/add": changeDevice,
  "device/update": changeDevice,
  "device/remove": changeDevice,
  "saved_snippets/add": add("saved_snippets", "saved_snippet", "id"),
  "saved_snippets/update": update("saved_snippets", "saved_snippet", "id"),
  "saved_snippets/remove": remove("saved_snippets", "saved_snippet_id", "id"),
  "drafts/add": thenSortDrafts(add("drafts", "drafts", "id")),
  "drafts/update": thenSortDrafts(update("drafts", "draft", "id")),
  "drafts/remove": remove("drafts", "draft_id", "id"),
  "scheduled_messages/add": add("scheduled_messages", "scheduled_messages", "scheduled_message_id"),
  "scheduled_messages/update": update("scheduled_messages", "scheduled_message", "scheduled_message_id"),
  "scheduled_messages/remove": remove("scheduled_messages", "scheduled_message_id", "scheduled_message_id"),
  "reminders/add": add("reminders", "reminders", "reminder_id"),
  "reminders/remove": remove("reminders", "reminder_id", "reminder_id"),
  "navigation_view/add": add("navigation_views", "navigation_view", "fragment"),
  "navigation_view/update": updateNavigationView,
  "navigation_view/remove": remove("navigation_views", "fragment", "fragment"),
  "attachment/add": changesNoState,
  "attachment/update": changesNoState,
  "attachment/remove": changesNoState,
};
