/** Imports the organization's own row: its settings and permissions. Older versions have numbers instead of groups. */
import type { ChannelId, GroupId } from "../../../storage/ids.ts";
import type { GroupSetting } from "../../../storage/rows.ts";
import type { DefaultChannelGroup } from "../../channels/shapes.ts";
import type { GroupSettingRule } from "../../groups/setting-values.ts";
import { isMeetingUrl } from "../../organization/changes/update.ts";
import type { SystemGroupName } from "../../realm/state/group-index.ts";
import {
  type RealmGroupSettingName,
  type RealmSetting,
  type RealmSettingName,
  realmGroupSettingNames,
  realmGroupSettings,
  realmSettingNames,
  realmSettings,
} from "../../realm/state/settings.ts";
import { isLonger } from "../../text/texts.ts";
import { languageName, userDefaultsKey } from "../../users/settings/setting-values.ts";
import { settingWord } from "./coded-settings.ts";
import type { ZulipExport } from "./export.ts";
import { userSettingsOf } from "./people.ts";
import type { OldChannelId, OldGroupId, RealmTable } from "./tables.ts";

/** The group that an older policy allows. */
const policyGroups: Readonly<Record<number, SystemGroupName>> = {
  1: "role:members",
  2: "role:administrators",
  3: "role:fullmembers",
  4: "role:moderators",
  5: "role:everyone",
  6: "role:nobody",
  7: "role:owners",
};
const wildcardGroups: Readonly<Record<number, SystemGroupName>> = {
  1: "role:everyone",
  2: "role:members",
  3: "role:fullmembers",
  5: "role:administrators",
  6: "role:nobody",
  7: "role:moderators",
};
const policies: Readonly<Record<string, RealmGroupSettingName>> = {
  add_custom_emoji_policy: "can_add_custom_emoji_group",
  create_public_stream_policy: "can_create_public_channel_group",
  create_private_stream_policy: "can_create_private_channel_group",
  create_web_public_stream_policy: "can_create_web_public_channel_group",
  delete_own_message_policy: "can_delete_own_message_group",
  edit_topic_policy: "can_move_messages_between_topics_group",
  invite_to_realm_policy: "can_invite_users_group",
  invite_to_stream_policy: "can_add_subscribers_group",
  move_messages_between_streams_policy: "can_move_messages_between_channels_group",
  user_group_edit_policy: "can_create_groups",
};
/** Settings that hold a channel, under the names that exports use. */
export const channelSettings: Readonly<Record<string, RealmSettingName>> = {
  new_stream_announcements_stream: "new_stream_announcements_stream_id",
  signup_announcements_stream: "signup_announcements_stream_id",
  zulip_update_announcements_stream: "zulip_update_announcements_stream_id",
  moderation_request_channel: "moderation_request_channel_id",
};

export interface OrganizationSources {
  systemGroup(name: SystemGroupName): GroupId;
  /** An old group as the value of a setting. Undefined when it is unknown. */
  groupSetting(id: OldGroupId): GroupSetting | undefined;
  channel(id: OldChannelId): ChannelId | undefined;
  /** Default settings of new people. */
  userDefaults: Readonly<Record<string, unknown>> | undefined;
  /** Names of the files of its pictures, as settings. */
  pictures?: Readonly<Record<string, string>>;
}

