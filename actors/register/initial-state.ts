/**
 * The parts of the register answer, by the event type that brings each. https://zulip.com/api/register-queue
 *
 * A memory part is read from the replica, synchronously. A stored part is read in the register's snapshot of PostgreSQL
 * and finished from the replica, synchronously again, once it has come as far. What it tells of messages is in
 * `stored.ts`.
 */
import type { UserRow } from "../../storage/rows.ts";
import type { StoredLists } from "../../storage/stored-state.ts";
import { renderBot } from "../bots/record.ts";
import { defaultGroupsFor } from "../channels/default-groups.ts";
import { renderGroup } from "../groups/record.ts";
import { shownIntegrations } from "../integrations/table.ts";
import { renderDomains } from "../organization/domains.ts";
import { renderAllEmoji } from "../organization/emoji.ts";
import { renderLinkifiers } from "../organization/linkifiers.ts";
import { renderPlaygrounds } from "../organization/playgrounds.ts";
import { renderNavigationView } from "../personal/navigation-views.ts";
import { remainingSteps } from "../personal/onboarding-steps.ts";
import { renderDevice } from "../push/devices.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderScheduled } from "../scheduled/messages.ts";
import { renderReminder } from "../scheduled/reminders.ts";
import type { RegisterFields } from "./answer.ts";
import { channelsPart, defaultChannelsPart, foldersPart } from "./channels-part.ts";
import { presencePart } from "./presence.ts";
import { realmPart } from "./realm-part.ts";
import { stopWords } from "./stop-words.ts";
import { mutedTopicsPart, subscriptionsPart, userTopicsPart } from "./subscriptions-part.ts";
import * as people from "./users-part.ts";
import type { RegisterView } from "./view.ts";

type Wants = (type: string) => boolean;

export interface MemoryPart {
  isWanted(wants: Wants): boolean;
  read(realm: RealmReader, user: UserRow, view: RegisterView): RegisterFields;
}
export interface StoredPart {
  isWanted(wants: Wants): boolean;
  finish(lists: StoredLists, user: UserRow, state: RealmState): RegisterFields;
}

const memory = (type: string, read: MemoryPart["read"]): MemoryPart => ({ isWanted: (wants) => wants(type), read });
const stored = (type: string, finish: StoredPart["finish"]): StoredPart => ({
  isWanted: (wants) => wants(type),
  finish,
});

export const memoryParts: readonly MemoryPart[] = [
  memory("realm", (realm, _user, view) => realmPart(realm, view.server)),
  memory("realm_linkifiers", ({ state }, _user, view) => ({
    realm_linkifiers: view.has.has("linkifier_url_template") ? renderLinkifiers(state) : [],
  })),
  memory("realm_emoji", ({ state }) => ({ realm_emoji: renderAllEmoji(state.emoji.values()) })),
  memory("realm_filters", () => ({ realm_filters: [] })),
  memory("realm_playgrounds", ({ state }) => ({ realm_playgrounds: renderPlaygrounds(state) })),
  memory("realm_domains", ({ state }) => ({ realm_domains: renderDomains(state) })),
  memory("stop_words", () => ({ stop_words: [...stopWords] })),
  memory("realm_billing", () => ({ realm_billing: { has_pending_sponsorship_request: false } })),
  memory("giphy", () => ({ giphy_api_key: "" })),
  memory("tenor", () => ({ tenor_api_key: "" })),
  memory("klipy", () => ({ klipy_api_key: "" })),
  memory("video_calls", () => ({ has_zoom_token: false, has_webex_token: false })),
  memory("realm_user", people.usersPart),
  memory("user_settings", people.userSettingsPart),
  memory("update_display_settings", people.flatSettingsPart),
  memory("update_global_notifications", people.flatSettingsPart),
  memory("realm_user_settings_defaults", people.userSettingsDefaultsPart),
  memory("user_status", people.userStatusPart),
  memory("alert_words", people.alertWordsPart),
  memory("muted_users", people.mutedUsersPart),
  memory("custom_profile_fields", people.profileFieldsPart),
  memory("realm_embedded_bots", () => ({ realm_embedded_bots: [] })),
  memory("realm_incoming_webhook_bots", () => ({ realm_incoming_webhook_bots: shownIntegrations })),
  memory("realm_user_groups", ({ state }, _user, view) => ({
    realm_user_groups: [...state.groups.byId.values()]
      .filter((group) => !group.deactivated || view.has.has("include_deactivated_groups"))
      .map((group) => renderGroup(state, group)),
  })),
  memory("stream", channelsPart),
  memory("default_streams", defaultChannelsPart),
  memory("default_stream_groups", ({ state }, user) => ({
    realm_default_stream_groups: defaultGroupsFor(state, user),
  })),
  memory("channel_folders", foldersPart),
  memory("subscription", subscriptionsPart),
  memory("muted_topics", mutedTopicsPart),
  memory("user_topic", userTopicsPart),
  memory("presence", presencePart),
];

export const storedParts: readonly StoredPart[] = [
  stored("recent_private_conversations", ({ conversations }, user) => ({
    recent_private_conversations: conversations.map((row) => ({
      max_message_id: row.max_message_id,
      user_ids: row.user_ids.filter((id) => id !== user.id),
    })),
  })),
  stored("realm_bot", ({ bots }, _user, state) => ({ realm_bots: bots.map((bot) => renderBot(state, bot)) })),
  stored("starred_messages", ({ starred }) => ({ starred_messages: starred })),
  stored("scheduled_messages", ({ scheduled }) => ({ scheduled_messages: scheduled.map(renderScheduled) })),
  stored("reminders", ({ reminders }) => ({ reminders: reminders.map(renderReminder) })),
  stored("device", ({ devices }) => ({
    devices: Object.fromEntries(devices.map((row) => [row.id, renderDevice(row)])),
  })),
  stored("drafts", ({ drafts }) => ({ drafts })),
  stored("saved_snippets", ({ snippets }) => ({ saved_snippets: snippets })),
  stored("navigation_views", ({ views }) => ({ navigation_views: views.map(renderNavigationView) })),
  // There is no film of a tour.
  stored("onboarding_steps", ({ steps }) => ({
    onboarding_steps: remainingSteps(steps),
    navigation_tour_video_url: null,
  })),
];
