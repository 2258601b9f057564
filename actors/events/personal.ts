/** Events that only the clients of one person get. Times are UNIX seconds. */

import type { DeviceId, DraftId, ScheduledId, SnippetId, UserId } from "../../storage/ids.ts";
import type { Draft } from "../../storage/personal/drafts.ts";
import type { SavedSnippet } from "../../storage/personal/saved-snippets.ts";
import type { DeviceRecord } from "../../storage/users/devices.ts";
import type { NavigationViewRecord } from "../personal/shapes.ts";
import type { ReminderRecord, ScheduledMessageRecord } from "../scheduled/shapes.ts";

export type DraftsEvent =
  | { type: "drafts"; op: "add"; drafts: Draft[] }
  | { type: "drafts"; op: "update"; draft: Draft }
  | { type: "drafts"; op: "remove"; draft_id: DraftId };

export type SavedSnippetsEvent =
  | { type: "saved_snippets"; op: "add" | "update"; saved_snippet: SavedSnippet }
  | { type: "saved_snippets"; op: "remove"; saved_snippet_id: SnippetId };

export type ScheduledMessagesEvent =
  | { type: "scheduled_messages"; op: "add"; scheduled_messages: ScheduledMessageRecord[] }
  | { type: "scheduled_messages"; op: "update"; scheduled_message: ScheduledMessageRecord }
  | { type: "scheduled_messages"; op: "remove"; scheduled_message_id: ScheduledId };

export type RemindersEvent =
  | { type: "reminders"; op: "add"; reminders: ReminderRecord[] }
  | { type: "reminders"; op: "remove"; reminder_id: ScheduledId };

export type NavigationViewEvent =
  | { type: "navigation_view"; op: "add"; navigation_view: NavigationViewRecord }
  | { type: "navigation_view"; op: "update"; fragment: string; data: Record<string, unknown> }
  | { type: "navigation_view"; op: "remove"; fragment: string };

export interface UserSettingsEvent {
  type: "user_settings";
  op: "update";
  property: string;
  value: unknown;
  /** With `default_language`. */
  language_name?: string;
}

export interface AlertWordsEvent {
  type: "alert_words";
  alert_words: string[];
}

export interface MutedUsersEvent {
  type: "muted_users";
  muted_users: { id: UserId; timestamp: number }[];
}

export interface OnboardingStepsEvent {
  type: "onboarding_steps";
  onboarding_steps: { type: "one_time_notice"; name: string }[];
}

/** `client` names the client whose queues get the event. It is not sent. */
export type DeviceEvent = { type: "device"; client: string } & DeviceChange;
export type DeviceChange =
  | { op: "add" | "remove"; device_id: DeviceId }
  | ({ op: "update"; device_id: DeviceId } & Partial<DeviceRecord>);

/** Whether the person let this server into their account at a service for video calls. */
export interface CallTokenEvent {
  type: "has_zoom_token" | "has_webex_token";
  value: boolean;
}

export type PersonalEvents =
  | DraftsEvent
  | SavedSnippetsEvent
  | ScheduledMessagesEvent
  | RemindersEvent
  | NavigationViewEvent
  | UserSettingsEvent
  | AlertWordsEvent
  | MutedUsersEvent
  | OnboardingStepsEvent
  | DeviceEvent
  | CallTokenEvent;
