/**
 * What a spectator, who is not logged in, gets of an organization that allows it: web-public channels, their people,
 * and the organization's profile. Personal parts are there but empty, since clients expect them. There is no queue.
 */
import type { GroupId, UserId } from "../../storage/ids.ts";
import { type ChannelRow, channelGroupSettings, type UserRow } from "../../storage/rows.ts";
import { listFolders, renderFolder } from "../channels/changes/folders.ts";
import { visibleChannels } from "../channels/lists.ts";
import { renderChannel } from "../channels/record.ts";
import type { ChannelRecord } from "../channels/shapes.ts";
import { renderGroup } from "../groups/record.ts";
import { renderAllEmoji } from "../organization/changes/emoji.ts";
import { renderLinkifiers } from "../organization/changes/linkifiers.ts";
import { renderPlaygrounds } from "../organization/changes/playgrounds.ts";
import { customProfileFieldTypes } from "../organization/profile-field-values.ts";
import { placeholderEmail } from "../realm/access.ts";
import type { RealmReader } from "../realm/reader.ts";
import { realmGroupSettingNames } from "../realm/state/settings.ts";
import type { RealmState } from "../realm/state/state.ts";
import { renderUser } from "../users/record.ts";
import { userSettingDefaults } from "../users/settings/setting-values.ts";
import type { ListedUser, RegisteredUser } from "../users/shapes.ts";
import type { RegisterFields } from "./answer.ts";
import { realmPart } from "./realm-part.ts";
import type { RegisterView } from "./view.ts";

type Part = (realm: RealmReader, view: RegisterView) => RegisterFields;
const empty =
  (fields: RegisterFields): Part =>
  () =>
    fields;

const parts: Readonly<Record<string, Part>> = {
  realm: (realm, view) => withoutPeople(realm.state, realmPart(realm, view.server)),
  realm_emoji: ({ state }) => ({ realm_emoji: renderAllEmoji(state.emoji.values()) }),
  realm_linkifiers: ({ state }, view) => ({
    realm_linkifiers: view.has.has("linkifier_url_template") ? renderLinkifiers(state) : [],
  }),
  realm_filters: empty({ realm_filters: [] }),
  realm_playgrounds: ({ state }) => ({ realm_playgrounds: renderPlaygrounds(state) }),
  realm_domains: empty({ realm_domains: [] }),
  realm_user: peoplePart,
  realm_user_groups: ({ state }) => ({
    realm_user_groups: state.groups
      .inOrder()
      .filter((group) => group.is_system_group)
      .map((group) => ({ ...renderGroup(state, group), members: [] })),
  }),
  realm_bot: empty({ realm_bots: [] }),
  realm_embedded_bots: empty({ realm_embedded_bots: [] }),
  realm_incoming_webhook_bots: empty({ realm_incoming_webhook_bots: [] }),
  realm_user_settings_defaults: ({ state }) => ({ realm_user_settings_defaults: userSettingDefaults(state) }),
  stream: ({ state }) => ({ streams: webPublic(state).map((channel) => channelFor(state, channel)) }),
  subscription: ({ state }) => ({
    subscriptions: [],
    unsubscribed: [],
    never_subscribed: webPublic(state).map((channel) => channelFor(state, channel)),
  }),
  default_streams: empty({ realm_default_streams: [] }),
  default_stream_groups: empty({ realm_default_stream_groups: [] }),
  channel_folders: ({ state }) => {
    const used = new Set(webPublic(state).map((channel) => channel.folder_id));
    return {
      channel_folders: listFolders(state, true)
        .filter((folder) => used.has(folder.id))
        .map(renderFolder),
    };
  },
  custom_profile_fields: empty({ custom_profile_fields: [], custom_profile_field_types: customProfileFieldTypes }),
  user_settings: ({ state }) => ({ user_settings: { ...userSettingDefaults(state), timezone: "" } }),
  user_status: empty({ user_status: {} }),
  user_topic: empty({ user_topics: [] }),
  muted_topics: empty({ muted_topics: [] }),
  muted_users: empty({ muted_users: [] }),
  alert_words: empty({ alert_words: [] }),
  presence: (realm) => ({ presences: {}, presence_last_update_id: -1, server_timestamp: realm.environment.clock() }),
  message: empty({ max_message_id: -1 }),
  recent_private_conversations: empty({ recent_private_conversations: [] }),
  starred_messages: empty({ starred_messages: [] }),
  drafts: empty({ drafts: [] }),
  saved_snippets: empty({ saved_snippets: [] }),
  navigation_views: empty({ navigation_views: [] }),
  scheduled_messages: empty({ scheduled_messages: [] }),
  reminders: empty({ reminders: [] }),
  onboarding_steps: empty({ onboarding_steps: [], navigation_tour_video_url: null }),
  realm_billing: empty({ realm_billing: { has_pending_sponsorship_request: false } }),
  giphy: empty({ giphy_api_key: "" }),
  tenor: empty({ tenor_api_key: "" }),
  klipy: empty({ klipy_api_key: "" }),
  video_calls: empty({ has_zoom_token: false, has_webex_token: false }),
};

