/** Events that only the clients of one person get. Times are UNIX seconds. */
import { array, boolean, enums, literal, object, optional, string } from "superstruct";
import { deviceId, draftId, scheduledId, snippetId } from "../id-shapes.ts";
import { draft, mutedUser, navigationView, onboardingStep, savedSnippet } from "../personal/shapes.ts";
import { deviceFields } from "../push/shapes.ts";
import { reminder, scheduledMessage } from "../scheduled/shapes.ts";
import { described, partially } from "../shape.ts";
import { mutedTopic, userTopicFields } from "../topics/shapes.ts";
import { plainSettingName, userSettingValue } from "../users/settings/shapes.ts";
import { declare, logged, sentTo, type ValuesOfVariant } from "./declare.ts";

const deviceChanges = [
  { op: enums(["add", "remove"]), device_id: deviceId() },
  { op: literal("update"), device_id: deviceId(), ...partially(deviceFields) },
] as const;
export type DeviceChange = ValuesOfVariant<(typeof deviceChanges)[number]>;

export const personalEvents = declare({
  drafts: {
    state: { list: "drafts" },
    sent: [
      { op: literal("add"), drafts: array(draft) },
      { op: literal("update"), draft },
      { op: literal("remove"), draft_id: draftId() },
    ],
  },
  saved_snippets: {
    state: { list: "saved_snippets" },
    sent: [
      { op: enums(["add", "update"]), saved_snippet: savedSnippet },
      { op: literal("remove"), saved_snippet_id: snippetId() },
    ],
  },
  scheduled_messages: {
    state: { list: "scheduled_messages" },
    sent: [
      { op: literal("add"), scheduled_messages: array(scheduledMessage) },
      { op: literal("update"), scheduled_message: scheduledMessage },
      { op: literal("remove"), scheduled_message_id: scheduledId() },
    ],
  },
  reminders: {
    state: { list: "reminders" },
    sent: [
      { op: literal("add"), reminders: array(reminder) },
      { op: literal("remove"), reminder_id: scheduledId() },
    ],
  },
  navigation_view: {
    state: { list: "navigation_views" },
    sent: [
      { op: literal("add"), navigation_view: navigationView },
      {
        op: literal("update"),
        fragment: string(),
        data: object({ name: described(optional(string()), "The view's name."), is_pinned: optional(boolean()) }),
      },
      { op: literal("remove"), fragment: string() },
    ],
  },
  user_settings: {
    state: "replicated",
    sent: [
      { op: literal("update"), property: plainSettingName, value: userSettingValue },
      {
        op: literal("update"),
        property: literal("default_language"),
        value: string(),
        language_name: optional(string()),
      },
    ],
  },
  alert_words: { state: "replicated", sent: [{ alert_words: array(string()) }] },
  muted_users: { state: "replicated", sent: [{ muted_users: array(mutedUser) }] },
  /** A person's policy for a topic. */
  user_topic: { state: "replicated", sent: [userTopicFields] },
  /** The older form of `user_topic`: all topics that the person muted. */
  muted_topics: { state: "replicated", sent: [{ muted_topics: array(mutedTopic) }] },
  onboarding_steps: { state: { list: "onboarding_steps" }, sent: [{ onboarding_steps: array(onboardingStep) }] },
  /** `client` names the client whose queues get the event. It is not sent. */
  device: {
    state: { list: "device" },
    logged: logged<{ type: "device"; client: string } & DeviceChange>(),
    sent: deviceChanges,
  },
  /** Whether the person let this server into their account at a service for video calls. */
  has_zoom_token: { state: { list: "video_calls" }, sent: [{ value: boolean() }] },
  has_webex_token: { state: { list: "video_calls" }, sent: [sentTo({ named: true }, { value: boolean() })] },
});