/** The settings that differ from the defaults. */
export function organizationSettings(row: RealmTable, sources: OrganizationSources): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  const put = (name: RealmSettingName, value: unknown): void => {
    if (isAccepted(name, value) && value !== realmSettings[name].default) settings[name] = value;
  };
  for (const name of realmSettingNames)
    if (Object.hasOwn(row, name) && realmSettings[name].kind !== "channel") put(name, settingWord(name, row[name]));
  for (const [column, name] of Object.entries(channelSettings)) {
    const id = row[column];
    const channel = typeof id === "number" ? sources.channel(id) : undefined;
    if (channel !== undefined) put(name, channel);
  }
  // The rating for the youngest is gone, so the others count from one less.
  const rating = row["giphy_rating"];
  if (typeof rating === "number") put("gif_rating_policy", rating >= 2 ? rating - 1 : rating);
  if (row["mandatory_topics"] === true) put("topics_policy", "disable_empty_topic");
  if (row["allow_edit_history"] === false) put("message_edit_history_visibility_policy", "none");

  const allow = (name: RealmGroupSettingName, value: GroupSetting | undefined): void => {
    if (
      value !== undefined &&
      isAllowed(value, realmGroupSettings[name], sources.systemGroup) &&
      value !== sources.systemGroup(realmGroupSettings[name].default)
    )
      settings[name] = value;
  };
  const code = (column: string): number => (typeof row[column] === "number" ? row[column] : -1);
  for (const [column, name] of Object.entries(policies)) {
    const group = policyGroups[code(column)];
    if (group !== undefined) allow(name, sources.systemGroup(group));
  }
  const wildcards = wildcardGroups[code("wildcard_mention_policy")];
  if (wildcards !== undefined) allow("can_mention_many_users_group", sources.systemGroup(wildcards));
  if (row["private_message_policy"] === 2) allow("direct_message_permission_group", sources.systemGroup("role:nobody"));
  const bots = row["bot_creation_policy"];
  if (bots === 2 || bots === 3) allow("can_create_bots_group", sources.systemGroup("role:administrators"));
  if (bots === 3) allow("can_create_write_only_bots_group", sources.systemGroup("role:administrators"));
  // Newer versions store the group itself.
  for (const name of realmGroupSettingNames) {
    const id = row[name];
    if (typeof id === "number") allow(name, sources.groupSetting(id));
  }
  if (sources.pictures) Object.assign(settings, sources.pictures);
  if (sources.userDefaults) settings[userDefaultsKey] = userSettingsOf(sources.userDefaults);
  return settings;
}

/** Whether a permission may be held by this group; which groups there are is looked up before. */
export function isAllowed(
  value: GroupSetting,
  { everyone, nobody, internet = false, only }: GroupSettingRule,
  systemGroup: (name: SystemGroupName) => GroupId,
): boolean {
  if (only) return only.some((name) => systemGroup(name) === value);
  const groups = typeof value === "number" ? [value] : value.direct_subgroups;
  const refused: SystemGroupName[] = [
    ...(everyone ? [] : (["role:everyone"] as const)),
    ...(nobody ? [] : (["role:nobody"] as const)),
    ...(internet ? [] : (["role:internet"] as const)),
  ];
  return !groups.some((group) => refused.some((name) => systemGroup(name) === group));
}

/** Columns that become settings under other names. */
export const otherSettingColumns: ReadonlySet<string> = new Set([
  ...Object.keys(policies),
  ...Object.keys(channelSettings),
  "wildcard_mention_policy",
  "private_message_policy",
  "bot_creation_policy",
  "mandatory_topics",
  "allow_edit_history",
  "giphy_rating",
]);

/** Whether the setting allows this value. Another server may have allowed more. */
export function isAccepted(name: RealmSettingName, value: unknown): boolean {
  const setting: RealmSetting = realmSettings[name];
  const { kind, min = -Infinity, max = Infinity, maxLength = Infinity } = setting;
  if (typeof kind === "object") return kind.oneOf.some((one) => one === value);
  const isWithin = (lowest: number) =>
    typeof value === "number" && Number.isInteger(value) && value >= lowest && value <= max;
  switch (kind) {
    case "boolean":
      return typeof value === "boolean";
    case "limit":
      return value === null || isWithin(1);
    case "days":
      return value === -1 || isWithin(1);
    case "integer":
    case "channel":
      return isWithin(min);
    case "string":
      return typeof value === "string" && !isLonger(value, maxLength);
    case "language":
      return typeof value === "string" && languageName(value) !== undefined;
    case "url":
      return value === null || (typeof value === "string" && isMeetingUrl(value, maxLength));
    default:
      kind satisfies never;
      return false;
  }
}

/** Groups of channels that somebody new may begin with; each channel is in one at most. */
export function defaultGroups(
  from: ZulipExport,
  channel: (id: OldChannelId) => ChannelId | undefined,
): DefaultChannelGroup[] {
  const taken = new Set<ChannelId>();
  const isFree = (id: ChannelId): boolean => !taken.has(id) && taken.add(id).has(id);
  return from.rows("zerver_defaultstreamgroup").map(({ id, name, description, streams }) => ({
    id,
    name,
    description,
    streams: streams
      .flatMap((old) => channel(old) ?? [])
      .filter(isFree)
      .sort((a, b) => a - b),
  }));
}