const noUnread = { count: 0, pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false };

/** The register answer of a spectator. @param fetchTypes which parts; null: all */
export function spectatorState(
  realm: RealmReader,
  fetchTypes: ReadonlySet<string> | null,
  view: RegisterView,
): RegisterFields {
  const wants = (type: string) => fetchTypes === null || fetchTypes.has(type);
  const state: RegisterFields = {};
  for (const [type, part] of Object.entries(parts)) if (wants(type)) Object.assign(state, part(realm, view));
  if (wants("message") && wants("update_message_flags")) state["unread_msgs"] = noUnread;
  return { ...state, queue_id: null, last_event_id: -1 };
}

const webPublic = (state: RealmState): ChannelRow[] => visibleChannels(state, undefined, false);

/** Subscribers of web-public channels and the organization's own bots, without addresses. */
function peoplePart({ state }: RealmReader, view: RegisterView): RegisterFields {
  const shown = new Set<UserId>();
  for (const channel of webPublic(state)) for (const id of state.subscriptions.subscribers(channel.id)) shown.add(id);
  const realm_users: RegisteredUser[] = [];
  const realm_non_active_users: RegisteredUser[] = [];
  const cross_realm_bots: RegisteredUser[] = [];
  for (const person of state.users.values()) {
    if (!person.is_system_bot && !shown.has(person.id)) continue;
    const { is_active, ...record } = personFor(state, person, view);
    (person.is_system_bot ? cross_realm_bots : is_active ? realm_users : realm_non_active_users).push(record);
  }
  return { realm_users, realm_non_active_users, cross_realm_bots };
}

function personFor(state: RealmState, person: UserRow, view: RegisterView): ListedUser {
  const record = renderUser(state, person, undefined, {
    clientGravatar: false,
    avatarOptional: view.has.has("user_avatar_url_field_optional"),
  });
  return {
    ...record,
    email: person.is_system_bot ? record.email : placeholderEmail(state, person.id),
    delivery_email: null,
    timezone: "",
    // Spectators get the day only.
    date_joined: `${record.date_joined.slice(0, 10)}T00:00:00+00:00`,
  };
}

function channelFor(state: RealmState, channel: ChannelRow): ChannelRecord {
  const record = renderChannel(state, channel);
  for (const name of channelGroupSettings) record[name] = systemOrNobody(state, record[name]);
  return { ...record, creator_id: null };
}

function withoutPeople(state: RealmState, fields: RegisterFields): RegisterFields {
  const shown = { ...fields };
  for (const name of realmGroupSettingNames) shown[`realm_${name}`] = systemOrNobody(state, shown[`realm_${name}`]);
  return shown;
}

/** The members of named and anonymous groups are not public: a permission of such a group is shown as nobody's. */
function systemOrNobody(state: RealmState, value: unknown): GroupId {
  const isSystem = typeof value === "number" && (state.groups.byId.get(value)?.is_system_group ?? false);
  return isSystem ? value : state.systemGroup("role:nobody");
}
