/**
 * The parts of the register answer, by the event type that brings each. https://zulip.com/api/register-queue
 *
 * Shared and personal parts are read from the replica, synchronously. A stored part is read in the register's snapshot
 * of PostgreSQL and finished from the replica, synchronously again, once it has come as far. What it tells of messages
 * is in `stored.ts`.
 */
import type { UserRow } from "../../storage/rows.ts";
import type { StoredLists } from "../../storage/stored-state.ts";
import { renderBot } from "../bots/record.ts";
import { defaultGroupsFor } from "../channels/changes/default-groups.ts";
import type { StoredList } from "../events/events.ts";
import { renderGroup } from "../groups/record.ts";
import { shownIntegrations } from "../integrations/table.ts";
import { renderDomains } from "../organization/changes/domains.ts";
import { renderAllEmoji } from "../organization/changes/emoji.ts";
import { renderLinkifiers } from "../organization/changes/linkifiers.ts";
import { renderPlaygrounds } from "../organization/changes/playgrounds.ts";
import { renderNavigationView } from "../personal/changes/navigation-views.ts";
import { remainingSteps } from "../personal/changes/onboarding-steps.ts";
import { renderDevice } from "../push/changes/devices.ts";
import type { RealmReader } from "../realm/reader.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderScheduled } from "../scheduled/changes/messages.ts";
import { renderReminder } from "../scheduled/changes/reminders.ts";
import { stopWords } from "../text/stop-words.ts";
import type { RegisterFields } from "./answer.ts";
import { channelsPart, defaultChannelsPart, foldersPart } from "./channels-part.ts";
import { presencePart } from "./presence.ts";
import { realmPart } from "./realm-part.ts";
import { mutedTopicsPart, subscriptionsPart, userTopicsPart } from "./subscriptions-part.ts";
import * as people from "./users-part.ts";
import type { RegisterView } from "./view.ts";

type Wants = (type: string) => boolean;

/** The same for everybody of an organization. */
export interface SharedPart {
  type: string;
  read(realm: RealmReader, view: RegisterView): RegisterFields;
}
export interface PersonalPart {
  isWanted(wants: Wants): boolean;
  read(realm: RealmReader, user: UserRow, view: RegisterView): RegisterFields;
}
export interface StoredPart {
  isWanted(wants: Wants): boolean;
  finish(lists: StoredLists, user: UserRow, state: RealmState): RegisterFields;
}

const shared = (type: string, read: SharedPart["read"]): SharedPart => ({ type, read });
const personal = (type: string, read: PersonalPart["read"]): PersonalPart => ({
  isWanted: (wants) => wants(type),
  read,
});

/**
 * They show what the organization's own rows say, and who has which role: of whatever else they came to show,
 * `RealmState.organizationRevision` would have to tell.
 */
export const sharedParts: readonly SharedPart[] = [
  shared("realm", (realm, view) => realmPart(realm, view.server)),
  shared("realm_linkifiers", ({ state }, view) => ({
    realm_linkifiers: view.has.has("linkifier_url_template") ? renderLinkifiers(state) : [],
  })),
  shared("realm_emoji", ({ state }) => ({ realm_emoji: renderAllEmoji(state.emoji.values()) })),
  shared("realm_filters", () => ({ realm_filters: [] })),
  shared("realm_playgrounds", ({ state }) => ({ realm_playgrounds: renderPlaygrounds(state) })),
  shared("realm_domains", ({ state }) => ({ realm_domains: renderDomains(state) })),
  shared("stop_words", () => ({ stop_words: [...stopWords] })),
  shared("realm_billing", () => ({ realm_billing: { has_pending_sponsorship_request: false } })),
  shared("giphy", () => ({ giphy_api_key: "" })),
  shared("tenor", () => ({ tenor_api_key: "" })),
  shared("klipy", () => ({ klipy_api_key: "" })),
  shared("realm_user_settings_defaults", people.userSettingsDefaultsPart),
  shared("custom_profile_fields", people.profileFieldsPart),
  shared("realm_embedded_bots", () => ({ realm_embedded_bots: [] })),
  shared("realm_incoming_webhook_bots", () => ({ realm_incoming_webhook_bots: shownIntegrations })),
  shared("realm_user_groups", ({ state }, view) => ({
    realm_user_groups: state.groups
      .inOrder()
      .filter((group) => !group.deactivated || view.has.has("include_deactivated_groups"))
      .map((group) => renderGroup(state, group)),
  })),
  shared("channel_folders", foldersPart),
];

export const personalParts: readonly PersonalPart[] = [
  personal("realm_user", people.usersPart),
  personal("user_settings", people.userSettingsPart),
  personal("update_display_settings", people.flatSettingsPart),
  personal("update_global_notifications", people.flatSettingsPart),
  personal("user_status", people.userStatusPart),
  personal("alert_words", people.alertWordsPart),
  personal("muted_users", people.mutedUsersPart),
  personal("stream", channelsPart),
  personal("default_stream_groups", ({ state }, user) => ({
    realm_default_stream_groups: defaultGroupsFor(state, user),
  })),
  personal("default_streams", defaultChannelsPart),
  personal("subscription", subscriptionsPart),
  personal("muted_topics", mutedTopicsPart),
  personal("user_topic", userTopicsPart),
  personal("presence", presencePart),
];

/** What is read of messages, and each list that events are declared to change. */
const storedLists: Readonly<
  Record<StoredList | "recent_private_conversations" | "starred_messages", StoredPart["finish"]>
> = {
  recent_private_conversations: ({ conversations }, user) => ({
    recent_private_conversations: conversations.map((row) => ({
      max_message_id: row.max_message_id,
      user_ids: row.user_ids.filter((id) => id !== user.id),
    })),
  }),
  realm_bot: ({ bots }, user, state) => ({ realm_bots: bots.map((bot) => renderBot(state, bot, user)) }),
  starred_messages: ({ starred }) => ({ starred_messages: starred }),
  scheduled_messages: ({ scheduled }) => ({ scheduled_messages: scheduled.map(renderScheduled) }),
  reminders: ({ reminders }) => ({ reminders: reminders.map(renderReminder) }),
  device: ({ devices }) => ({
    devices: Object.fromEntries(devices.map((row) => [row.id, renderDevice(row)])),
  }),
  drafts: ({ drafts }) => ({ drafts }),
  saved_snippets: ({ snippets }) => ({ saved_snippets: snippets }),
  navigation_views: ({ views }) => ({ navigation_views: views.map(renderNavigationView) }),
  video_calls: ({ calls }) => ({
    has_zoom_token: calls.includes("zoom"),
    has_webex_token: calls.includes("webex"),
  }),
  // There is no film of a tour.
  onboarding_steps: ({ steps }) => ({
    onboarding_steps: remainingSteps(steps),
    navigation_tour_video_url: null,
  }),
};

export const storedParts: readonly StoredPart[] = Object.entries(storedLists).map(([type, finish]) => ({
  isWanted: (wants) => wants(type),
  finish,
}));
